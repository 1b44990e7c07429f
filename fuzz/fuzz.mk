# Fuzzing: every target of every format, under libFuzzer and AFL++, and as plain replays. Included
# by the main Makefile.
#
# A target is <format>_<kind>: the formats come from codecs/formats.def, the kinds are
# fuzz/target_<kind>.c. An engine is a VARIANT like any other, so build/<engine>/fuzz/<target> is
# its binary; in all other variants that is a replay program.

FUZZ_SECONDS ?= 30
FUZZ_MINUTES ?= 10

FUZZ_KINDS := $(patsubst fuzz/target_%.c,%,$(wildcard fuzz/target_*.c))
FUZZ_FORMATS := $(shell sed -n 's/^FORMAT(\([a-z0-9_]*\))$$/\1/p' codecs/formats.def)
FUZZ_TARGETS := $(foreach f,$(FUZZ_FORMATS),$(foreach k,$(FUZZ_KINDS),$(f)_$(k)))

# ---- engines, as variants ----------------------------------------------------------------------

FUZZ_SANITIZE := -O1 -g1 -fno-omit-frame-pointer -fno-sanitize-recover=all -fsanitize=address,undefined
FUZZ_MAKE = $(MAKE) --no-print-directory \
	$(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc))
FUZZ_VARIANT_libfuzzer = VARIANT=libfuzzer CC_libfuzzer=clang LDFLAGS_libfuzzer=-fsanitize=fuzzer \
	FLAGS_libfuzzer='$(FUZZ_SANITIZE) -fsanitize=fuzzer-no-link'
# Not AFL++'s own instrumentation: that of 4.04 counts selects beyond the end of a function's table, which
# crashed a good third of the seeds of one target (AFL++'s issue 1485 is one such case).
export AFL_LLVM_INSTRUMENT := LLVM-NATIVE
FUZZ_VARIANT_afl = VARIANT=afl CC_afl=afl-clang-fast LDFLAGS_afl=-fsanitize=fuzzer FLAGS_afl=-O2
FUZZ_VARIANT_cmplog = VARIANT=cmplog CC_cmplog=afl-clang-fast LDFLAGS_cmplog=-fsanitize=fuzzer \
	FLAGS_cmplog=-O2

# ---- binaries of the current VARIANT ------------------------------------------------------------

FUZZ_OBJ := $(OBJ)/fuzz
FUZZ_COMMON_OBJ := $(FUZZ_OBJ)/target.o $(FUZZ_OBJ)/operators.o

# Who brings main: AFL++'s driver and libFuzzer's library, or replay_main.c.
FUZZ_MAIN_libfuzzer = $(FUZZ_OBJ)/mutator.o $(FUZZ_OBJ)/mutator_libfuzzer_$(1).o
# VARIANT=oss is built by oss-fuzz/build.sh, whose caller brings the engine.
FUZZ_MAIN_oss = $(FUZZ_MAIN_libfuzzer)
FUZZ_MAIN_afl =
FUZZ_MAIN_cmplog =
FUZZ_MAIN = $(if $(filter libfuzzer afl cmplog oss,$(VARIANT)),$(FUZZ_MAIN_$(VARIANT)),\
	$(FUZZ_OBJ)/replay_main.o $(FUZZ_OBJ)/observe.o)

