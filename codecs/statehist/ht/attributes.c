/*
 * The attribute tree of a history tree file: what Java's ObjectOutputStream makes of a number and
 * an ArrayList of String[], one array for each attribute: its path from the root. A name that
 * equals the one at its place in the path before is "*".
 *
 * The reader accepts only this form. It creates only names, and never looks up a class.
 */
#include "codecs/statehist/ht/ht.h"
#include "harness/core/random.h"

enum {
    TC_REFERENCE = 0x71,
    TC_STRING = 0x74,
    TC_ARRAY = 0x75,
    TC_ENDBLOCKDATA = 0x78,
    TC_LONGSTRING = 0x7c,

    /* Handles: what is written is numbered in order, and references contain the number. */
    FIRST_HANDLE = 0x7e0000,
    ARRAY_CLASS_HANDLE = FIRST_HANDLE + 2, /* after ArrayList, and the list */
    FIRST_ARRAY_HANDLE = FIRST_HANDLE + 3,

    MAX_SHORT_NBYTES = 65535, /* of a TC_STRING */
};

/* The stream's start, up to the list's number of elements: the magic number and the class. */
static const uint8_t prologue[] = "\xac\xed\0\5"                /* magic and version */
                                  "\x77\4\x06\xec\x36\x71"      /* block data: a magic number */
                                  "sr\0\x13java.util.ArrayList" /* an object of this class */
                                  "\x78\x81\xd2\x1d\x99\xc7\x61\x9d" /* serialVersionUID */
                                  "\3\0\1I\0\4sizexp";               /* one field; no superclass */

/* The description of String[], which the first array has and the others refer to. */
static const uint8_t array_class[] = "r\0\x13[Ljava.lang.String;\xad\xd2\x56\xe7\xe9\x1d\x7b\x47"
                                     "\2\0\0xp";

enum { PROLOGUE_NBYTES = sizeof prologue - 1, ARRAY_CLASS_NBYTES = sizeof array_class - 1 };

static bool is_wildcard(struct bo_span name)
{
    return name.n == 1 && name.p[0] == '*';
}

/* ---- writing --------------------------------------------------------------------------------- */

/* What it takes to write one path after the other. */
struct paths {
    const struct statehist_attribute *attributes;
    struct bo_writer *out;
    uint32_t *handles;       /* by quark: its name's; 0: not written yet */
    uint32_t next;           /* handle */
    uint32_t wildcard;       /* the handle of "*", whose strings share one handle; or 0 */
    uint32_t *path, *before; /* quarks from the top down */
    uint32_t depth, depth_before;
};

/*
 * Bytes in Java's own form of UTF-8: characters beyond U+FFFF are two surrogates of 3 bytes each.
 */
static uint64_t java_nbytes(struct bo_span name)
{
    uint64_t n = name.n;
    for (size_t i = 0; i < name.n; i++)
        n += 2 * (name.p[i] >= 0xf0);
    return n;
}

static void put_surrogate(struct bo_writer *out, uint32_t unit)
{
    bo_put_u8(out, (uint8_t)(0xe0 | unit >> 12));
    bo_put_u8(out, (uint8_t)(0x80 | (unit >> 6 & 0x3f)));
    bo_put_u8(out, (uint8_t)(0x80 | (unit & 0x3f)));
}

static void put_new_string(struct bo_writer *out, struct bo_span name)
{
    const uint64_t nbytes = java_nbytes(name);
    if (nbytes > MAX_SHORT_NBYTES) {
        bo_put_u8(out, TC_LONGSTRING);
        bo_put_be64(out, nbytes);
    } else {
        bo_put_u8(out, TC_STRING);
        bo_put_be16(out, (uint16_t)nbytes);
    }
    if (nbytes == name.n) {
        bo_put_bytes(out, name.p, name.n);
        return;
    }
    for (size_t i = 0; i < name.n; i++) {
        const uint8_t *p = name.p + i;
        if (*p < 0xf0) {
            bo_put_u8(out, *p);
            continue;
        }
        const uint32_t above = (((uint32_t)p[0] & 7) << 18 | (p[1] & 0x3fu) << 12 |
                                (p[2] & 0x3fu) << 6 | (p[3] & 0x3fu)) -
                               0x10000;
        put_surrogate(out, 0xd800 | above >> 10);
        put_surrogate(out, 0xdc00 | (above & 0x3ff));
        i += 3;
    }
}

