/* Codes a record: as a reference to an earlier one, or as its kind, name and places. */
#include "codecs/templight/predicted/predicted.h"

#include "harness/core/random.h"

/* A coded record: the numbers of its kind, name, origin and location. Record 0 is an End. */
enum { KIND, NAME, ORIGIN, LOCATION };

/* Place 0 is the absent one. */
enum { FILE_OF, LINE_OF, COLUMN_OF };

/* ---- sets ------------------------------------------------------------------------------------ */

static size_t slot_of(const struct predicted_set *set, const uint32_t item[4])
{
    const uint64_t hash =
        bo_pair_hash(bo_pair_hash(item[0], item[1]) ^ set->seed, bo_pair_hash(item[2], item[3]));
    size_t i = (size_t)hash & (set->n_slots - 1);
    while (set->slots[i] && memcmp(set->items[set->slots[i] - 1], item, sizeof *set->items) != 0)
        i = (i + 1) & (set->n_slots - 1);
    return i;
}

uint32_t predicted_find(const struct predicted_set *set, const uint32_t item[4])
{
    return set->slots[slot_of(set, item)] - 1;
}

static bool init_set(struct predicted *p, struct predicted_set *set)
{
    *set = (struct predicted_set){.n_slots = 2 * bo_first_cap(p->arena, 32)};
    set->slots = bo_zalloc_array(p->arena, set->n_slots, sizeof *set->slots);
    set->seed = bo_mix64((uintptr_t)set->slots);
    return set->slots != NULL;
}

static bool spread_out(struct predicted *p, struct predicted_set *set)
{
    struct predicted_set spread = *set;
    spread.n_slots = 2 * set->n_slots;
    spread.slots = bo_zalloc_array(p->arena, spread.n_slots, sizeof *spread.slots);
    if (!spread.slots)
        return false;
    for (uint32_t i = 0; i < set->n; i++)
        spread.slots[slot_of(&spread, set->items[i])] = i + 1;
    *set = spread;
    return true;
}

uint32_t predicted_add(struct predicted *p, struct predicted_set *set, const uint32_t item[4])
{
    if (!bo_grow(p->arena, &set->items, set->n, 1, &set->cap) ||
        (set->n >= set->n_slots / 2 && !spread_out(p, set))) {
        p->no_memory = true;
        return 0;
    }
    memcpy(set->items[set->n], item, sizeof *set->items);
    set->slots[slot_of(set, item)] = set->n + 1;
    return set->n++;
}

/* ---- a trace's start ------------------------------------------------------------------------- */

bool predicted_make_tables(struct predicted_tables *tables, const struct predicted_counts *counts,
                           struct bo_arena *arena)
{
    tables->nodes = bo_alloc_array(arena, (size_t)counts->n_nodes, sizeof *tables->nodes);
    tables->parts = bo_alloc_array(arena, (size_t)counts->n_parts, sizeof *tables->parts);
    tables->name_nodes = bo_alloc_array(arena, (size_t)counts->n_names, sizeof *tables->name_nodes);
    tables->files = bo_alloc_array(arena, (size_t)counts->n_files, sizeof *tables->files);
    return tables->nodes && tables->parts && tables->name_nodes && tables->files;
}

