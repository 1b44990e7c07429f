# Builds, tests and runs bakeoff. `make help` lists the targets.

.DEFAULT_GOAL := all
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:

VERSION := 1.0

# ---- packages (Debian 12) ----------------------------------------------------------------------

PACKAGES_BUILD := gcc g++ make pkg-config libjansson-dev libxxhash-dev libelf-dev libzstd-dev \
	liblz4-dev liblzma-dev zlib1g-dev libmd-dev libsimde-dev libjemalloc-dev libbenchmark-dev \
	gnuplot-nox valgrind libmd4c-dev libmd4c-html0-dev lld xz-utils
# Libraries of optional codecs and importers; without them, these are left out.
PACKAGES_OPTIONAL := libmarisa-dev libcmph-dev libsqlite3-dev libbabeltrace2-dev
PACKAGES_TEST := ccache python3 clang lld llvm llvm-19 llvm-22 libclang-rt-14-dev clang-format libcmocka-dev \
	golang-1.19-go golang-1.19-src jq xz-utils \
	zstd gcc-powerpc-linux-gnu libc6-dev-powerpc-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross \
	gcc-aarch64-linux-gnu libc6-dev-arm64-cross \
	qemu-user-static gcc-12 autofdo protobuf-compiler libprotobuf-c-dev protobuf-c-compiler \
	openjdk-17-jdk-headless parallel babeltrace2 lttng-tools liblttng-ust1 \
	chromium npm mandoc zsh llvm-22-dev $(PACKAGES_OPTIONAL)
PACKAGES_FUZZ := afl++ ccache clang lld llvm libclang-rt-14-dev zip unzip
PACKAGES_CORPORA := jq npm zstd xz-utils binutils dpkg-dev gcc-12 g++-12 cmake tcl valgrind linux-perf \
	autofdo clang-14 libstdc++-12-dev

# ---- variants: the same sources under several compilers and sanitizers --------------------------

VARIANT ?= gcc
VARIANTS_FULL := asan gcc
VARIANTS_CORE := msan ppc

CC_gcc := gcc
CC_clang := clang
CC_asan := clang
CC_msan := clang
CC_coverage := clang
CC_ppc := powerpc-linux-gnu-gcc
CC_s390x := s390x-linux-gnu-gcc
CC_arm64 := aarch64-linux-gnu-gcc
# Functions are aligned to cache lines: otherwise the link order alone changes the time of a hot loop
# by 10 to 80%. Stack traces have line numbers (-g1). Tests, and the command line in the asan
# variant, are not optimised, because compilation takes most of the time of `make test`.
# NOT_AT_O1: false warnings of GCC at levels below that of FLAGS_gcc.
NOT_AT_O1 := -Wno-maybe-uninitialized -Wno-format-truncation
FLAGS_gcc := -O2 -falign-functions=64 -ffunction-sections -fdata-sections
FLAGS_clang := -O2 -falign-functions=64
FLAGS_asan := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_msan := -O1 -fno-omit-frame-pointer -fsanitize=memory
FLAGS_coverage := -O1 -fprofile-instr-generate -fcoverage-mapping
FLAGS_ppc := -O1 -D_FILE_OFFSET_BITS=64 $(NOT_AT_O1)
FLAGS_s390x := -O1 $(NOT_AT_O1)
# Programs with ASan start faster at a fixed address, because fewer pages have relocations.
LDFLAGS_asan := -no-pie
LDFLAGS_ppc := -static -latomic
FLAGS_arm64 := -O2 -falign-functions=64
LDFLAGS_s390x := -static
LDFLAGS_arm64 := -static
RUN_ppc := qemu-ppc-static
RUN_s390x := qemu-s390x-static
RUN_msan := env BAKEOFF_ISA=v1 # the portable paths on this machine, too

WARNINGS := -Wall -Wextra -Wno-unused-parameter -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla
ifdef CI
WARNINGS += -Werror
endif
OUT := build/$(VARIANT)
# Makes the folder of a target if it is missing; otherwise no process is started.
into_folder = $(if $(wildcard $(@D)/.),,@mkdir -p $(@D))
# Prints one short line per command. V=1 prints whole commands.
say = $(if $(V),,@echo '  $(VARIANT)  $@';)
OBJ := $(OUT)/obj
CC := $(or $(CC_$(VARIANT)),$(error VARIANT=$(VARIANT): no such variant; there are \
	$(sort $(patsubst CC_%,%,$(filter CC_%,$(.VARIABLES))))))
