# Fuzzing: every target of every format, under libFuzzer and AFL++, and as plain replays. Included
# by the main Makefile.
#
# A target is <format>_<kind>, or <format>_import_<name> for an importer. The formats come from
# codecs/formats.def, the kinds are fuzz/target_<kind>.c, the importers those of
# corpora/import/importers.def. An engine is a VARIANT like any other, so build/<engine>/fuzz/<target>
# is its binary; in all other variants that is a replay program. A target links one format.

FUZZ_SECONDS ?= 30
FUZZ_ENGINES ?= libfuzzer afl
FUZZ_MINUTES ?= 10

FUZZ_KINDS := $(patsubst fuzz/target_%.c,%,$(wildcard fuzz/target_*.c))
FUZZ_FORMATS := $(shell sed -n 's/^FORMAT(\([a-z0-9]*\))$$/\1/p' codecs/formats.def)
# Importers as <format>_import_<name>: those whose input is a file, and those whose input is events.
importers = $(shell sed -n 's/^IMPORTER(\([a-z0-9]*\), \([a-z0-9_]*\), $(1))$$/\1_import_\2/p' \
	corpora/import/importers.def)
FUZZ_EVENT_IMPORTS := $(call importers,EVENTS)
FUZZ_IMPORTS := $(call importers,FILE) $(FUZZ_EVENT_IMPORTS)
targets_of = $(foreach k,$(filter-out import,$(FUZZ_KINDS)),$(1)_$(k)) \
	$(filter $(1)_import_%,$(FUZZ_IMPORTS))
FUZZ_TARGETS := $(foreach f,$(FUZZ_FORMATS),$(call targets_of,$(f)))
# For scripts: all targets of all formats, whichever this run is limited to.
export FUZZ_ALL_TARGETS := $(foreach f,$(FORMATS),$(call targets_of,$(f)))
format_of = $(firstword $(subst _, ,$(1)))
kind_of = $(word 2,$(subst _, ,$(1)))

# Importers that need libraries. These are installed for the native machine only and are not instrumented for MSan.
# FUZZ_STATIC=1 links them statically.
library = $(if $(FUZZ_STATIC),-Wl$(comma)-Bstatic) $(shell pkg-config $(if $(FUZZ_STATIC),--static) --libs $(1)) \
	$(if $(FUZZ_STATIC),-Wl$(comma)-Bdynamic)
comma := ,
FUZZ_LIBS_pcdata_import_go_pclntab = $(call library,libelf)
FUZZ_LIBS_templight_import_protobuf = $(call library,zlib)
FUZZ_LIBRARIES ?= $(if $(filter msan ppc s390x,$(VARIANT)),,yes)
FUZZ_LEFT_OUT := $(if $(FUZZ_LIBRARIES),,$(foreach t,$(FUZZ_IMPORTS),$(if $(value FUZZ_LIBS_$(t)),$(t))))
FUZZ_HERE = $(filter-out $(FUZZ_LEFT_OUT),$(FUZZ_TARGETS))

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

# The object with main: AFL++'s driver, libFuzzer's library, or replay_main.c.
FUZZ_MAIN_libfuzzer = $(FUZZ_OBJ)/mutator.o $(FUZZ_OBJ)/mutator_libfuzzer_$(1).o
# oss-fuzz/build.sh builds VARIANT=oss; its caller provides the engine.
FUZZ_MAIN_oss = $(FUZZ_MAIN_libfuzzer)
FUZZ_MAIN_afl =
FUZZ_MAIN_cmplog =
FUZZ_MAIN = $(if $(filter libfuzzer afl cmplog oss,$(VARIANT)),$(FUZZ_MAIN_$(VARIANT)),\
	$(FUZZ_OBJ)/replay_main.o $(FUZZ_OBJ)/observe.o)