bool predicted_start_trace(struct predicted *p, const struct predicted_tables *tables)
{
    static const uint32_t none[4] = {[NAME] = PREDICTED_NONE}, nowhere[4] = {TEMPLIGHT_NONE};
    const struct predicted_counts *counts = &p->counts;
    const size_t n_nodes = (size_t)counts->n_nodes, n_parts = (size_t)counts->n_parts,
                 n_names = (size_t)counts->n_names, n_files = (size_t)counts->n_files;
    p->nodes = tables->nodes;
    p->parts = tables->parts;
    p->name_nodes = tables->name_nodes;
    p->files = tables->files;
    p->open_parts = bo_alloc_array(p->arena, n_parts, sizeof *p->open_parts);
    p->last_of_base = bo_alloc_array(p->arena, n_nodes, sizeof *p->last_of_base);
    p->node_names = bo_alloc_array(p->arena, n_nodes, sizeof *p->node_names);
    p->name_origins = bo_alloc_array(p->arena, n_names, sizeof *p->name_origins);
    p->file_numbers = bo_alloc_array(p->arena, n_files, sizeof *p->file_numbers);
    p->file_lines = bo_zalloc_array(p->arena, n_files, sizeof *p->file_lines);
    p->open = NULL;
    p->cap_open = 0;
    if (!p->open_parts || !p->last_of_base || !p->node_names || !p->name_origins ||
        !p->file_numbers || !p->file_lines || !bo_grow(p->arena, &p->open, 0, 1, &p->cap_open) ||
        !bo_texts_init(&p->shape_numbers, false, p->arena) || !init_set(p, &p->kinds) ||
        !init_set(p, &p->places) || !init_set(p, &p->records))
        return false;
    p->open[0] = (struct predicted_open){0, 0, 0};
    p->n_nodes = p->n_parts = p->n_open_parts = p->n_names = p->n_files = p->n_numbered_files = 0;
    p->n_frames = p->n_open = 0;
    p->frames = NULL;
    p->cap_frames = 0;
    p->shapes = NULL;
    p->n_shapes = 0;
    p->cap_shapes = 0;
    memset(p->recent, 0, sizeof p->recent);
    memset(p->history, 0, sizeof p->history);
    p->last_file = p->last_file2 = 0;
    p->last_time = p->last_memory = 0;
    predicted_add(p, &p->places, nowhere);
    predicted_add(p, &p->records, none);
    return !p->no_memory;
}

/* ---- what surrounds a record ----------------------------------------------------------------- */

/* The surrounding Begins in coded form, and the numbers of their records. */
struct surroundings {
    uint32_t outer, inner, inner2, outer2; /* records; 0: none */
    const uint32_t *o, *i;                 /* the first two in coded form */
    uint32_t outer_name, inner_name;       /* plus 1; 0: none */
    uint32_t outer_base, inner_base;
};

static uint32_t base_of_name(const struct predicted *p, uint32_t name)
{
    return p->nodes[p->name_nodes[name]].base;
}

static struct surroundings look_around(const struct predicted *p)
{
    const struct predicted_open *open = &p->open[p->n_open];
    struct surroundings s = {
        .outer = open->record,
        .inner = open->last,
        .inner2 = open->last2,
        .outer2 = p->n_open > 1 ? p->open[p->n_open - 1].record : 0,
        .o = p->records.items[open->record],
        .i = p->records.items[open->last],
        .outer_base = PREDICTED_NONE,
        .inner_base = PREDICTED_NONE,
    };
    if (s.outer) {
        s.outer_name = s.o[NAME] + 1;
        s.outer_base = base_of_name(p, s.o[NAME]);
    }
    if (s.inner) {
        s.inner_name = s.i[NAME] + 1;
        s.inner_base = base_of_name(p, s.i[NAME]);
    }
    return s;
}

/* The record before this one that was a Begin, if it is one of the last two. */
static uint32_t last_begin(const struct predicted *p)
{
    return p->history[0] ? p->history[0] : p->history[1];
}

/* ---- places ---------------------------------------------------------------------------------- */