# Debug information names no folder, so that all clones have the same objects; coverage reports need the folder.
CFLAGS := -std=gnu11 -D_GNU_SOURCE -g1 $(FLAGS_$(VARIANT)) $(WARNINGS) -I. -isystem build/include -MMD -MP \
	$(if $(filter coverage,$(VARIANT)),,-ffile-prefix-map=$(CURDIR)=.)
# ccache, if it is installed, keeps objects for other clones and for the next change. CCACHE= compiles everything.
ifeq ($(origin CCACHE),undefined)
CCACHE := $(if $(filter coverage,$(VARIANT)),,$(shell command -v ccache))
endif
export CCACHE_DEPEND := 1
export CCACHE_NOHASHDIR := 1
export CCACHE_NAMESPACE := bakeoff-$(VARIANT)
LDFLAGS := $(LDFLAGS_$(VARIANT)) $(filter -fsanitize% -fprofile%,$(FLAGS_$(VARIANT)))
# The faster linker, for the many test programs. Measured programs use the default linker.
QUICK_LINK := $(if $(filter ppc s390x arm64 oss,$(VARIANT)),,$(if $(shell command -v ld.lld),-fuse-ld=lld))

# The limits of selfcheck for a format in this variant: codecs/<format>/limits.tsv, or LIMITS. $(1): format
limit_options = $(or $(LIMITS),$(shell awk -v variant=$(VARIANT) '$$1 == variant { \
	printf "--checks-up-to %s --up-to %s --generated %s%s", $$2, $$3, $$4, $$5 == "light" ? " --light" : "" }' \
	codecs/$(1)/limits.tsv))

# ---- sources: found by their folders -----------------------------------------------------------

FORMATS := $(shell sed -n 's/^FORMAT(\(.*\))$$/\1/p' codecs/formats.def)

# Optional codecs and importers, by their libraries: built in the native variants (VARIANTS_<library>,
# or gcc and clang) if the header is installed.
# `bakeoff list codecs` lists those that are built. OPTIONAL= builds none.
OPTIONAL ?= marisa cmph zlib zstd sqlite babeltrace
OPTIONAL_SRC := $(addprefix codecs/lprf/,library.c marisa/marisa.c cmph.c) \
	codecs/autofdo/extbinary/zlib.c codecs/autofdo/shared_trees/zstd.c codecs/statehist/sqlite.c \
	codecs/unwind/rows_zstd.c
OPTIONAL_IMPORT_SRC := $(addprefix corpora/import/,ctf.c ctf_kernel.c ctf_memory.c)
HEADER_marisa := /usr/include/marisa.h
HEADER_cmph := /usr/include/cmph.h
HEADER_zlib := /usr/include/zlib.h
HEADER_zstd := /usr/include/zstd.h
HEADER_sqlite := /usr/include/sqlite3.h
HEADER_babeltrace := /usr/include/babeltrace2/babeltrace.h
SRC_marisa := $(addprefix codecs/lprf/marisa/,marisa.c shim.cc)
SRC_cmph := codecs/lprf/cmph.c
SRC_zlib := codecs/autofdo/extbinary/zlib.c
SRC_zstd := codecs/autofdo/shared_trees/zstd.c codecs/unwind/rows_zstd.c
SRC_sqlite := codecs/statehist/sqlite.c
LIBS_marisa := -lmarisa -lstdc++
LIBS_cmph := -lcmph
LIBS_zlib := -lz
LIBS_zstd := -lzstd
LIBS_sqlite := -lsqlite3
LIBS_babeltrace := -lbabeltrace2
VERSION_marisa = $(shell pkg-config --modversion marisa)
VERSION_cmph = $(shell pkg-config --modversion cmph)
VERSION_zlib = $(shell pkg-config --modversion zlib)
VERSION_zstd = $(shell pkg-config --modversion libzstd)
VERSION_sqlite = $(shell pkg-config --modversion sqlite3)
VERSION_babeltrace = $(shell pkg-config --modversion babeltrace2)
VARIANTS_babeltrace := gcc clang asan coverage
VARIANTS_zlib := gcc clang asan coverage
VARIANTS_zstd := gcc clang asan coverage libfuzzer afl cmplog
BUILT_OPTIONAL := $(foreach l,$(OPTIONAL),$(if $(filter $(or $(VARIANTS_$(l)),gcc clang),$(VARIANT)),\
	$(if $(wildcard $(HEADER_$(l))),$(l))))
