/* AutoFDO as the harness sees it: counts, the entropy floor, and the table of the format. */
#include "codecs/autofdo/autofdo.h"
#include "codecs/autofdo/generate.h"
#include "codecs/autofdo/model.h"
#include "codecs/autofdo/queries.h"
#include "codecs/autofdo/report.h"
#include "codecs/autofdo/resample.h"
#include "codecs/autofdo/text.h"
#include "harness/coding/entropy.h"

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

/* Bytes of all names, each counted once. Without memory to tell them apart it says 0. */
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

/* ---- the entropy floor ----------------------------------------------------------------------- */

/* Numbers of one kind: lines, counts, ... */
struct numbers {
    uint64_t *p;
    size_t n;
};

/* What the model says, kind by kind. */
struct streams {
    struct numbers names, n_records, n_callsites, n_targets; /* names by their numbers */
    struct numbers lines, discriminators, counts, target_counts;
    struct numbers heads, timestamps;
    const struct autofdo_name_table *table;
};

static void put(struct numbers *numbers, uint64_t v)
{
    numbers->p[numbers->n++] = v;
}

static void put_name(struct streams *s, struct bo_span name)
{
    size_t number = 0;
    autofdo_names_find(s->table, name, &number);
    put(&s->names, number);
}

static void put_record(struct streams *s, const struct autofdo_record *record)
{
    put(&s->lines, record->line);
    put(&s->discriminators, record->discriminator);
    put(&s->counts, record->count);
    put(&s->n_targets, record->n_targets);
    for (size_t i = 0; i < record->n_targets; i++) {
        put_name(s, record->targets[i].name);
        put(&s->target_counts, record->targets[i].count);
    }
}

static void put_instance(struct streams *s, const struct autofdo_instance *instance)
{
    put_name(s, instance->name);
    put(&s->n_records, instance->n_records);
    put(&s->n_callsites, instance->n_callsites);
    for (size_t i = 0; i < instance->n_records; i++)
        put_record(s, &instance->records[i]);
    for (size_t i = 0; i < instance->n_callsites; i++) {
        put(&s->lines, instance->callsites[i].line);
        put(&s->discriminators, instance->callsites[i].discriminator);
        put_instance(s, &instance->callsites[i].callee);
    }
}

/* The bytes of texts, each text once. */
static double texts_nbits(const struct autofdo_name_table *texts)
{
    struct bo_byte_counts counts = {{0}};
    for (size_t i = 0; i < texts->n; i++)
        bo_count_bytes(&counts, texts->names[i]);
    return bo_bytes_nbits(&counts);
}

/* Each path once, and for each file which path it is. Negative when the arena refuses. */
static double files_nbits(const struct autofdo_model *model, struct bo_arena *arena)
{
    struct autofdo_name_table paths;
    struct numbers numbers = {bo_alloc_array(arena, model->n_files, sizeof(uint64_t)), 0};
    if (!numbers.p || !autofdo_names_init(&paths, 0, arena))
        return -1;
    for (size_t i = 0; i < model->n_files; i++) {
        size_t number;
        if (!autofdo_names_add(&paths, model->files[i].path, &number))
            return -1;
        put(&numbers, number);
    }
    return texts_nbits(&paths) + bo_order0_nbits(numbers.p, numbers.n);
}

/*
 * One code for each kind of number (names and paths are numbers here), one for the bytes of the
 * names and one for those of the paths, each by frequency alone. It is no floor for a codec that
 * models context: shared parts of names and repeated subtrees make models several times smaller.
 */
static double entropy_floor_nbytes(const void *opaque, struct bo_arena *arena)
{
    const struct autofdo_model *model = opaque;
    const struct sizes sizes = sizes_of(model);
    struct autofdo_name_table names;
    if (!gather_names(model, arena, &names))
        return -1;
    struct streams s = {.table = &names};
    const uint64_t n_places = sizes.n_records + sizes.n_instances;
    const struct {
        struct numbers *numbers;
        uint64_t room;
    } streams[] = {
        {&s.names, sizes.n_instances + sizes.n_targets},
        {&s.n_records, sizes.n_instances},
        {&s.n_callsites, sizes.n_instances},
        {&s.n_targets, sizes.n_records},
        {&s.lines, n_places},
        {&s.discriminators, n_places},
        {&s.counts, sizes.n_records},
        {&s.target_counts, sizes.n_targets},
        {&s.heads, model->n_functions},
        {&s.timestamps, model->n_functions},
    };
    const size_t n_streams = sizeof streams / sizeof *streams;
    for (size_t i = 0; i < n_streams; i++) {
        streams[i].numbers->p = bo_alloc_array(arena, (size_t)streams[i].room, sizeof(uint64_t));
        if (!streams[i].numbers->p)
            return -1;
    }
    for (size_t f = 0; f < model->n_functions; f++) {
        put(&s.heads, model->functions[f].head);
        put(&s.timestamps, model->functions[f].timestamp);
        put_instance(&s, &model->functions[f].body);
    }
    double nbits = files_nbits(model, arena);
    if (nbits < 0)
        return -1;
    nbits += texts_nbits(&names);
    for (size_t i = 0; i < n_streams; i++)
        nbits += bo_order0_nbits(streams[i].numbers->p, streams[i].numbers->n);
    return nbits / 8;
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
    .entropy_floor_nbytes = entropy_floor_nbytes,
};
