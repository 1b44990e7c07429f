/*
 * sqlite: a control, and an optional codec: what an engineer would reach for. A database of
 * libsqlite3, as it serializes it, and after it the XXH3 of 64 bits, seed 0, of these bytes (u64,
 * little-endian).
 *
 *   history(start, end, quarks)                 one row
 *   attributes(quark, parent, name)             parent is null at the top
 *   intervals(quark, start, end, type, value)   in the order of closing; indexed by quark and start
 *
 * Types are those of the model. A value is an integer, of a double its bits; a string's is its
 * text, a null's is null. The bytes depend on the library's version.
 *
 * It is lazy: damage of the database is what SQLite finds where it reads; only decoding looks at
 * the hash. Its memory does not come from the arena.
 */
#include <sqlite3.h>

#include "codecs/statehist/answers.h"
#include "codecs/statehist/model.h"

enum { HASH_NBYTES = 8 };

static const char schema[] =
    "CREATE TABLE history(start INTEGER, end INTEGER, quarks INTEGER);"
    "CREATE TABLE attributes(quark INTEGER PRIMARY KEY, parent INTEGER, name TEXT);"
    "CREATE TABLE intervals(quark INTEGER, start INTEGER, end INTEGER,"
    " type INTEGER, value);";

static enum bo_status fail(int code, struct bo_error *err)
{
    if ((code & 0xff) == SQLITE_NOMEM)
        return bo_fail(err, BO_NO_MEMORY, BO_NO_OFFSET, "SQLite is out of memory");
    if ((code & 0xff) == SQLITE_TOOBIG)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "text is too long for SQLite");
    return bo_fail(err, BO_CORRUPT, 0, "SQLite reports that the database is damaged");
}

/* ---- writing --------------------------------------------------------------------------------- */

static int put_text(sqlite3_stmt *row, int column, struct bo_span text)
{
    static const char empty[1] = "";
    return sqlite3_bind_text64(row, column, text.n ? (const char *)text.p : empty, text.n,
                               SQLITE_STATIC, SQLITE_UTF8);
}

/* Inserts the row with what is bound. */
static int insert(sqlite3_stmt *row)
{
    const int code = sqlite3_step(row);
    sqlite3_reset(row);
    sqlite3_clear_bindings(row);
    return code == SQLITE_DONE ? SQLITE_OK : code;
}

static int put_history(const struct statehist_model *model, sqlite3_stmt *row)
{
    sqlite3_bind_int64(row, 1, model->start);
    sqlite3_bind_int64(row, 2, model->end);
    sqlite3_bind_int64(row, 3, model->n_quarks);
    return insert(row);
}

static int put_attributes(const struct statehist_model *model, sqlite3_stmt *row)
{
    int code = SQLITE_OK;
    for (uint32_t q = 0; q < model->n_quarks && !code; q++) {
        sqlite3_bind_int64(row, 1, q);
        if (model->attributes[q].parent != STATEHIST_ROOT)
            sqlite3_bind_int64(row, 2, model->attributes[q].parent);
        code = put_text(row, 3, model->attributes[q].name);
        if (!code)
            code = insert(row);
    }
    return code;
}

static int put_intervals(const struct statehist_model *model, sqlite3_stmt *row)
{
    int code = SQLITE_OK;
    for (size_t i = 0; i < model->n_intervals && !code; i++) {
        const struct statehist_interval *at = &model->intervals[model->closing[i]];
        sqlite3_bind_int64(row, 1, at->quark);
        sqlite3_bind_int64(row, 2, at->start);
        sqlite3_bind_int64(row, 3, at->end);
        sqlite3_bind_int64(row, 4, at->type);
        if (at->type == STATEHIST_STRING)
            code = put_text(row, 5, model->strings[at->value]);
        else if (at->type != STATEHIST_NULL)
            code = sqlite3_bind_int64(row, 5, (sqlite3_int64)at->value);
        if (!code)
            code = insert(row);
    }
    return code;
}

static int put_rows(sqlite3 *db, const char *sql, const struct statehist_model *model,
                    int (*put)(const struct statehist_model *, sqlite3_stmt *))
{
    sqlite3_stmt *row;
    int code = sqlite3_prepare_v2(db, sql, -1, &row, NULL);
    if (!code)
        code = put(model, row);
    sqlite3_finalize(row);
    return code;
}

