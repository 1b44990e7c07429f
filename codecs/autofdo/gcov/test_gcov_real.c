/*
 * Real GCOV files, read and written again. Why: a codec that only reads what it wrote itself proves
 * nothing about the files of the field.
 *
 * What the files hold is compared in a form of its own, made here by a reader that shares nothing
 * with the codecs: what real writers put in the order of their hash tables is sorted first.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

#include "codecs/autofdo/gcov/test_gcov.h"
#include "harness/core/input.h"

static const char folder[] = "corpora/autofdo/gcov";

/* ---- a reader for comparisons ---------------------------------------------------------------- */

/* A file that is right: it was decoded before. */
struct file {
    struct bo_span bytes;
    size_t off;
    uint32_t version;
    struct bo_span *names, *paths; /* the path of each name; p is NULL without one */
    uint32_t n_names;
    size_t functions_off;   /* of the section */
    size_t working_set_off; /* of the section */
    struct bo_arena *arena;
};

static uint64_t next(struct file *f, unsigned nbytes)
{
    uint64_t v = 0;
    assert_true(f->bytes.n - f->off >= nbytes);
    for (unsigned i = 0; i < nbytes; i++)
        v |= (uint64_t)f->bytes.p[f->off++] << 8 * i;
    return v;
}

static struct bo_span next_string(struct file *f)
{
    const size_t n = (size_t)next(f, 4) * (f->version == 0x3430372a ? 4 : 1);
    const uint8_t *p = f->bytes.p + f->off;
    f->off += n;
    return (struct bo_span){p, strlen((const char *)p)};
}

static void *allot(struct file *f, size_t n, size_t size)
{
    void *p = bo_zalloc_array(f->arena, n, size);
    assert_non_null(p);
    return p;
}

static void read_names(struct file *f)
{
    const uint32_t n_files = f->version == 3 ? (uint32_t)next(f, 4) : 0;
    struct bo_span *files = allot(f, n_files, sizeof *files);
    for (uint32_t i = 0; i < n_files; i++)
        files[i] = next_string(f);
    f->n_names = (uint32_t)next(f, 4);
    f->names = allot(f, f->n_names, sizeof *f->names);
    f->paths = allot(f, f->n_names, sizeof *f->paths);
    for (uint32_t i = 0; i < f->n_names; i++) {
        f->names[i] = next_string(f);
        const uint32_t file = f->version == 3 ? (uint32_t)next(f, 4) : UINT32_MAX;
        if (file != UINT32_MAX)
            f->paths[i] = files[file];
    }
}

/* Of equal names, which stand anywhere, the first path is that of all. */
static struct bo_span path_of(const struct file *f, struct bo_span name)
{
    for (uint32_t i = 0; i < f->n_names; i++)
        if (f->paths[i].p && bo_span_equal(f->names[i], name))
            return f->paths[i];
    return (struct bo_span){NULL, 0};
}

/* ---- sorted forms ---------------------------------------------------------------------------- */

static int compare_spans(const void *a, const void *b)
{
    const struct bo_span *x = a, *y = b;
    return bo_span_compare(*x, *y);
}

static struct bo_span keep(struct file *f, struct bo_writer *out)
{
    uint8_t *p = allot(f, out->n, 1);
    memcpy(p, out->p, out->n);
    const struct bo_span kept = {p, out->n};
    bo_writer_free(out);
    return kept;
}

static void put_form(struct bo_writer *out, struct bo_span form)
{
    bo_put_le64(out, form.n);
    bo_put_bytes(out, form.p, form.n);
}

static void put_sorted(struct bo_writer *out, struct bo_span *forms, size_t n)
{
    qsort(forms, n, sizeof *forms, compare_spans);
    bo_put_le64(out, n);
    for (size_t i = 0; i < n; i++)
        put_form(out, forms[i]);
}

static struct bo_span record_form(struct file *f)
{
    struct bo_writer out, target;
    bo_writer_init(&out, f->arena);
    bo_put_be32(&out, (uint32_t)next(f, 4));
    const size_t n = (size_t)next(f, 4);
    struct bo_span *targets = allot(f, n, sizeof *targets);
    bo_put_le64(&out, next(f, 8));
    for (size_t i = 0; i < n; i++) {
        bo_writer_init(&target, f->arena);
        assert_int_equal(next(f, 4), 7);
        put_form(&target, f->names[next(f, 8)]);
        bo_put_le64(&target, next(f, 8));
        targets[i] = keep(f, &target);
    }
    put_sorted(&out, targets, n);
    return keep(f, &out);
}