/* A new place; `sort` is 1 for an origin, 2 for a location; it may be near another one. */
static uint32_t code_new_place(struct predicted *p, const struct templight_location *location,
                               uint64_t sort, uint32_t near)
{
    struct bo_range_coder *coder = &p->coders[PREDICTED_LOCATIONS];
    struct bo_guess g = bo_guess(PREDICTED_FILE, p->n_files);
    bo_guess_context(&g, 1);
    bo_guess_context(&g, p->last_file + 2ull);
    bo_guess_context(&g, bo_pair_hash(p->last_file, p->last_file2));
    bo_guess_context(&g, bo_pair_hash(p->places.items[near][FILE_OF], sort));
    uint32_t file = p->decoding ? 0 : p->coded_files[location->file];
    file = bo_guess_symbol(&p->guesser, coder, &g, file == TEMPLIGHT_NONE ? BO_GUESS_NEW : file);
    if (file == BO_GUESS_NEW) {
        const struct bo_span none = {(const uint8_t *)"", 0};
        if (p->n_files >= p->counts.n_files) {
            p->flaw = "more files than announced";
            return 0;
        }
        file = p->n_files;
        p->files[file] = bo_guess_text(&p->guesser, coder, PREDICTED_FILE_TEXT, 0, 0,
                                       p->decoding ? none : p->trace->files[location->file]);
        p->file_numbers[file] = TEMPLIGHT_NONE;
        p->n_files++;
        if (!p->decoding)
            p->coded_files[location->file] = file;
        bo_guess_learn_new(&p->guesser, g.site, g.contexts, g.n_contexts, file);
    } else {
        bo_guess_learn(&p->guesser, &g, file);
    }
    if (!predicted_is_sound(p))
        return 0;
    p->last_file2 = p->last_file;
    p->last_file = file;
    const uint64_t lines[] = {1, bo_pair_hash(file, 2), bo_pair_hash(sort, 3)};
    const uint32_t last_line = p->file_lines[file];
    const uint64_t step = bo_guess_number(&p->guesser, coder, PREDICTED_LINE, lines, 3,
                                          bo_zigzag32((int32_t)(location->line - last_line)));
    const uint64_t columns[] = {1, bo_pair_hash(file, 2),
                                bo_pair_hash(sort, bo_pair_hash(file, step == 0))};
    const uint64_t column =
        bo_guess_number(&p->guesser, coder, PREDICTED_COLUMN, columns, 3, location->column);
    if (step > UINT32_MAX || column > UINT32_MAX) {
        p->flaw = "line or column of more than 32 bits";
        return 0;
    }
    const uint32_t line = last_line + (uint32_t)bo_unzigzag32((uint32_t)step);
    p->file_lines[file] = line;
    const uint32_t place[4] = {file, line, (uint32_t)column};
    if (p->decoding && predicted_find(&p->places, place) != PREDICTED_NONE) {
        p->flaw = "place is encoded twice";
        return 0;
    }
    return predicted_add(p, &p->places, place);
}

/* The number of a place, or PREDICTED_NONE. Places number their files in coding order. */
static uint32_t known_place(const struct predicted *p, const struct templight_location *location)
{
    if (location->file == TEMPLIGHT_NONE)
        return 0;
    const uint32_t place[4] = {p->coded_files[location->file], location->line, location->column};
    return place[FILE_OF] == TEMPLIGHT_NONE ? PREDICTED_NONE : predicted_find(&p->places, place);
}

/* Codes a place with the contexts of the guess `g`. */
static uint32_t code_place(struct predicted *p, struct bo_guess *g,
                           const struct templight_location *location, uint64_t sort, uint32_t near)
{
    uint32_t place = p->decoding ? 0 : known_place(p, location);
    place = bo_guess_symbol(&p->guesser, &p->coders[PREDICTED_LOCATIONS], g,
                            place == PREDICTED_NONE ? BO_GUESS_NEW : place);
    if (place != BO_GUESS_NEW) {
        bo_guess_learn(&p->guesser, g, place);
        return place;
    }
    place = code_new_place(p, location, sort, near);
    if (predicted_is_sound(p))
        bo_guess_learn_new(&p->guesser, g->site, g->contexts, g->n_contexts, place);
    return place;
}

/*
 * The model's numbers of files follow from their first use, of a record's location before its
 * origin.
 */
static struct templight_location locate(struct predicted *p, uint32_t number)
{
    const uint32_t *place = p->places.items[number];
    if (place[FILE_OF] == TEMPLIGHT_NONE)
        return (struct templight_location){TEMPLIGHT_NONE, 0, 0};
    uint32_t *file = &p->file_numbers[place[FILE_OF]];
    if (*file == TEMPLIGHT_NONE)
        *file = p->n_numbered_files++;
    return (struct templight_location){*file, place[LINE_OF], place[COLUMN_OF]};
}

/* ---- fields of a Begin ----------------------------------------------------------------------- */

