/*
 * Shared by the fuzz targets. Each target_<name>.c defines LLVMFuzzerTestOneInput and is compiled
 * once per format with -DBO_FORMAT=<name of the format>.
 */
#ifndef BO_FUZZ_TARGET_H
#define BO_FUZZ_TARGET_H

#include "harness/check/check.h"
#include "harness/registry.h"

/* The target's format, or an observed copy of it (observe.h). */
extern const struct bo_format *bo_fuzz_format;
#ifdef BO_FORMAT
#define BO_FUZZ_FORMAT_(name) name##_format
#define BO_FUZZ_FORMAT(name) BO_FUZZ_FORMAT_(name)
extern const struct bo_format BO_FUZZ_FORMAT(BO_FORMAT);
const struct bo_format *bo_fuzz_format = &BO_FUZZ_FORMAT(BO_FORMAT);
/* A target links one format. */
const struct bo_format *bo_formats[1 + BO_MAX_PLUGIN_FORMATS + 1] = {&BO_FUZZ_FORMAT(BO_FORMAT)};
#endif

/* Called by engines and replay_main.c: runs one input. Aborts when a property failed. Returns 0. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t nbytes);

/*
 * Removes the last n_params bytes from *input and returns them as entropy for the parameters. Since
 * they are at the end, a model's bytes stay in place when a parameter changes. A short input has
 * zeros as parameters.
 */
struct bo_random bo_fuzz_take_params(struct bo_span *input, size_t n_params);

/*
 * Counts an input that `codec` received, and whether it accepted it. With BAKEOFF_FUZZ_COUNTS in
 * the environment, the counts go to that file, which processes share: BO_FUZZ_MAX_CODECS u64 in the
 * machine's byte order for inputs received, and as many for inputs accepted.
 */
void bo_fuzz_count(const struct bo_format *format, const struct bo_codec *codec, bool accepted);
enum { BO_FUZZ_MAX_CODECS = 64 };

/* Limits on each input's work, small enough for thousands of inputs per second. */
struct bo_effort bo_fuzz_effort(uint64_t seed);

enum { BO_FUZZ_OURS_ONE_IN = 8 };

/* The number of encodings (codecs that are not second readers) that every build has. */
unsigned bo_fuzz_n_encodings(const struct bo_format *format);

/*
 * The i-th of these, with one exception: if an encoding of bakeoff's own that needs a library is
 * available, one input in BO_FUZZ_OURS_ONE_IN, selected by its size, uses that encoding.
 */
const struct bo_codec *bo_fuzz_encoding(const struct bo_format *format, unsigned i, size_t nbytes);

/*
 * The model that the entropy describes. Ends the process when the generator fails, which must never
 * happen.
 */
const void *bo_fuzz_generate(const struct bo_format *format, struct bo_span entropy,
                             struct bo_arena *arena);

/* True if models are printed before they are checked: `--print` of a replay. */
extern bool bo_fuzz_prints;

/*
 * Prints the text form of a model to stdout, under a line `# title`; nothing unless bo_fuzz_prints.
 */
void bo_fuzz_show(const char *title, const void *model);

/*
 * Calls bo_fuzz_offer for every encoding, including available ones of bakeoff's own that need a
 * library.
 */
void bo_fuzz_offer_to_all(const struct bo_format *format, struct bo_span bytes,
                          const struct bo_effort *effort);

/*
 * Calls bo_check_bytes_in_place with a copy that ends at a guard page, and reports a finding. The
 * last argument is the bytes before they were damaged, or NULL. Queries for lazy readers are drawn
 * from them.
 */
void bo_fuzz_offer(const struct bo_format *format, const struct bo_codec *encoding,
                   struct bo_span bytes, const void *model, const struct bo_effort *effort);

/* Calls bo_check_text and reports a finding. */
void bo_fuzz_offer_text(const struct bo_format *format, struct bo_span text,
                        const struct bo_effort *effort);

/* Prints the BAKEOFF-DIFF line to stderr, and aborts. */
_Noreturn void bo_fuzz_report(const struct bo_finding *finding);

/* Reports that `codec` (or the format's own code, "format") failed where failure is not allowed. */
_Noreturn void bo_fuzz_report_status(const struct bo_format *format, const char *codec,
                                     const char *class, const struct bo_error *err);

#endif
