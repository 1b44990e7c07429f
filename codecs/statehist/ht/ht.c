/*
 * ht: the history tree file of Trace Compass, version 11: header and nodes byte for byte as the
 * real program writes them for these intervals in this order, and the attribute tree as a stream of
 * Java objects. README.md specifies the layout. The other files of this folder are parts of the
 * codec.
 *
 * ht-4k is the same with blocks of 4096 bytes. The layout allows this size, but real files do not
 * have it.
 */
#include "codecs/statehist/ht/ht.h"

#include "codecs/statehist/ht/reader.h"
#include "codecs/statehist/ht/write.h"
#include "codecs/statehist/model.h"

/* ---- bools ----------------------------------------------------------------------------------- */

/* The real program has no bools: it writes their texts, which are read as strings. */
static struct bo_span bool_text(uint64_t value)
{
    return bo_span_of(value ? "true" : "false");
}

static bool has_bools(const struct statehist_model *model)
{
    for (size_t i = 0; i < model->n_intervals; i++)
        if (model->intervals[i].type == STATEHIST_BOOL)
            return true;
    return false;
}

static bool add_reduced(struct statehist_builder *builder, const struct statehist_model *model,
                        struct statehist_interval interval)
{
    uint32_t number = 0;
    if (interval.type == STATEHIST_STRING || interval.type == STATEHIST_BOOL) {
        const struct bo_span text = interval.type == STATEHIST_BOOL
                                        ? bool_text(interval.value)
                                        : model->strings[interval.value];
        if (!statehist_add_string(builder, text, &number))
            return false;
        interval.type = STATEHIST_STRING;
        interval.value = number;
    }
    return statehist_add_interval(builder, &interval);
}

static enum bo_status reduce(const struct bo_codec *self, const void *opaque,
                             struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    const struct statehist_model *model = opaque;
    struct statehist_builder builder;
    struct statehist_model *reduced;
    struct statehist_flaw flaw;
    *model_ret = (void *)(uintptr_t)opaque;
    if (!has_bools(model))
        return BO_OK;
    if (!statehist_builder_init(&builder, false, arena) ||
        !statehist_reserve(&builder, model->n_quarks, model->n_intervals))
        return bo_fail_alloc(err, arena);
    for (uint32_t q = 0; q < model->n_quarks; q++)
        if (!statehist_add_attribute(&builder, model->attributes[q].name,
                                     model->attributes[q].parent))
            return bo_fail_alloc(err, arena);
    for (size_t i = 0; i < model->n_intervals; i++)
        if (!add_reduced(&builder, model, model->intervals[model->closing[i]]))
            return bo_fail_alloc(err, arena);
    const enum bo_status status =
        statehist_finish(&builder, model->start, model->end, &reduced, &flaw);
    *model_ret = reduced;
    return status ? statehist_fail(err, status, BO_NO_OFFSET, &flaw, arena) : BO_OK;
}

/* ---- encoding -------------------------------------------------------------------------------- */

static struct ht_item item_of(const struct statehist_model *model,
                              const struct statehist_interval *interval)
{
    struct ht_item item = {.start = interval->start,
                           .end = interval->end,
                           .quark = interval->quark,
                           .bits = interval->value};
    switch ((enum statehist_type)interval->type) {
    case STATEHIST_NULL:
    case STATEHIST_N_TYPES:
        item.type = HT_NULL;
        break;
    case STATEHIST_INT:
        item.type = HT_INT;
        break;
    case STATEHIST_LONG:
        item.type = HT_LONG;
        break;
    case STATEHIST_DOUBLE:
        item.type = HT_DOUBLE;
        break;
    case STATEHIST_BOOL:
        item.type = HT_STRING;
        item.text = bool_text(interval->value);
        break;
    case STATEHIST_STRING:
        item.type = HT_STRING;
        item.text = model->strings[interval->value];
        break;
    }
    return item;
}

static enum bo_status check_strings(const struct statehist_model *model,
                                    const struct ht_config *config, struct bo_error *err)
{
    enum { MAX_REST_NBYTES = HT_NODE_HEADER_NBYTES + 2 * HT_MAX_VARINT_NBYTES + 4 + 1 + 2 + 1 };
    for (uint32_t i = 0; i < model->n_strings; i++) {
        const size_t n = model->strings[i].n;
        if (n > HT_MAX_STRING_NBYTES)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "string of more than 32767 bytes");
        if (n + MAX_REST_NBYTES > config->block_nbytes)
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "string does not fit a block");
    }
    return BO_OK;
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct statehist_model *model = opaque;
    const struct ht_config *config = self->own;
    struct ht_tree tree;
    enum bo_status status = check_strings(model, config, err);
    if (!status)
        status = ht_begin(&tree, config, model->start, out, out->arena, err);
    for (size_t i = 0; i < model->n_intervals && !status && !out->status; i++) {
        const struct ht_item item = item_of(model, &model->intervals[model->closing[i]]);
        status = ht_insert(&tree, &item, err);
    }
    if (status)
        return status;
    ht_finish(&tree, model->end);
    status = ht_put_attributes(model->attributes, model->n_quarks, out, err);
    return status ? status : bo_writer_status(out, err);
}

/* ---- the codecs ------------------------------------------------------------------------------ */

const struct bo_codec statehist_ht = {
    .name = "ht",
    .summary = "Trace Compass' history tree file, version 11: a tree of blocks over time",
    .spec = "codecs/statehist/README.md#ht",
    .choices = "the size of nodes, the shape of the tree",
    .role = BO_STATUS_QUO,
    .access = BO_RANDOM,
    .lazy = true,
    .keeps = true,
    .kinds = (1u << STATEHIST_N_KINDS) - 1,
    .own = &(const struct ht_config){.block_nbytes = 65536, .max_children = 50},
    .reduce = reduce,
    .encode = encode,
    .decode = ht_decode,
    .open = ht_open,
    .query = ht_query,
};

const struct bo_codec statehist_ht_4k = {
    .name = "ht-4k",
    .summary = "the same with blocks of 4096 bytes",
    .spec = "codecs/statehist/README.md#ht",
    .choices = "the size of nodes, the shape of the tree",
    .role = BO_CONTROL,
    .access = BO_RANDOM,
    .lazy = true,
    .keeps = true,
    .kinds = (1u << STATEHIST_N_KINDS) - 1,
    .own = &(const struct ht_config){.block_nbytes = 4096, .max_children = 50},
    .reduce = reduce,
    .encode = encode,
    .decode = ht_decode,
    .open = ht_open,
    .query = ht_query,
};
