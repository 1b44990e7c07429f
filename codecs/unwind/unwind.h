/*
 * Unwind tables: how to find the caller's frame from any PC of a binary.
 *
 * The model, the queries, and the frame that all codecs of the format share. Public to the format's
 * codecs and to importers; README.md in this folder has the text form and the byte layouts.
 */
#ifndef UNWIND_H
#define UNWIND_H

#include "harness/codec.h"
#include "harness/format.h"

/* ---- machines -------------------------------------------------------------------------------- */

enum unwind_arch { UNWIND_AMD64, UNWIND_ARM64, UNWIND_S390X, UNWIND_N_ARCHS };

/* DWARF numbers of the stack pointer, the frame pointer and the return address. */
struct unwind_machine {
    const char *name; /* "amd64" */
    uint8_t sp, fp, ra;
    bool big_endian;
    uint8_t code_factor; /* bytes: PCs of the machine are multiples of it */
};

extern const struct unwind_machine unwind_machines[UNWIND_N_ARCHS];

/* ---- the model: the unwind tables of one binary ---------------------------------------------- */

/* The canonical frame address: the caller's stack pointer, or its equivalent. */
enum unwind_cfa_kind {
    UNWIND_CFA_REGISTER, /* register + offset */
    UNWIND_CFA_MEMORY,   /* the word at register + offset */
    UNWIND_CFA_OTHER,    /* an expression that is neither */
};

/* How the caller's PC or frame pointer is found. */
enum unwind_rule {
    UNWIND_SAME,       /* it is still in its register */
    UNWIND_UNDEFINED,  /* of the PC: this is the outermost frame */
    UNWIND_AT_CFA,     /* the word at CFA + offset */
    UNWIND_CFA_PLUS,   /* CFA + offset */
    UNWIND_REGISTER,   /* in a register */
    UNWIND_MEMORY,     /* the word at register + offset */
    UNWIND_EXPRESSION, /* any other expression */
    UNWIND_N_RULES,
};

enum { UNWIND_MAX_REGISTER = 127 };

/* The state of a row: 16 bytes without padding, unused fields 0, so that memcmp can compare. */
struct unwind_state {
    int32_t cfa_off, ra_off, fp_off; /* bytes */
    uint8_t kinds;                   /* CFA's | RA's rule << 2 | FP's rule << 5 */
    uint8_t cfa_reg;                 /* | 0x80: the return address is signed here */
    uint8_t ra_reg, fp_reg;
};
_Static_assert(sizeof(struct unwind_state) == 16, "states have no padding");

#define UNWIND_SIGNED 0x80

static inline enum unwind_cfa_kind unwind_cfa(const struct unwind_state *s)
{
    return (enum unwind_cfa_kind)(s->kinds & 3);
}

static inline enum unwind_rule unwind_ra(const struct unwind_state *s)
{
    return (enum unwind_rule)(s->kinds >> 2 & 7);
}

static inline enum unwind_rule unwind_fp(const struct unwind_state *s)
{
    return (enum unwind_rule)(s->kinds >> 5);
}

static inline uint8_t unwind_cfa_reg(const struct unwind_state *s)
{
    return s->cfa_reg & UNWIND_MAX_REGISTER;
}

static inline bool unwind_is_signed(const struct unwind_state *s)
{
    return s->cfa_reg & UNWIND_SIGNED;
}

static inline uint8_t unwind_pack(enum unwind_cfa_kind cfa, enum unwind_rule ra,
                                  enum unwind_rule fp)
{
    return (uint8_t)((unsigned)cfa | (unsigned)ra << 2 | (unsigned)fp << 5);
}

