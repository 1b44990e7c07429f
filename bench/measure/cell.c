/* A round of one codec on one document. */
#include "bench/measure/cell.h"

#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bench/measure/huge.h"
#include "bench/measure/noop.h"
#include "bench/measure/operations.h"
#include "bench/measure/query_batches.h"
#include "harness/core/cpu.h"
#include "harness/core/files.h"
#include "harness/registry.h"

/* The slower a repetition, the fewer are made in a run of 20 rounds. */
static const struct {
    double ns;
    unsigned repetitions;
} slow[] = {{1e10, 1}, {2e9, 3}, {2e8, 5}};
enum { FULL_ROUNDS = 20 };

/* The maximum number of repetitions of the row, at least one, given the time of the first one. */
static unsigned max_repetitions(const struct bo_bench_row *row, unsigned rounds)
{
    const struct bo_record *first = &row->times[0];
    for (size_t i = 0; i < sizeof slow / sizeof *slow && row->n_times; i++)
        if (first->real_ns * (double)first->iterations > slow[i].ns)
            return slow[i].repetitions * rounds < FULL_ROUNDS
                       ? 1
                       : slow[i].repetitions * rounds / FULL_ROUNDS;
    return UINT_MAX;
}

bool bo_row_is_due(const struct bo_bench_row *row, const struct bo_bench_options *options,
                   unsigned round)
{
    return !row->failure[0] && row->n_rounds <= round &&
           row->n_times < max_repetitions(row, options->rounds);
}

/* State of a measuring process. */
struct session {
    const struct bo_bench_cell *cell;
    const struct bo_bench_options *options;
    unsigned round;
    FILE *to_parent;
    struct bo_opened opened;
    struct bo_arena arena; /* of the reader */
    bool is_open;
    uint64_t huge_before; /* bytes in huge pages when the process started */
};

static void send_record(const struct session *session, const struct bo_record *record)
{
    fwrite(record, sizeof *record, 1, session->to_parent);
    fflush(session->to_parent);
}

/* Every due row fails with the same reason. */
static void fail_all(const struct session *session, const struct bo_error *err)
{
    struct bo_record record = {.type = BO_RECORD_FAIL};
    bo_say_error(err, record.message, sizeof record.message);
    for (record.row = 0; record.row < session->cell->n_rows; record.row++)
        if (session->cell->rows[record.row].is_due)
            send_record(session, &record);
}

/* ---- the payload ----------------------------------------------------------------------------- */

static enum bo_status encode_payload(const struct session *session, struct bo_payload *payload,
                                     struct bo_error *err)
{
    const struct bo_bench_cell *cell = session->cell;
    const struct bo_document *document = cell->on->document;
    const struct bo_codec *encoding =
        cell->codec == &bo_noop_codec ? NULL : bo_encoding_of(document->format, cell->codec);
    struct bo_arena arena;
    struct bo_writer out;
    bo_arena_init(&arena, BO_ARENA_UNLIMITED);
    bo_writer_init(&out, &arena);
    enum bo_status status = BO_OK;
    if (encoding)
        status = encoding->encode(encoding, document->model, &out, err);
    else
        bo_noop_payload(document->format, &out);
    if (status == BO_OK &&
        (lseek(payload->fd, 0, SEEK_SET) || !bo_write_all(payload->fd, bo_writer_span(&out))))
        status = bo_fail(err, BO_IO, BO_NO_OFFSET, "cannot write the payload");
    payload->nbytes = out.n;
    payload->counted_nbytes = bo_writer_counted(&out);
    bo_writer_free(&out);
    bo_arena_free(&arena);
    return status;
}

/* Zeroed memory in pages of 4 KiB; NULL when the system refuses. */
static uint8_t *map_small_pages(size_t n)
{
    uint8_t *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return NULL;
    madvise(p, n, MADV_NOHUGEPAGE); /* kernels without huge pages refuse this, which is harmless */
    return p;
}

/*
 * Copies the payload to pages of its own: pages of 4 KiB, as in a mapped file, unless huge pages
 * are measured. They are read-only, so that a codec that writes to its input is detected.
 */
static enum bo_status load_payload(struct session *session, const struct bo_payload *payload,
                                   struct bo_error *err)
{
    const size_t n = (size_t)payload->nbytes;
    uint8_t *p = session->opened.huge_pages ? bo_huge_map(n + 1) : map_small_pages(n + 1);
    if (!p)
        return bo_fail(err, BO_NO_MEMORY, BO_NO_OFFSET, "out of memory");
    for (size_t off = 0; off < n;) {
        const ssize_t got = pread(payload->fd, p + off, n - off, (off_t)off);
        if (got <= 0)
            return bo_fail(err, BO_IO, BO_NO_OFFSET, "cannot read the payload");
        off += (size_t)got;
    }
    /* To the end of the last page: otherwise the kernel would split a huge page. */
    mprotect(p, session->opened.huge_pages ? bo_huge_round(n + 1) : n + 1, PROT_READ);
    session->opened.payload = (struct bo_span){p, n};
    return BO_OK;
}

