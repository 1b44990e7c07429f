/* The declaration of the model of sets of GUIDs, and what codecs share. */
#include "codecs/guid/guid.h"
#include "codecs/guid/text.h"

static const struct bo_field fields[] = {
    BO_FIELD(struct guid_entry, guid, BO_HEX, .uniform = true),
    BO_FIELD(struct guid_entry, nbytes, BO_DECIMAL, .max = GUID_MAX_BODY_NBYTES, .optional = true),
};

static const char *flaw_of(const void *before, const void *record)
{
    return ((const struct guid_entry *)record)->nbytes ? NULL : "body is empty";
}

const struct bo_shape guid_shape = {
    .name = "guid",
    .unit = "guids",
    .record_nbytes = sizeof(struct guid_entry),
    .fields = fields,
    .n_fields = sizeof fields / sizeof *fields,
    .order = BO_MAP,
    .text = BO_LINES,
    .flaw = flaw_of,
};

/* ---- what codecs share ----------------------------------------------------------------------- */

const struct guid_entry *guid_entries(const void *model, size_t *n_ret, uint64_t *total_ret)
{
    const struct bo_records *records = model;
    const struct guid_entry *entries = records->items;
    *n_ret = records->n;
    *total_ret = 0;
    for (size_t i = 0; i < records->n; i++)
        *total_ret += guid_nbytes(&entries[i]);
    return entries;
}

enum bo_status guid_entries32(const void *model, const struct guid_entry **entries_ret,
                              size_t *n_ret, uint32_t *total_ret, struct bo_error *err)
{
    uint64_t total;
    *entries_ret = guid_entries(model, n_ret, &total);
    *total_ret = (uint32_t)total;
    if (total > UINT32_MAX || *n_ret > UINT32_MAX / 16)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "2^28 GUIDs or more, or 2^32 bytes of bodies or more");
    return BO_OK;
}

struct guid_entry *guid_new_model(size_t n, struct bo_arena *arena, struct bo_records **model_ret)
{
    struct bo_records *records = bo_alloc(arena, sizeof *records);
    struct guid_entry *entries = bo_alloc_array(arena, n, sizeof *entries);
    if (!records || !entries)
        return NULL;
    *records = (struct bo_records){entries, n};
    *model_ret = records;
    return entries;
}

/* ---- the text form --------------------------------------------------------------------------- */

enum bo_status guid_print(const void *model, struct bo_writer *out, struct bo_error *err)
{
    return bo_records_print(&guid_shape, model, out, err);
}