/* A string object: in full at its first use, later a reference. */
static void put_string(struct paths *w, struct bo_span name, uint32_t *handle)
{
    if (*handle) {
        bo_put_u8(w->out, TC_REFERENCE);
        bo_put_be32(w->out, *handle);
    } else {
        put_new_string(w->out, name);
        *handle = w->next++;
    }
}

/* The path to the next attribute becomes the one before. */
static void step(struct paths *w, uint32_t quark)
{
    uint32_t *reused = w->before;
    w->before = w->path;
    w->depth_before = w->depth;
    w->path = reused;
    w->depth = 0;
    for (uint32_t q = quark; q != STATEHIST_ROOT; q = w->attributes[q].parent)
        w->path[w->depth++] = q;
    for (uint32_t i = 0; i < w->depth / 2; i++) {
        const uint32_t q = w->path[i];
        w->path[i] = w->path[w->depth - 1 - i];
        w->path[w->depth - 1 - i] = q;
    }
}

/* False when a name is "*" where a reader would decode it as the name in the path before. */
static bool put_path(struct paths *w, uint32_t quark)
{
    static const struct bo_span wildcard = {(const uint8_t *)"*", 1};
    bo_put_u8(w->out, TC_ARRAY);
    if (quark == 0) {
        bo_put_bytes(w->out, array_class, ARRAY_CLASS_NBYTES);
    } else {
        bo_put_u8(w->out, TC_REFERENCE);
        bo_put_be32(w->out, ARRAY_CLASS_HANDLE);
    }
    w->next++; /* the array's */
    bo_put_be32(w->out, w->depth);
    for (uint32_t i = 0; i < w->depth; i++) {
        const uint32_t q = w->path[i];
        const struct bo_span name = w->attributes[q].name;
        const bool has_before = i < w->depth_before;
        if (has_before && bo_span_equal(w->attributes[w->before[i]].name, name))
            put_string(w, wildcard, &w->wildcard);
        else if (has_before && is_wildcard(name))
            return false;
        else
            put_string(w, name, &w->handles[q]);
    }
    return true;
}

/* The longest path, in names; the paths' names in all go to *n_names_ret. */
static uint32_t measure(const struct statehist_attribute *attributes, uint32_t n, uint32_t *depths,
                        uint64_t *n_names_ret)
{
    uint32_t longest = 0;
    *n_names_ret = 0;
    for (uint32_t q = 0; q < n; q++) {
        const uint32_t parent = attributes[q].parent;
        depths[q] = parent == STATEHIST_ROOT ? 1 : depths[parent] + 1;
        *n_names_ret += depths[q];
        if (depths[q] > longest)
            longest = depths[q];
    }
    return longest;
}

enum bo_status ht_put_attributes(const struct statehist_attribute *attributes, uint32_t n,
                                 struct bo_writer *out, struct bo_error *err)
{
    const uint64_t max_names = (uint64_t)1 << 28; /* of 5 bytes each, mostly */
    struct bo_arena *arena = out->arena;
    struct paths w = {.attributes = attributes, .out = out, .next = FIRST_ARRAY_HANDLE};
    uint32_t *depths = bo_alloc_array(arena, n, sizeof *depths);
    if (!depths)
        return bo_fail_alloc(err, arena);
    uint64_t n_names;
    const uint32_t longest = measure(attributes, n, depths, &n_names);
    if (n_names > max_names)
        return bo_fail(err, BO_OVER_LIMIT, BO_NO_OFFSET, "paths of attributes have too many names");
    w.handles = bo_zalloc_array(arena, n, sizeof *w.handles);
    w.path = bo_alloc_array(arena, longest, sizeof *w.path);
    w.before = bo_alloc_array(arena, longest, sizeof *w.before);
    if (!w.handles || !w.path || !w.before)
        return bo_fail_alloc(err, arena);

