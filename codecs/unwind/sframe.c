/*
 * sframe-v1, -v2, -v3: the SFrame format of binutils, as one section in the target's byte order. A
 * query searches the array of function descriptors (FDEs), then walks the rows of one function.
 *
 * The layout is in README.md. All versions share one writer and one reader; struct sframe_version
 * has the differences.
 */
#include "codecs/unwind/unwind.h"

struct sframe_version {
    uint8_t version;
    uint8_t flags;      /* as the writer sets them */
    uint8_t fde_nbytes; /* of one entry of the sorted array */
    uint8_t attributes; /* bytes before a function's rows: 5 in version 3 */
};

enum {
    MAGIC = 0xdee2,
    HEADER_NBYTES = 28,
    SORTED = 1,
    START_FROM_FIELD = 4,
    TYPE_MASK = 0x0f, /* of an FDE's info: width of row starts */
    PATTERN = 0x10,
    KEY_B = 0x20,
    SIGNAL = 0x80,
    ROW_SP = 1, /* of a row's info: the CFA's base is sp, not fp */
    ROW_SIGNED = 0x80,
    MAX_WORDS = 6,
    REGISTER_BIT = 1, /* of a control word */
    DEREF_BIT = 2,
    RESERVED_BIT = 4,
    S390X_CFA = 160, /* the offset of a CFA word of 0, and the divisor of CFA offsets */
    S390X_SCALE = 8,
};

static const uint8_t abis[UNWIND_N_ARCHS] = {3, 2, 4};

/* ---- what a version can store ---------------------------------------------------------------- */

/* The words of one row. */
struct words {
    int64_t word[MAX_WORDS];
    uint64_t is_control; /* bit i: word i is unsigned */
    unsigned n;
    uint8_t info;
};

static void add_word(struct words *w, int64_t v)
{
    w->word[w->n++] = v;
}

static void add_pair(struct words *w, unsigned control, int64_t off)
{
    w->is_control |= UINT64_C(1) << w->n;
    add_word(w, control);
    add_word(w, off);
}

/* The CFA's word; false when it does not fit the scale of s390x. */
static bool cfa_word(enum unwind_arch arch, int32_t off, int64_t *word_ret)
{
    *word_ret = off;
    if (arch != UNWIND_S390X)
        return true;
    *word_ret = ((int64_t)off - S390X_CFA) / S390X_SCALE;
    return ((int64_t)off - S390X_CFA) % S390X_SCALE == 0;
}

/* One rule of s390x, where version 2 writes registers as odd words; 0 is not a place. */
static bool s390x_word(unsigned version, enum unwind_rule rule, int32_t off, uint8_t reg,
                       int64_t *word_ret)
{
    *word_ret = rule == UNWIND_REGISTER ? reg << 1 | 1 : off;
    return rule == UNWIND_REGISTER ? version == 2
                                   : rule == UNWIND_AT_CFA && (version != 2 || off % 2 == 0);
}

static bool default_words(unsigned version, enum unwind_arch arch, const struct unwind_state *s,
                          struct words *w)
{
    const struct unwind_machine *machine = &unwind_machines[arch];
    const enum unwind_rule ra = unwind_ra(s), fp = unwind_fp(s);
    const uint8_t reg = unwind_cfa_reg(s);
    int64_t word;
    if (unwind_cfa(s) != UNWIND_CFA_REGISTER || (reg != machine->sp && reg != machine->fp) ||
        !cfa_word(arch, s->cfa_off, &word))
        return false;
    w->info = reg == machine->sp ? ROW_SP : 0;
    add_word(w, word);
    if (arch == UNWIND_S390X) {
        if (ra == UNWIND_SAME && fp == UNWIND_SAME)
            return true;
        if (ra == UNWIND_SAME)
            word = 0;
        else if (!s390x_word(version, ra, s->ra_off, s->ra_reg, &word) || word == 0)
            return false;
        add_word(w, word);
        if (fp == UNWIND_SAME)
            return true;
        const bool held = s390x_word(version, fp, s->fp_off, s->fp_reg, &word);
        add_word(w, word);
        return held;
    }
    if (arch == UNWIND_AMD64) {
        if (ra != UNWIND_AT_CFA || s->ra_off != -8)
            return false;
    } else if (ra == UNWIND_AT_CFA) {
        add_word(w, s->ra_off);
    } else if (ra != UNWIND_SAME || fp != UNWIND_SAME) {
        return false;
    }
    if (fp == UNWIND_AT_CFA)
        add_word(w, s->fp_off);
    return fp == UNWIND_AT_CFA || fp == UNWIND_SAME;
}

static bool flexible_pair(enum unwind_rule rule, int32_t off, uint8_t reg, struct words *w)
{
    if (rule == UNWIND_AT_CFA)
        add_pair(w, DEREF_BIT, off);
    else if (rule == UNWIND_REGISTER)
        add_pair(w, (unsigned)reg << 3 | REGISTER_BIT, 0);
    else if (rule == UNWIND_MEMORY)
        add_pair(w, (unsigned)reg << 3 | REGISTER_BIT | DEREF_BIT, off);
    else
        return false;
    return true;
}

