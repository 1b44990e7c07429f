/* AutoFDO: counts, fields, and the struct bo_format that the harness uses. */
#include "codecs/autofdo/autofdo.h"
#include "codecs/autofdo/generate.h"
#include "codecs/autofdo/model.h"
#include "codecs/autofdo/queries.h"
#include "codecs/autofdo/report.h"
#include "codecs/autofdo/resample.h"
#include "codecs/autofdo/text.h"

/* ---- counts ---------------------------------------------------------------------------------- */

struct sizes {
    uint64_t n_instances, n_records, n_targets;
};

static void add_sizes(struct sizes *sizes, const struct autofdo_instance *instance)
{
    sizes->n_instances++;
    sizes->n_records += instance->n_records;
    for (size_t i = 0; i < instance->n_records; i++)
        sizes->n_targets += instance->records[i].n_targets;
    for (size_t i = 0; i < instance->n_callsites; i++)
        add_sizes(sizes, &instance->callsites[i].callee);
}

static struct sizes sizes_of(const struct autofdo_model *model)
{
    struct sizes sizes = {0};
    for (size_t f = 0; f < model->n_functions; f++)
        add_sizes(&sizes, &model->functions[f].body);
    return sizes;
}

/* Adds every name of the instance to the table; false when the arena refuses. */
static bool add_names(struct autofdo_name_table *names, const struct autofdo_instance *instance)
{
    size_t number;
    bool ok = autofdo_names_add(names, instance->name, &number);
    for (size_t i = 0; i < instance->n_records && ok; i++)
        for (size_t t = 0; t < instance->records[i].n_targets && ok; t++)
            ok = autofdo_names_add(names, instance->records[i].targets[t].name, &number);
    for (size_t i = 0; i < instance->n_callsites && ok; i++)
        ok = add_names(names, &instance->callsites[i].callee);
    return ok;
}

/* Each name of the model once; false when the arena refuses. */
static bool gather_names(const struct autofdo_model *model, struct bo_arena *arena,
                         struct autofdo_name_table *names)
{
    bool ok = autofdo_names_init(names, model->n_functions, arena);
    for (size_t f = 0; f < model->n_functions && ok; f++)
        ok = add_names(names, &model->functions[f].body);
    return ok;
}

/* Bytes of all distinct names. Returns 0 when memory to compare them is missing. */
static uint64_t count_name_bytes(const struct autofdo_model *model)
{
    struct bo_arena arena;
    struct autofdo_name_table names;
    uint64_t n = 0;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    if (gather_names(model, &arena, &names))
        for (size_t i = 0; i < names.n; i++)
            n += names.names[i].n;
    bo_arena_free(&arena);
    return n;
}

static unsigned units(const void *opaque, struct bo_unit *units_ret)
{
    const struct autofdo_model *model = opaque;
    const struct sizes sizes = sizes_of(model);
    units_ret[0] = (struct bo_unit){"functions", model->n_functions};
    units_ret[1] = (struct bo_unit){"instances", sizes.n_instances};
    units_ret[2] = (struct bo_unit){"records", sizes.n_records};
    units_ret[3] = (struct bo_unit){"targets", sizes.n_targets};
    units_ret[4] = (struct bo_unit){"name bytes", count_name_bytes(model)};
    return 5;
}

/* ---- the fields ------------------------------------------------------------------------------ */

/* The names of functions and targets, as numbers. */
struct naming {
    struct bo_sequences *out;
    const struct autofdo_name_table *table;
};

static void put_name(const struct naming *naming, struct bo_span name)
{
    size_t number = 0;
    autofdo_names_find(naming->table, name, &number);
    bo_add_number(naming->out, "name numbers", number);
}

static void put_record(const struct naming *naming, const struct autofdo_record *record)
{
    struct bo_sequences *out = naming->out;
    bo_add_number(out, "lines", record->line);
    bo_add_number(out, "discriminators", record->discriminator);
    bo_add_number(out, "counts", record->count);
    bo_add_number(out, "target counts of records", record->n_targets);
    for (size_t i = 0; i < record->n_targets; i++) {
        put_name(naming, record->targets[i].name);
        bo_add_number(out, "calls of targets", record->targets[i].count);
    }
}

