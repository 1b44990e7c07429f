/* mixed-contexts: the file, and the codec. */
#include "codecs/statehist/mixed_contexts/mixed_contexts.h"

#include <stdlib.h>

#include "codecs/statehist/in_memory.h"
#include "codecs/statehist/tree.h"

enum {
    MAX_PER_BYTE = 16, /* intervals, and bytes of strings: so that reading is linear */
    TABLE_PER_INTERVAL = 4,
    STRING_CONTEXT = MIXED_COUNT,
};

enum order { BY_TIME, BY_TIMELINE, BY_TIME_COUNTING, N_ORDERS };

static const uint8_t magic[4] = {'M', 'C', 'X', '1'};

/* ---- strings --------------------------------------------------------------------------------- */

static bool code_string(struct mixed_history *h, struct bo_writer *text, struct bo_span string)
{
    uint64_t last = 0;
    for (size_t i = 0;; i++) {
        struct mixed_contexts of = {.kind = STRING_CONTEXT};
        mixed_add(&of, last & 0xff, 0, 0);
        mixed_add(&of, last & 0xffff, 1, 0);
        mixed_add(&of, last & 0xffffff, 2, 0);
        mixed_add(&of, i == 0, 3, 0);
        /* 0 ends a string, so that byte b is b + 1. */
        const uint32_t byte =
            mixed_symbol(&h->coder, &of, 9, h->reads || i == string.n ? 0 : string.p[i] + 1u);
        if (byte == 0)
            return true;
        if (byte > 256)
            return false;
        if (h->reads) {
            if (h->n_text / MAX_PER_BYTE > h->nbytes || text->status ||
                bo_range_ran_out(&h->coder.range))
                return false;
            bo_put_u8(text, (uint8_t)(byte - 1));
            h->n_text++;
        }
        last = last << 8 | byte;
    }
}

static enum bo_status read_strings(struct mixed_history *h, size_t off, struct bo_error *err)
{
    struct bo_writer text;
    enum bo_status status = BO_OK;
    bo_writer_init(&text, h->arena);
    for (uint32_t i = 0; i < h->n_strings && !status; i++) {
        uint32_t number;
        bo_writer_reset(&text);
        const bool coded = code_string(h, &text, (struct bo_span){NULL, 0});
        if ((status = bo_writer_status(&text, err)))
            break;
        if (!coded)
            status = bo_fail(err, BO_CORRUPT, off, "coded strings are invalid");
        else if (!statehist_add_string(h->builder, bo_writer_span(&text), &number))
            status = bo_fail_alloc(err, h->arena);
        else if (number != i)
            status = bo_fail(err, BO_CORRUPT, off, "duplicate string");
    }
    bo_writer_free(&text);
    return status;
}

/* ---- encoding -------------------------------------------------------------------------------- */

static int compare_changes(const void *a, const void *b)
{
    const struct mixed_change *x = a, *y = b;
    return x->time != y->time ? (x->time > y->time) - (x->time < y->time)
                              : (x->quark > y->quark) - (x->quark < y->quark);
}

static unsigned table_bits_for(size_t n_intervals)
{
    unsigned bits = MIXED_MIN_TABLE;
    while (bits < MIXED_MAX_TABLE && (size_t)1 << bits < TABLE_PER_INTERVAL * n_intervals)
        bits++;
    return bits;
}

/* The zeros that a file of nbytes needs so that a reader accepts its counts. */
static size_t n_zeros_for(uint64_t n_intervals, uint64_t n_text, size_t nbytes)
{
    const size_t least = (size_t)((n_intervals + n_text) / MAX_PER_BYTE);
    return nbytes < least ? least - nbytes : 0;
}