/* The rule of the return address for rows without one. */
static bool is_default_ra(enum unwind_arch arch, const struct unwind_state *s)
{
    return arch == UNWIND_AMD64 ? unwind_ra(s) == UNWIND_AT_CFA && s->ra_off == -8
                                : unwind_ra(s) == UNWIND_SAME;
}

static bool flexible_words(enum unwind_arch arch, const struct unwind_state *s, struct words *w)
{
    const bool memory = unwind_cfa(s) == UNWIND_CFA_MEMORY;
    const bool same_fp = unwind_fp(s) == UNWIND_SAME;
    int64_t word;
    if (unwind_cfa(s) == UNWIND_CFA_OTHER || !cfa_word(arch, s->cfa_off, &word))
        return false;
    add_pair(w, (unsigned)unwind_cfa_reg(s) << 3 | REGISTER_BIT | (memory ? DEREF_BIT : 0), word);
    if (is_default_ra(arch, s)) {
        if (!same_fp)
            add_word(w, 0);
    } else if (!flexible_pair(unwind_ra(s), s->ra_off, s->ra_reg, w)) {
        return false;
    }
    return same_fp || flexible_pair(unwind_fp(s), s->fp_off, s->fp_reg, w);
}

/* The logarithm of the bytes of a word: the least size that all words of the row fit. */
static unsigned word_size(const struct words *w)
{
    unsigned size = 0;
    for (unsigned i = 0; i < w->n; i++) {
        const int64_t v = w->word[i];
        const bool control = w->is_control >> i & 1;
        while (size < 2 && (control ? v >> (8 << size) != 0
                                    : v < -(INT64_C(1) << ((8 << size) - 1)) ||
                                          v >= INT64_C(1) << ((8 << size) - 1)))
            size++;
    }
    return size;
}

/* The words and the info of a row; false if the version cannot encode the row. */
static bool make_row(unsigned version, enum unwind_arch arch, bool flexible,
                     const struct unwind_state *s, struct words *w)
{
    *w = (struct words){.n = 0};
    if (unwind_ra(s) == UNWIND_UNDEFINED)
        return version > 1;
    if (!(flexible ? flexible_words(arch, s, w) : default_words(version, arch, s, w)))
        return false;
    w->info |= (uint8_t)(w->n << 1 | word_size(w) << 5 | (unwind_is_signed(s) ? ROW_SIGNED : 0));
    return true;
}

enum form { NOT_HELD, DEFAULT, FLEXIBLE };

static bool has_form(unsigned version, enum unwind_arch arch, bool flexible,
                     const struct unwind_function *f)
{
    struct words w;
    for (uint32_t r = 0; r < f->n_rows; r++)
        if (!make_row(version, arch, flexible, &f->rows[r].state, &w))
            return false;
    return true;
}

static enum form form_of(unsigned version, enum unwind_arch arch, const struct unwind_function *f)
{
    if ((version == 1 && f->rep && f->rep != 16) || (version == 3 && f->n_rows > UINT16_MAX))
        return NOT_HELD;
    if (has_form(version, arch, false, f))
        return DEFAULT;
    return version == 3 && has_form(version, arch, true, f) ? FLEXIBLE : NOT_HELD;
}

static enum bo_status reduce(const struct bo_codec *self, const void *opaque,
                             struct bo_arena *arena, void **model_ret, struct bo_error *err)
{
    static const struct unwind_state outermost = {.kinds = UNWIND_CFA_OTHER | UNWIND_UNDEFINED
                                                                                  << 2};
    const struct sframe_version *v = self->own;
    const struct unwind_model *model = opaque;
    struct unwind_builder b = {.arena = arena};
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const struct unwind_function *f = &model->functions[i];
        const uint8_t flags = v->version < 3 ? f->flags & ~UNWIND_SIGNAL : f->flags;
        if (form_of(v->version, model->arch, f) == NOT_HELD)
            continue;
        bool ok = unwind_add_function(&b, f->start, f->length, flags, f->rep);
        for (uint32_t r = 0; r < f->n_rows && ok; r++) {
            const struct unwind_state *s = &f->rows[r].state;
            ok = unwind_add_row(&b, f->rows[r].off,
                                unwind_ra(s) == UNWIND_UNDEFINED ? &outermost : s);
        }
        if (!ok)
            return bo_fail_alloc(err, arena);
    }
    struct unwind_model *reduced = unwind_build(&b, model->arch);
    if (!reduced)
        return bo_fail_alloc(err, arena);
    reduced->calls = model->calls;
    reduced->n_calls = model->n_calls;
    *model_ret = reduced;
    return BO_OK;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* n bytes (1, 2, 4, 8) in the target's order. */
static void put_word(struct bo_writer *out, bool big, unsigned nbytes, uint64_t v)
{
    uint8_t *p = bo_put_space(out, nbytes);
    for (unsigned i = 0; p && i < nbytes; i++)
        p[big ? nbytes - 1 - i : i] = (uint8_t)(v >> 8 * i);
}