    bo_mark(out, "attribute tree");
    bo_put_bytes(out, prologue, PROLOGUE_NBYTES);
    bo_put_be32(out, n);
    bo_put_bytes(out, "\x77\4", 2); /* block data: the list's capacity */
    bo_put_be32(out, n);
    for (uint32_t q = 0; q < n && !out->status; q++) {
        step(&w, q);
        if (!put_path(&w, q))
            return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET,
                           "attribute named * follows a path with another name at its level");
    }
    bo_put_u8(out, TC_ENDBLOCKDATA);
    return BO_OK;
}

/* ---- reading --------------------------------------------------------------------------------- */

/* Equal names have one number. */
struct name {
    struct bo_span text;
    uint64_t hash;
};

struct reader {
    struct bo_cursor in;
    struct bo_arena *arena;
    struct bo_error *err;
    struct name *names;
    uint32_t n_names;
    size_t cap_names;
    uint32_t *handles; /* from FIRST_ARRAY_HANDLE: a name's number plus 1; 0: an array */
    uint32_t n_handles;
    size_t cap_handles;
    uint32_t *name_slots; /* by hash: numbers of names plus 1 */
    size_t n_name_slots;
    struct statehist_attribute *attributes;
    uint32_t *attribute_names; /* by quark: the name's number */
    uint32_t *attribute_slots; /* by parent and name: quarks plus 1 */
    size_t n_attribute_slots;
    uint32_t *path, *before; /* quarks */
    size_t cap_path, cap_before;
    uint32_t depth_before;
    uint32_t n;
};

static enum bo_status fail(struct reader *r, enum bo_status status, size_t off, const char *what)
{
    return bo_fail(r->err, status, off, what);
}

static enum bo_status cut_off(struct reader *r)
{
    return fail(r, BO_TRUNCATED, r->in.base + r->in.off, "attribute tree ends early");
}

static size_t here(const struct reader *r)
{
    return r->in.base + r->in.off;
}

static enum bo_status expect(struct reader *r, const uint8_t *bytes, size_t n, const char *what)
{
    const size_t left = bo_left(&r->in), have = left < n ? left : n;
    const uint8_t *p = r->in.p + r->in.off;
    for (size_t i = 0; i < have; i++)
        if (p[i] != bytes[i])
            return fail(r, BO_CORRUPT, here(r) + i, what);
    r->in.off += have;
    return have < n ? cut_off(r) : BO_OK;
}

/* Numbers of a power of two that keeps them at most half full. */
static size_t n_slots_for(const struct reader *r, size_t n)
{
    size_t n_slots = 2 * bo_first_cap(r->arena, 8);
    while (n_slots / 2 < n)
        n_slots *= 2;
    return n_slots;
}

/* Seeded by an address: no file can have paths that all collide. */
static uint64_t hash_child(const struct reader *r, uint32_t parent, uint32_t name)
{
    return bo_mix64(bo_mix64((uintptr_t)r + name) + parent);
}

/* ---- names ----------------------------------------------------------------------------------- */

static uint32_t decode_unit(const uint8_t *p)
{
    return (uint32_t)(p[0] & 0xf) << 12 | (p[1] & 0x3fu) << 6 | (p[2] & 0x3fu);
}

static bool is_tail(uint8_t byte)
{
    return (byte & 0xc0) == 0x80;
}

/*
 * Bytes of the character of Java's modified UTF-8 at p, of which n are left: 1 to 3, or 6 for two
 * surrogates. Returns 0, with the reason in *flaw_ret, when the bytes are not valid or no name can
 * hold the character.
 */