/* Changes by time. */
static struct mixed_change *sort_changes(const struct statehist_model *model,
                                         struct bo_arena *arena, size_t *n_ret,
                                         uint32_t *n_events_ret)
{
    struct mixed_change *changes = bo_alloc_array(arena, model->n_intervals, sizeof *changes);
    *n_ret = *n_events_ret = 0;
    for (size_t i = 0; changes && i < model->n_intervals; i++)
        if (model->intervals[i].start != model->start)
            changes[(*n_ret)++] =
                (struct mixed_change){(uint64_t)model->intervals[i].start - (uint64_t)model->start,
                                      model->intervals[i].quark, (uint32_t)i};
    if (changes)
        qsort(changes, *n_ret, sizeof *changes, compare_changes);
    for (size_t i = 0; changes && i < *n_ret; i++)
        *n_events_ret += i == 0 || changes[i].time != changes[i - 1].time;
    return changes;
}

/* The order that probably takes fewer bytes: times at which much changes are events of a system. */
static enum order likely_order(const struct statehist_model *model)
{
    enum { CHANGES_A_TIME = 2 };
    size_t n_times = 0, n_changes = 0;
    for (size_t i = 0; i < model->n_intervals; i++) {
        const int64_t end = model->intervals[model->closing[i]].end;
        n_changes += end != model->end;
        n_times += i == 0 || end != model->intervals[model->closing[i - 1]].end;
    }
    return n_changes < CHANGES_A_TIME * n_times ? BY_TIMELINE : BY_TIME;
}

/* Ends early when it is going to take more than max_nbytes: then *is_whole_ret is false. */
static enum bo_status code_history(const struct statehist_model *model, enum order order,
                                   size_t max_nbytes, struct bo_writer *out, bool *is_whole_ret,
                                   struct bo_error *err)
{
    const struct bo_arena_mark mark = bo_arena_mark(out->arena);
    struct mixed_history h = {.arena = out->arena,
                              .start = model->start,
                              .end = model->end,
                              .n_quarks = model->n_quarks,
                              .n_strings = model->n_strings,
                              .n_intervals = model->n_intervals,
                              .model = model,
                              .max_nbytes = max_nbytes};
    struct mixed_change *changes = NULL;
    size_t n_changes = 0;
    uint32_t n_events = 0;
    if (order == BY_TIME && !(changes = sort_changes(model, out->arena, &n_changes, &n_events)))
        return bo_fail_alloc(err, out->arena);
    if (!mixed_init(&h.coder, table_bits_for(model->n_intervals), MIXED_N_KINDS, out->arena) ||
        !mixed_prepare(&h, model->attributes))
        return bo_fail_alloc(err, out->arena);
    const bool counting = order == BY_TIME && mixed_find_counters(&h);
    bo_put_u8(out, counting ? BY_TIME_COUNTING : (uint8_t)order);
    bo_put_uvarint(out, n_events);
    h.coder.range = bo_range_encoder(out);
    for (uint32_t i = 0; i < model->n_strings; i++)
        (void)code_string(&h, out, model->strings[i]);
    if (counting)
        mixed_code_counters(&h);
    if (!(order == BY_TIME ? mixed_code_events(&h, changes, n_changes, n_events)
                           : mixed_code_timelines(&h)))
        return bo_fail_alloc(err, out->arena);
    *is_whole_ret = !mixed_is_too_long(&h);
    bo_range_finish(&h.coder.range);
    bo_arena_rewind(out->arena, mark);
    return bo_writer_status(out, err);
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct statehist_model *model = opaque;
    struct bo_writer coded[2], tree;
    bool is_whole = true;
    enum bo_status status = BO_OK;
    bo_writer_init(&tree, out->arena);
    status = statehist_pack_tree(model, &tree, err);
    const enum order first = likely_order(model), other = BY_TIME + BY_TIMELINE - first;
    for (unsigned i = 0; i < 2; i++)
        bo_writer_init(&coded[i], out->arena);
    if (!status)
        status = code_history(model, first, SIZE_MAX, &coded[first], &is_whole, err);
    if (!status)
        status = code_history(model, other, coded[first].n, &coded[other], &is_whole, err);
    const struct bo_writer *best =
        !is_whole ? &coded[first] : &coded[coded[BY_TIMELINE].n < coded[BY_TIME].n];
    bo_mark(out, "head");
    bo_put_bytes(out, magic, sizeof magic);
    bo_put_le64(out, (uint64_t)model->start);
    bo_put_le64(out, (uint64_t)model->end);
    bo_put_uvarint(out, model->n_quarks);
    bo_put_uvarint(out, model->n_strings);
    bo_put_uvarint(out, model->n_intervals);
    bo_put_u8(out, (uint8_t)table_bits_for(model->n_intervals));
    uint64_t n_text = 0;
    for (uint32_t i = 0; i < model->n_strings; i++)
        n_text += model->strings[i].n;
    const size_t n_zeros = n_zeros_for(model->n_intervals, n_text, tree.n + best->n);
    bo_put_uvarint(out, n_zeros);
    bo_put_zeros(out, n_zeros);
    bo_put_uvarint(out, tree.n);
    bo_mark(out, "tree");
    bo_put_bytes(out, tree.p, tree.n);
    bo_mark(out, "changes");
    bo_put_bytes(out, best->p, best->n);
    for (unsigned i = 0; i < 2; i++)
        bo_writer_free(&coded[i]);
    bo_writer_free(&tree);
    return status ? status : bo_writer_status(out, err);
}