static unsigned start_width(uint32_t length)
{
    return length <= UINT8_MAX ? 0 : length <= UINT16_MAX ? 1 : 2;
}

static uint8_t fde_info(unsigned version, const struct unwind_function *f)
{
    return (uint8_t)(start_width(f->length) | (f->rep ? PATTERN : 0) |
                     (f->flags & UNWIND_KEY_B ? KEY_B : 0) |
                     (version == 3 && f->flags & UNWIND_SIGNAL ? SIGNAL : 0));
}

static void put_rows(const struct sframe_version *v, enum unwind_arch arch,
                     const struct unwind_function *f, struct bo_writer *out)
{
    const bool big = unwind_machines[arch].big_endian;
    const bool flexible = form_of(v->version, arch, f) == FLEXIBLE;
    if (v->attributes) {
        put_word(out, big, 2, f->n_rows);
        bo_put_u8(out, fde_info(v->version, f));
        bo_put_u8(out, flexible);
        bo_put_u8(out, f->rep);
    }
    for (uint32_t r = 0; r < f->n_rows; r++) {
        struct words w;
        make_row(v->version, arch, flexible, &f->rows[r].state, &w);
        put_word(out, big, 1u << start_width(f->length), f->rows[r].off);
        bo_put_u8(out, w.info);
        for (unsigned i = 0; i < w.n; i++)
            put_word(out, big, 1u << (w.info >> 5 & 3), (uint64_t)w.word[i]);
    }
}

static void put_fde(const struct sframe_version *v, bool big, const struct unwind_function *f,
                    int64_t start, uint32_t rows_off, struct bo_writer *out)
{
    put_word(out, big, v->version == 3 ? 8 : 4, (uint64_t)start);
    put_word(out, big, 4, f->length);
    put_word(out, big, 4, rows_off);
    if (v->version == 3)
        return;
    put_word(out, big, 4, f->n_rows);
    bo_put_u8(out, fde_info(v->version, f));
    if (v->version == 2) {
        bo_put_u8(out, f->rep);
        put_word(out, big, 2, 0);
    }
}

static enum bo_status encode(const struct bo_codec *self, const void *opaque, struct bo_writer *out,
                             struct bo_error *err)
{
    const struct sframe_version *v = self->own;
    void *reduced;
    const enum bo_status status = reduce(self, opaque, out->arena, &reduced, err);
    if (status)
        return status;
    const struct unwind_model *model = reduced;
    const bool big = unwind_machines[model->arch].big_endian;
    const uint32_t n = model->n_functions;
    if (v->version == 1 && model->arch == UNWIND_S390X)
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "SFrame version 1 has no s390x");
    struct bo_writer rows;
    struct unwind_frame_writer w;
    uint32_t *offs = bo_alloc_array(out->arena, n, sizeof *offs);
    uint64_t n_rows = 0;
    if (!offs)
        return bo_fail_alloc(err, out->arena);
    bo_writer_init(&rows, out->arena);
    for (uint32_t i = 0; i < n; i++) {
        offs[i] = (uint32_t)rows.n;
        put_rows(v, model->arch, &model->functions[i], &rows);
        n_rows += model->functions[i].n_rows;
    }
    const uint64_t fdes_nbytes = (uint64_t)n * v->fde_nbytes;
    const uint64_t span = n ? model->functions[n - 1].start - unwind_base(model) : 0;
    if (rows.n > UINT32_MAX || n_rows > UINT32_MAX || fdes_nbytes > INT32_MAX ||
        span > (v->version == 3 ? (uint64_t)INT64_MAX / 2 : INT32_MAX)) {
        bo_writer_free(&rows);
        return bo_fail(err, BO_UNSUPPORTED, BO_NO_OFFSET, "addresses or rows exceed 32 bits");
    }
    unwind_frame_begin(&w, model, 1, out);
    bo_mark(out, "header");
    put_word(out, big, 2, MAGIC);
    bo_put_u8(out, v->version);
    bo_put_u8(out, v->flags);
    bo_put_u8(out, abis[model->arch]);
    bo_put_u8(out, 0);
    bo_put_u8(out, model->arch == UNWIND_AMD64 ? (uint8_t)-8 : 0);
    bo_put_u8(out, 0);
    put_word(out, big, 4, n);
    put_word(out, big, 4, n_rows);
    put_word(out, big, 4, rows.n);
    put_word(out, big, 4, 0);
    put_word(out, big, 4, fdes_nbytes);
    bo_mark(out, "functions");
    for (uint32_t i = 0; i < n; i++) {
        const uint64_t at = HEADER_NBYTES + (uint64_t)i * v->fde_nbytes;
        const uint64_t start = model->functions[i].start - unwind_base(model);
        put_fde(v, big, &model->functions[i],
                (int64_t)(v->flags & START_FROM_FIELD ? start - at : start), offs[i], out);
    }
    bo_mark(out, "rows");
    bo_put_bytes(out, rows.p, rows.n);
    unwind_frame_end_part(&w);
    const enum bo_status rows_status = bo_writer_status(&rows, err);
    bo_writer_free(&rows);
    return rows_status ? rows_status : bo_writer_status(out, err);
}