static int fill(sqlite3 *db, const struct statehist_model *model)
{
    int code = sqlite3_exec(db, schema, NULL, NULL, NULL);
    if (!code)
        code = sqlite3_exec(db, "BEGIN", NULL, NULL, NULL);
    if (!code)
        code = put_rows(db, "INSERT INTO history VALUES(?,?,?)", model, put_history);
    if (!code)
        code = put_rows(db, "INSERT INTO attributes VALUES(?,?,?)", model, put_attributes);
    if (!code)
        code = put_rows(db, "INSERT INTO intervals VALUES(?,?,?,?,?)", model, put_intervals);
    if (!code)
        code = sqlite3_exec(db, "CREATE INDEX by_quark ON intervals(quark, start); COMMIT", NULL,
                            NULL, NULL);
    return code;
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    sqlite3 *db;
    sqlite3_int64 n = 0;
    int code = sqlite3_open(":memory:", &db);
    if (!code)
        code = fill(db, opaque);
    uint8_t *bytes = code ? NULL : sqlite3_serialize(db, "main", &n, 0);
    if (bytes) {
        bo_mark(out, "database");
        bo_put_bytes(out, bytes, (size_t)n);
        bo_put_le64(out, XXH3_64bits(bytes, (size_t)n));
    }
    sqlite3_free(bytes);
    sqlite3_close(db);
    if (code || !bytes)
        return fail(code ? code : SQLITE_NOMEM, err);
    return bo_writer_status(out, err);
}

/* ---- opening --------------------------------------------------------------------------------- */

enum statement { HISTORY, ATTRIBUTES, AT, FROM_TO, ALL, N_STATEMENTS };

static const char *const statements[N_STATEMENTS] = {
    [HISTORY] = "SELECT start, end, quarks FROM history",
    [ATTRIBUTES] = "SELECT quark, parent, name FROM attributes ORDER BY quark",
    [AT] = "SELECT start, end, type, value FROM intervals"
           " WHERE quark = ?1 AND start <= ?2 ORDER BY start DESC LIMIT 1",
    [FROM_TO] = "SELECT start, end, type, value FROM intervals WHERE quark = ?1 AND start >="
                " (SELECT max(start) FROM intervals WHERE quark = ?1 AND start <= ?2)"
                " AND start <= ?3 ORDER BY start",
    [ALL] = "SELECT start, end, type, value, quark FROM intervals ORDER BY rowid",
};

struct reader {
    sqlite3 *db;
    sqlite3_stmt *statements[N_STATEMENTS];
    int64_t start, end;
    uint32_t n_quarks;
};

static void close_reader(void *opaque)
{
    struct reader *r = opaque;
    for (unsigned i = 0; i < N_STATEMENTS; i++)
        sqlite3_finalize(r->statements[i]);
    sqlite3_close(r->db);
}

