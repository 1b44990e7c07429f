/*
 * Names in pieces. A token is a part of a name that becomes an entry; it is split into tokens in
 * its turn. Entries are looked up by their marked texts and ids, which takes less time than by the
 * names that they represent. The result is the same, because the split of a token depends only on
 * its text. (By the wiki's rule it depends on the brackets around it, too, if its own do not
 * balance. Such a text may have two entries.)
 *
 * Unfinished tokens are on a stack. What is nested in an argument is skipped at once, with a table
 * of where each `<` is closed. So each byte of a name is read a few times, however deep it is
 * nested. Templight's writer copies and reads it again at every level.
 */
#include "codecs/templight/templight.h"
#include "codecs/templight/tokenise.h"

#include "harness/core/random.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

#define NOWHERE SIZE_MAX
#define NOT_CLOSED UINT32_MAX
#define NOT_THERE UINT32_MAX

struct templight_token {
    size_t begin, end; /* in the name */
    size_t at;         /* what is read next */
    size_t mark;       /* text from here on belongs to no token yet; NOWHERE: all of it does, or
                          stays text */
    size_t copied;     /* text up to here is in `building`, but for what tokens replaced */
    size_t building, building_ids; /* where the token's own start */
    size_t open;                   /* the `<` or `,` before the argument that is being read */
    size_t list;                   /* by the wiki's rule and ours: the `<` of the list */
    bool in_list;                  /* of arguments */
};

/* A part of the name. */
struct part {
    size_t begin, end;
};

static bool splits(const struct templight_dictionary *d, struct bo_span name)
{
    return d->rule != TEMPLIGHT_SPLIT_NEVER && name.n <= d->max_split_nbytes;
}

/* ---- where brackets close -------------------------------------------------------------------- */

/* Removes the innermost open bracket from the stack. */
static void pop_bracket(uint32_t *closers, uint32_t *open, uint32_t closer)
{
    const uint32_t opener = *open - 1;
    *open = closers[opener];
    closers[opener] = closer;
}

/*
 * Sets closers[i], for each `<` at i, to the position of the `>` that closes it, where only `<` and
 * `>` are counted. While a `<` is open, its entry is the position of the open `<` before it, plus
 * 1.
 */
static void match_brackets(struct bo_span name, uint32_t *closers)
{
    uint32_t open = 0;
    for (uint32_t i = 0; i < name.n; i++) {
        if (name.p[i] == '<') {
            closers[i] = open;
            open = i + 1;
        } else if (name.p[i] == '>' && open) {
            pop_bracket(closers, &open, i);
        }
    }
    while (open)
        pop_bracket(closers, &open, NOT_CLOSED);
}

/* The bytes of the operator sign that starts here, when it contains brackets; else 0. */
static uint32_t operator_nbytes(struct bo_span name, uint32_t at)
{
    static const char *const signs[] = {"<<=", ">>=", "<=>", "->*", "<<", ">>",
                                        "<=",  ">=",  "->",  "<",   ">"};
    if (at < 8 || memcmp(name.p + at - 8, "operator", 8) != 0)
        return 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const size_t n = strlen(signs[i]);
        if (name.n - at >= n && memcmp(name.p + at, signs[i], n) == 0)
            return (uint32_t)n;
    }
    return 0;
}

static bool opens_other(uint8_t c)
{
    return c == '(' || c == '[' || c == '{';
}

static bool closes_other(uint8_t c)
{
    return c == ')' || c == ']' || c == '}';
}

/*
 * The same for the wiki's rule, which has other brackets, too. A closing one of these also ends
 * each `<` that is open inside it, as not closed. A `<` in an operator's sign is not a bracket, and
 * its entry is its own position.
 */
static void match_all_brackets(struct bo_span name, uint32_t *closers)
{
    uint32_t open = 0, n_others = 0;
    for (uint32_t i = 0; i < name.n; i++) {
        const uint32_t n_sign = operator_nbytes(name, i);
        const uint8_t c = name.p[i];
        if (n_sign) {
            for (uint32_t k = 0; k < n_sign; k++)
                closers[i + k] = i + k;
            i += n_sign - 1;
        } else if (c == '<' || opens_other(c)) {
            closers[i] = open;
            open = i + 1;
            n_others += c != '<';
        } else if (c == '>' && open && name.p[open - 1] == '<') {
            pop_bracket(closers, &open, i);
        } else if (closes_other(c) && n_others) {
            n_others--;
            while (name.p[open - 1] == '<')
                pop_bracket(closers, &open, NOT_CLOSED);
            pop_bracket(closers, &open, i);
        }
    }
    while (open)
        pop_bracket(closers, &open, NOT_CLOSED);
}