static uint32_t code_kind(struct predicted *p, const struct surroundings *s, uint32_t kind)
{
    struct bo_range_coder *coder = &p->coders[PREDICTED_STRUCTURE];
    const uint64_t none[] = {1};
    const uint64_t last = s->inner ? s->i[KIND] : 99;
    const uint32_t item[4] = {kind};
    uint32_t number = p->decoding ? 0 : predicted_find(&p->kinds, item);
    struct bo_guess g = bo_guess(PREDICTED_KIND, p->kinds.n);
    bo_guess_context(&g, bo_pair_hash(s->o[KIND], last));
    bo_guess_context(&g, bo_pair_hash(s->outer_base, bo_pair_hash(last, s->inner_base)));
    bo_guess_context(&g,
                     bo_pair_hash(p->records.items[p->history[0]][KIND],
                                  bo_pair_hash(p->records.items[p->history[1]][KIND],
                                               bo_pair_hash(p->records.items[p->history[2]][KIND],
                                                            2 * !p->history[0] + !p->history[1]))));
    bo_guess_context(&g, bo_pair_hash(s->inner, bo_pair_hash(s->outer_base, 5)));
    bo_guess_context(&g, bo_pair_hash(bo_pair_hash(s->inner, s->inner2), 9));
    bo_guess_context(&g, bo_pair_hash(s->outer, 3));
    bo_guess_context(&g, bo_pair_hash(bo_pair_hash(s->outer, s->inner), 1));
    bo_guess_context(
        &g, bo_pair_hash(s->outer_name,
                         bo_pair_hash(last, s->inner2 ? p->records.items[s->inner2][KIND] : 99)));
    number =
        bo_guess_symbol(&p->guesser, coder, &g, number == PREDICTED_NONE ? BO_GUESS_NEW : number);
    if (number != BO_GUESS_NEW) {
        bo_guess_learn(&p->guesser, &g, number);
        return number;
    }
    const uint64_t v = bo_guess_number(&p->guesser, coder, PREDICTED_KIND_NUMBER, none, 1, kind);
    const uint32_t added[4] = {(uint32_t)v};
    if (p->decoding && (v > UINT32_MAX || predicted_find(&p->kinds, added) != PREDICTED_NONE)) {
        p->flaw = "kind is encoded twice, or has more than 32 bits";
        return 0;
    }
    number = predicted_add(p, &p->kinds, added);
    bo_guess_learn_new(&p->guesser, g.site, g.contexts, g.n_contexts, number);
    return number;
}

/* The name that a part of a name's node is, or one that is not known. */
static uint32_t name_of_part(const struct predicted *p, uint32_t name, uint32_t k)
{
    if (name == 0)
        return PREDICTED_NONE;
    const struct predicted_node *node = &p->nodes[p->name_nodes[name - 1]];
    return k < node->n_parts ? p->node_names[p->parts[node->first_part + k]] - 1 : PREDICTED_NONE;
}

static void hint_names(const struct predicted *p, const struct surroundings *s, uint32_t kind,
                       struct bo_guess *g)
{
    const uint64_t key =
        bo_pair_hash(bo_pair_hash(kind, s->o[KIND] + 64ull * s->i[KIND]), s->outer_base);
    const uint32_t last = last_begin(p);
    bo_guess_hint(g, s->outer_name - 1, key);
    bo_guess_hint(g, s->inner_name - 1, key);
    for (uint32_t k = 1; k < 4; k++)
        bo_guess_hint(g, name_of_part(p, s->outer_name, k), key);
    for (uint32_t k = 1; k < 3; k++)
        bo_guess_hint(g, name_of_part(p, s->inner_name, k), key);
    bo_guess_hint(g, s->inner_name ? s->inner_name : PREDICTED_NONE, key);
    bo_guess_hint(g, p->n_names - 1, key);
    bo_guess_hint(g, s->inner2 ? p->records.items[s->inner2][NAME] : PREDICTED_NONE, key);
    bo_guess_hint(g, s->outer2 ? p->records.items[s->outer2][NAME] : PREDICTED_NONE, key);
    bo_guess_hint(g, s->outer_name ? s->outer_name : PREDICTED_NONE, key);
    bo_guess_hint(g, last ? p->records.items[last][NAME] : PREDICTED_NONE, key);
}