static struct bo_span instance_form(struct file *f)
{
    struct bo_writer out, site;
    const struct bo_span name = f->names[next(f, 4)];
    const size_t n_records = (size_t)next(f, 4), n_callsites = (size_t)next(f, 4);
    struct bo_span *records = allot(f, n_records, sizeof *records);
    struct bo_span *callsites = allot(f, n_callsites, sizeof *callsites);
    for (size_t i = 0; i < n_records; i++)
        records[i] = record_form(f);
    for (size_t i = 0; i < n_callsites; i++) {
        const uint32_t place = (uint32_t)next(f, 4);
        const struct bo_span callee = instance_form(f);
        bo_writer_init(&site, f->arena);
        bo_put_be32(&site, place);
        put_form(&site, callee);
        callsites[i] = keep(f, &site);
    }
    bo_writer_init(&out, f->arena);
    put_form(&out, name);
    put_form(&out, path_of(f, name));
    put_sorted(&out, records, n_records);
    put_sorted(&out, callsites, n_callsites);
    return keep(f, &out);
}

/* Everything in the file but lengths, the order of things, and the working set. */
static struct bo_span file_form(struct file *f, struct bo_span bytes, struct bo_arena *arena)
{
    struct bo_writer out, function;
    *f = (struct file){.bytes = bytes, .arena = arena};
    bo_writer_init(&out, arena);
    next(f, 4);
    f->version = (uint32_t)next(f, 4);
    next(f, 4);
    if (f->version == 3)
        f->off = 384;
    put_form(&out, (struct bo_span){bytes.p, f->off}); /* header and summary */
    assert_int_equal(next(f, 4), 0xaa000000);
    next(f, 4);
    read_names(f);
    f->functions_off = f->off;
    assert_int_equal(next(f, 4), 0xac000000);
    next(f, 4);
    const size_t n = (size_t)next(f, 4);
    struct bo_span *functions = allot(f, n, sizeof *functions);
    for (size_t i = 0; i < n; i++) {
        bo_writer_init(&function, arena);
        bo_put_le64(&function, next(f, 8));
        bo_put_le64(&function, f->version == 3 ? next(f, 8) : 0);
        const struct bo_span body = instance_form(f);
        put_form(&function, body);
        functions[i] = keep(f, &function);
    }
    put_sorted(&out, functions, n);
    f->working_set_off = f->off + 12;
    return keep(f, &out);
}

/* ---- the comparison -------------------------------------------------------------------------- */

struct tally {
    unsigned n_files;
    unsigned n_identical;      /* every byte */
    unsigned n_same_up_to_set; /* every byte before the working set */
    unsigned n_same_names;     /* every byte before the functions */
    unsigned n_same_size;
};

static bool have_same_start(struct bo_span a, struct bo_span b, size_t n)
{
    return a.n >= n && b.n >= n && memcmp(a.p, b.p, n) == 0;
}

static void compare_file(const struct bo_codec *codec, const char *path, struct bo_span in,
                         struct tally *tally)
{
    struct bo_arena arena;
    struct bo_writer out, again;
    struct bo_error error = {0};
    struct file real, ours;
    void *model = NULL, *model_again = NULL;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    bo_writer_init(&again, &arena);
    if (codec->decode(codec, in, &arena, &model, &error))
        fail_msg("%s: %s at byte %llu", path, error.what, (unsigned long long)error.off);
    const char *flaw = autofdo_model_flaw(model, &arena);
    if (flaw)
        fail_msg("%s: %s", path, flaw);
    assert_int_equal(codec->encode(codec, model, &out, &error), BO_OK);
    const struct bo_span encoded = bo_writer_span(&out);
    const struct bo_span form = file_form(&real, in, &arena);
    if (!bo_span_equal(form, file_form(&ours, encoded, &arena)))
        fail_msg("%s: another file comes out", path);
    /* And from then on, nothing changes. */
    assert_int_equal(codec->decode(codec, encoded, &arena, &model_again, &error), BO_OK);
    assert_int_equal(codec->encode(codec, model_again, &again, &error), BO_OK);
    assert_true(bo_span_equal(encoded, bo_writer_span(&again)));
    tally->n_files++;
    tally->n_identical += bo_span_equal(in, encoded);
    tally->n_same_up_to_set += have_same_start(in, encoded, real.working_set_off);
    tally->n_same_names += have_same_start(in, encoded, real.functions_off + 12);
    tally->n_same_size += in.n == encoded.n;
    bo_writer_free(&again);
    bo_writer_free(&out);
    bo_arena_free(&arena);
}

