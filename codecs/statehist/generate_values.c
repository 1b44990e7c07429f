/*
 * Values and names of generated state histories: as kernels and counters have them, and odd ones.
 */
#include "codecs/statehist/generate.h"
#include "harness/core/doubles.h"
#include "harness/core/utf8.h"

/* ---- texts ----------------------------------------------------------------------------------- */

static const char *const texts[] = {
    "read",  "write",          "openat", "close",   "mmap",      "futex",       "epoll_wait",
    "clone", "execve",         "poll",   "recvmsg", "ls",        "bash",        "cc1",
    "make",  "lttng-sessiond", "true",   "false",   "swapper/0", "kworker/0:1", "rcu_preempt",
    "",      "null",           "-1",
};

/* Any code points, NUL and controls among them. */
static void draft_code_points(struct bo_draft *draft, struct bo_random *random)
{
    static const uint32_t limits[] = {0x20, 0x80, 0x800, 0xd800, 0x110000};
    const uint32_t n = bo_random_below(random, 12);
    for (uint32_t i = 0; i < n; i++) {
        uint8_t bytes[4];
        uint32_t code = bo_random_below(random, limits[bo_random_below(random, 5)]);
        if (code >= 0xd800 && code < 0xe000)
            code = 0xfffd;
        bo_draft_bytes(draft, bytes, bo_utf8_put(code, bytes));
    }
}

/* Long ones are drawn now and then: limits of lengths lie there. */
static void draft_strange_text(struct bo_draft *draft, struct bo_random *random)
{
    static const uint32_t lengths[] = {63, 64, 127, 128, 255, 256, 1000, 2000};
    const uint32_t choice = bo_random_below(random, 4);
    if (choice == 0)
        bo_draft_text(draft, "*");
    else if (choice == 1)
        bo_draft_text(draft, "26/0000:00:1f.2\t\\n");
    else if (choice == 2)
        draft_code_points(draft, random);
    else
        for (uint32_t n = lengths[bo_random_below(random, 8)]; n; n--)
            bo_draft_text(draft, "x");
}

static void draft_text(struct bo_draft *draft, struct bo_random *random)
{
    draft->n = 0;
    if (bo_random_one_in(random, bo_random_strangeness(random)))
        draft_strange_text(draft, random);
    else
        BO_DRAFT_ONE_OF(draft, random, texts);
}

/* ---- values ---------------------------------------------------------------------------------- */

static uint64_t draw_strange_number(struct bo_random *random)
{
    const uint64_t bit = UINT64_C(1) << bo_random_below(random, 64);
    const uint32_t choice = bo_random_below(random, 4);
    return choice == 0   ? bit
           : choice == 1 ? bit - 1
           : choice == 2 ? 0 - bit
                         : bo_random_u64(random);
}

static uint64_t as_int(uint64_t v)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)v;
}

static uint64_t draw_strange_double(struct bo_random *random)
{
    static const uint64_t bits[] = {
        0,                            /* 0 */
        UINT64_C(0x8000000000000000), /* -0 */
        UINT64_C(0x7ff0000000000000), /* infinity */
        UINT64_C(0xfff0000000000000), /* -infinity */
        UINT64_C(0x7ff8000000000000), /* NaN */
        UINT64_C(0xfff8000000000001), /* another */
        UINT64_C(0x7ff0000000000001), /* a signalling one */
        1,                            /* the smallest */
        UINT64_C(0x7fefffffffffffff), /* the largest */
        UINT64_C(0x4340000000000001), /* beyond 2^53 */
    };
    const uint32_t i = bo_random_below(random, sizeof bits / sizeof *bits + 2);
    return i < sizeof bits / sizeof *bits ? bits[i] : bo_random_u64(random);
}

static bool draw_string(struct bo_random *random, struct statehist_builder *builder,
                        struct statehist_interval *interval)
{
    struct bo_draft draft;
    uint32_t number;
    draft_text(&draft, random);
    if (!statehist_add_string(builder, (struct bo_span){draft.p, draft.n}, &number))
        return false;
    interval->type = STATEHIST_STRING;
    interval->value = number;
    return true;
}

static void set(struct statehist_interval *interval, enum statehist_type type, uint64_t value)
{
    interval->type = type;
    interval->value = value;
}