/*
 * Tables for the brackets of our rule. scopes[i], for i up to the name's end: the last `::` before
 * i that is in the same brackets as i. lists[i]: the first `<` from i on that is closed. Before
 * lists[i] gets this value, it holds, for each i that closes a bracket, the scope that encloses it.
 */
static void find_scopes(struct bo_span name, const uint32_t *closers, uint32_t *scopes,
                        uint32_t *lists)
{
    const uint32_t closes_nothing = UINT32_MAX - 1;
    uint32_t scope = NOT_THERE;
    for (uint32_t i = 0; i < name.n; i++)
        lists[i] = closes_nothing;
    for (uint32_t i = 0; i < name.n; i++) {
        const uint8_t c = name.p[i];
        scopes[i] = scope;
        if (lists[i] != closes_nothing)
            scope = lists[i];
        else if ((c == '<' || opens_other(c)) && closers[i] != i && closers[i] != NOT_CLOSED) {
            lists[closers[i]] = scope;
            scope = NOT_THERE;
        } else if (c == ':' && i + 1 < name.n && name.p[i + 1] == ':') {
            scope = i++;
            scopes[i] = scope;
        }
    }
    scopes[name.n] = scope;
}

static void find_lists(struct bo_span name, const uint32_t *closers, uint32_t *lists)
{
    uint32_t list = NOT_THERE;
    for (uint32_t i = (uint32_t)name.n; i-- > 0;) {
        if (name.p[i] == '<' && closers[i] != i && closers[i] != NOT_CLOSED)
            list = i;
        lists[i] = list;
    }
}

/* ---- finding a token's tokens ---------------------------------------------------------------- */

/* Whether the token's text up to byte `at`, that included, ends with `text`. */
static bool ends_with(struct bo_span name, const struct templight_token *token, size_t at,
                      const char *text, size_t n)
{
    return at + 1 - token->begin >= n && memcmp(name.p + at + 1 - n, text, n) == 0;
}

/* Removes blanks at both ends; but if there are only blanks, the last one stays. */
static struct part trim(struct bo_span name, struct part part)
{
    while (part.begin + 1 < part.end && name.p[part.begin] == ' ')
        part.begin++;
    while (part.begin + 1 < part.end && name.p[part.end - 1] == ' ')
        part.end--;
    return part;
}

/*
 * Outside of argument lists. True, with the next token in *found, or else at the list or the end.
 */
static bool find_outside(struct bo_span name, struct templight_token *token, struct part *found)
{
    for (; token->at < token->end; token->at++) {
        const size_t at = token->at;
        if (name.p[at] == '<' && !ends_with(name, token, at, "operator<", 9)) {
            token->open = at;
            token->in_list = true;
            token->at++;
            return false;
        }
        if (name.p[at] == ':' && at + 1 < token->end && name.p[at + 1] == ':') {
            *found = (struct part){token->mark, at};
            token->mark = at + 2;
            token->at = at + 1; /* where the loop steps on from */
            if (found->begin < found->end) {
                token->at++;
                return true;
            }
        }
    }
    return false;
}

/* An argument ends here, at `,` or `>`. The text before the list is a token, too, once. */
static void end_argument(struct bo_span name, struct templight_token *token, struct part *found)
{
    const size_t at = token->at;
    if (token->mark < token->open) {
        *found = (struct part){token->mark, token->open};
        token->mark = NOWHERE;
        return;
    }
    *found = trim(name, (struct part){token->open + 1, at});
    token->open = at;
    token->in_list = name.p[at] == ',';
    token->mark = token->in_list ? NOWHERE : at + 1;
    token->at++;
}

/* In an argument list. As above. */
static bool find_in_list(struct bo_span name, const uint32_t *closers,
                         struct templight_token *token, struct part *found)
{
    for (; token->at < token->end; token->at++) {
        const size_t at = token->at;
        if (name.p[at] == ',' || name.p[at] == '>') {
            end_argument(name, token, found);
            return true;
        }
        if (name.p[at] != '<')
            continue;
        if (ends_with(name, token, at, "operator<<<", 11))
            token->open = at;
        else if (closers[at] < token->end)
            token->at = closers[at];
        else
            token->at = token->end - 1;
    }
    return false;
}