static void put_instance(const struct naming *naming, const struct autofdo_instance *instance)
{
    struct bo_sequences *out = naming->out;
    put_name(naming, instance->name);
    bo_add_number(out, "record counts", instance->n_records);
    bo_add_number(out, "callsite counts", instance->n_callsites);
    for (size_t i = 0; i < instance->n_records; i++)
        put_record(naming, &instance->records[i]);
    for (size_t i = 0; i < instance->n_callsites; i++) {
        bo_add_number(out, "lines", instance->callsites[i].line);
        bo_add_number(out, "discriminators", instance->callsites[i].discriminator);
        put_instance(naming, &instance->callsites[i].callee);
    }
}

static void put_texts(struct bo_sequences *out, const char *name,
                      const struct autofdo_name_table *texts)
{
    for (size_t i = 0; i < texts->n; i++)
        bo_add_text(out, name, texts->names[i]);
}

/* Each path once, and for each file the number of its path. */
static void put_files(const struct autofdo_model *model, struct bo_sequences *out)
{
    struct autofdo_name_table paths;
    size_t number;
    out->refused |= !autofdo_names_init(&paths, 0, out->arena);
    for (size_t i = 0; i < model->n_files && !out->refused; i++) {
        out->refused = !autofdo_names_add(&paths, model->files[i].path, &number);
        bo_add_number(out, "path numbers", number);
    }
    if (!out->refused)
        put_texts(out, "paths", &paths);
}

/*
 * Names and paths are numbers where they are used. Their order-0 entropy is no floor for a codec
 * that models context: shared parts of names and repeated subtrees make models several times
 * smaller.
 */
static void fields(const void *opaque, struct bo_sequences *out)
{
    const struct autofdo_model *model = opaque;
    struct autofdo_name_table names;
    const struct naming naming = {out, &names};
    out->refused |= !gather_names(model, out->arena, &names);
    for (size_t f = 0; f < model->n_functions && !out->refused; f++) {
        bo_add_number(out, "heads", model->functions[f].head);
        bo_add_number(out, "timestamps", model->functions[f].timestamp);
        put_instance(&naming, &model->functions[f].body);
    }
    if (!out->refused)
        put_texts(out, "names", &names);
    if (!out->refused)
        put_files(model, out);
}

/* ---- the tables ------------------------------------------------------------------------------ */

#define CODEC(name) extern const struct bo_codec autofdo_##name;
#include "codecs/autofdo/codecs.def"
#undef CODEC

static const struct bo_codec *const codecs[] = {
#define CODEC(name) &autofdo_##name,
#include "codecs/autofdo/codecs.def"
#undef CODEC
    NULL,
};

/* Libraries' versions, as texts; without the library, nothing. */
#ifndef BO_WITH_ZLIB
#define BO_WITH_ZLIB NULL
#endif
#ifndef BO_WITH_ZSTD
#define BO_WITH_ZSTD NULL
#endif

static const struct bo_optional optionals[] = {
    {"extbinary-zlib", "zlib", BO_WITH_ZLIB},
    {"shared-trees-zstd", "libzstd", BO_WITH_ZSTD},
    {NULL, NULL, NULL},
};

const struct bo_format autofdo_format = {
    .name = "autofdo",
    .summary = "sampled profiles of programs: from a function's name to its tree of counts",
    .report = &autofdo_report,
    .kinds = autofdo_kinds,
    .n_kinds = AUTOFDO_N_KINDS,
    .codecs = codecs,
    .optionals = optionals,
    .parse = autofdo_parse,
    .print = autofdo_print,
    .differ = autofdo_differ,
    .resample = autofdo_resample,
    .generate = autofdo_generate,
    .mutate = autofdo_mutate,
    .merge = autofdo_merge,
    .units = units,
    .fields = fields,
};