/* ---- reading --------------------------------------------------------------------------------- */

struct reader {
    const struct sframe_version *v;
    uint64_t base;
    enum unwind_arch arch;
    bool from_field; /* starts are relative to their own field */
    uint32_t n;
    size_t fdes_off; /* in the section */
    const uint8_t *fdes;
    struct bo_span rows;
    size_t fdes_at, rows_at; /* in the payload, for errors */
};

/* A function's descriptor. */
struct fde {
    uint64_t start; /* from Base */
    uint32_t length, rows_off, n_rows;
    uint8_t info, rep;
    bool flexible;
};

/* Versions and byte orders are constants where this is inlined, which speeds queries by a third. */
#define SPECIALISED __attribute__((always_inline)) static inline

SPECIALISED uint32_t get16(bool big, const uint8_t *p)
{
    return big ? bo_be16(p) : bo_le16(p);
}

SPECIALISED uint32_t get32(bool big, const uint8_t *p)
{
    return big ? bo_be32(p) : bo_le32(p);
}

SPECIALISED uint64_t get64(bool big, const uint8_t *p)
{
    return big ? bo_be64(p) : bo_le64(p);
}

SPECIALISED uint64_t get_start(const struct reader *r, unsigned version, bool big, size_t i)
{
    const uint64_t at = (uint64_t)i * (version == 3 ? 16 : version == 2 ? 20 : 17);
    const uint8_t *p = r->fdes + at;
    const uint64_t v = version == 3 ? get64(big, p) : (uint64_t)(int64_t)(int32_t)get32(big, p);
    return r->from_field ? v + r->fdes_off + at : v;
}

SPECIALISED void get_fde(const struct reader *r, unsigned version, bool big, size_t i,
                         struct fde *fde)
{
    const uint8_t *p = r->fdes + i * (version == 3 ? 16u : version == 2 ? 20u : 17u);
    fde->start = get_start(r, version, big, i);
    p += version == 3 ? 8 : 4;
    fde->length = get32(big, p);
    fde->rows_off = get32(big, p + 4);
    fde->flexible = false;
    if (version == 3) {
        const uint8_t *attributes = r->rows.p + fde->rows_off;
        fde->n_rows = get16(big, attributes);
        fde->info = attributes[2];
        fde->flexible = attributes[3] & 1;
        fde->rep = attributes[4];
        fde->rows_off += 5;
    } else {
        fde->n_rows = get32(big, p + 8);
        fde->info = p[12];
        fde->rep = version == 2 ? p[13] : fde->info & PATTERN ? 16 : 0;
    }
}

SPECIALISED uint32_t get_row_start(bool big, unsigned width, const uint8_t *p)
{
    return width == 0 ? *p : width == 1 ? get16(big, p) : get32(big, p);
}

/* Words after a row's info. */
struct row_words {
    const uint8_t *p;
    unsigned size; /* logarithm of the bytes of one */
    bool big;
};

static int32_t signed_word(const struct row_words *w, unsigned i)
{
    const uint8_t *p = w->p + ((size_t)i << w->size);
    return w->size == 0   ? (int8_t)*p
           : w->size == 1 ? (int16_t)get16(w->big, p)
                          : (int32_t)get32(w->big, p);
}

static uint32_t unsigned_word(const struct row_words *w, unsigned i)
{
    const uint8_t *p = w->p + ((size_t)i << w->size);
    return w->size == 0 ? *p : w->size == 1 ? get16(w->big, p) : get32(w->big, p);
}

/* The CFA's offset from its word; false when it does not fit 32 bits. */
static bool cfa_offset(enum unwind_arch arch, int32_t word, int32_t *off_ret)
{
    const int64_t off =
        arch == UNWIND_S390X ? (int64_t)word * S390X_SCALE + S390X_CFA : (int64_t)word;
    *off_ret = (int32_t)off;
    return off >= INT32_MIN && off <= INT32_MAX;
}

/* A rule's pair. Returns NULL, or the rule of the format that it breaks. */
static const char *get_pair(const struct row_words *w, unsigned i, enum unwind_rule *rule,
                            int32_t *off, uint8_t *reg)
{
    const uint32_t control = unsigned_word(w, i);
    *off = signed_word(w, i + 1);
    *reg = control >> 3 & UNWIND_MAX_REGISTER;
    if (control & RESERVED_BIT || control >> 3 > UNWIND_MAX_REGISTER)
        return "control word has a reserved bit or a register above 127";
    if (control & REGISTER_BIT) {
        *rule = control & DEREF_BIT ? UNWIND_MEMORY : UNWIND_REGISTER;
        return *rule == UNWIND_REGISTER && *off ? "register rule has an offset" : NULL;
    }
    *rule = UNWIND_AT_CFA;
    return control == DEREF_BIT ? NULL : "control word of a rule is not a place";
}