CORE_LIBS := $(foreach l,$(filter-out babeltrace,$(BUILT_OPTIONAL)),$(LIBS_$(l)))
OPTIONAL_FLAGS := $(foreach l,$(BUILT_OPTIONAL),\
	-DBO_WITH_$(shell echo $(l) | tr a-z A-Z)='"$(VERSION_$(l))"')

# $(1): folders
sources = $(shell find $(1) \( -name testdata -o -path corpora/record \) -prune -o -name '*.c' -not -name 'test_*' -print)
SELFCHECK := harness/check/selfcheck
QUERIES_ALONE := harness/check/queries_alone
# Needs libzstd and liblzma, which cross compilers do not have.
UNPACKING_SRC := harness/core/source.c
CORE_SRC := $(filter-out $(SELFCHECK).c $(QUERIES_ALONE).c $(UNPACKING_SRC) $(OPTIONAL_SRC),$(call sources,harness codecs)) \
	$(if $(BUILT_OPTIONAL),codecs/lprf/library.c) $(foreach l,$(BUILT_OPTIONAL),$(SRC_$(l)))
CLI_SRC := $(filter-out $(if $(filter babeltrace,$(BUILT_OPTIONAL)),,$(OPTIONAL_IMPORT_SRC)),\
	$(call sources,cli corpora bench)) $(UNPACKING_SRC)
TEST_MAIN := harness/core/test_main
TEST_SRC := $(filter-out $(TEST_MAIN).c,$(shell find harness codecs corpora bench -name 'test_*.c'))

# A test that reads Templight's messages through code that protoc-c makes of their schema.
PROTOBUF_C_TEST := codecs/templight/test_protobuf_c
PROTOBUF_C_CODE := build/generated/templight.pb-c
ifeq ($(wildcard /usr/include/protobuf-c/protobuf-c.h),)
TEST_SRC := $(filter-out $(PROTOBUF_C_TEST).c,$(TEST_SRC))
endif