/* The argument list at which the wiki's rule splits a token; the token's end without a list. */
static void find_list(struct bo_span name, const uint32_t *closers, struct templight_token *token)
{
    size_t at = token->begin;
    while (at < token->end && (name.p[at] != '<' || closers[at] == at))
        at++;
    token->in_list = at < token->end && closers[at] < token->end;
    token->at = token->in_list ? at + 1 : token->end;
    token->open = token->list = at;
}

/* A `::` after the list stays text; what follows is one token. */
static void end_list(struct bo_span name, struct templight_token *token)
{
    token->at = token->end;
    if (token->end - token->mark >= 2 && memcmp(name.p + token->mark, "::", 2) == 0)
        token->mark += 2;
}

/*
 * By the wiki's rule and ours: the next token in the list. An empty argument is skipped. The list
 * is closed, so each bracket that opens in it is closed in it, or lies inside another that is.
 */
static bool find_argument(struct bo_span name, const uint32_t *closers,
                          struct templight_token *token, struct part *found)
{
    while (token->in_list) {
        const uint8_t c = name.p[token->at];
        if (c == '<' || opens_other(c)) {
            token->at = (size_t)closers[token->at] + 1;
        } else if (c == ',' || (c == '>' && closers[token->list] == token->at)) {
            end_argument(name, token, found);
            if (!token->in_list)
                end_list(name, token);
            if (found->begin < found->end)
                return true;
        } else {
            token->at++;
        }
    }
    return false;
}

/* By our rule: the type inside a token such as `const T` or `T &`, if it is one. */
static bool find_type(struct bo_span name, const struct templight_token *token, struct part *found)
{
    static const char *const after[] = {" &&", " &", " *", "&&", "&", "*", " const", "..."};
    static const char *const before[] = {"const ", "volatile ", "typename ", "&"};
    *found = (struct part){token->begin, token->end};
    for (size_t i = 0; i < sizeof after / sizeof *after; i++) {
        const size_t n = strlen(after[i]);
        if (token->end - token->begin > n && memcmp(name.p + token->end - n, after[i], n) == 0 &&
            !ends_with(name, token, token->end - n - 1, "operator", 8)) {
            found->end = token->end - n;
            return true;
        }
    }
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        const size_t n = strlen(before[i]);
        if (token->end - token->begin > n && memcmp(name.p + token->begin, before[i], n) == 0) {
            found->begin = token->begin + n;
            return true;
        }
    }
    return false;
}

/*
 * By our rule: at a token's start. True with the token's first part, when it is not a list's; a
 * scope leaves the mark after it.
 */
static bool find_around_list(const struct templight_dictionary *d, struct bo_span name,
                             struct templight_token *token, struct part *found)
{
    const size_t list = d->lists[token->begin];
    token->at = token->end;
    if (list >= token->end || d->closers[list] >= token->end)
        return false;
    if (find_type(name, token, found)) {
        token->mark = NOWHERE;
        return true;
    }
    const uint32_t scope = d->scopes[token->end];
    if (scope != NOT_THERE && scope > list) {
        *found = (struct part){token->begin, scope};
        token->mark = (size_t)scope + 2;
        return true;
    }
    token->in_list = true;
    token->open = token->list = list;
    token->at = list + 1;
    return false;
}

static bool find_by_rule(const struct templight_dictionary *d, struct bo_span name,
                         struct templight_token *token, struct part *found)
{
    const bool starts = token->at == token->begin;
    if (d->rule == TEMPLIGHT_SPLIT_WIKI || d->rule == TEMPLIGHT_SPLIT_TYPES) {
        if (starts && d->rule == TEMPLIGHT_SPLIT_WIKI)
            find_list(name, d->closers, token);
        else if (starts && find_around_list(d, name, token, found))
            return true;
        return find_argument(name, d->closers, token, found);
    }
    return token->in_list ? find_in_list(name, d->closers, token, found)
                          : find_outside(name, token, found);
}