static const char *get_flexible(const struct reader *r, const struct row_words *w, unsigned n,
                                struct unwind_state *s)
{
    enum unwind_rule ra = r->arch == UNWIND_AMD64 ? UNWIND_AT_CFA : UNWIND_SAME, fp = UNWIND_SAME;
    const uint32_t control = unsigned_word(w, 0);
    const char *flaw = NULL;
    unsigned i = 2;
    if (n != 2 && n != 4 && n != 5 && n != 6)
        return "flexible row has 1, 3 or more than 6 words";
    if (!(control & REGISTER_BIT) || control & RESERVED_BIT || control >> 3 > UNWIND_MAX_REGISTER)
        return "control word of the CFA has no register up to 127";
    if (!cfa_offset(r->arch, signed_word(w, 1), &s->cfa_off))
        return "CFA offset exceeds 32 bits";
    s->cfa_reg |= control >> 3 & UNWIND_MAX_REGISTER;
    s->ra_off = r->arch == UNWIND_AMD64 ? -8 : 0;
    if (n == 5) {
        if (unsigned_word(w, i++))
            return "row of 5 words has a control word of RA that is not 0";
    } else if (n >= 4) {
        flaw = get_pair(w, i, &ra, &s->ra_off, &s->ra_reg);
        i += 2;
    }
    if (!flaw && n >= 5)
        flaw = get_pair(w, i, &fp, &s->fp_off, &s->fp_reg);
    s->kinds = unwind_pack(control & DEREF_BIT ? UNWIND_CFA_MEMORY : UNWIND_CFA_REGISTER, ra, fp);
    return flaw;
}

/* A rule of s390x: odd words are registers in version 2. */
static const char *get_s390x(unsigned version, int32_t word, enum unwind_rule *rule, int32_t *off,
                             uint8_t *reg)
{
    if (version == 2 && word & 1) {
        *rule = UNWIND_REGISTER;
        *reg = (uint8_t)((uint32_t)word >> 1 & UNWIND_MAX_REGISTER);
        return (uint32_t)word >> 1 > UNWIND_MAX_REGISTER ? "register number exceeds 127" : NULL;
    }
    *rule = UNWIND_AT_CFA;
    *off = word;
    return NULL;
}

static const char *get_default(const struct reader *r, const struct row_words *w, unsigned n,
                               uint8_t info, struct unwind_state *s)
{
    const struct unwind_machine *machine = &unwind_machines[r->arch];
    enum unwind_rule ra = UNWIND_SAME, fp = UNWIND_SAME;
    const char *flaw = NULL;
    if (n > (r->arch == UNWIND_AMD64 ? 2 : 3))
        return "row has more words than the machine's rules";
    if (!cfa_offset(r->arch, signed_word(w, 0), &s->cfa_off))
        return "CFA offset exceeds 32 bits";
    s->cfa_reg |= info & ROW_SP ? machine->sp : machine->fp;
    if (r->arch == UNWIND_AMD64) {
        ra = UNWIND_AT_CFA;
        s->ra_off = -8;
        if (n == 2) {
            fp = UNWIND_AT_CFA;
            s->fp_off = signed_word(w, 1);
        }
    } else if (r->arch == UNWIND_ARM64) {
        if (n >= 2) {
            ra = UNWIND_AT_CFA;
            s->ra_off = signed_word(w, 1);
        }
        if (n == 3) {
            fp = UNWIND_AT_CFA;
            s->fp_off = signed_word(w, 2);
        }
    } else {
        if (n >= 2 && signed_word(w, 1) != 0)
            flaw = get_s390x(r->v->version, signed_word(w, 1), &ra, &s->ra_off, &s->ra_reg);
        else if (n == 2)
            flaw = "RA's word is 0 without one of FP";
        if (!flaw && n == 3)
            flaw = get_s390x(r->v->version, signed_word(w, 2), &fp, &s->fp_off, &s->fp_reg);
    }
    s->kinds = unwind_pack(UNWIND_CFA_REGISTER, ra, fp);
    return flaw;
}

static unsigned row_nbytes(uint8_t info)
{
    return 1 + ((info >> 1 & 15u) << (info >> 5 & 3));
}

/* The state of the row whose info is at p. Returns NULL, or the rule that the row breaks. */
static const char *get_state(const struct reader *r, bool flexible, const uint8_t *p,
                             struct unwind_state *s)
{
    const uint8_t info = *p;
    const unsigned n = info >> 1 & 15;
    const struct row_words w = {p + 1, info >> 5 & 3u, unwind_machines[r->arch].big_endian};
    *s = (struct unwind_state){.cfa_reg = info & ROW_SIGNED ? UNWIND_SIGNED : 0};
    if (n == 0) {
        *s = (struct unwind_state){.kinds = UNWIND_CFA_OTHER | UNWIND_UNDEFINED << 2};
        return r->v->version == 1 || info ? "row without words in version 1, or with an info byte"
                                          : NULL;
    }
    if (flexible && info & ROW_SP)
        return "flexible row has the base sp";
    const char *flaw = flexible ? get_flexible(r, &w, n, s) : get_default(r, &w, n, info, s);
    return flaw ? flaw : unwind_state_flaw(s, r->arch);
}

