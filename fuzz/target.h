/*
 * What the fuzz targets share. Each target_<name>.c is one LLVMFuzzerTestOneInput, compiled once
 * per format with -DBO_FORMAT=<name of the format>.
 */
#ifndef BO_FUZZ_TARGET_H
#define BO_FUZZ_TARGET_H

#include "harness/check/check.h"
#include "harness/registry.h"

/* The target's format, or a watched copy of it (observe.h). */
extern const struct bo_format *bo_fuzz_format;
#ifdef BO_FORMAT
#define BO_FUZZ_FORMAT_(name) name##_format
#define BO_FUZZ_FORMAT(name) BO_FUZZ_FORMAT_(name)
extern const struct bo_format BO_FUZZ_FORMAT(BO_FORMAT);
const struct bo_format *bo_fuzz_format = &BO_FUZZ_FORMAT(BO_FORMAT);
/* A target links one format. */
const struct bo_format *bo_formats[1 + BO_MAX_PLUGIN_FORMATS + 1] = {&BO_FUZZ_FORMAT(BO_FORMAT)};
#endif

/*
 * What engines and replay_main.c call: offers one input; aborts when a property broke. Returns 0.
 */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

/*
 * Takes the last n_params bytes off *input and returns them as entropy: the parameters. So a
 * model's bytes stay where they are when a parameter changes, and a short input has zeros for
 * parameters.
 */
struct bo_random bo_fuzz_take_params(struct bo_span *input, size_t n_params);

/*
 * Counts an input that `codec` met, and whether it took it. With BAKEOFF_FUZZ_COUNTS in the
 * environment, counts go to that file, which processes share: BO_FUZZ_MAX_CODECS u64 of the
 * machine's byte order for what the format's codecs met, as many for what they took.
 */
void bo_fuzz_count(const struct bo_format *format, const struct bo_codec *codec, bool accepted);
enum { BO_FUZZ_MAX_CODECS = 64 };

/* Bounds on each input's work, small enough for thousands of inputs a second. */
struct bo_effort bo_fuzz_effort(uint64_t seed);

enum { BO_FUZZ_OURS_ONE_IN = 8 };

/* The number of encodings (codecs that are not second readers) that every build has. */
unsigned bo_fuzz_n_encodings(const struct bo_format *format);

/*
 * The i-th of these; but where an encoding of ours is built on top of a library, that one for one
 * input in BO_FUZZ_OURS_ONE_IN, by its size.
 */
const struct bo_codec *bo_fuzz_encoding(const struct bo_format *format, unsigned i, size_t nbytes);

/*
 * The model that entropy describes; ends the process when the generator fails, which it never
 * may.
 */
const void *bo_fuzz_generate(const struct bo_format *format, struct bo_span entropy,
                             struct bo_arena *arena);

/* Whether to print models before they are checked: `--print` of a replay. */
extern bool bo_fuzz_prints;

/*
 * Prints the text form of a model to stdout, under a line `# title`; nothing unless bo_fuzz_prints.
 */
void bo_fuzz_show(const char *title, const void *model);

/* bo_fuzz_offer to every encoding, those of ours on top of a library too, where they are built. */
void bo_fuzz_offer_to_all(const struct bo_format *format, struct bo_span bytes,
                          const struct bo_effort *effort);

/*
 * bo_check_bytes_in_place of a copy that ends at a guard page; a finding is reported. The last
 * argument is the bytes before they were damaged, or NULL. Queries for lazy readers are drawn from
 * them.
 */
void bo_fuzz_offer(const struct bo_format *format, const struct bo_codec *encoding,
                   struct bo_span bytes, const void *model, const struct bo_effort *effort);

/* bo_check_text; a finding is reported. */
void bo_fuzz_offer_text(const struct bo_format *format, struct bo_span text,
                        const struct bo_effort *effort);

/* Prints the BAKEOFF-DIFF line to stderr, and aborts. */
_Noreturn void bo_fuzz_report(const struct bo_finding *finding);

/* Reports that `codec` (or the format's own code, "format") failed where it must not. */
_Noreturn void bo_fuzz_report_status(const struct bo_format *format, const char *codec,
                                     const char *class, const struct bo_error *err);

#endif