static uint32_t code_begins_name(struct predicted *p, const struct surroundings *s, uint32_t kind,
                                 uint32_t name, bool *is_new_ret)
{
    const uint64_t by_outer = bo_pair_hash(kind, s->outer_name);
    struct bo_guess g = bo_guess(PREDICTED_NAME, p->n_names);
    g.selector = (s->inner != 0) + 2 * (kind < 15 ? kind : 15);
    bo_guess_context(&g, bo_pair_hash(kind, 1));
    bo_guess_context(&g, by_outer);
    bo_guess_context(&g, bo_pair_hash(by_outer, s->inner_name));
    bo_guess_context(&g, bo_pair_hash(bo_pair_hash(kind, s->inner_name), 1));
    bo_guess_context(&g, bo_pair_hash(bo_pair_hash(kind, s->o[LOCATION]), 2));
    bo_guess_context(
        &g, bo_pair_hash(bo_pair_hash(kind, s->i[LOCATION]), bo_pair_hash(s->i[ORIGIN], 3)));
    bo_guess_context(&g, bo_pair_hash(bo_pair_hash(kind, s->outer_base), s->inner_base));
    hint_names(p, s, kind, &g);
    const uint32_t known = bo_guess_symbol(&p->guesser, &p->coders[PREDICTED_REFS], &g,
                                           name < p->n_names ? name : BO_GUESS_NEW);
    *is_new_ret = known == BO_GUESS_NEW;
    if (!*is_new_ret) {
        bo_guess_learn(&p->guesser, &g, known);
        return known;
    }
    if (p->n_names >= p->counts.n_names) {
        p->flaw = "more names than announced";
        return 0;
    }
    p->around = (struct predicted_around){
        .kind = kind,
        .outer = s->outer ? p->name_nodes[s->o[NAME]] : PREDICTED_NONE,
        .outer_base = s->outer_base,
        .inner = s->inner ? p->name_nodes[s->i[NAME]] : PREDICTED_NONE,
        .inner_base = s->inner_base,
        .outer_name = s->outer_name,
        .inner_name = s->inner_name,
    };
    const uint32_t node = predicted_code_name(p, p->decoding ? 0 : p->name_pieces[name]);
    if (!predicted_is_sound(p))
        return 0;
    p->name_nodes[p->n_names] = node;
    p->name_origins[p->n_names] = 0;
    p->node_names[node] = p->n_names + 1;
    bo_guess_learn_new(&p->guesser, g.site, g.contexts, g.n_contexts, p->n_names);
    return p->n_names++;
}

static uint32_t code_origin(struct predicted *p, const struct surroundings *s, uint32_t kind,
                            uint32_t name, bool is_new, const struct templight_location *location)
{
    const uint32_t node = p->name_nodes[name], base = p->nodes[node].base;
    const uint64_t key = bo_pair_hash(kind, s->o[KIND] + 64ull * s->i[KIND]);
    struct bo_guess g = bo_guess(PREDICTED_ORIGIN, p->places.n);
    g.selector = is_new;
    bo_guess_context(&g, bo_pair_hash(kind, base));
    bo_guess_context(&g, bo_pair_hash(kind, node + 1ull));
    bo_guess_context(&g, bo_pair_hash(node + 1ull, 1));
    bo_guess_context(&g, bo_pair_hash(bo_pair_hash(kind, s->o[ORIGIN]), base));
    bo_guess_context(&g, bo_pair_hash(bo_pair_hash(kind, p->name_origins[name]), 4));
    bo_guess_context(&g, bo_pair_hash(bo_pair_hash(s->i[ORIGIN], kind), base));
    bo_guess_hint(&g, s->o[LOCATION], key);
    bo_guess_hint(&g, s->o[ORIGIN], key);
    bo_guess_hint(&g, s->i[LOCATION], key);
    bo_guess_hint(&g, s->i[ORIGIN], key);
    bo_guess_hint(&g, s->i[ORIGIN] + 1, key);
    bo_guess_hint(&g, s->o[ORIGIN] + 1, key);
    bo_guess_hint(&g, p->places.n - 1, key);
    bo_guess_hint(&g, p->records.items[s->outer2][ORIGIN], key);
    bo_guess_hint(&g, p->records.items[s->inner2][ORIGIN], key);
    bo_guess_hint(&g, p->records.items[last_begin(p)][ORIGIN], key);
    return code_place(p, &g, location, 1, s->o[ORIGIN]);
}