static inline bool unwind_same_state(const struct unwind_state *a, const struct unwind_state *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

/* Applies from byte `off` of the function, or of each block of a pattern function, to the next. */
struct unwind_row {
    uint32_t off;
    struct unwind_state state;
};
_Static_assert(sizeof(struct unwind_row) == 20, "rows have no padding");

enum {
    UNWIND_SIGNAL = 1, /* a signal frame: the caller's PC is not a return address */
    UNWIND_KEY_B = 2,  /* return addresses are signed with key B */
    UNWIND_ALL_FLAGS = UNWIND_SIGNAL | UNWIND_KEY_B,
};

/*
 * Offsets of rows ascend, below `length` and below `rep` where that is not 0; neighbours differ in
 * state. A PC before the first row has no row.
 */
struct unwind_function {
    uint64_t start;
    uint32_t length; /* bytes, above 0; start + length is below 2^64 */
    uint32_t n_rows;
    uint8_t flags;
    uint8_t rep; /* not 0: a pattern function, whose rows apply to (pc - start) % rep */
    const struct unwind_row *rows;
};

/* Functions ascend and do not overlap. */
struct unwind_model {
    enum unwind_arch arch;
    /*
     * Functions are stretches of text, as an encoding without function boundaries stores them:
     * queries return 0 as a function's start.
     */
    bool joined;
    uint32_t n_functions, n_calls;
    const struct unwind_function *functions;
    /* For workloads and tables; encodings do not store these: */
    const uint64_t *calls;                 /* return addresses of direct calls */
    uint64_t real_nbytes, real_hdr_nbytes; /* of the source's .eh_frame and .eh_frame_hdr */
};

/* Checks a state on a machine. Returns NULL, or a static phrase: the rule that is broken. */
const char *unwind_state_flaw(const struct unwind_state *state, enum unwind_arch arch);

/* Checks a model. Returns NULL, or a static phrase; then *function_ret (if given) is where. */
const char *unwind_model_flaw(const struct unwind_model *model, uint32_t *function_ret);

/* BO_UNSUPPORTED for a joined model, of which an encoding of functions cannot hold `joined`. */
enum bo_status unwind_expect_functions(const struct unwind_model *model, struct bo_error *err);

/* One function after the end of the last one's bytes; the state at a PC offset, or NULL. */
static inline uint64_t unwind_end(const struct unwind_function *f)
{
    return f->start + f->length;
}

/* ---- queries --------------------------------------------------------------------------------- */

enum unwind_query_kind { UNWIND_POINT, UNWIND_FUNCTION, UNWIND_SCAN, UNWIND_N_KINDS };

/* The state at a PC. */
struct unwind_point {
    uint64_t pc;
    uint64_t turn; /* of chains: XORed to `pc` when bit 3 of the last answer's CFA offset is set */
};

enum unwind_found { UNWIND_NO_FUNCTION, UNWIND_NO_ROW, UNWIND_ROW };

struct unwind_point_answer {
    uint64_t start; /* of the function; 0 without a function, or if the model is joined */
    struct unwind_state state; /* zeros without a row */
    uint8_t found;             /* enum unwind_found */
    uint8_t flags;             /* of the function */
    uint8_t zeros[6];
};
_Static_assert(sizeof(struct unwind_point_answer) == 32, "answers have no padding");

/* All rows of the function at a PC; the answer is a struct unwind_function_answer and its rows. */
struct unwind_at {
    uint64_t pc;
};

struct __attribute__((packed, aligned(4))) unwind_function_answer {
    uint64_t start;
    uint32_t length, n_rows;
    uint8_t flags, rep;
    uint8_t zeros[2];
    struct unwind_row rows[];
};

/* A scan's answer: this, then a struct unwind_function_answer with its rows for each function. */
struct unwind_scan_answer {
    uint32_t n_functions;
};

/* Appends a function without rows to a sink, for rows to follow; NULL when it is full. */
static inline struct unwind_function_answer *unwind_answer_function(struct bo_sink *sink,
                                                                    uint64_t start, uint32_t length,
                                                                    uint8_t flags, uint8_t rep)
{
    struct unwind_function_answer *answer = bo_sink_take(sink, sizeof *answer);
    if (answer) {
        memset(answer, 0, sizeof *answer);
        answer->start = start;
        answer->length = length;
        answer->flags = flags;
        answer->rep = rep;
    }
    return answer;
}

/* Appends a row to the function answered last; false when the sink is full. */
static inline bool unwind_answer_row(struct bo_sink *sink, struct unwind_function_answer *answer,
                                     uint32_t off, const struct unwind_state *state)
{
    struct unwind_row *row = bo_sink_take(sink, sizeof *row);
    if (row) {
        row->off = off;
        row->state = *state;
        answer->n_rows++;
    }
    return row != NULL;
}

/* ---- the frame: what every codec's payload has in common ------------------------------------- */

/*
 * Layout (integers little-endian; n parts):
 *
 *   0   u8   version, 1
 *   1   u8   machine: enum unwind_arch
 *   2   u16  n
 *   4   u32  0
 *   8   u64  Base: the start of the first function, 0 without functions
 *   16  n x u64 size of a part in bytes
 *       the parts: sections as they would be in a binary (the only bytes that count)
 *       UNWIND_OVERREAD zeros
 */
enum { UNWIND_FRAME_VERSION = 1, UNWIND_FRAME_HEADER = 16, UNWIND_OVERREAD = 16 };
enum { UNWIND_MAX_PARTS = 16 };

struct unwind_frame {
    enum unwind_arch arch;
    uint64_t base;
    struct bo_span parts[UNWIND_MAX_PARTS];
    size_t part_off[UNWIND_MAX_PARTS]; /* of each in the payload: for errors */
};

/* Reads a frame of n parts. UNWIND_OVERREAD bytes may be read past the last part. */
enum bo_status unwind_frame_open(struct bo_span in, unsigned n_parts, struct unwind_frame *frame,
                                 struct bo_error *err);

struct unwind_frame_writer {
    struct bo_writer *out;
    size_t sizes_at, part_at;
    unsigned n_parts, part;
};

/* Writes the header; the bytes of part 0 follow. */
void unwind_frame_begin(struct unwind_frame_writer *w, const struct unwind_model *model,
                        unsigned n_parts, struct bo_writer *out);
/* Ends a part. The next one follows, or after the last one the frame's end. */
void unwind_frame_end_part(struct unwind_frame_writer *w);

static inline uint64_t unwind_base(const struct unwind_model *model)
{
    return model->n_functions ? model->functions[0].start : 0;
}

/* ---- building models ------------------------------------------------------------------------- */

/* Functions and rows, added in order. A row belongs to the function that was added last. */
struct unwind_builder {
    struct bo_arena *arena;
    struct unwind_function *functions;
    size_t n_functions, cap_functions;
    struct unwind_row *rows; /* of all functions, in order */
    size_t n_rows, cap_rows;
};

/* False if the arena refuses memory. */
bool unwind_add_function(struct unwind_builder *b, uint64_t start, uint32_t length, uint8_t flags,
                         uint8_t rep);
/* A row whose state is the last one's is left out. */
bool unwind_add_row(struct unwind_builder *b, uint32_t off, const struct unwind_state *state);
/* The model, without calls; NULL if the arena refuses memory. Ends the builder. */
struct unwind_model *unwind_build(struct unwind_builder *b, enum unwind_arch arch);

/* ---- states ---------------------------------------------------------------------------------- */

/* Numbers of distinct states or of other things of fixed size, by a hash table in an arena. */
struct unwind_interner {
    struct bo_arena *arena;
    size_t item_nbytes;
    uint8_t *items;
    size_t n, cap;
    uint32_t *slots; /* number + 1; 0: free */
    size_t n_slots;
};

void unwind_interner_init(struct unwind_interner *in, size_t item_nbytes, struct bo_arena *arena);
/* The item's number, a new one if the item is new; UINT32_MAX if the arena refuses memory. */
uint32_t unwind_intern(struct unwind_interner *in, const void *item);

#endif