static enum bo_status get_payload(struct session *session, struct bo_error *err)
{
    struct bo_payload payload = *session->cell->payload;
    if (!payload.ready) {
        const enum bo_status status = encode_payload(session, &payload, err);
        if (status)
            return status;
        send_record(session, &(struct bo_record){.type = BO_RECORD_PAYLOAD,
                                                 .payload_nbytes = payload.nbytes,
                                                 .payload_counted_nbytes = payload.counted_nbytes});
    }
    return load_payload(session, &payload, err);
}

/* ---- rows ------------------------------------------------------------------------------------ */

/*
 * A reader that keeps what it has read is opened again for each row, so that rows do not affect
 * each other.
 */
static bool open_reader(struct session *session, struct bo_record *record)
{
    struct bo_opened *opened = &session->opened;
    struct bo_error err = {0};
    if (session->is_open && opened->codec->keeps) {
        bo_arena_free(&session->arena);
        session->is_open = false;
    }
    if (!session->is_open)
        session->is_open = bo_open_in(opened, &session->arena, &opened->reader, &err) == BO_OK;
    if (!session->is_open)
        bo_say_error(&err, record->message, sizeof record->message);
    return session->is_open;
}

/*
 * Bytes in huge pages now, minus those when the process started. 0 if there are fewer now, since
 * the system may have split some.
 */
static uint64_t huge_nbytes(const struct session *session)
{
    const uint64_t now = bo_huge_nbytes();
    return now > session->huge_before ? now - session->huge_before : 0;
}

static void check_row(struct session *session, unsigned i)
{
    const struct bo_bench_row *row = &session->cell->rows[i];
    struct bo_record fail = {.type = BO_RECORD_FAIL, .row = i};
    struct bo_record exact = {.type = BO_RECORD_EXACT, .row = i};
    const bool ok = open_reader(session, &fail) &&
                    bo_check_queries(&session->opened, row, session->cell->on->n_units,
                                     session->options, &exact, fail.message);
    send_record(session, ok ? &exact : &fail);
}

static void measure_row(struct session *session, unsigned i)
{
    const struct bo_bench_row *row = &session->cell->rows[i];
    struct bo_record record = {.type = BO_RECORD_TIME, .row = i};
    struct bo_record exact = {.type = BO_RECORD_EXACT, .row = i};
    const double min_time_s = session->options->min_time_s;
    const bool is_first = row->n_times == 0;
    bool ok;
    if (row->operation == BO_ACTIONS)
        ok = open_reader(session, &record) &&
             bo_measure_actions(&session->opened, row, min_time_s, is_first, &record, &exact);
    else if (row->operation != BO_QUERY)
        ok = bo_measure_operation(session->cell, row, session->opened.payload, min_time_s, is_first,
                                  &record, &exact);
    else
        ok = open_reader(session, &record) &&
             bo_measure_queries(&session->opened, row, session->options, session->round, &record);
    if (session->opened.huge_pages)
        bo_record_count(&record, "huge_bytes", (double)huge_nbytes(session));
    if (!ok)
        record.type = BO_RECORD_FAIL;
    else if (exact.n_counters)
        send_record(session, &exact);
    send_record(session, &record);
}

static void run_row(struct session *session, unsigned i)
{
    send_record(session, &(struct bo_record){.type = BO_RECORD_START, .row = i});
    if (session->options->checks)
        check_row(session, i);
    else
        measure_row(session, i);
}

void bo_shuffle(unsigned *order, unsigned n, struct bo_random *random)
{
    for (unsigned i = 0; i < n; i++) {
        const unsigned j = bo_random_below(random, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
}

void bo_cell_run(const struct bo_bench_cell *cell, const struct bo_bench_options *options,
                 unsigned round, FILE *to_parent)
{
    struct session session = {.cell = cell,
                              .options = options,
                              .round = round,
                              .to_parent = to_parent,
                              .opened = {.codec = cell->codec,
                                         .keep_nbytes = cell->variant->keep_nbytes,
                                         .huge_pages = cell->variant->huge,
                                         .answers_right = cell->codec != &bo_noop_codec}};
    session.opened.arena = &session.arena;
    if (cell->variant->huge)
        session.huge_before = bo_huge_nbytes();
    else
        bo_huge_forbid();
    if (cell->variant->portable)
        bo_cpu_use_portable();
    struct bo_error err = {0};
    unsigned *order = bo_or_abort(malloc(cell->n_rows * sizeof *order));
    if (get_payload(&session, &err)) {
        fail_all(&session, &err);
    } else {
        struct bo_random random = bo_random_seeded(bo_mix64(options->order_seed + round));
        bo_shuffle(order, cell->n_rows, &random);
        for (unsigned i = 0; i < cell->n_rows; i++)
            if (cell->rows[order[i]].is_due)
                run_row(&session, order[i]);
    }
    free(order);
    send_record(&session, &(struct bo_record){.type = BO_RECORD_END});
}