/* Opens the database in the bytes themselves, without a copy. Nothing may write to them. */
static int attach(struct reader *r, struct bo_span database)
{
    int code = sqlite3_db_config(r->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    if (!code)
        code = sqlite3_db_config(r->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
    if (!code)
        code = sqlite3_exec(r->db, "PRAGMA cell_size_check = ON", NULL, NULL, NULL);
    if (!code)
        code = sqlite3_deserialize(r->db, "main", (uint8_t *)(uintptr_t)database.p,
                                   (sqlite3_int64)database.n, (sqlite3_int64)database.n,
                                   SQLITE_DESERIALIZE_READONLY);
    for (unsigned i = 0; i < N_STATEMENTS && !code; i++)
        code = sqlite3_prepare_v3(r->db, statements[i], -1, SQLITE_PREPARE_PERSISTENT,
                                  &r->statements[i], NULL);
    return code;
}

/* A column that must be below 2^32. */
static bool get_u32(sqlite3_stmt *row, int column, uint32_t *number_ret)
{
    const int64_t number = sqlite3_column_int64(row, column);
    *number_ret = (uint32_t)number;
    return number >= 0 && number <= UINT32_MAX;
}

static int read_history(struct reader *r)
{
    sqlite3_stmt *row = r->statements[HISTORY];
    const int code = sqlite3_step(row);
    bool fits = false;
    if (code == SQLITE_ROW) {
        r->start = sqlite3_column_int64(row, 0);
        r->end = sqlite3_column_int64(row, 1);
        fits = get_u32(row, 2, &r->n_quarks) && r->n_quarks <= INT32_MAX;
    }
    sqlite3_reset(row);
    return code == SQLITE_ROW && fits                  ? SQLITE_OK
           : code == SQLITE_ROW || code == SQLITE_DONE ? SQLITE_CORRUPT
                                                       : code;
}

static enum bo_status open_reader(const struct bo_codec *self, struct bo_span in,
                                  struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    struct reader *r = bo_zalloc_array(arena, 1, sizeof *r);
    if (!r)
        return bo_fail_alloc(err, arena);
    if (in.n <= HASH_NBYTES)
        return bo_fail(err, BO_TRUNCATED, in.n, "file is shorter than its hash");
    int code = sqlite3_open(":memory:", &r->db);
    if (!bo_arena_on_release(arena, close_reader, r)) {
        close_reader(r);
        return bo_fail_alloc(err, arena);
    }
    if (!code)
        code = attach(r, (struct bo_span){in.p, in.n - HASH_NBYTES});
    if (!code)
        code = read_history(r);
    *reader_ret = r;
    return code ? fail(code, err) : BO_OK;
}

/* ---- intervals ------------------------------------------------------------------------------- */

struct interval {
    struct statehist_state state; /* as answers have it */
    struct bo_span string;        /* until the next step */
};

/* False when the row is not one of the kind that encoding writes. */
static bool get_interval(sqlite3_stmt *row, struct interval *interval)
{
    const int64_t type = sqlite3_column_int64(row, 2);
    *interval = (struct interval){.state = {.start = sqlite3_column_int64(row, 0),
                                            .end = sqlite3_column_int64(row, 1),
                                            .type = (uint32_t)type}};
    if (type < 0 || type >= STATEHIST_N_TYPES)
        return false;
    if (type == STATEHIST_STRING) {
        interval->string.p = sqlite3_column_text(row, 3);
        interval->string.n = (size_t)sqlite3_column_bytes(row, 3);
        interval->state.value = statehist_hash(interval->string);
        return interval->string.p;
    }
    if (type != STATEHIST_NULL)
        interval->state.value = (uint64_t)sqlite3_column_int64(row, 3);
    return true;
}

static sqlite3_stmt *bind(struct reader *r, enum statement statement, uint32_t quark, int64_t from,
                          int64_t to)
{
    sqlite3_stmt *row = r->statements[statement];
    sqlite3_reset(row);
    sqlite3_bind_int64(row, 1, quark);
    sqlite3_bind_int64(row, 2, from);
    if (statement == FROM_TO)
        sqlite3_bind_int64(row, 3, to);
    return row;
}

static enum bo_status no_interval(struct bo_error *err)
{
    return bo_fail(err, BO_CORRUPT, 0, "an attribute has no interval at this time");
}

/* The interval's string lasts until the next one is looked up. */
static enum bo_status find(struct reader *r, uint32_t quark, int64_t time,
                           struct interval *interval, struct bo_error *err)
{
    sqlite3_stmt *row = bind(r, AT, quark, time, 0);
    const int code = sqlite3_step(row);
    if (code != SQLITE_ROW)
        return code == SQLITE_DONE ? no_interval(err) : fail(code, err);
    return get_interval(row, interval) && interval->state.end >= time ? BO_OK : no_interval(err);
}

static bool is_in(const struct reader *r, int64_t time)
{
    return time >= r->start && time <= r->end;
}

/* ---- queries --------------------------------------------------------------------------------- */

static enum bo_status point(struct reader *r, const struct statehist_point_query *q,
                            struct statehist_state *state, struct bo_error *err)
{
    struct interval interval;
    if (q->quark >= r->n_quarks || !is_in(r, q->time))
        return BO_OUT_OF_RANGE;
    const enum bo_status status = find(r, q->quark, q->time, &interval, err);
    *state = interval.state;
    return status;
}

static enum bo_status full_state(struct reader *r, int64_t time, struct bo_sink *sink,
                                 struct bo_error *err)
{
    const size_t n = r->n_quarks;
    enum bo_status status = BO_OK;
    if (!is_in(r, time))
        return BO_OUT_OF_RANGE;
    uint64_t *values;
    uint8_t *types;
    if (!statehist_take_values(n, sink, &values, &types))
        return BO_OVER_LIMIT;
    for (uint32_t q = 0; q < n && !status; q++) {
        struct interval interval;
        status = find(r, q, time, &interval, err);
        values[q] = interval.state.value;
        types[q] = (uint8_t)interval.state.type;
    }
    return status;
}

static enum bo_status export_state(struct reader *r, int64_t time, struct bo_sink *sink,
                                   struct bo_error *err)
{
    if (!is_in(r, time))
        return BO_OUT_OF_RANGE;
    struct statehist_snapshot *head = bo_sink_take(sink, sizeof *head);
    if (!head)
        return BO_OVER_LIMIT;
    head->n = r->n_quarks;
    for (uint32_t q = 0; q < r->n_quarks; q++) {
        struct interval interval;
        const enum bo_status status = find(r, q, time, &interval, err);
        if (status)
            return status;
        if (!statehist_put_exported(interval.state, interval.string, sink))
            return BO_OVER_LIMIT;
    }
    return BO_OK;
}

/* How many intervals a range has, or 0 with an error. */
static uint64_t count_range(sqlite3_stmt *row, struct bo_error *err)
{
    uint64_t n = 0;
    int code;
    while ((code = sqlite3_step(row)) == SQLITE_ROW)
        n++;
    sqlite3_reset(row);
    if (code != SQLITE_DONE)
        fail(code, err);
    else if (n == 0)
        no_interval(err);
    return code == SQLITE_DONE ? n : 0;
}

/* The columns' places depend on how many intervals there are: so they are counted first. */
static enum bo_status range(struct reader *r, const struct statehist_range_query *q,
                            struct bo_sink *sink, struct bo_error *err)
{
    struct bo_error ours = {0};
    if (q->quark >= r->n_quarks || !is_in(r, q->from) || !is_in(r, q->to) || q->from > q->to)
        return BO_OUT_OF_RANGE;
    sqlite3_stmt *row = bind(r, FROM_TO, q->quark, q->from, q->to);
    const size_t n = (size_t)count_range(row, &ours);
    if (n == 0)
        return bo_fail(err, ours.status, ours.off, ours.what);
    int64_t *starts;
    uint64_t *values;
    uint8_t *types;
    struct statehist_columns *head = statehist_take_columns(n, sink, &starts, &values, &types);
    if (!head)
        return BO_OVER_LIMIT;
    for (size_t i = 0; i < n; i++) {
        struct interval interval;
        const int code = sqlite3_step(row);
        if (code != SQLITE_ROW)
            return fail(code, err);
        if (!get_interval(row, &interval))
            return no_interval(err);
        starts[i] = interval.state.start;
        values[i] = interval.state.value;
        types[i] = (uint8_t)interval.state.type;
        head->end = interval.state.end;
    }
    return BO_OK;
}

/* A lookup for each time after the interval of the one before. */
static enum bo_status window_of(struct reader *r, const struct statehist_window_query *q,
                                uint32_t quark, struct bo_sink *sink, struct bo_error *err)
{
    struct interval interval = {.state.end = 0};
    struct statehist_states *head = bo_sink_take(sink, sizeof *head);
    if (!head)
        return BO_OVER_LIMIT;
    head->n = 0;
    int64_t time = q->from;
    do {
        const enum bo_status status = find(r, quark, time, &interval, err);
        if (status)
            return status;
        struct statehist_state *state = bo_sink_take(sink, sizeof *state);
        if (!state)
            return BO_OVER_LIMIT;
        *state = interval.state;
        head->n++;
        /* What is damaged may end before the time. */
    } while (statehist_time_after(q, interval.state.end > time ? interval.state.end : time, &time));
    return BO_OK;
}

static enum bo_status window(struct reader *r, const struct statehist_window_query *q,
                             struct bo_sink *sink, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    if (!statehist_window_fits(q, r->start, r->end, r->n_quarks))
        return BO_OUT_OF_RANGE;
    for (size_t i = 0; i < q->quarks.n && !status; i += 4)
        status = window_of(r, q, bo_le32(q->quarks.p + i), sink, err);
    return status;
}

static enum bo_status scan(struct reader *r, struct statehist_digest *digest, struct bo_error *err)
{
    sqlite3_stmt *row = r->statements[ALL];
    int code;
    *digest = (struct statehist_digest){0, 0};
    sqlite3_reset(row);
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        struct interval interval;
        uint32_t quark;
        if (!get_interval(row, &interval) || !get_u32(row, 4, &quark))
            return no_interval(err);
        statehist_digest_interval(digest, quark, interval.state.start, interval.state.end,
                                  interval.state.type, interval.state.value);
    }
    return code == SQLITE_DONE ? BO_OK : fail(code, err);
}

static enum bo_status query_one(struct reader *r, unsigned kind, const void *queries, size_t i,
                                void *answers, struct bo_error *err)
{
    const struct statehist_time_query *times = queries;
    switch ((enum statehist_query_kind)kind) {
    case STATEHIST_POINT:
        return point(r, (const struct statehist_point_query *)queries + i,
                     (struct statehist_state *)answers + i, err);
    case STATEHIST_FULL_STATE:
        return full_state(r, times[i].time, answers, err);
    case STATEHIST_EXPORT:
        return export_state(r, times[i].time, answers, err);
    case STATEHIST_RANGE:
        return range(r, (const struct statehist_range_query *)queries + i, answers, err);
    case STATEHIST_WINDOW:
    case STATEHIST_TIMES:
    case STATEHIST_RANGE2D:
        return window(r, (const struct statehist_window_query *)queries + i, answers, err);
    case STATEHIST_SCAN:
        return scan(r, (struct statehist_digest *)answers + i, err);
    case STATEHIST_N_KINDS:
        break;
    }
    return bo_fail(err, BO_BAD_USAGE, BO_NO_OFFSET, "unknown query kind");
}

static enum bo_status query(const struct bo_codec *self, void *reader, unsigned kind,
                            const void *queries, size_t n, void *answers, struct bo_error *err)
{
    enum bo_status status = BO_OK;
    for (size_t i = 0; i < n && !status; i++)
        status = query_one(reader, kind, queries, i, answers, err);
    return status;
}

/* ---- decoding -------------------------------------------------------------------------------- */

static enum bo_status get_attributes(struct reader *r, struct statehist_builder *builder,
                                     struct bo_error *err)
{
    sqlite3_stmt *row = r->statements[ATTRIBUTES];
    int code;
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        const struct bo_span name = {sqlite3_column_text(row, 2),
                                     (size_t)sqlite3_column_bytes(row, 2)};
        uint32_t parent = STATEHIST_ROOT;
        const bool is_top = sqlite3_column_type(row, 1) == SQLITE_NULL;
        if (!name.p || sqlite3_column_int64(row, 0) != builder->n_quarks ||
            (!is_top && (!get_u32(row, 1, &parent) || parent == STATEHIST_ROOT)))
            return fail(SQLITE_CORRUPT, err);
        if (!statehist_add_attribute(builder, name, parent))
            return bo_fail_alloc(err, builder->arena);
    }
    if (code == SQLITE_DONE && builder->n_quarks != r->n_quarks)
        code = SQLITE_CORRUPT;
    return code == SQLITE_DONE ? BO_OK : fail(code, err);
}