-include $(wildcard $(FUZZ_OBJ)/*.d)

$(FUZZ_OBJ)/mutator_libfuzzer_%.o: fuzz/mutator_libfuzzer.c
	@mkdir -p $(@D)
	$(say) $(CC) $(CFLAGS) -DBO_TARGET=$* -c $< -o $@

# $(1): format, $(2): kind
define FUZZ_TARGET_RULES
$(FUZZ_OBJ)/$(1)_$(2).o: fuzz/target_$(2).c
	@mkdir -p $$(@D)
	$$(say) $$(CC) $$(CFLAGS) -DBO_FORMAT=$(1) -c $$< -o $$@

$(OUT)/fuzz/$(1)_$(2): $(FUZZ_OBJ)/$(1)_$(2).o $(FUZZ_COMMON_OBJ) $(call FUZZ_MAIN,$(2)) \
	$(OUT)/libbakeoff.a
	@mkdir -p $$(@D)
	$$(say) $$(or $$(LINK_$$(VARIANT)),$$(CC)) $$^ $$(LDFLAGS) $$(ENGINE_$$(VARIANT)) $$(QUICK_LINK) $$(CORE_LIBS) -lm -o $$@
endef
$(foreach f,$(FUZZ_FORMATS),$(foreach k,$(FUZZ_KINDS),$(eval $(call FUZZ_TARGET_RULES,$(f),$(k)))))

$(OUT)/fuzz/seeds: $(FUZZ_OBJ)/seeds_main.o $(OUT)/libbakeoff.a
	@mkdir -p $(@D)
	$(say) $(CC) $^ $(LDFLAGS) $(CORE_LIBS) -lm -o $@

build/afl/fuzz/mutator_%.so: fuzz/mutator_afl.c fuzz/mutator.c fuzz/operators.c \
		$(wildcard fuzz/*.h harness/*.h)
	@mkdir -p $(@D)
	$(say) clang -std=gnu11 -O2 $(WARNINGS) -I. -fPIC -shared -DBO_TARGET=$* $(filter %.c,$^) -o $@

# As many at once as there are processors.
FUZZ_RUNS := $(FUZZ_TARGETS:%=fuzz-run-libfuzzer-%) $(FUZZ_TARGETS:%=fuzz-run-afl-%)

.PHONY: fuzz fuzz-engines fuzz-build fuzz-faults fuzz-binaries fuzz-tools fuzz-cmplog fuzz-replay fuzz-replay-here \
	fuzz-seeds fuzz-nightly fuzz-coverage fuzz-mutator fuzz-oss-test $(FUZZ_RUNS)

fuzz-binaries: $(FUZZ_TARGETS:%=$(OUT)/fuzz/%)
	@:

fuzz-tools:
	@for tool in clang afl-clang-fast afl-fuzz; do command -v $$tool >/dev/null || { \
	    echo "fuzz: $$tool is missing; Debian packages: $(PACKAGES_FUZZ)" >&2; exit 1; }; done

FUZZ_MUTATORS := $(FUZZ_KINDS:%=build/afl/fuzz/mutator_%.so)

fuzz-engines: fuzz-tools $(FUZZ_MUTATORS)
	+@$(FUZZ_MAKE) $(FUZZ_VARIANT_libfuzzer) fuzz-binaries
	+@$(FUZZ_MAKE) $(FUZZ_VARIANT_afl) fuzz-binaries

fuzz-build: fuzz-engines ## build the targets for libFuzzer, AFL++ and replay
	+@$(FUZZ_MAKE) VARIANT=asan fuzz-binaries

fuzz-cmplog:
	+@AFL_LLVM_CMPLOG=1 $(FUZZ_MAKE) $(FUZZ_VARIANT_cmplog) fuzz-binaries

# ---- running ------------------------------------------------------------------------------------

fuzz-replay: ## replay all seeds and regressions under ASan and UBSan
	+@$(FUZZ_MAKE) VARIANT=asan fuzz-replay-here
	@fuzz/known.sh

# The same in the current VARIANT. RUN_<variant> is an emulator, for foreign machines; what that takes is no measure, so
# that regressions of time are left to the others.
fuzz-replay-here: fuzz-binaries
	@status=0; for target in $(FUZZ_TARGETS); do \
	    inputs=fuzz/seeds/$$target; \
	    [[ ! -d fuzz/regressions/$$target ]] || inputs+=" $$(find fuzz/regressions/$$target -type f \
	        $(if $(RUN_$(VARIANT)),-not -name 'too-slow-*'))"; \
	    $(RUN_$(VARIANT)) $(OUT)/fuzz/$$target $$inputs || status=1; \
	done; exit $$status

fuzz: fuzz-build fuzz-replay ## run each fuzz target for FUZZ_SECONDS (30) under both engines
	+@$(FUZZ_MAKE) -k --output-sync $(FUZZ_RUNS)

$(FUZZ_RUNS): fuzz-run-%:
	@fuzz/run.sh $(subst -, ,$*) $(FUZZ_SECONDS)

fuzz-nightly: fuzz-build fuzz-cmplog fuzz-replay ## FUZZ_MINUTES (10) a target; keep a corpus, write results/fuzz
	+@$(FUZZ_MAKE) VARIANT=gcc fuzz-binaries
	+@$(FUZZ_MAKE) VARIANT=coverage fuzz-binaries
	@status=0; for target in $(FUZZ_TARGETS); do \
	    fuzz/nightly.sh $$target $(FUZZ_MINUTES) || status=1; \
	done; fuzz/results.sh $(FUZZ_MINUTES) $(FUZZ_FORMATS) || status=1; exit $$status

fuzz-coverage: fuzz-tools ## the lines and branches of each codec that the replayed inputs cover
	+@$(FUZZ_MAKE) VARIANT=coverage fuzz-binaries
	@fuzz/coverage.sh $(FUZZ_FORMATS)

MUTATOR_SECONDS ?= 60
fuzz-mutator: fuzz-engines ## what the mutator is worth: MUTATOR_SECONDS (60) a target and engine, with it and without
	@fuzz/mutator.sh $(MUTATOR_SECONDS) $(FUZZ_TARGETS)

fuzz-oss-test: fuzz-tools ## what OSS-Fuzz would build and run, for libFuzzer and for AFL++
	@fuzz/oss-fuzz/test.sh

FAULTS ?=
fuzz-faults: fuzz-tools ## plant the bugs of fuzz/faults, and time how they are found
	+@fuzz/faults.sh $(or $(FAULT_SECONDS),60) $(FAULTS)

# $(1): format
FORMAT_TESTS = $(patsubst %.c,build/gcc/test/%,$(filter codecs/$(1)/%,$(TEST_SRC)))

fuzz-seeds: fuzz-tools ## make fuzz/seeds anew: small models in every encoding, what tests reject, entropy
	+@$(FUZZ_MAKE) VARIANT=asan build/asan/fuzz/seeds
	+@$(FUZZ_MAKE) VARIANT=gcc $(foreach f,$(FUZZ_FORMATS),$(call FORMAT_TESTS,$(f)))
	+@$(FUZZ_MAKE) $(FUZZ_VARIANT_libfuzzer) fuzz-binaries
	rm -rf build/fuzz/candidates
	mkdir -p build/fuzz/candidates
	build/asan/fuzz/seeds build/fuzz/candidates
	@$(foreach f,$(FUZZ_FORMATS),for t in $(call FORMAT_TESTS,$(f)); do \
	    BAKEOFF_KEEP=$(CURDIR)/build/fuzz/candidates/$(f)_bytes $$t >build/fuzz/seeds.log 2>&1 || \
	        { cat build/fuzz/seeds.log >&2; exit 1; }; done;)
	@for target in $(FUZZ_TARGETS); do \
	    kept=fuzz/seeds/$$target candidates=build/fuzz/candidates/$$target; \
	    rm -rf $$kept; mkdir -p $$kept; \
	    find $$candidates -name 'refused-*' -exec mv -t $$kept {} +; \
	    build/libfuzzer/fuzz/$$target -merge=1 $$kept $$candidates 2>$$candidates.log || \
	        { cat $$candidates.log >&2; exit 1; }; \
	    echo "$$target: $$(ls $$candidates | wc -l) candidates, $$(ls $$kept | wc -l) kept"; \
	done