/* ---- open and decode ------------------------------------------------------------------------- */

static enum bo_status open_section(const struct bo_codec *self, struct bo_span in, struct reader *r,
                                   struct bo_error *err)
{
    struct unwind_frame frame;
    const enum bo_status status = unwind_frame_open(in, 1, &frame, err);
    if (status)
        return status;
    const struct bo_span s = frame.parts[0];
    const uint64_t at = frame.part_off[0];
    const bool big = unwind_machines[frame.arch].big_endian;
    *r = (struct reader){.v = self->own, .base = frame.base, .arch = frame.arch};
    if (s.n < HEADER_NBYTES)
        return bo_fail(err, BO_TRUNCATED, at, "section is shorter than its header");
    if (get16(big, s.p) != MAGIC)
        return bo_fail(err, BO_CORRUPT, at, "bad magic number");
    if (s.p[2] != r->v->version)
        return bo_fail(err, BO_UNSUPPORTED, at + 2, "version is not the codec's");
    if ((s.p[3] & ~START_FROM_FIELD) != SORTED)
        return bo_fail(err, BO_CORRUPT, at + 3, "flags are not 1 or 5");
    if (s.p[4] != abis[r->arch] || (r->v->version == 1 && r->arch == UNWIND_S390X))
        return bo_fail(err, BO_CORRUPT, at + 4, "machine is not the frame's");
    if (s.p[5] || s.p[6] != (r->arch == UNWIND_AMD64 ? (uint8_t)-8 : 0))
        return bo_fail(err, BO_CORRUPT, at + 5, "fixed offsets are not those of the machine");
    r->from_field = s.p[3] & START_FROM_FIELD;
    r->n = get32(big, s.p + 8);
    r->fdes_off = HEADER_NBYTES + (size_t)s.p[7];
    const uint64_t fdes_nbytes = (uint64_t)r->n * r->v->fde_nbytes,
                   rows_nbytes = get32(big, s.p + 16);
    if (get32(big, s.p + 20) != 0 || get32(big, s.p + 24) != fdes_nbytes)
        return bo_fail(err, BO_CORRUPT, at + 20,
                       "functions or rows do not start where the part before ends");
    if (s.n < r->fdes_off || fdes_nbytes > s.n - r->fdes_off ||
        s.n - r->fdes_off - fdes_nbytes != rows_nbytes)
        return bo_fail(err, BO_CORRUPT, at + 8,
                       "size of the section is not that of its header, functions and rows");
    if (r->n == 0 && r->base)
        return bo_fail(err, BO_CORRUPT, at + 8, "Base is not 0, but there are no functions");
    r->fdes = s.p + r->fdes_off;
    r->fdes_at = (size_t)at + r->fdes_off;
    r->rows = (struct bo_span){r->fdes + fdes_nbytes, (size_t)rows_nbytes};
    r->rows_at = r->fdes_at + (size_t)fdes_nbytes;
    return BO_OK;
}

static enum bo_status check_fde(const struct reader *r, const struct fde *fde, uint64_t at,
                                struct bo_error *err)
{
    const uint8_t known = TYPE_MASK | PATTERN | KEY_B | (r->v->version == 3 ? SIGNAL : 0);
    if (fde->start > (r->v->version == 3 ? (uint64_t)INT64_MAX / 2 : INT32_MAX))
        return bo_fail(err, BO_CORRUPT, at, "function starts too far from Base");
    if (fde->length == 0 || fde->start > UINT64_MAX - r->base ||
        fde->length > UINT64_MAX - r->base - fde->start)
        return bo_fail(err, BO_CORRUPT, at, "function is empty or ends past 2^64");
    if ((fde->info & TYPE_MASK) > 2 || fde->info & ~known)
        return bo_fail(err, BO_CORRUPT, at, "width of row starts, or a flag, is unknown");
    if (!!(fde->info & PATTERN) != !!fde->rep)
        return bo_fail(err, BO_CORRUPT, at, "pattern bit and repeat size contradict each other");
    return BO_OK;
}

/* Rows of one function from off on, where its end goes. */
static enum bo_status walk_rows(const struct reader *r, const struct fde *fde, size_t *off,
                                uint32_t *n_rows, struct unwind_builder *b, struct bo_error *err)
{
    const unsigned width = fde->info & TYPE_MASK;
    const uint32_t limit = fde->rep && fde->rep < fde->length ? fde->rep : fde->length;
    const bool big = unwind_machines[r->arch].big_endian;
    struct unwind_state last = {0};
    uint32_t last_start = 0;
    for (uint32_t i = 0; i < fde->n_rows; i++) {
        const uint64_t at = r->rows_at + *off;
        const size_t left = r->rows.n - *off;
        const uint8_t *p = r->rows.p + *off;
        struct unwind_state s;
        if (left < (1u << width) + 1 || left - (1u << width) < row_nbytes(p[1u << width]))
            return bo_fail(err, BO_TRUNCATED, at, "row runs past the section's end");
        if ((p[1u << width] >> 5 & 3) == 3)
            return bo_fail(err, BO_CORRUPT, at, "words of a row have 8 bytes");
        const uint32_t start = get_row_start(big, width, p);
        p += 1u << width;
        const char *flaw = get_state(r, fde->flexible, p, &s);
        if (!flaw && (start >= limit || (i && start <= last_start)))
            flaw = "row starts do not ascend below the function's length and repeat size";
        if (!flaw && i && unwind_same_state(&s, &last))
            flaw = "neighbouring rows are equal";
        if (flaw)
            return bo_fail(err, BO_CORRUPT, at, flaw);
        if (b && !unwind_add_row(b, start, &s))
            return bo_fail_alloc(err, b->arena);
        last = s;
        last_start = start;
        *off += (1u << width) + row_nbytes(*p);
    }
    *n_rows += fde->n_rows;
    return BO_OK;
}