-include $(wildcard $(FUZZ_OBJ)/*.d)

$(FUZZ_OBJ)/mutator_libfuzzer_%.o: fuzz/mutator_libfuzzer.c
	@mkdir -p $(@D)
	$(say) $(CCACHE) $(CC) $(CFLAGS) -DBO_TARGET=$* -c $< -o $@

# Importers without the JSON of test vectors, babeltrace, and the table of all importers.
FUZZ_IMPORT_SRC := $(filter-out $(addprefix corpora/import/,test_% %vectors.c ctf.c statehist_ctf.c \
	importers.c) $(if $(FUZZ_LIBRARIES),,$(shell grep -lE '<(gelf|zlib)\.h>' corpora/import/*.c)),\
	$(wildcard corpora/import/*.c))
$(FUZZ_OBJ)/libimport.a: $(FUZZ_IMPORT_SRC:%.c=$(OBJ)/%.o)
	@rm -f $@
	$(say) ar rcs $@ $^

# The importer of LTTng's traces, with ctf_events.c in place of libbabeltrace2.
$(FUZZ_OBJ)/statehist_ctf.o: corpora/import/statehist_ctf.c
	@mkdir -p $(@D)
	$(say) $(CCACHE) $(CC) $(CFLAGS) -DBO_WITH_BABELTRACE -c $< -o $@

# $(1): format. The objects of the harness and of that format alone.
define FUZZ_FORMAT_RULES
$(FUZZ_OBJ)/lib$(1).a: $(filter $(OBJ)/harness/% $(OBJ)/codecs/$(1)/%,$(CORE_OBJ))
	@mkdir -p $$(@D)
	@rm -f $$@
	$$(say) ar rcs $$@ $$^
endef
$(foreach f,$(FORMATS),$(eval $(call FUZZ_FORMAT_RULES,$(f))))

# $(1): target, $(2): its format, $(3): its kind, $(4): whether its input is events. Seeds are one archive a target in git.
define FUZZ_TARGET_RULES
$(FUZZ_OBJ)/$(1).o: fuzz/target_$(3).c
	@mkdir -p $$(@D)
	$$(say) $$(CCACHE) $$(CC) $$(CFLAGS) -DBO_FORMAT=$(2) -DBO_IMPORTER=$(patsubst $(2)_import_%,%,$(1)) \
	    $(if $(4),-DBO_FUZZ_EVENTS) -c $$< -o $$@

$(OUT)/fuzz/$(1): $(FUZZ_OBJ)/$(1).o $(FUZZ_COMMON_OBJ) $(call FUZZ_MAIN,$(3)) \
	$(if $(4),$(FUZZ_OBJ)/ctf_events.o $(FUZZ_OBJ)/statehist_ctf.o) \
	$(if $(filter import,$(3)),$(FUZZ_OBJ)/libimport.a) $(FUZZ_OBJ)/lib$(2).a
	@mkdir -p $$(@D)
	$$(say) $$(or $$(LINK_$$(VARIANT)),$$(CC)) $$^ $$(LDFLAGS) $$(ENGINE_$$(VARIANT)) $$(QUICK_LINK) \
	    $$(CORE_LIBS) $$(FUZZ_LIBS_$(1)) -lm -o $$@

build/seeds/$(1): $(wildcard fuzz/seeds/$(1).tar.xz)
	@rm -rf $$@ $$@.new; mkdir -p $$@.new; $$(if $$^,tar -xJf $$< -C $$@.new --touch;) mv $$@.new $$@
endef
$(foreach t,$(FUZZ_ALL_TARGETS),$(eval $(call \
	FUZZ_TARGET_RULES,$(t),$(call format_of,$(t)),$(call kind_of,$(t)),$(filter $(t),$(FUZZ_EVENT_IMPORTS)))))

$(OUT)/fuzz/seeds: $(FUZZ_OBJ)/seeds_main.o $(OUT)/libbakeoff.a
	@mkdir -p $(@D)
	$(say) $(CC) $^ $(LDFLAGS) $(CORE_LIBS) -lm -o $@

# Built in a variant of its own, with counters of edges: choose_vectors.sh.
$(OUT)/fuzz/choose_vectors: $(FUZZ_OBJ)/choose_vectors.o $(OBJ)/corpora/vectors.o $(OBJ)/corpora/vectors_models.o \
		$(OUT)/libbakeoff.a
	@mkdir -p $(@D)
	$(say) $(CC) $^ $(QUICK_LINK) $(CORE_LIBS) -ljansson -lm -o $@

build/afl/fuzz/mutator_%.so: fuzz/mutator_afl.c fuzz/mutator.c fuzz/operators.c \
		$(wildcard fuzz/*.h harness/*.h harness/core/*.h)
	@mkdir -p $(@D)
	$(say) clang -std=gnu11 -O2 $(WARNINGS) -I. -fPIC -shared -DBO_TARGET=$* $(filter %.c,$^) -o $@

# Runs as many targets at once as there are processors.
FUZZ_RUNS := $(foreach e,$(FUZZ_ENGINES),$(FUZZ_TARGETS:%=fuzz-run-$(e)-%))

.PHONY: fuzz fuzz-list fuzz-matrix fuzz-engines fuzz-build fuzz-faults fuzz-binaries fuzz-tools fuzz-cmplog fuzz-replay fuzz-replay-here \
	fuzz-seeds fuzz-nightly fuzz-coverage fuzz-mutator fuzz-oss-test mutants mutants-objects check-mutants quick/objects $(FUZZ_RUNS)

fuzz-binaries: $(FUZZ_HERE:%=$(OUT)/fuzz/%) $(FUZZ_HERE:%=build/seeds/%)
	@:

fuzz-tools:
	@for tool in clang afl-clang-fast afl-fuzz; do command -v $$tool >/dev/null || { \
	    echo "fuzz: $$tool is missing; Debian packages: $(PACKAGES_FUZZ)" >&2; exit 1; }; done

FUZZ_MUTATORS = $(sort $(foreach t,$(FUZZ_TARGETS),build/afl/fuzz/mutator_$(call kind_of,$(t)).so))

fuzz-engines: fuzz-tools $(if $(filter afl,$(FUZZ_ENGINES)),$(FUZZ_MUTATORS))
	+@$(foreach e,$(FUZZ_ENGINES),$(FUZZ_MAKE) $(or $(FUZZ_VARIANT_$(e)),\
	    $(error FUZZ_ENGINES: no engine $(e); there are libfuzzer and afl)) fuzz-binaries &&) :

fuzz-build: fuzz-engines ## build the targets for libFuzzer, AFL++ and replay
	+@$(FUZZ_MAKE) VARIANT=asan fuzz-binaries

fuzz-cmplog:
	+@AFL_LLVM_CMPLOG=1 $(FUZZ_MAKE) $(FUZZ_VARIANT_cmplog) fuzz-binaries

# ---- running ------------------------------------------------------------------------------------

fuzz-replay: ## replay all seeds and regressions under ASan and UBSan
	+@$(FUZZ_MAKE) VARIANT=asan fuzz-replay-here
	@fuzz/known.sh

# The same in the current VARIANT. RUN_<variant> is an emulator, for foreign machines. Times under an emulator have no
# meaning, so timeout regressions are left out there.
fuzz-replay-here: fuzz-binaries
	@status=0; $(if $(FUZZ_LEFT_OUT),echo "note: $(VARIANT): without the libraries that these targets need:" \
	    "$(strip $(FUZZ_LEFT_OUT))";) \
	for target in $(FUZZ_HERE); do \
	    inputs=build/seeds/$$target; \
	    [[ ! -d fuzz/regressions/$$target ]] || inputs+=" $$(find fuzz/regressions/$$target -type f \
	        $(if $(RUN_$(VARIANT)),-not -name 'too-slow-*'))"; \
	    $(RUN_$(VARIANT)) $(OUT)/fuzz/$$target $$inputs || status=1; \
	done; exit $$status

# The replay reports a seed or regression that fails; the engines run without it.
fuzz: fuzz-build ## replay, then run FUZZ_TARGETS (all) for FUZZ_SECONDS (30) each under both engines
	@rm -rf build/fuzz/failing build/fuzz/reported build/fuzz/findings
	+@status=0; \
	$(FUZZ_MAKE) -k --output-sync $(FUZZ_TARGETS:%=fuzz-run-replay-%) || status=1; \
	$(FUZZ_MAKE) -k --output-sync $(FUZZ_RUNS) || status=1; \
	fuzz/known.sh || status=1; exit $$status

$(FUZZ_RUNS) $(FUZZ_TARGETS:%=fuzz-run-replay-%): fuzz-run-%:
	@fuzz/run.sh $(subst -, ,$*) $(FUZZ_SECONDS)

fuzz-list: ## print FUZZ_TARGETS (all), one a line
	@printf '%s\n' $(FUZZ_TARGETS)

# One job per format. Its minutes: an hour to build, replay and measure coverage, plus the time of each target.
FUZZ_JOB_MINUTES = $(shell echo $$((60 + $(words $(call targets_of,$(1))) * ($(FUZZ_MINUTES) + 5))))
fuzz-matrix: ## print the jobs of a nightly of FUZZ_MINUTES (10) a target, as JSON for GitHub Actions
	@printf '%s\n' $(foreach f,$(FUZZ_FORMATS),'$(f) $(call FUZZ_JOB_MINUTES,$(f))') | jq -Rnc \
	    '{include: [inputs / " " | {format: .[0], minutes: .[1] | tonumber}]}'

# What is measured is measured over all targets of a format, also when FUZZ_TARGETS names only some of them.
FUZZ_MEASURED = $(sort $(foreach t,$(FUZZ_TARGETS),$(call format_of,$(t))))
FUZZ_MEASURED_BINARIES = fuzz-binaries FUZZ_TARGETS='$(foreach f,$(FUZZ_MEASURED),$(call targets_of,$(f)))'

fuzz-nightly: fuzz-build fuzz-cmplog fuzz-replay ## FUZZ_MINUTES (10) a target; keep a corpus, write results/fuzz
	+@$(FUZZ_MAKE) VARIANT=asan $(FUZZ_MEASURED_BINARIES)
	+@$(FUZZ_MAKE) VARIANT=gcc $(FUZZ_MEASURED_BINARIES)
	+@$(FUZZ_MAKE) VARIANT=coverage $(FUZZ_MEASURED_BINARIES)
	@rm -rf build/fuzz/night; status=0; for target in $(FUZZ_TARGETS); do \
	    fuzz/nightly.sh $$target $(FUZZ_MINUTES) || status=1; \
	done; fuzz/results.sh $(FUZZ_MINUTES) $(FUZZ_MEASURED) || status=1; exit $$status

fuzz-coverage: fuzz-tools ## the lines and branches of each codec that the replayed inputs cover
	+@$(FUZZ_MAKE) VARIANT=coverage $(FUZZ_MEASURED_BINARIES)
	@fuzz/coverage.sh $(FUZZ_MEASURED)

MUTATOR_SECONDS ?= 60
fuzz-mutator: fuzz-engines ## what the mutator is worth: MUTATOR_SECONDS (60) a target and engine, with it and without
	@fuzz/mutator.sh $(MUTATOR_SECONDS) $(FUZZ_TARGETS)

fuzz-oss-test: fuzz-tools ## what OSS-Fuzz would build and run, for libFuzzer and for AFL++
	@fuzz/oss-fuzz/test.sh

FAULTS ?=
fuzz-faults: fuzz-tools ## plant the bugs of fuzz/faults, and time how they are found
	+@fuzz/faults.sh $(or $(FAULT_SECONDS),60) $(FAULTS)

# ---- mutation score -----------------------------------------------------------------------------

# quick/checks/FORMAT runs on one planted edit in a file of the format (or of `harness`), with -j1 in this order, the
# fastest first: a program is linked after the checks before it have passed. Each check prints its name before it
# runs. quick/sanitized/FORMAT is for VARIANT=asan, and runs on edits that have passed the other checks;
# quick/instructions/FORMAT runs on edits that have passed these as well.
quick/objects: $(CORE_OBJ)

quick/replay/%: $(OUT)/fuzz/% build/seeds/%
	@echo "check: replay of $*"; $< -1 build/seeds/$* $(wildcard fuzz/regressions/$*)
quick/tests/%: $(OUT)/test/%/tests
	@echo "check: tests of $*"; $<
quick/generated/%: $(OUT)/selfcheck
	@echo "check: selfcheck of generated $*"; $< --first --light --generated 6 $* codecs/$*/golden.tsv
quick/portable/%: $(OUT)/selfcheck
	@echo "check: selfcheck of portable $*"; BAKEOFF_ISA=v1 $< --first --light --generated 6 $* codecs/$*/golden.tsv
quick/documents/%: $(OUT)/selfcheck $(ALL_DOCUMENTS)
	@echo "check: selfcheck of documents of $*"; $< --first --light --generated 0 \
	    --checks-up-to 300000 --up-to 1000000 $* codecs/$*/golden.tsv $(call documents,$*)

quick/vectors/%: $(OUT)/bakeoff
	@echo "check: vectors of $*"; BAKEOFF=$< corpora/vectors.sh check $$(ls corpora/vectors | \
	    sed -n 's,^$*-\(.*\)\.json\.xz$$,$*/\1,p')
# The counts of another compiler are not comparable; the output says so.
quick/instructions/%: $(OUT)/bakeoff
	@echo "check: instructions of $*"; counts=$(OUT)/instructions-$*.txt; \
	$(call insns_of,$*) --check bench/insns/$*.tsv >$$counts || { cat $$counts; grep -q '^not comparable' $$counts; }
quick/instructions/harness: $(FORMATS:%=quick/instructions/%); @:

# $(1): formats, $(2): folder
quick_replays = $(foreach k,$(filter-out import,$(FUZZ_KINDS)),quick/replay/$(1)_$(k))
# The generic checks are tested on codecs of pcdata.
quick_sanitized = $(foreach f,$(1),$(call quick_replays,$(f))) $(1:%=quick/generated/%) \
	$(addprefix quick/tests/,$(filter $(2) $(2)/%,$(TEST_FOLDERS)) $(if $(filter harness,$(2)),codecs/pcdata))
quick_checks = $(quick_sanitized) $(1:%=quick/portable/%) $(1:%=quick/documents/%) $(1:%=quick/vectors/%)
quick/checks/harness: $(call quick_checks,$(FORMATS),harness)
quick/sanitized/harness: $(call quick_sanitized,$(FORMATS),harness)
$(foreach f,$(FORMATS),$(eval quick/checks/$(f): $(call quick_checks,$(f),codecs/$(f))) \
    $(eval quick/sanitized/$(f): $(call quick_sanitized,$(f),codecs/$(f))))

build/mutants/edits: fuzz/edits.c
	@mkdir -p $(@D)
	$(say) gcc -std=gnu11 -D_GNU_SOURCE -O2 $(WARNINGS) $< -o $@

# The trees start with the objects that are built here. Vectors, in quick/checks, need the program.
MUTANTS_OBJ := $(CORE_OBJ) $(if $(filter asan,$(VARIANT)),,$(CLI_OBJ) $(SHIM_OBJ)) $(OBJ)/harness/check/selfcheck.o $(FUZZ_COMMON_OBJ) $(FUZZ_MAIN) \
	$(patsubst %.c,$(OBJ)/%.o,$(TEST_MAIN).c $(filter harness/% codecs/%,$(TEST_SRC))) \
	$(if $(filter $(PROTOBUF_C_TEST).c,$(TEST_SRC)),$(OBJ)/$(PROTOBUF_C_CODE).o) \
	$(patsubst %,$(FUZZ_OBJ)/%.o,$(foreach f,$(FORMATS),$(foreach k,$(filter-out import,$(FUZZ_KINDS)),$(f)_$(k))))
mutants-objects: $(MUTANTS_OBJ)
mutants: build/mutants/edits $(ALL_DOCUMENTS) ## mutation score: plant N (200) small edits drawn with SEED (1), in FORMAT (all)
	+@$(FUZZ_MAKE) VARIANT=gcc mutants-objects
	+@$(FUZZ_MAKE) VARIANT=asan mutants-objects
	@fuzz/mutants.sh $(or $(N),200) $(or $(SEED),1) $(FORMAT)

# Tests the script on a toy project, and checks its list of equivalent edits.
check-mutants: build/mutants/edits
	@fuzz/test_mutants.sh $<
	@fuzz/mutants.sh anchors

# Candidates for an importer include those of the format's encodings and text form. Files named written-* are written
# by hand and stay.
fuzz-seeds: fuzz-tools ## make fuzz/seeds anew: small models in every encoding, what tests reject, entropy
	+@$(FUZZ_MAKE) VARIANT=asan build/asan/fuzz/seeds
	+@$(FUZZ_MAKE) VARIANT=gcc $(FUZZ_FORMATS:%=build/gcc/test/codecs/%/tests) build/gcc/test/corpora/import/tests
	+@$(FUZZ_MAKE) $(FUZZ_VARIANT_libfuzzer) fuzz-binaries
	rm -rf build/fuzz/candidates
	mkdir -p $(FUZZ_ALL_TARGETS:%=build/fuzz/candidates/%)
	build/asan/fuzz/seeds build/fuzz/candidates
	@$(foreach f,$(FUZZ_FORMATS),BAKEOFF_KEEP=$(CURDIR)/build/fuzz/candidates/$(f)_bytes \
	    build/gcc/test/codecs/$(f)/tests >build/fuzz/seeds.log 2>&1 || { cat build/fuzz/seeds.log >&2; exit 1; };)
	@BAKEOFF_KEEP_IMPORTS=$(CURDIR)/build/fuzz/candidates build/gcc/test/corpora/import/tests \
	    >build/fuzz/seeds.log 2>&1 || { cat build/fuzz/seeds.log >&2; exit 1; }
	@. fuzz/engines.sh; find build/fuzz/candidates -type f -size +$${MAX_INPUT_NBYTES}c -delete; \
	for target in $(FUZZ_TARGETS); do \
	    kept=build/seeds/$$target candidates=build/fuzz/candidates/$$target encodings=; \
	    mkdir -p $$kept; find $$kept -type f -not -name 'written-*' -delete; \
	    find $$candidates -name 'refused-*' -exec mv -t $$kept {} +; \
	    [[ $$target != *_import_* ]] || encodings=build/fuzz/candidates/$${target%%_*}_bytes; \
	    build/libfuzzer/fuzz/$$target -merge=1 $$kept $$candidates $$encodings 2>$$candidates.log || \
	        { cat $$candidates.log >&2; exit 1; }; \
	    echo "$$target: $$(ls $$candidates | wc -l) candidates, $$(ls $$kept | wc -l) kept"; \
	    (cd $$kept && LC_ALL=C ls | tar -cf - --owner=0 --group=0 --numeric-owner --mode=644 --mtime=@0 -T -) | \
	        xz -9e >fuzz/seeds/$$target.tar.xz; touch $$kept; \
	done
