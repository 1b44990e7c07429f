# bakeoff: one front door. `make help` lists what there is.

.DEFAULT_GOAL := all
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
MAKEFLAGS += --no-builtin-rules
.DELETE_ON_ERROR:

# ---- packages: the one list (Debian 12) -------------------------------------------------------

PACKAGES_BUILD := gcc g++ make pkg-config libjansson-dev libxxhash-dev libelf-dev libzstd-dev \
	liblz4-dev liblzma-dev libmd-dev libsimde-dev libjemalloc-dev libbenchmark-dev \
	gnuplot-nox
PACKAGES_TEST := clang llvm libclang-rt-14-dev clang-format libcmocka-dev golang-1.19-go xz-utils \
	gcc-i686-linux-gnu libc6-dev-i386-cross gcc-s390x-linux-gnu libc6-dev-s390x-cross \
	qemu-user-static
PACKAGES_FUZZ := afl++ clang llvm libclang-rt-14-dev

# ---- variants: the same sources under several compilers and sanitizers --------------------------

VARIANT ?= gcc
VARIANTS_FULL := gcc clang asan
VARIANTS_CORE := msan i686 s390x

CC_gcc := gcc
CC_clang := clang
CC_asan := clang
CC_msan := clang
CC_coverage := clang
CC_i686 := i686-linux-gnu-gcc
CC_s390x := s390x-linux-gnu-gcc
FLAGS_gcc := -O2
FLAGS_clang := -O2
FLAGS_asan := -O1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all
FLAGS_msan := -O1 -fno-omit-frame-pointer -fsanitize=memory
FLAGS_coverage := -O0 -fprofile-instr-generate -fcoverage-mapping
FLAGS_i686 := -O2 -msse2 -mfpmath=sse
FLAGS_s390x := -O2
LDFLAGS_i686 := -static
LDFLAGS_s390x := -static
RUN_s390x := qemu-s390x-static

WARNINGS := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wundef -Wvla
ifdef CI
WARNINGS += -Werror
endif
OUT := build/$(VARIANT)
OBJ := $(OUT)/obj
CC := $(CC_$(VARIANT))
CFLAGS := -std=gnu11 -D_GNU_SOURCE -g $(FLAGS_$(VARIANT)) $(WARNINGS) -I. -isystem build/include -MMD -MP
LDFLAGS := $(LDFLAGS_$(VARIANT)) $(filter -fsanitize% -fprofile%,$(FLAGS_$(VARIANT)))

# ---- sources: folders decide, nothing is listed twice ------------------------------------------

CORE_SRC := $(filter-out harness/test_% harness/selfcheck.c,$(wildcard harness/*.c)) \
	$(wildcard codecs/*.c) \
	$(foreach f,$(wildcard codecs/*/*.c),$(if $(filter test_%,$(notdir $(f))),,$(f)))
CLI_SRC := $(filter-out harness/cli/test_%,$(wildcard harness/cli/*.c)) \
	$(filter-out corpora/import/test_%,$(wildcard corpora/import/*.c)) \
	$(filter-out bench/test_%,$(wildcard bench/*.c))
TEST_SRC := $(wildcard harness/test_*.c codecs/*/test_*.c corpora/import/test_*.c bench/test_*.c)

CORE_OBJ := $(CORE_SRC:%.c=$(OBJ)/%.o)
CLI_OBJ := $(CLI_SRC:%.c=$(OBJ)/%.o)
SHIM_OBJ := $(OBJ)/bench/gbench_shim.o
CLI_LIBS := -ljansson -lelf -lzstd -llz4 -llzma -lmd -lbenchmark -lpthread -lstdc++ -lm
ifeq ($(filter asan coverage,$(VARIANT)),)
CLI_LIBS += -ljemalloc
CFLAGS_jemalloc := -DBO_JEMALLOC=1
endif

-include $(CORE_OBJ:.o=.d) $(CLI_OBJ:.o=.d) $(SHIM_OBJ:.o=.d)

$(OBJ)/%.o: %.c | build/include/xxhash.h
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) $(CFLAGS_jemalloc) -c $< -o $@

$(OBJ)/%.o: %.cc
	@mkdir -p $(@D)
	$(CC:gcc=g++) -std=c++17 -g -O2 -Wall -Wextra -I. -MMD -MP -c $< -o $@

# xxhash is used header-only, so that cross compilers need no library of the target.
build/include/xxhash.h: | /usr/include/xxhash.h
	@mkdir -p $(@D)
	ln -sf /usr/include/xxhash.h $@

$(OUT)/libbakeoff.a: $(CORE_OBJ)
	rm -f $@
	ar rcs $@ $^

$(OUT)/bakeoff: $(CLI_OBJ) $(SHIM_OBJ) $(OUT)/libbakeoff.a
	$(CC) $(LDFLAGS) $^ $(CLI_LIBS) -o $@

build/bakeoff: $(OUT)/bakeoff
	cp -f $< $@