/* Rows lie in the order of their functions, without gaps. */
static enum bo_status walk(const struct reader *r, struct unwind_builder *b, struct bo_error *err)
{
    const bool big = unwind_machines[r->arch].big_endian;
    const uint8_t *header = r->fdes - r->fdes_off;
    uint64_t end = 0;
    uint32_t n_rows = 0;
    size_t off = 0;
    for (uint32_t i = 0; i < r->n; i++) {
        const uint64_t at = r->fdes_at + (uint64_t)i * r->v->fde_nbytes;
        const uint8_t *p = r->fdes + (size_t)i * r->v->fde_nbytes;
        struct fde fde;
        if (get32(big, p + (r->v->version == 3 ? 12 : 8)) != off ||
            r->rows.n - off < r->v->attributes)
            return bo_fail(err, BO_CORRUPT, at,
                           "rows do not start where those of the function before end");
        get_fde(r, r->v->version, big, i, &fde);
        off += r->v->attributes;
        if (r->v->version == 3 && r->rows.p[off - 2] > 1)
            return bo_fail(err, BO_CORRUPT, r->rows_at + off - 2,
                           "type of the function is unknown");
        if (r->v->version == 2 && (p[18] || p[19]))
            return bo_fail(err, BO_CORRUPT, at + 18, "padding is not 0");
        enum bo_status status = check_fde(r, &fde, at, err);
        if (!status && (i ? fde.start < end : fde.start != 0))
            status = bo_fail(err, BO_CORRUPT, at, "functions are not in order from Base");
        if (status)
            return status;
        const uint8_t flags =
            (fde.info & KEY_B ? UNWIND_KEY_B : 0) | (fde.info & SIGNAL ? UNWIND_SIGNAL : 0);
        if (b && !unwind_add_function(b, r->base + fde.start, fde.length, flags, fde.rep))
            return bo_fail_alloc(err, b->arena);
        status = walk_rows(r, &fde, &off, &n_rows, b, err);
        if (status)
            return status;
        end = fde.start + fde.length;
    }
    if (off != r->rows.n || n_rows != get32(big, header + 12))
        return bo_fail(err, BO_CORRUPT, r->rows_at + off,
                       "bytes follow the last row, or the header has another number of rows");
    return BO_OK;
}

static enum bo_status decode(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                             void **model_ret, struct bo_error *err)
{
    struct reader r;
    struct unwind_builder b = {.arena = arena};
    enum bo_status status = open_section(self, in, &r, err);
    status = status ? status : walk(&r, &b, err);
    if (status)
        return status;
    *model_ret = unwind_build(&b, r.arch);
    return *model_ret ? BO_OK : bo_fail_alloc(err, arena);
}

static enum bo_status open(const struct bo_codec *self, struct bo_span in, struct bo_arena *arena,
                           void **reader_ret, struct bo_error *err)
{
    struct reader *r = bo_alloc(arena, sizeof *r);
    if (!r)
        return bo_fail_alloc(err, arena);
    *reader_ret = r;
    const enum bo_status status = open_section(self, in, r, err);
    return status ? status : walk(r, NULL, err);
}

/* ---- queries --------------------------------------------------------------------------------- */

SPECIALISED bool find(const struct reader *r, unsigned version, bool big, uint64_t pc,
                      struct fde *fde)
{
    const uint64_t off = pc - r->base;
    size_t low = 0, n = r->n;
    if (pc < r->base || n == 0)
        return false;
    while (n > 1) {
        const size_t half = n / 2;
        const bool above = get_start(r, version, big, low + half) <= off;
        low = above ? low + half : low;
        n -= half;
    }
    get_fde(r, version, big, low, fde);
    return off - fde->start < fde->length;
}

static uint8_t flags_of(const struct fde *fde)
{
    return (uint8_t)((fde->info & KEY_B ? UNWIND_KEY_B : 0) |
                     (fde->info & SIGNAL ? UNWIND_SIGNAL : 0));
}