static unsigned measure_character(const uint8_t *p, size_t n, const char **flaw_ret)
{
    *flaw_ret = "name is not in Java's UTF-8";
    if (p[0] < 0x80 || (p[0] == 0xc0 && n > 1 && p[1] == 0x80)) {
        *flaw_ret = "name holds a NUL";
        return p[0] != 0 && p[0] < 0x80;
    }
    if (p[0] < 0xe0)
        return p[0] >= 0xc2 && n >= 2 && is_tail(p[1]) ? 2 : 0;
    if (p[0] >= 0xf0 || n < 3 || !is_tail(p[1]) || !is_tail(p[2]))
        return 0;
    const uint32_t unit = decode_unit(p);
    if (unit < 0x800)
        return 0;
    if (unit < 0xd800 || unit > 0xdfff)
        return 3;
    *flaw_ret = "name holds half a character";
    return unit < 0xdc00 && n >= 6 && p[3] == 0xed && (p[4] & 0xf0) == 0xb0 && is_tail(p[5]) ? 6
                                                                                             : 0;
}

/* Checks the name; *n_wide_ret is how many characters it has that take 4 bytes outside of Java. */
static enum bo_status check_name(struct reader *r, struct bo_span name, size_t off,
                                 size_t *n_wide_ret)
{
    *n_wide_ret = 0;
    for (size_t i = 0; i < name.n;) {
        const char *flaw;
        const unsigned n = measure_character(name.p + i, name.n - i, &flaw);
        if (n == 0)
            return fail(r, BO_CORRUPT, off + i, flaw);
        *n_wide_ret += n == 6;
        i += n;
    }
    return BO_OK;
}

/* A copy in which surrogates are characters. */
static bool convert(struct reader *r, struct bo_span *name, size_t n_wide)
{
    uint8_t *to = bo_alloc(r->arena, name->n - 2 * n_wide), *start = to;
    if (!to)
        return false;
    for (size_t i = 0; i < name->n;) {
        const uint8_t *p = name->p + i;
        if (p[0] != 0xed || p[1] < 0xa0) {
            *to++ = *p;
            i++;
            continue;
        }
        const uint32_t c =
            0x10000 + ((decode_unit(p) & 0x3ff) << 10 | (decode_unit(p + 3) & 0x3ff));
        *to++ = (uint8_t)(0xf0 | c >> 18);
        *to++ = (uint8_t)(0x80 | (c >> 12 & 0x3f));
        *to++ = (uint8_t)(0x80 | (c >> 6 & 0x3f));
        *to++ = (uint8_t)(0x80 | (c & 0x3f));
        i += 6;
    }
    *name = (struct bo_span){start, (size_t)(to - start)};
    return true;
}

static bool grow_name_slots(struct reader *r)
{
    const size_t n_slots = n_slots_for(r, (size_t)r->n_names * 2 + 1);
    uint32_t *slots = bo_zalloc_array(r->arena, n_slots, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < r->n_names; i++) {
        size_t at = r->names[i].hash & (n_slots - 1);
        while (slots[at])
            at = (at + 1) & (n_slots - 1);
        slots[at] = i + 1;
    }
    r->name_slots = slots;
    r->n_name_slots = n_slots;
    return true;
}

/* The number of the name. */
static bool find_name(struct reader *r, struct bo_span text, uint32_t *number_ret)
{
    const uint64_t hash = XXH3_64bits_withSeed(text.p, text.n, (uintptr_t)r);
    if (r->n_names >= r->n_name_slots / 2 && !grow_name_slots(r))
        return false;
    size_t at = hash & (r->n_name_slots - 1);
    for (; r->name_slots[at]; at = (at + 1) & (r->n_name_slots - 1)) {
        const struct name *name = &r->names[r->name_slots[at] - 1];
        if (name->hash == hash && bo_span_equal(name->text, text)) {
            *number_ret = r->name_slots[at] - 1;
            return true;
        }
    }
    if (!bo_grow(r->arena, &r->names, r->n_names, 1, &r->cap_names))
        return false;
    r->names[r->n_names++] = (struct name){text, hash};
    r->name_slots[at] = r->n_names;
    *number_ret = r->n_names - 1;
    return true;
}

static bool add_handle(struct reader *r, uint32_t handle)
{
    if (!bo_grow(r->arena, &r->handles, r->n_handles, 1, &r->cap_handles))
        return false;
    r->handles[r->n_handles++] = handle;
    return true;
}