/* ---- decoding -------------------------------------------------------------------------------- */

struct head {
    uint64_t n_zeros;
    size_t nbytes; /* of the tree and the changes */
    uint8_t table_bits, order;
    uint32_t n_events;
    struct bo_cursor tree, changes;
};

static enum bo_status read_head(struct bo_span in, struct mixed_history *h, struct head *head,
                                struct bo_error *err)
{
    struct bo_cursor c = bo_cursor(in);
    const uint8_t *p;
    uint64_t start, end, n_tree;
    uint32_t n_intervals;
    enum bo_status status;
    if (!bo_get_bytes(&c, sizeof magic, &p))
        return bo_fail_here(err, BO_TRUNCATED, &c, "file ends inside its header");
    if (memcmp(p, magic, sizeof magic) != 0)
        return bo_fail(err, BO_CORRUPT, 0, "magic number is not that of mixed-contexts");
    if (!bo_get_le64(&c, &start) || !bo_get_le64(&c, &end))
        return bo_fail_here(err, BO_TRUNCATED, &c, "file ends inside its header");
    h->start = (int64_t)start;
    h->end = (int64_t)end;
    if (h->start > h->end)
        return bo_fail(err, BO_CORRUPT, 4, "history ends before it starts");
    if ((status = bo_get_uvarint32(&c, &h->n_quarks, err)) ||
        (status = bo_get_uvarint32(&c, &h->n_strings, err)) ||
        (status = bo_get_uvarint32(&c, &n_intervals, err)))
        return status;
    h->n_intervals = n_intervals;
    h->nbytes = in.n;
    if (n_intervals / MAX_PER_BYTE > in.n || n_intervals < h->n_quarks ||
        n_intervals < h->n_strings)
        return bo_fail_here(err, BO_CORRUPT, &c, "number of intervals is out of range");
    if (!bo_get_u8(&c, &head->table_bits))
        return bo_fail_here(err, BO_TRUNCATED, &c, "file ends inside its header");
    if (head->table_bits != table_bits_for(n_intervals))
        return bo_fail_here(err, BO_CORRUPT, &c,
                            "table size does not match the number of intervals");
    if ((status = bo_get_uvarint64(&c, &head->n_zeros, err)))
        return status;
    for (uint64_t i = 0; i < head->n_zeros; i++) {
        uint8_t zero;
        if (!bo_get_u8(&c, &zero))
            return bo_fail_here(err, BO_TRUNCATED, &c, "file ends inside the zeros");
        if (zero)
            return bo_fail_here(err, BO_CORRUPT, &c, "reserved byte is not 0");
    }
    if ((status = bo_get_uvarint64(&c, &n_tree, err)))
        return status;
    if (n_tree > bo_left(&c))
        return bo_fail_here(err, BO_TRUNCATED, &c, "tree runs past the end");
    head->nbytes = bo_left(&c);
    head->tree = bo_cursor_at(in, c.off, (size_t)n_tree);
    (void)bo_get_bytes(&c, (size_t)n_tree, &p);
    if (!bo_get_u8(&c, &head->order))
        return bo_fail_here(err, BO_TRUNCATED, &c, "file ends before the changes");
    if (head->order >= N_ORDERS)
        return bo_fail_here(err, BO_CORRUPT, &c, "order is not 0, 1 or 2");
    if ((status = bo_get_uvarint32(&c, &head->n_events, err)))
        return status;
    if (head->n_events > (head->order == BY_TIMELINE ? 0 : n_intervals - h->n_quarks))
        return bo_fail_here(err, BO_CORRUPT, &c, "number of times exceeds that of changes");
    head->changes = c;
    return BO_OK;
}