SPECIALISED void answer_point(const struct reader *r, unsigned version, bool big, uint64_t pc,
                              struct unwind_point_answer *answer)
{
    struct fde fde;
    *answer = (struct unwind_point_answer){0};
    if (!find(r, version, big, pc, &fde))
        return;
    answer->start = r->base + fde.start;
    answer->flags = flags_of(&fde);
    answer->found = UNWIND_NO_ROW;
    const unsigned width = fde.info & TYPE_MASK;
    uint32_t off = (uint32_t)(pc - answer->start);
    off = fde.rep ? off % fde.rep : off;
    const uint8_t *p = r->rows.p + fde.rows_off, *row = NULL;
    for (uint32_t i = 0; i < fde.n_rows && get_row_start(big, width, p) <= off; i++) {
        row = p + (1u << width);
        p = row + row_nbytes(*row);
    }
    if (row) {
        answer->found = UNWIND_ROW;
        get_state(r, fde.flexible, row, &answer->state);
    }
}

static enum bo_status put_function(const struct reader *r, const struct fde *fde,
                                   struct bo_sink *sink)
{
    const bool big = unwind_machines[r->arch].big_endian;
    const unsigned width = fde->info & TYPE_MASK;
    const uint8_t *p = r->rows.p + fde->rows_off;
    struct unwind_function_answer *answer =
        unwind_answer_function(sink, r->base + fde->start, fde->length, flags_of(fde), fde->rep);
    if (!answer)
        return BO_OVER_LIMIT;
    for (uint32_t i = 0; i < fde->n_rows; i++) {
        struct unwind_state s;
        const uint8_t *row = p + (1u << width);
        get_state(r, fde->flexible, row, &s);
        if (!unwind_answer_row(sink, answer, get_row_start(big, width, p), &s))
            return BO_OVER_LIMIT;
        p = row + row_nbytes(*row);
    }
    return BO_OK;
}

SPECIALISED enum bo_status answer(const struct reader *r, unsigned version, bool big, unsigned kind,
                                  const void *queries, size_t n, void *answers)
{
    const struct unwind_point *points = queries;
    const struct unwind_at *at = queries;
    struct unwind_point_answer *point_answers = answers;
    enum bo_status status = BO_OK;
    struct fde fde;
    if (kind == UNWIND_POINT) {
        for (size_t i = 0; i < n; i++)
            answer_point(r, version, big, points[i].pc, &point_answers[i]);
        return BO_OK;
    }
    for (size_t i = 0; i < n && !status; i++) {
        if (kind == UNWIND_FUNCTION) {
            status = find(r, version, big, at[i].pc, &fde) ? put_function(r, &fde, answers)
                                                           : BO_OUT_OF_RANGE;
            continue;
        }
        struct unwind_scan_answer *head = bo_sink_take(answers, sizeof *head);
        if (!head)
            return BO_OVER_LIMIT;
        head->n_functions = r->n;
        for (uint32_t f = 0; f < r->n && !status; f++) {
            get_fde(r, version, big, f, &fde);
            status = put_function(r, &fde, answers);
        }
    }
    return status;
}

static enum bo_status query_v1(const struct bo_codec *self, void *reader, unsigned kind,
                               const void *queries, size_t n, void *answers, struct bo_error *err)
{
    return answer(reader, 1, false, kind, queries, n, answers);
}

static enum bo_status query_v2(const struct bo_codec *self, void *reader, unsigned kind,
                               const void *queries, size_t n, void *answers, struct bo_error *err)
{
    return ((const struct reader *)reader)->arch == UNWIND_S390X
               ? answer(reader, 2, true, kind, queries, n, answers)
               : answer(reader, 2, false, kind, queries, n, answers);
}

static enum bo_status query_v3(const struct bo_codec *self, void *reader, unsigned kind,
                               const void *queries, size_t n, void *answers, struct bo_error *err)
{
    return ((const struct reader *)reader)->arch == UNWIND_S390X
               ? answer(reader, 3, true, kind, queries, n, answers)
               : answer(reader, 3, false, kind, queries, n, answers);
}

#define SFRAME(number, the_role, the_flags, nbytes, the_attributes)                              \
    static const struct sframe_version version_##number = {number, the_flags, nbytes,            \
                                                           the_attributes};                      \
    const struct bo_codec unwind_sframe_v##number = {                                            \
        .name = "sframe-v" #number,                                                              \
        .summary = "SFrame version " #number " of binutils: sorted functions, rows in sequence", \
        .spec = "codecs/unwind/README.md#sframe",                                                \
        .choices = "widths of row starts and words, flexible functions, an auxiliary header",    \
        .role = the_role,                                                                        \
        .access = BO_RANDOM,                                                                     \
        .kinds = 1u << UNWIND_POINT | 1u << UNWIND_FUNCTION | 1u << UNWIND_SCAN,                 \
        .own = &version_##number,                                                                \
        .reduce = reduce,                                                                        \
        .encode = encode,                                                                        \
        .decode = decode,                                                                        \
        .open = open,                                                                            \
        .query = query_v##number,                                                                \
    }
SFRAME(1, BO_STATUS_QUO, SORTED, 17, 0);
SFRAME(2, BO_STATUS_QUO, SORTED | START_FROM_FIELD, 20, 0);
SFRAME(3, BO_PROPOSED, SORTED | START_FROM_FIELD, 16, 5);