static enum bo_status get_new_name(struct reader *r, uint64_t nbytes, uint32_t *number_ret)
{
    struct bo_span text = {.n = (size_t)nbytes};
    const size_t off = here(r);
    size_t n_wide;
    if (nbytes > bo_left(&r->in))
        return cut_off(r);
    bo_get_bytes(&r->in, text.n, &text.p);
    const enum bo_status status = check_name(r, text, off, &n_wide);
    if (status)
        return status;
    if ((n_wide && !convert(r, &text, n_wide)) || !find_name(r, text, number_ret) ||
        !add_handle(r, *number_ret + 1))
        return bo_fail_alloc(r->err, r->arena);
    return BO_OK;
}

static enum bo_status get_reference(struct reader *r, uint32_t *number_ret)
{
    uint32_t handle;
    if (!bo_get_be32(&r->in, &handle))
        return cut_off(r);
    const uint32_t i = handle - FIRST_ARRAY_HANDLE;
    if (handle < FIRST_ARRAY_HANDLE || i >= r->n_handles || r->handles[i] == 0)
        return fail(r, BO_CORRUPT, here(r) - 4, "reference is not to a name before it");
    *number_ret = r->handles[i] - 1;
    return BO_OK;
}

static enum bo_status get_name(struct reader *r, uint32_t *number_ret)
{
    const size_t off = here(r);
    uint8_t tag;
    uint16_t n_short;
    uint64_t n_long;
    if (!bo_get_u8(&r->in, &tag))
        return cut_off(r);
    if (tag == TC_REFERENCE)
        return get_reference(r, number_ret);
    if (tag == TC_STRING)
        return bo_get_be16(&r->in, &n_short) ? get_new_name(r, n_short, number_ret) : cut_off(r);
    if (tag != TC_LONGSTRING)
        return fail(r, BO_CORRUPT, off, "path contains an object that is not a name");
    if (!bo_get_be64(&r->in, &n_long))
        return cut_off(r);
    return n_long > MAX_SHORT_NBYTES
               ? get_new_name(r, n_long, number_ret)
               : fail(r, BO_CORRUPT, off + 1, "length of 8 bytes for a name of less than 65536");
}

/* ---- paths ----------------------------------------------------------------------------------- */

/* Where the attribute of this parent and name is, or would be. */
static uint32_t *find_attribute(struct reader *r, uint32_t parent, uint32_t name)
{
    size_t at = hash_child(r, parent, name) & (r->n_attribute_slots - 1);
    for (; r->attribute_slots[at]; at = (at + 1) & (r->n_attribute_slots - 1)) {
        const uint32_t q = r->attribute_slots[at] - 1;
        if (r->attributes[q].parent == parent && r->attribute_names[q] == name)
            break;
    }
    return &r->attribute_slots[at];
}

/* The array's head: its class, and its number of names. */
static enum bo_status get_array(struct reader *r, uint32_t *n_ret)
{
    static const uint8_t tag[] = {TC_ARRAY};
    static const uint8_t other_class[] = {TC_REFERENCE, 0, 0x7e, 0, 2};
    const bool first = r->n == 0;
    enum bo_status status = expect(r, tag, 1, "list holds another object than a path");
    if (!status)
        status = expect(r, first ? array_class : other_class,
                        first ? ARRAY_CLASS_NBYTES : sizeof other_class,
                        "path is not an array of strings");
    if (status)
        return status;
    if (!add_handle(r, 0))
        return bo_fail_alloc(r->err, r->arena);
    if (!bo_get_be32(&r->in, n_ret))
        return cut_off(r);
    enum { MIN_NAME_NBYTES = 3 };
    if (*n_ret == 0 || *n_ret > INT32_MAX)
        return fail(r, BO_CORRUPT, here(r) - 4, "path has no names");
    return *n_ret > bo_left(&r->in) / MIN_NAME_NBYTES ? cut_off(r) : BO_OK;
}