static enum bo_status get_intervals(struct reader *r, struct statehist_builder *builder,
                                    struct bo_error *err)
{
    sqlite3_stmt *row = r->statements[ALL];
    int code;
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        struct interval from;
        uint32_t string = 0, quark;
        if (!get_interval(row, &from) || !get_u32(row, 4, &quark))
            return fail(SQLITE_CORRUPT, err);
        if (from.string.p && !statehist_add_string(builder, from.string, &string))
            return bo_fail_alloc(err, builder->arena);
        const struct statehist_interval to = {from.state.start, from.state.end,
                                              from.string.p ? string : from.state.value, quark,
                                              from.state.type};
        if (!statehist_add_interval(builder, &to))
            return bo_fail_alloc(err, builder->arena);
    }
    return code == SQLITE_DONE ? BO_OK : fail(code, err);
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct statehist_builder builder;
    struct statehist_model *model;
    struct statehist_flaw flaw;
    void *reader;
    if (in.n <= HASH_NBYTES)
        return bo_fail(err, BO_TRUNCATED, in.n, "file is shorter than its hash");
    const size_t n = in.n - HASH_NBYTES;
    if (bo_le64(in.p + n) != XXH3_64bits(in.p, n))
        return bo_fail(err, BO_CORRUPT, n, "hash differs from that of the database");
    enum bo_status status = open_reader(self, in, arena, &reader, err);
    if (status)
        return status;
    if (!statehist_builder_init(&builder, true, arena))
        return bo_fail_alloc(err, arena);
    struct reader *r = reader;
    status = get_attributes(r, &builder, err);
    if (!status)
        status = get_intervals(r, &builder, err);
    if (status)
        return status;
    status = statehist_finish(&builder, r->start, r->end, &model, &flaw);
    *model_ret = model;
    return status ? statehist_fail(err, status, 0, &flaw, arena) : BO_OK;
}

const struct bo_codec statehist_sqlite = {
    .name = "sqlite",
    .summary = "a table of intervals in SQLite, with an index",
    .spec = "codecs/statehist/README.md#sqlite",
    .choices = "what SQLite's writer chooses",
    .role = BO_CONTROL,
    .access = BO_RANDOM,
    .lazy = true,
    .optional = true,
    .kinds = (1u << STATEHIST_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open_reader,
    .query = query,
};