static enum bo_status read_changes(struct mixed_history *h, const struct head *head,
                                   struct bo_error *err)
{
    const struct bo_cursor *c = &head->changes;
    if (!mixed_init(&h->coder, head->table_bits, MIXED_N_KINDS, h->arena) ||
        !mixed_prepare(h, h->builder->attributes))
        return bo_fail_alloc(err, h->arena);
    h->coder.range = bo_range_decoder((struct bo_span){c->p + c->off, bo_left(c)});
    const enum bo_status status = read_strings(h, c->off, err);
    if (status)
        return status;
    if (head->order == BY_TIME_COUNTING)
        mixed_code_counters(h);
    if (!(head->order == BY_TIMELINE ? mixed_code_timelines(h)
                                     : mixed_code_events(h, NULL, 0, head->n_events)))
        return bo_fail_alloc(err, h->arena);
    if (!h->what && h->builder->n_intervals != h->n_intervals)
        h->what = "fewer intervals than announced";
    if (!h->what)
        h->what = h->coder.flaw;
    if (!h->what && head->n_zeros != n_zeros_for(h->n_intervals, h->n_text, head->nbytes))
        h->what = "another number of zeros than the history needs";
    if (!h->what)
        h->what = bo_range_flaw(&h->coder.range);
    const size_t off = h->coder.range.off < c->n - c->off ? h->coder.range.off : c->n - c->off;
    return h->what ? bo_fail(err, BO_CORRUPT, c->off + off, h->what) : BO_OK;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct statehist_builder builder;
    struct statehist_model *model;
    struct statehist_flaw flaw;
    struct mixed_history h = {.arena = arena, .reads = true, .builder = &builder};
    struct head head;
    enum bo_status status = read_head(in, &h, &head, err);
    if (status)
        return status;
    if (!statehist_builder_init(&builder, true, arena))
        return bo_fail_alloc(err, arena);
    if ((status = statehist_unpack_tree(head.tree, h.n_quarks, &builder, err)) ||
        (status = read_changes(&h, &head, err)))
        return status;
    status = statehist_finish(&builder, h.start, h.end, &model, &flaw);
    if (status)
        return statehist_fail(err, status, BO_NO_OFFSET, &flaw, arena);
    if (!statehist_keeps_strings(&builder, model))
        return bo_fail(err, BO_CORRUPT, head.changes.off,
                       "strings are not in the order of their first use");
    *model_ret = model;
    return BO_OK;
}

/* ---- queries: of the arrays that everything becomes ------------------------------------------ */

static enum bo_status open_history(const struct bo_codec *self, struct bo_span in,
                                   struct bo_arena *arena, void **reader_ret, struct bo_error *err)
{
    void *model;
    struct statehist_in_memory *held;
    const struct bo_arena_mark mark = bo_arena_mark(arena);
    enum bo_status status = decode(self, in, arena, &model, err);
    if (!status)
        status = statehist_hold(model, arena, mark, &held, err);
    if (!status)
        *reader_ret = held;
    return status;
}

const struct bo_codec statehist_mixed_contexts = {
    .name = "mixed-contexts",
    .summary = "each change predicted from those before, in several contexts at once",
    .spec = "codecs/statehist/README.md#mixed-contexts",
    .choices = "which of two orders of changes is stored",
    .role = BO_NEW,
    .access = BO_WHOLE,
    .kinds = (1u << STATEHIST_N_KINDS) - 1,
    .encode = encode,
    .decode = decode,
    .open = open_history,
    .query = statehist_query_in_memory,
};