/* The i-th name of a path, after the attribute `parent`, which it moves on from. */
static enum bo_status get_step(struct reader *r, uint32_t i, bool is_last, uint32_t *parent)
{
    const size_t off = here(r);
    uint32_t name;
    const enum bo_status status = get_name(r, &name);
    if (status)
        return status;
    const bool has_before = i < r->depth_before;
    if (has_before && is_wildcard(r->names[name].text))
        name = r->attribute_names[r->before[i]];
    else if (has_before && r->attribute_names[r->before[i]] == name)
        return fail(r, BO_CORRUPT, off, "name is that of the path before, and not *");
    uint32_t *slot = find_attribute(r, *parent, name);
    if (!is_last && *slot == 0)
        return fail(r, BO_CORRUPT, off, "path contains an attribute that does not precede it");
    if (is_last && *slot)
        return fail(r, BO_CORRUPT, off, "duplicate attribute");
    if (is_last) {
        r->attributes[r->n] = (struct statehist_attribute){r->names[name].text, *parent};
        r->attribute_names[r->n] = name;
        *slot = r->n + 1;
    }
    *parent = *slot - 1;
    r->path[i] = *parent;
    return BO_OK;
}

static enum bo_status get_path(struct reader *r)
{
    uint32_t depth = 0, parent = STATEHIST_ROOT;
    enum bo_status status = get_array(r, &depth);
    if (status)
        return status;
    if (!bo_grow(r->arena, &r->path, 0, depth, &r->cap_path))
        return bo_fail_alloc(r->err, r->arena);
    uint32_t *const path = r->path;
    for (uint32_t i = 0; i < depth && !status; i++)
        status = get_step(r, i, i + 1 == depth, &parent);
    const size_t cap = r->cap_path;
    r->path = r->before;
    r->cap_path = r->cap_before;
    r->before = path;
    r->cap_before = cap;
    r->depth_before = depth;
    r->n++;
    return status;
}

/* ---- the list -------------------------------------------------------------------------------- */

/* The list's number of elements, which the stream stores twice. */
static enum bo_status get_length(struct reader *r, uint32_t *n_ret)
{
    enum { MIN_PATH_NBYTES = 1 + 5 + 4 + 3 };
    uint8_t again[6] = {0x77, 4};
    if (!bo_get_be32(&r->in, n_ret))
        return cut_off(r);
    if (*n_ret > INT32_MAX)
        return fail(r, BO_CORRUPT, here(r) - 4, "number of elements is negative");
    bo_set_be32(again + 2, *n_ret);
    const enum bo_status status = expect(r, again, sizeof again, "list's capacity is not its size");
    if (status)
        return status;
    return *n_ret > bo_left(&r->in) / MIN_PATH_NBYTES
               ? fail(r, BO_TRUNCATED, here(r) - 10, "list has more paths than there are bytes")
               : BO_OK;
}

static enum bo_status make_tables(struct reader *r, uint32_t n)
{
    r->n_attribute_slots = n_slots_for(r, n);
    r->attribute_slots =
        bo_zalloc_array(r->arena, r->n_attribute_slots, sizeof *r->attribute_slots);
    r->attributes = bo_alloc_array(r->arena, n, sizeof *r->attributes);
    r->attribute_names = bo_alloc_array(r->arena, n, sizeof *r->attribute_names);
    return r->attribute_slots && r->attributes && r->attribute_names
               ? BO_OK
               : bo_fail_alloc(r->err, r->arena);
}

enum bo_status ht_get_attributes(struct bo_span in, size_t off, struct bo_arena *arena,
                                 const struct statehist_attribute **attributes_ret, uint32_t *n_ret,
                                 struct bo_error *err)
{
    static const uint8_t end[] = {TC_ENDBLOCKDATA};
    struct reader r = {.in = bo_cursor_at(in, off, in.n - off), .arena = arena, .err = err};
    uint32_t n = 0;
    enum bo_status status = expect(&r, prologue, PROLOGUE_NBYTES,
                                   "attribute tree is not an ArrayList in a Java stream");
    if (!status)
        status = get_length(&r, &n);
    if (!status)
        status = make_tables(&r, n);
    while (!status && r.n < n)
        status = get_path(&r);
    if (!status)
        status = expect(&r, end, 1, "list does not end after its paths");
    if (!status && bo_left(&r.in))
        status = fail(&r, BO_CORRUPT, here(&r), "bytes after the attribute tree");
    *attributes_ret = r.attributes;
    *n_ret = n;
    return status;
}