static uint32_t code_location(struct predicted *p, const struct surroundings *s, uint32_t kind,
                              uint32_t name, uint32_t origin, bool is_new,
                              const struct templight_location *location)
{
    const uint32_t node = p->name_nodes[name];
    const uint64_t key = bo_pair_hash(kind, s->o[KIND] + 64ull * s->i[KIND]);
    struct bo_guess g = bo_guess(PREDICTED_LOCATION, p->places.n);
    g.selector = is_new + 2u * (s->i[LOCATION] == s->o[LOCATION]);
    bo_guess_context(&g, bo_pair_hash(kind, 1));
    bo_guess_context(&g, bo_pair_hash(kind, s->o[LOCATION]));
    bo_guess_context(&g, bo_pair_hash(kind, bo_pair_hash(s->i[LOCATION], 2)));
    bo_guess_context(&g, bo_pair_hash(bo_pair_hash(kind, origin), 4));
    bo_guess_context(&g, bo_pair_hash(bo_pair_hash(kind, s->o[ORIGIN]), 5));
    bo_guess_context(&g, bo_pair_hash(bo_pair_hash(s->o[ORIGIN], s->i[LOCATION]), origin));
    bo_guess_context(&g, bo_pair_hash(node + 1ull, 6));
    bo_guess_context(&g, bo_pair_hash(kind, bo_pair_hash(s->o[ORIGIN], origin)));
    bo_guess_hint(&g, origin, key);
    bo_guess_hint(&g, s->o[LOCATION], key);
    bo_guess_hint(&g, s->o[ORIGIN], key);
    bo_guess_hint(&g, s->i[LOCATION], key);
    bo_guess_hint(&g, s->i[LOCATION] + 1, key);
    bo_guess_hint(&g, s->i[ORIGIN], key);
    bo_guess_hint(&g, s->o[LOCATION] + 1, key);
    bo_guess_hint(&g, p->places.n - 1, key);
    bo_guess_hint(&g, p->records.items[s->outer2][LOCATION], key);
    bo_guess_hint(&g, p->records.items[s->outer2][ORIGIN], key);
    bo_guess_hint(&g, p->records.items[s->inner2][LOCATION], key);
    bo_guess_hint(&g, origin + 1, key);
    bo_guess_hint(&g, s->o[ORIGIN] + 1, key);
    bo_guess_hint(&g, p->records.items[last_begin(p)][LOCATION], key);
    return code_place(p, &g, location, 2, s->o[ORIGIN]);
}

/* ---- records --------------------------------------------------------------------------------- */

static void answer_record(const struct predicted *p, const struct surroundings *s,
                          struct bo_guess *g)
{
    const uint32_t *h = p->history;
    const uint64_t here = bo_pair_hash(s->outer, s->inner),
                   last3 = bo_pair_hash(bo_pair_hash(h[0], h[1]), h[2]);
    bo_guess_context(g, bo_pair_hash(s->inner != 0, s->o[KIND] * 64ull + s->i[KIND]));
    bo_guess_context(g, bo_pair_hash(s->outer, 2));
    bo_guess_context(g, bo_pair_hash(s->inner, h[0] == 0));
    bo_guess_context(g, here);
    bo_guess_context(g, bo_pair_hash(here, s->inner2));
    bo_guess_context(g, bo_pair_hash(here, bo_pair_hash(s->outer2, s->inner2)));
    bo_guess_context(g, last3);
    bo_guess_context(g, bo_pair_hash(last3, bo_pair_hash(bo_pair_hash(h[3], h[4]), h[5])));
    bo_guess_context(g, bo_pair_hash(s->outer_name,
                                     bo_pair_hash(s->inner_name, s->i[KIND] + 64ull * s->o[KIND])));
}

/* The fields of a Begin that was not guessed; the number of the record that they make. */
static uint32_t code_fields(struct predicted *p, const struct surroundings *s,
                            const struct templight_record *record)
{
    uint32_t fields[4];
    bool is_new = false;
    fields[KIND] = code_kind(p, s, record->kind);
    if (predicted_is_sound(p))
        fields[NAME] = code_begins_name(p, s, fields[KIND], record->name, &is_new);
    if (!predicted_is_sound(p))
        return 0;
    fields[ORIGIN] = code_origin(p, s, fields[KIND], fields[NAME], is_new, &record->origin);
    if (!predicted_is_sound(p))
        return 0;
    p->name_origins[fields[NAME]] = fields[ORIGIN];
    fields[LOCATION] =
        code_location(p, s, fields[KIND], fields[NAME], fields[ORIGIN], is_new, &record->location);
    if (!predicted_is_sound(p))
        return 0;
    const uint32_t number = predicted_find(&p->records, fields);
    return number != PREDICTED_NONE ? number : predicted_add(p, &p->records, fields);
}

/* The number of the record that a Begin repeats, or BO_GUESS_OTHER. */
static uint32_t find_record(const struct predicted *p, const struct templight_record *record)
{
    const uint32_t kind[4] = {record->kind};
    const uint32_t fields[4] = {
        [KIND] = predicted_find(&p->kinds, kind),
        [NAME] = record->name,
        [ORIGIN] = known_place(p, &record->origin),
        [LOCATION] = known_place(p, &record->location),
    };
    const uint32_t number = predicted_find(&p->records, fields);
    return number != PREDICTED_NONE ? number : BO_GUESS_OTHER;
}