static bool draw_mixed(struct bo_random *random, struct statehist_builder *builder,
                       struct statehist_interval *interval)
{
    switch (bo_random_below(random, STATEHIST_N_TYPES)) {
    case STATEHIST_INT:
        set(interval, STATEHIST_INT, as_int(draw_strange_number(random)));
        return true;
    case STATEHIST_LONG:
        set(interval, STATEHIST_LONG, draw_strange_number(random));
        return true;
    case STATEHIST_DOUBLE:
        set(interval, STATEHIST_DOUBLE, draw_strange_double(random));
        return true;
    case STATEHIST_STRING:
        return draw_string(random, builder, interval);
    case STATEHIST_BOOL:
        set(interval, STATEHIST_BOOL, bo_random_below(random, 2));
        return true;
    default:
        set(interval, STATEHIST_NULL, 0);
        return true;
    }
}

/* Every fourth value is null, where it was not null before. */
bool statehist_draw_value(struct bo_random *random, enum statehist_habit habit,
                          struct statehist_builder *builder, struct statehist_interval *interval)
{
    enum { N_STATES = 7 };
    const struct statehist_interval before = *interval;
    const uint32_t drawn = bo_random_u32(random);
    set(interval, STATEHIST_NULL, 0);
    if (habit == STATEHIST_DIRECTORY)
        return true;
    if (habit == STATEHIST_MIXED || bo_random_one_in(random, 8 * bo_random_strangeness(random)))
        return draw_mixed(random, builder, interval);
    if (drawn % 4 == 0 && before.type != STATEHIST_NULL && habit != STATEHIST_COUNTER)
        return true;
    switch (habit) {
    case STATEHIST_STATUS:
        set(interval, STATEHIST_INT,
            (before.value % N_STATES + 1 + drawn / 4 % (N_STATES - 1)) % N_STATES);
        break;
    case STATEHIST_NUMBER:
        set(interval, STATEHIST_INT, drawn / 4 % 5 ? 20 : as_int(drawn) % 32768);
        break;
    case STATEHIST_TEXT:
        return draw_string(random, builder, interval);
    case STATEHIST_COUNTER:
        /* Every second one counts events. */
        set(interval, STATEHIST_LONG,
            (before.type == STATEHIST_LONG ? before.value : 0) +
                (interval->quark % 2 ? 1 : 16 * (drawn % 129) - 1016));
        break;
    case STATEHIST_RATIO:
        set(interval, STATEHIST_DOUBLE, bo_double_bits((int32_t)(drawn % 20001 - 10000) / 100.0));
        break;
    default:
        set(interval, STATEHIST_BOOL,
            before.type == STATEHIST_BOOL ? !before.value : drawn / 4 % 2);
        break;
    }
    return true;
}

/* ---- names ----------------------------------------------------------------------------------- */

bool statehist_take_name(struct bo_texts *taken, uint32_t parent, struct bo_span name,
                         bool *is_new_ret, struct bo_span *kept_ret)
{
    uint32_t number;
    const uint32_t n_before = taken->n;
    uint8_t *key = bo_alloc(taken->arena, 4 + name.n);
    if (!key)
        return false;
    bo_set_le32(key, parent);
    if (name.n)
        memcpy(key + 4, name.p, name.n);
    if (!bo_texts_add(taken, (struct bo_span){key, 4 + name.n}, &number))
        return false;
    *is_new_ret = number == n_before;
    const struct bo_span kept = taken->texts[number];
    *kept_ret = (struct bo_span){kept.p + 4, kept.n - 4};
    return true;
}

/* Names of attributes have no NUL. */
static void drop_nuls(struct bo_draft *draft)
{
    size_t n = 0;
    for (size_t i = 0; i < draft->n; i++)
        if (draft->p[i])
            draft->p[n++] = draft->p[i];
    draft->n = n;
}

struct bo_span statehist_draw_name(struct bo_random *random, uint32_t parent,
                                   struct bo_texts *taken)
{
    static const char *const names[] = {
        "Threads",     "CPUs", "Status",         "Exec_name", "Prio",           "PPID",
        "System_call", "IRQs", "Current_thread", "Soft_IRQs", "Current_cpu_rq", "Memory"};
    struct bo_draft draft = {.n = 0};
    struct bo_span kept;
    bool is_new = false;
    if (bo_random_one_in(random, bo_random_strangeness(random)))
        draft_strange_text(&draft, random);
    else
        BO_DRAFT_ONE_OF(&draft, random, names);
    drop_nuls(&draft);
    for (uint32_t i = 0; !is_new; i++) {
        if (i) {
            /* Numbers make equal names distinct. */
            draft.n = draft.n < 1000 ? draft.n : 0;
            bo_draft_number(&draft, taken->n + i - 1);
        }
        if (!statehist_take_name(taken, parent, (struct bo_span){draft.p, draft.n}, &is_new, &kept))
            return (struct bo_span){NULL, 0};
    }
    return kept;
}