# Embedded documents for selfcheck, decompressed if necessary. $(1): format
documents = $(wildcard corpora/$(1)/*.txt) $(patsubst corpora/%,build/corpora/%,$(basename \
	$(filter-out corpora/$(1)/names-% %.workload.zst %.workload.xz,$(wildcard corpora/$(1)/*.xz corpora/$(1)/*.zst))))
ALL_DOCUMENTS := $(foreach f,$(FORMATS),$(call documents,$(f)))

CORE_OBJ := $(addprefix $(OBJ)/,$(addsuffix .o,$(basename $(CORE_SRC))))
CLI_OBJ := $(CLI_SRC:%.c=$(OBJ)/%.o)
TEST_OBJ := $(TEST_SRC:%.c=$(OBJ)/%.o)
$(TEST_OBJ) $(if $(filter asan,$(VARIANT)),$(CLI_OBJ)): CFLAGS += -O0 $(if $(filter %gcc,$(CC)),-Wno-restrict)
SHIM_OBJ := $(OBJ)/bench/measure/gbench_shim.o
CLI_LIBS := $(if $(filter babeltrace,$(BUILT_OPTIONAL)),$(LIBS_babeltrace)) -ljansson -lmd4c-html -lelf -lzstd \
	-llz4 -llzma -lz -lmd -lbenchmark -lpthread -lstdc++ -lm
ifeq ($(filter asan coverage,$(VARIANT)),)
CLI_LIBS += -ljemalloc
CFLAGS_jemalloc := -DBO_JEMALLOC=1
endif

-include $(shell find $(OBJ) -name '*.d' 2>/dev/null)

# Objects of other flags are not mixed with those of these.
$(OBJ)/flags: FORCE
	@mkdir -p $(@D)
	@echo "$(CC) $(FLAGS_$(VARIANT))" | cmp -s - $@ || echo "$(CC) $(FLAGS_$(VARIANT))" >$@

$(OBJ)/%.o: %.c $(OBJ)/flags | build/include/xxhash.h
	$(into_folder)
	$(say) $(CCACHE) $(CC) $(CFLAGS) $(CFLAGS_jemalloc) -c $< -o $@

$(OBJ)/%.o: %.cc $(OBJ)/flags
	@mkdir -p $(@D)
	$(say) $(CC:gcc=g++) -std=c++17 -g -O2 -Wall -Wextra -I. -MMD -MP -c $< -o $@

# Files that depend on the set of installed libraries. They are rebuilt when it changes.
WITH_OPTIONAL := $(foreach f,lprf autofdo statehist unwind,$(OBJ)/codecs/$(f)/format.o) \
	$(OBJ)/corpora/import/statehist_ctf.o
$(WITH_OPTIONAL): CFLAGS += $(OPTIONAL_FLAGS)
$(WITH_OPTIONAL): $(OBJ)/optional

$(OBJ)/optional: FORCE
	@mkdir -p $(@D)
	@echo "$(BUILT_OPTIONAL)" | cmp -s - $@ || echo "$(BUILT_OPTIONAL)" >$@
FORCE:

# xxhash and SIMDe are used as headers only. They have a folder of their own, which cross compilers can
# search as well.
build/include/xxhash.h: | /usr/include/xxhash.h /usr/include/simde
	@mkdir -p $(@D)
	ln -sfn /usr/include/simde $(@D)/simde
	ln -sf /usr/include/xxhash.h $@

/usr/include/xxhash.h /usr/include/simde:
	@echo "bakeoff: $@ is missing; \`make deps\` installs what the build needs" >&2; exit 1

# The program contains the style and the script of the page, and the scripts of the pictures.
$(OBJ)/bench/report/assets.o: bench/page/page.css bench/page/page.js $(wildcard bench/report/plots/*.gp)

# It also contains the skeleton of a format.
$(OBJ)/cli/new_format.o: $(wildcard cli/new_format/*.in)

# In variants that are only tested, arrays start small, so that small inputs make them grow. Builds
# with a sanitizer reuse large blocks, because its allocator returns them to the system.
$(OBJ)/harness/core/arena.o: CFLAGS += $(if $(filter-out gcc,$(VARIANT)),-DBO_MAX_FIRST_CAP=1) \
	$(if $(filter -fsanitize=address% -fsanitize=memory,$(FLAGS_$(VARIANT))),-include harness/core/reuse_large_blocks.h)

# `bakeoff --version`: with the commit, in a checkout.
COMMIT := $(shell git describe --always --dirty=+changes --exclude='*' --abbrev=12 2>/dev/null)
VERSIONED := $(addprefix $(OBJ)/cli/,main.o generate.o export.o)
$(VERSIONED): CFLAGS += -DBO_VERSION='"$(VERSION)"' -DBO_COMMIT='"$(COMMIT)"'
$(VERSIONED): $(OBJ)/version
$(OBJ)/version: FORCE
	@mkdir -p $(@D)
	@echo "$(VERSION) $(COMMIT)" | cmp -s - $@ || echo "$(VERSION) $(COMMIT)" >$@

# Results contain the compiler flags of the measured code.
$(OBJ)/bench/measure/machine.o: CFLAGS += -DBO_CFLAGS='"$(FLAGS_$(VARIANT))"'

$(OUT)/libbakeoff.a: $(CORE_OBJ)
	@rm -f $@
	$(say) ar rcs $@ $^

# The program exports all functions of the harness to plugins, also those that only plugins call. The
# .link file beside it has the command with which `bench --layouts` links the objects again.
$(OUT)/bakeoff: $(CLI_OBJ) $(SHIM_OBJ) $(OUT)/libbakeoff.a
	$(say) $(CC) $(LDFLAGS) -rdynamic $(CLI_OBJ) $(SHIM_OBJ) $(CORE_OBJ) $(CORE_LIBS) $(CLI_LIBS) -o $@
	@printf '%s\n' '$(CURDIR)' $(CC) $(LDFLAGS) -rdynamic $(CLI_OBJ) $(SHIM_OBJ) $(CORE_OBJ) \
	    $(CORE_LIBS) $(CLI_LIBS) >$@.link

# Checks of all variants run this program. It is always that of the gcc variant.
build/bakeoff: $(if $(filter gcc,$(VARIANT)),$(OUT)/bakeoff,FORCE)
	$(if $(filter gcc,$(VARIANT)),cp -f $< $@ && cp -f $<.link $@.link,\
	    +@$(MAKE) --no-print-directory VARIANT=gcc $@)

$(OUT)/selfcheck: $(OBJ)/harness/check/selfcheck.o $(OUT)/libbakeoff.a
	$(say) $(CC) $(LDFLAGS) $(QUICK_LINK) $^ $(CORE_LIBS) -lm -o $@

# Not position-independent: tools that observe the program need the addresses that the linker assigned.
$(OUT)/queries_alone: $(OBJ)/$(QUERIES_ALONE).o $(OUT)/libbakeoff.a
	$(say) $(CC) $(LDFLAGS) -no-pie $^ $(CORE_LIBS) -lm -o $@

$(OUT)/libcli.a: $(filter-out %/main.o,$(CLI_OBJ)) $(SHIM_OBJ)
	@rm -f $@
	$(say) ar rcs $@ $^

# A cmocka test is a file test_x.c beside what it tests. The tests of a folder are one program, FOLDER/tests. A
# program for a single file can be built by name: build/gcc/test/codecs/lprf/test_model.
TEST_FOLDERS := $(sort $(patsubst %/,%,$(dir $(TEST_SRC))))
TEST_PROGRAMS := $(TEST_FOLDERS:%=$(OUT)/test/%/tests)
TEST_NEEDS := $(OBJ)/$(TEST_MAIN).o $(OUT)/libcli.a $(OUT)/libbakeoff.a
TEST_LINK = @mkdir -p $(@D); $(if $(V),set -x,echo '  $(VARIANT)  $@'); $(CC) $(LDFLAGS) $(QUICK_LINK) \
	$(filter %.o,$^) $(filter %.a,$^) -Wl,--as-needed -lcmocka $(CORE_LIBS) $(CLI_LIBS) -o $@
$(foreach f,$(TEST_FOLDERS),\
	$(eval $(OUT)/test/$(f)/tests: $(patsubst %.c,$(OBJ)/%.o,$(filter $(f)/test_%,$(TEST_SRC)))))
$(TEST_PROGRAMS): $(TEST_NEEDS)
	$(TEST_LINK)
$(OUT)/test/%: $(OBJ)/%.o $(TEST_NEEDS)
	$(TEST_LINK)

WITH_PROTOBUF_C := $(OUT)/test/$(PROTOBUF_C_TEST) $(OUT)/test/$(dir $(PROTOBUF_C_TEST))tests
$(WITH_PROTOBUF_C): $(if $(filter $(PROTOBUF_C_TEST).c,$(TEST_SRC)),$(OBJ)/$(PROTOBUF_C_CODE).o)
$(WITH_PROTOBUF_C): CORE_LIBS += $(if $(filter $(PROTOBUF_C_TEST).c,$(TEST_SRC)),-lprotobuf-c)
$(OBJ)/$(PROTOBUF_C_TEST).o: $(PROTOBUF_C_CODE).c
$(PROTOBUF_C_CODE).c: codecs/templight/templight.proto
	@mkdir -p $(@D)
	$(say) protoc-c --c_out=$(@D) --proto_path=$(<D) $(<F)

build/corpora/%: corpora/%.xz
	@mkdir -p $(@D)
	$(say) xz -dc $< >$@

build/corpora/%: corpora/%.zst
	@mkdir -p $(@D)
	$(say) zstd -dcq $< >$@

# Encodes all embedded documents, which takes minutes with AddressSanitizer; selfcheck encodes them, too.
SLOW_TESTS_asan := corpora/test_drawn.c
.SECONDARY: $(TEST_OBJ)

include fuzz/fuzz.mk

# ---- targets -------------------------------------------------------------------------------------

.PHONY: all help deps deps-bench deps-test deps-optional deps-corpora FORCE test check test-shared \
	check-variant replays tests check-cli install verify-codec verify-corpora adoption check-adoption bench contribute \
	bench-quick report page charts check-page corpora golden check-insns golden-insns coverage coverage-report format check-format clean

all: build/bakeoff ## build the program, build/bakeoff

help: ## this list
	@sed -n 's/^\([a-z][a-z-]*\):[^#=]*## /\1\t/p' $(MAKEFILE_LIST) | sort | \
	    while IFS=$$'\t' read -r target text; do printf '  %-14s %s\n' "$$target" "$$text"; done

# A package counts as installed if dpkg reports it as installed or a command of its name exists.
install = @missing=; for p in $(sort $(1)); do \
	    dpkg-query -W -f='$${Status}' $$p 2>/dev/null | grep -q '^install ok installed' || \
	    command -v $$p >/dev/null || missing="$$missing $$p"; done; \
	[[ -z $$missing ]] && exit 0; \
	echo "installing Debian packages:$$missing"; \
	if [[ $$(id -u) = 0 ]]; then as_root=; \
	elif command -v sudo >/dev/null; then as_root=sudo; \
	else echo "bakeoff: neither root nor sudo: install these by hand:$$missing" >&2; exit 1; fi; \
	$$as_root apt-get update -qq && \
	DEBIAN_FRONTEND=noninteractive $$as_root apt-get install -y -qq --no-install-recommends $$missing >/dev/null

deps: ## install every Debian package that any target needs and that is missing
	$(call install,$(PACKAGES_BUILD) $(PACKAGES_TEST) $(PACKAGES_FUZZ) $(PACKAGES_CORPORA))
deps-bench:
	$(call install,$(PACKAGES_BUILD))
deps-test:
	$(call install,$(PACKAGES_BUILD) $(PACKAGES_TEST) $(PACKAGES_FUZZ))
deps-optional: ## install the libraries of optional codecs
	$(call install,$(PACKAGES_BUILD) $(PACKAGES_OPTIONAL))
deps-corpora:
	$(call install,$(PACKAGES_BUILD) $(PACKAGES_CORPORA))

# The script contains the steps. Each step starts its own make, so packages are installed before make
# searches for sources.
test: deps-test ## every check and test, under every compiler, sanitizer and machine that is here
	+@harness/run_tests.sh $(VARIANTS_FULL) -- $(VARIANTS_CORE)

check: ## the inner loop: check what changed since SINCE (HEAD), or everything with ALL=1, in about a minute
	+@ALL=$(ALL) harness/check_changes.sh $(SINCE)

# Files that several steps of the script need. They are built before the steps run in parallel.
test-shared: build/bakeoff build/include/xxhash.h $(ALL_DOCUMENTS) $(FUZZ_ALL_TARGETS:%=build/seeds/%) \
	$(if $(wildcard /usr/include/protobuf-c/protobuf-c.h),$(PROTOBUF_C_CODE).c)

# The steps of the script for one VARIANT, in parallel: the core checks of each format, replays, and
# (FULL=1) the cmocka tests.
# Freed memory is reused, because fresh pages took up to half of the time: glibc keeps freed memory and uses huge pages,
# and the quarantine of ASan is small.
check-variant: export ASAN_OPTIONS := quarantine_size_mb=4:malloc_context_size=8
check-variant: export MALLOC_MMAP_THRESHOLD_ := 33554432
check-variant: export MALLOC_TRIM_THRESHOLD_ := 268435456
check-variant: export GLIBC_TUNABLES := glibc.malloc.hugetlb=1
check-variant: $(FORMATS:%=checks-of-%) replays $(if $(FULL),tests)
checks-of-%: $(OUT)/selfcheck $(ALL_DOCUMENTS)
	@$(RUN_$(VARIANT)) $(OUT)/selfcheck $(call limit_options,$*) $* codecs/$*/golden.tsv \
	    $(call documents,$*)
replays: fuzz-binaries
	+@$(MAKE) --no-print-directory VARIANT=$(VARIANT) fuzz-replay-here
tests: $(TEST_FOLDERS:%=tests-of-%)
	@$(if $(SLOW_TESTS_$(VARIANT)),echo "note: $(VARIANT): not run: $(SLOW_TESTS_$(VARIANT))")
$(TEST_FOLDERS:%=tests-of-%): tests-of-%: $(OUT)/test/%/tests $(OUT)/bakeoff
	@$< $(if $(filter $*/%,$(SLOW_TESTS_$(VARIANT))),\
	    $(filter-out $(SLOW_TESTS_$(VARIANT)),$(filter $*/test_%,$(TEST_SRC))))

# The program, its man page and shell completion; the library with its headers, for plugins and programs; the sources
# that `bakeoff export` copies.
PREFIX ?= /usr/local
INSTALLED = $(DESTDIR)$(PREFIX)
SHARE = $(INSTALLED)/share
# $(1): a pattern of find for names in harness/ and codecs/; $(2): further files; $(3): the folder that they go to
copy_tree = find harness codecs \( $(1) \) -not -name 'test_*' -not -path '*/testdata/*' -print0 | \
	tar -cf - --null --owner=0 --group=0 -T - $(2) | tar -xf - --no-same-owner -C $(3)
install: build/bakeoff ## install program, library, headers, man page and shell completion below PREFIX (/usr/local)
	@[[ "$(INSTALLED)" != *' '* ]] || { echo "bakeoff: PREFIX and DESTDIR must not contain blanks" >&2; exit 2; }
	install -d $(addprefix $(SHARE)/,man/man1 bash-completion/completions zsh/site-functions bakeoff) \
	    $(INSTALLED)/lib/pkgconfig $(INSTALLED)/include/bakeoff
	install -D -m 755 build/bakeoff $(INSTALLED)/bin/bakeoff
	build/bakeoff generate man >$(SHARE)/man/man1/bakeoff.1
	build/bakeoff generate bash >$(SHARE)/bash-completion/completions/bakeoff
	build/bakeoff generate zsh >$(SHARE)/zsh/site-functions/_bakeoff
	strip --strip-debug -o $(INSTALLED)/lib/libbakeoff.a $(OUT)/libbakeoff.a
	printf '%s\n' 'prefix=$(PREFIX)' 'Name: bakeoff' 'Description: codecs of toolchain formats' \
	    'Version: $(VERSION)' 'Cflags: -I$${prefix}/include/bakeoff' \
	    'Libs: -L$${prefix}/lib -lbakeoff $(CORE_LIBS) -lm' >$(INSTALLED)/lib/pkgconfig/bakeoff.pc
	$(call copy_tree,-name '*.h',,$(INSTALLED)/include/bakeoff)
	$(call copy_tree,-name '*.[ch]' -o -name '*.md',cli/export LICENSE docs/primitives.md docs/vectors.md,$(SHARE)/bakeoff)

# Tests of the command line. MEASURED is the path of another build of the program, for what is measured.
# Without the search for leaks, which was half of the time of a short command (45 of 82 ms on an AMD Zen 5). The other
# checks under ASan detect leaks.
check-cli: $(OUT)/bakeoff $(MEASURED)
	@ASAN_OPTIONS=detect_leaks=0 BAKEOFF=$(OUT)/bakeoff MEASURED=$(MEASURED) cli/test_cli.sh

verify-codec: build/bakeoff ## list what CODEC=FORMAT/NAME lacks
	@[[ "$(CODEC)" = */* ]] || { echo "bakeoff: make verify-codec needs a codec: make verify-codec" \
	    "CODEC=pcdata/shape-code; \`build/bakeoff list codecs\` lists them" >&2; exit 2; }
	@harness/verify_codec.sh $(CODEC)

verify-corpora: build/bakeoff ## every check without size limits on all documents here: hours; SHARD=1/4, resumes
	@harness/verify_corpora.sh $(or $(SHARD),1/1)

golden: $(OUT)/selfcheck $(ALL_DOCUMENTS) ## accept the sizes and hashes of all encodings as they are now
	$(foreach f,$(FORMATS),$(OUT)/selfcheck --golden $(f) - $(call documents,$(f)) >$(OUT)/golden.tsv && \
	    mv $(OUT)/golden.tsv codecs/$(f)/golden.tsv &&) true

# Instructions are counted in the build that is measured. Of LPRF's codecs, only *+u64 and profdata are counted. All
# formats need a minute of processor time; FORMATS=lprf selects one.
INSNS_CODECS_lprf := *[6t][4a]
insns_of = $(OUT)/bakeoff insns $(1) --codec '$(or $(INSNS_CODECS_$(1)),*)'
CHECKS_OF_INSNS := $(FORMATS:%=check-insns-of-%)
GOLDEN_INSNS := $(FORMATS:%=bench/insns/%.tsv)
check-insns: $(CHECKS_OF_INSNS) ## compare instruction counts with the accepted ones (bench/insns/*.tsv)
	@bench/measure/test_insns.sh $(OUT)/bakeoff
$(CHECKS_OF_INSNS): check-insns-of-%: $(OUT)/bakeoff
	@$(call insns_of,$*) --check bench/insns/$*.tsv
golden-insns: $(GOLDEN_INSNS) ## accept the instruction counts as they are now (a minute)
bench/insns/%.tsv: $(OUT)/bakeoff FORCE
	@$(call insns_of,$*) --golden >$(OUT)/insns-$*.tsv && mv $(OUT)/insns-$*.tsv $@

# The code that each codec needs beyond libc: results/adoption.tsv, or the check that it is up to date,
# within 1%. Sizes of code from another compiler are not comparable.
ADOPTION = bench/adoption.sh $(OBJ) $(1) $(CORE_OBJ) -- $(CORE_LIBS) -lm
adoption: build/bakeoff ## count the code that each codec needs beyond libc, from link maps
	@$(call ADOPTION,results/adoption.tsv)
check-adoption: build/bakeoff
	@$(call ADOPTION,build/adoption.tsv)
	@[[ $$(head -n 1 results/adoption.tsv) = $$(head -n 1 build/adoption.tsv) ]] || \
	    { echo "results/adoption.tsv is of another compiler"; exit 77; }
	@awk -f bench/adoption_compare.awk results/adoption.tsv build/adoption.tsv

BENCH_FLAGS ?=
# `exec`, so that SIGTERM reaches the program, which ends its processes and keeps its measurements.
bench: deps-bench ## measure every codec; writes results/ and REPORT.md (BENCH_FLAGS=--quick, --full, ...)
	+@$(MAKE) --no-print-directory build/bakeoff
	exec build/bakeoff bench --json results/ --report $(BENCH_FLAGS)

contribute: deps-bench ## measure this machine and leave a checked results file to commit (--full: hours)
	+@$(MAKE) --no-print-directory build/bakeoff
	exec bench/contribute.sh $(BENCH_FLAGS)

report: build/bakeoff charts ## write REPORT.md, README.md's and docs/'s figures, CSV, pictures and the HTML page anew
	build/bakeoff report

page: build/bakeoff charts ## write the HTML page alone, build/report/index.html
	build/bakeoff report --page

# Interactive charts, if npm is installed and can fetch their library; otherwise the page has static pictures.
charts:
	+@command -v npm >/dev/null || exit 0; \
	$(MAKE) --no-print-directory build/page/charts.js || \
	    echo "bakeoff: the library of charts cannot be had: the page's pictures are still" >&2

build/page/node_modules/.package-lock.json: bench/page/package.json bench/page/package-lock.json
	@mkdir -p build/page
	@cp $^ build/page/
	cd build/page && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error

# The packages in the two files below. Their licences are written before them.
CHART_PACKAGES := d3 @observablehq/plot interval-tree-1d binary-search-bounds isoformat internmap delaunator \
	robust-predicates
build/page/charts.js: build/page/node_modules/.package-lock.json
	@cd build/page/node_modules && for p in $(CHART_PACKAGES); do \
	    printf '/*! %s\n\n' "$$p"; cat "$$p"/LICENSE*; printf '*/\n'; done >../charts.tmp && \
	cat d3/dist/d3.min.js @observablehq/plot/dist/plot.umd.min.js >>../charts.tmp
	@mv build/page/charts.tmp $@

# Tests the page in a browser. Needs chromium and npm.
check-page: build/bakeoff
	@bench/page/test_page.sh

corpora: deps-corpora ## fetch whole binaries by package name into corpora/fetched
	+@$(MAKE) --no-print-directory build/bakeoff
	corpora/fetch.sh

coverage: deps-test ## coverage of harness/ and codecs/ by the tests, file by file; by fuzz inputs, codec by codec
	+@$(MAKE) --no-print-directory VARIANT=coverage FULL=1 coverage-report
	+@$(MAKE) --no-print-directory fuzz-coverage

MIN_COVERAGE := 90
COVERED_BIN := $(OUT)/bakeoff $(OUT)/selfcheck $(TEST_PROGRAMS) $(FUZZ_TARGETS:%=$(OUT)/fuzz/%)

# All runs of a binary add their counts to one file (%m) at exit. Fails if less than MIN_COVERAGE percent
# of lines are covered.
coverage-report: export LLVM_PROFILE_FILE := $(abspath build/coverage)/profiles/%4m.profraw
coverage-report: $(COVERED_BIN)
	@rm -rf build/coverage/profiles; mkdir -p build/coverage/profiles
	+@$(MAKE) --no-print-directory check-variant check-cli >build/coverage/log 2>&1 || \
	    { tail -n 40 build/coverage/log >&2; exit 1; }
	@llvm-profdata merge -o build/coverage/all.profdata build/coverage/profiles/*.profraw
	@llvm-cov report -instr-profile build/coverage/all.profdata \
	    -show-region-summary=0 \
	    $(firstword $(COVERED_BIN)) $(patsubst %,-object %,$(wordlist 2,99,$(COVERED_BIN))) \
	    $(CORE_SRC) $(filter harness/%,$(CLI_SRC)) | awk -v least=$(MIN_COVERAGE) -f fuzz/coverage.awk

SOURCES = $(shell find cli harness codecs corpora bench fuzz examples -name '*.[ch]' -o -name '*.cc')

format: ## lay out all sources by .clang-format
	@clang-format -i $(SOURCES)
# For editors and analysers.
compile_commands.json: FORCE ## write how each C file is compiled, for editors
	@printf '%s\n' $(CORE_SRC) $(CLI_SRC) $(TEST_SRC) | jq -Rn --arg folder '$(CURDIR)' \
	    --arg command '$(CC) $(CFLAGS) $(CFLAGS_jemalloc) -c ' \
	    '[inputs | {directory: $$folder, file: ., command: ($$command + .)}]' >$@

check-format:
	@clang-format --dry-run --Werror $(SOURCES)
	@harness/check_layout.sh
	@harness/test_layout.sh

clean: ## remove build/
	rm -rf build