static void begin(struct predicted *p, uint32_t number, struct templight_record *record)
{
    if (!bo_grow(p->arena, &p->open, p->n_open + 1, 1, &p->cap_open)) {
        p->no_memory = true;
        return;
    }
    p->open[++p->n_open] = (struct predicted_open){number, 0, 0};
    if (!p->decoding)
        return;
    const uint32_t *coded = p->records.items[number];
    record->kind = p->kinds.items[coded[KIND]][0];
    record->name = coded[NAME];
    record->location = locate(p, coded[LOCATION]);
    record->origin = locate(p, coded[ORIGIN]);
}

/* The origin that an End stores itself. */
static void code_own_origin(struct predicted *p, uint32_t number, struct templight_record *record)
{
    const uint32_t *coded = p->records.items[number];
    struct bo_guess g = bo_guess(PREDICTED_OWN_ORIGIN, p->places.n);
    bo_guess_context(&g, coded[ORIGIN]);
    bo_guess_context(&g, bo_pair_hash(number, 1));
    const uint32_t place = code_place(p, &g, &record->origin, 1, 0);
    if (!p->decoding || !predicted_is_sound(p))
        return;
    if (place == p->records.items[number][ORIGIN]) {
        p->flaw = "End repeats its Begin's origin";
        return;
    }
    record->origin = locate(p, place);
}

static void end(struct predicted *p, struct templight_record *record)
{
    const uint32_t number = p->open[p->n_open].record;
    const uint64_t contexts[] = {p->records.items[number][KIND], bo_pair_hash(number, 1)};
    record->is_end = true;
    record->has_own_origin =
        bo_guess_bits(&p->guesser, &p->coders[PREDICTED_LOCATIONS], PREDICTED_HAS_OWN_ORIGIN,
                      contexts, 2, 1, record->has_own_origin);
    if (record->has_own_origin)
        code_own_origin(p, number, record);
    if (p->n_open == 0)
        return;
    struct predicted_open *outer = &p->open[--p->n_open];
    outer->last2 = outer->last;
    outer->last = number;
}

/* A time or an amount of memory, against the last one. */
static void code_amount(struct predicted *p, unsigned site, bool is_end, uint64_t *last, bool *has,
                        uint64_t *v)
{
    struct bo_range_coder *coder = &p->coders[PREDICTED_TIMES];
    const uint64_t contexts[] = {site, bo_pair_hash(site, 1 + is_end)};
    *has = bo_guess_bits(&p->guesser, coder, PREDICTED_HAS_TIME, contexts, 2, 1, *has);
    if (!*has)
        return;
    const uint64_t step =
        bo_guess_number(&p->guesser, coder, site, contexts, 2, bo_zigzag64((int64_t)(*v - *last)));
    *last = *v = *last + (uint64_t)bo_unzigzag64(step);
}

void predicted_code_record(struct predicted *p, struct templight_record *record)
{
    const struct surroundings s = look_around(p);
    struct bo_guess g = bo_guess(PREDICTED_RECORD, p->records.n);
    uint32_t number = p->decoding || record->is_end ? 0 : find_record(p, record);
    g.always = 0;
    answer_record(p, &s, &g);
    number = bo_guess_listed(&p->guesser, &p->coders[PREDICTED_REFS], &g, number);
    if (number == BO_GUESS_OTHER) {
        number = code_fields(p, &s, record);
        if (p->decoding && predicted_is_sound(p) && bo_guess_is_listed(&g, number))
            p->flaw = "coded record is one of the candidates";
    }
    if (!predicted_is_sound(p))
        return;
    bo_guess_learn(&p->guesser, &g, number);
    memmove(p->history + 1, p->history, sizeof p->history - sizeof *p->history);
    p->history[0] = number;
    if (number)
        begin(p, number, record);
    else
        end(p, record);
    if (p->counts.has_times && predicted_is_sound(p))
        code_amount(p, PREDICTED_TIME, number == 0, &p->last_time, &record->has_time,
                    &record->time_bits);
    if (p->counts.has_memory && predicted_is_sound(p))
        code_amount(p, PREDICTED_MEMORY, number == 0, &p->last_memory, &record->has_memory,
                    &record->memory);
}