/* The next token inside this one; false when there are no more. */
static bool find_token(const struct templight_dictionary *d, struct bo_span name,
                       struct templight_token *token, struct part *found)
{
    if (!splits(d, name))
        return false;
    while (token->at < token->end)
        if (find_by_rule(d, name, token, found))
            return true;
    if (d->n_building_ids == token->building_ids || token->mark >= token->end)
        return false;
    *found = (struct part){token->mark, token->end};
    token->mark = NOWHERE;
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* Makes room for n more elements of an array of the dictionary. */
#define RESERVE(d, array, n_used, cap, n) bo_grow((d)->arena, &(array), n_used, n, &(cap))

/* ---- entries --------------------------------------------------------------------------------- */

static uint64_t hash_entry(const struct templight_dictionary *d, struct bo_span marked,
                           const uint32_t *ids, size_t n_ids)
{
    uint64_t hash = XXH3_64bits_withSeed(marked.p, marked.n, d->seed);
    for (size_t i = 0; i < n_ids; i++)
        hash = bo_mix64(hash + ids[i] + 1);
    return hash;
}

static bool is_entry(const struct templight_dictionary *d, uint32_t id, struct bo_span marked,
                     const uint32_t *ids, size_t n_ids)
{
    const struct templight_piece *piece = &d->pieces[id];
    return piece->n_ids == n_ids && bo_span_equal(templight_piece_marked(d, piece), marked) &&
           (n_ids == 0 || memcmp(templight_piece_ids(d, piece), ids, n_ids * sizeof *ids) == 0);
}

/* The slot of an entry, or the empty one where it would be. */
static uint32_t *find_slot(const struct templight_dictionary *d, struct bo_span marked,
                           const uint32_t *ids, size_t n_ids)
{
    size_t i = (size_t)hash_entry(d, marked, ids, n_ids) & (d->n_slots - 1);
    while (d->slots[i] && !is_entry(d, d->slots[i] - 1, marked, ids, n_ids))
        i = (i + 1) & (d->n_slots - 1);
    return &d->slots[i];
}

/* At most half of the slots are taken. */
static bool grow_slots(struct templight_dictionary *d)
{
    if (d->n_pieces < d->n_slots / 2)
        return true;
    uint32_t *slots = bo_zalloc_array(d->arena, 2 * d->n_slots, sizeof *slots);
    if (!slots)
        return false;
    d->slots = slots;
    d->n_slots *= 2;
    for (uint32_t id = 0; id < d->n_pieces; id++) {
        const struct templight_piece *piece = &d->pieces[id];
        *find_slot(d, templight_piece_marked(d, piece), templight_piece_ids(d, piece),
                   piece->n_ids) = id + 1;
    }
    return true;
}

/* The entry that the token, which has been read whole, becomes or is already. */
static bool get_entry(struct templight_dictionary *d, const struct templight_token *token,
                      uint32_t *id_ret)
{
    const struct bo_span marked = {d->building + token->building, d->n_building - token->building};
    const uint32_t *ids = d->building_ids + token->building_ids;
    const size_t n_ids = d->n_building_ids - token->building_ids;
    uint32_t *slot = find_slot(d, marked, ids, n_ids);
    if (*slot) {
        *id_ret = *slot - 1;
        return true;
    }
    if (!RESERVE(d, d->pieces, d->n_pieces, d->cap_pieces, 1) ||
        !RESERVE(d, d->marked, d->n_marked, d->cap_marked, marked.n) ||
        !RESERVE(d, d->ids, d->n_ids, d->cap_ids, n_ids))
        return false;
    d->pieces[d->n_pieces] =
        (struct templight_piece){d->n_marked, d->n_ids, (uint32_t)marked.n, (uint32_t)n_ids};
    if (marked.n)
        memcpy(d->marked + d->n_marked, marked.p, marked.n);
    if (n_ids)
        memcpy(d->ids + d->n_ids, ids, n_ids * sizeof *ids);
    d->n_marked += marked.n;
    d->n_ids += n_ids;
    *id_ret = d->n_pieces;
    *slot = ++d->n_pieces;
    return grow_slots(d);
}

/* ---- a name ---------------------------------------------------------------------------------- */

/* Copies the token's text up to `end` after what has been built. */
static bool build_text(struct templight_dictionary *d, struct bo_span name,
                       struct templight_token *token, size_t end)
{
    const size_t n = end - token->copied;
    if (!RESERVE(d, d->building, d->n_building, d->cap_building, n + 1))
        return false;
    if (n)
        memcpy(d->building + d->n_building, name.p + token->copied, n);
    d->n_building += n;
    token->copied = end;
    return true;
}

static bool push_token(struct templight_dictionary *d, size_t *n_tokens, struct part part)
{
    if (!RESERVE(d, d->tokens, *n_tokens, d->cap_tokens, 1))
        return false;
    d->tokens[(*n_tokens)++] = (struct templight_token){
        .begin = part.begin,
        .end = part.end,
        .at = part.begin,
        .mark = part.begin,
        .copied = part.begin,
        .building = d->n_building,
        .building_ids = d->n_building_ids,
    };
    return true;
}

/* The token's text is complete: makes it an entry, and takes what was built off the stack. */
static bool finish_token(struct templight_dictionary *d, struct bo_span name,
                         struct templight_token *token, uint32_t *id)
{
    if (!build_text(d, name, token, token->end) || !get_entry(d, token, id))
        return false;
    d->n_building = token->building;
    d->n_building_ids = token->building_ids;
    return true;
}

/* Splits the name that is the only token on the stack. */
static bool split(struct templight_dictionary *d, struct bo_span name, size_t n_tokens,
                  uint32_t *id)
{
    for (;;) {
        struct templight_token *token = &d->tokens[n_tokens - 1];
        struct part found;
        if (find_token(d, name, token, &found)) {
            if (!build_text(d, name, token, found.begin))
                return false;
            d->building[d->n_building++] = '\0'; /* build_text made room for it */
            token->copied = found.end;
            if (!push_token(d, &n_tokens, found))
                return false;
            continue;
        }
        if (!finish_token(d, name, token, id))
            return false;
        if (--n_tokens == 0)
            return true;
        if (!RESERVE(d, d->building_ids, d->n_building_ids, d->cap_building_ids, 1))
            return false;
        d->building_ids[d->n_building_ids++] = *id;
    }
}

bool templight_dictionary_init(struct templight_dictionary *dictionary, enum templight_rule rule,
                               struct bo_arena *arena)
{
    enum { FIRST_ROOM = 64 };
    struct templight_dictionary *d = dictionary;
    *d = (struct templight_dictionary){.rule = rule,
                                       .max_split_nbytes = TEMPLIGHT_MAX_SPLIT_NBYTES,
                                       .arena = arena,
                                       .n_slots = 2 * bo_first_cap(arena, FIRST_ROOM / 2)};
    d->slots = bo_zalloc_array(arena, d->n_slots, sizeof *d->slots);
    d->seed = bo_mix64((uintptr_t)d->slots);
    return d->slots && bo_grow_from(FIRST_ROOM, arena, &d->marked, 0, 1, &d->cap_marked) &&
           bo_grow_from(FIRST_ROOM, arena, &d->ids, 0, 1, &d->cap_ids) &&
           bo_grow_from(FIRST_ROOM, arena, &d->building, 0, 1, &d->cap_building) &&
           bo_grow_from(FIRST_ROOM, arena, &d->building_ids, 0, 1, &d->cap_building_ids);
}

/* Fills in the tables, by offset in the name, that the rule needs. */
static bool look_at_brackets(struct templight_dictionary *d, struct bo_span name)
{
    if (!RESERVE(d, d->closers, 0, d->cap_closers, name.n))
        return false;
    if (d->rule == TEMPLIGHT_SPLIT_SCOPES) {
        match_brackets(name, d->closers);
        return true;
    }
    match_all_brackets(name, d->closers);
    if (d->rule == TEMPLIGHT_SPLIT_WIKI)
        return true;
    if (!RESERVE(d, d->scopes, 0, d->cap_scopes, name.n + 1) ||
        !RESERVE(d, d->lists, 0, d->cap_lists, name.n))
        return false;
    find_scopes(name, d->closers, d->scopes, d->lists);
    find_lists(name, d->closers, d->lists);
    return true;
}

enum bo_status templight_dictionary_add(struct templight_dictionary *dictionary,
                                        struct bo_span name, uint32_t *id_ret, struct bo_error *err)
{
    struct templight_dictionary *d = dictionary;
    const enum bo_status status = templight_check_text(name, err);
    if (status)
        return status;
    if (name.n >= UINT32_MAX || d->n_pieces + (uint64_t)name.n >= UINT32_MAX - 1)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                       "names or entries exceed the 32-bit limit");
    size_t n_tokens = 0;
    d->n_building = d->n_building_ids = 0;
    if ((splits(d, name) && !look_at_brackets(d, name)) ||
        !push_token(d, &n_tokens, (struct part){0, name.n}))
        return bo_fail_alloc(err, d->arena);
    return split(d, name, n_tokens, id_ret) ? BO_OK : bo_fail_alloc(err, d->arena);
}