/* Calls compare_file for each file of the folder whose name ends in `suffix`. */
static void compare_files(const char *codec, const char *suffix, struct tally *tally)
{
    char path[512];
    DIR *dir = opendir(folder);
    if (!dir)
        fail_msg("no folder %s", folder);
    for (struct dirent *entry; (entry = readdir(dir)) != NULL;) {
        const size_t n = strlen(entry->d_name);
        if (n < strlen(suffix) || strcmp(entry->d_name + n - strlen(suffix), suffix) != 0)
            continue;
        struct bo_input in;
        snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
        assert_true(bo_input_open(path, &in));
        compare_file(gcov_codec(codec), path, in.bytes, tally);
        bo_input_close(&in);
    }
    closedir(dir);
}

/*
 * No file round-trips byte for byte. Real writers leave callsites in the order of a hash table, and
 * compute the working set from the number of instructions behind each count. LevelDB's names with
 * C4 and D4 became C2 and D2 after they had been sorted; two of them became equal names.
 */
TEST(test_round_trip)
{
    struct tally tally = {0};
    compare_files("gcov-v3", ".v3.gcov.xz", &tally);
    compare_files("gcov-v2", ".v2.gcov.xz", &tally);
    compare_files("gcov-v407", ".v407.gcov.xz", &tally);
    print_message(
        "%u files; the same to the byte: %u, up to the working set: %u, up to the functions: "
        "%u, in size: %u\n",
        tally.n_files, tally.n_identical, tally.n_same_up_to_set, tally.n_same_names,
        tally.n_same_size);
    assert_int_equal(tally.n_files, 12);
    assert_int_equal(tally.n_identical, 0);
    assert_int_equal(tally.n_same_up_to_set, 0);
    assert_int_equal(tally.n_same_names, 8);
    assert_int_equal(tally.n_same_size, 11);
}

/* ---- the same profile in several layouts ----------------------------------------------------- */

static void *decode_file(const char *codec, const char *name, struct bo_input *in,
                         struct bo_arena *arena)
{
    char path[512];
    void *model = NULL;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_true(bo_input_open(path, in));
    const struct bo_codec *found = gcov_codec(codec);
    assert_int_equal(found->decode(found, in->bytes, arena, &model, NULL), BO_OK);
    return model;
}

/* What v2 holds of a v3 file is the model of the v2 file, and of the v407 file. */
TEST(test_layouts_agree)
{
    static const char *const names[][3] = {
        {"leveldb_perf.v3.gcov.xz", "leveldb_perf.v2.gcov.xz", "leveldb_perf.v407.gcov.xz"},
        {"lua_callgrind.v3.gcov.xz", "lua_callgrind.v2.gcov.xz", "lua_callgrind.v407.gcov.xz"},
        {"sqlite_perf.v3.gcov.xz", "sqlite_perf.v2.gcov.xz", "sqlite_perf.v407.gcov.xz"},
    };
    const struct bo_format *format = bo_find_format("autofdo");
    for (size_t i = 0; i < N_ELEMENTS(names); i++) {
        struct bo_arena arena;
        struct bo_input in[3];
        void *reduced = NULL;
        bo_arena_init(&arena, BO_ARENA_UNLIMITED);
        const void *v3 = decode_file("gcov-v3", names[i][0], &in[0], &arena);
        const void *v2 = decode_file("gcov-v2", names[i][1], &in[1], &arena);
        const void *v407 = decode_file("gcov-v407", names[i][2], &in[2], &arena);
        const struct bo_codec *codec = gcov_codec("gcov-v2");
        assert_int_equal(codec->reduce(codec, v3, &arena, &reduced, NULL), BO_OK);
        assert_null(format->differ(reduced, v2));
        assert_null(format->differ(reduced, v407));
        assert_non_null(format->differ(v3, v2));
        for (size_t k = 0; k < 3; k++)
            bo_input_close(&in[k]);
        bo_arena_free(&arena);
    }
}

TEST_FILE(NULL, NULL)
