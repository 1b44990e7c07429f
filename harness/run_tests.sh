#!/usr/bin/env bash
# What `make test` runs: run_tests.sh FULL-VARIANTS -- CORE-VARIANTS
set -u
# shellcheck source=harness/steps.sh
. harness/steps.sh
# Where python3 is a script that looks for an interpreter each time, steps start the interpreter itself.
command -v python3 >/dev/null && PATH=$(dirname "$(python3 -c 'import sys; print(sys.executable)')"):$PATH

# needs COMMAND...: fails with 77 when a command is missing.
needs() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || { echo "$tool is missing"; return 77; }
    done
}

variant() { # NAME FULL
    case $1 in
    ppc) needs powerpc-linux-gnu-gcc qemu-ppc-static || return ;;
    gcc) needs gcc || return ;;
    *) needs clang || return ;;
    esac
    [[ ${2:-} ]] || echo "note: $1: no cmocka tests"
    make --no-print-directory -k -j"$(nproc)" VARIANT="$1" FULL="${2:-}" check-variant
}

# The counts are for gcc's build, whatever compiler the other steps use. If they were accepted with another compiler,
# libc or valgrind, the step is skipped.
instructions() {
    local said code
    needs valgrind gcc || return
    said=$(make --no-print-directory -k VARIANT=gcc check-insns 2>&1)
    code=$?
    printf '%s\n' "$said"
    if [[ $code != 0 ]] && ! grep -qE ' [1-9][0-9]* differ$' <<<"$said" &&
        grep '^not comparable' <<<"$said" | tail -n 1; then
        return 77
    fi
    return $code
}

in_python() {
    needs python3 || return
    python3 "$@"
}

build() {
    make --no-print-directory -j"$(nproc)" test-shared
}

# The seconds are for two idle processors.
plan 60 "build" build
waiting+=(BARRIER)
full=1
for v in "$@"; do
    if [[ $v = -- ]]; then
        full=
    else
        plan 300 "checks: $v" variant "$v" "$full"
    fi
done
waiting+=(BARRIER) # the programs that the rest runs are there now
# The longest steps come first, so that the last one to end does not run alone for long.
plan 210 "command line" make --no-print-directory VARIANT=asan MEASURED=build/gcc/bakeoff check-cli
plan 190 "exported codecs" cli/test_export.sh
plan 130 "commands of the documentation" docs/test_commands.sh
plan 90 "instructions" instructions
plan 80 "adoption" make --no-print-directory check-adoption
# One architecture for each size and order of bytes and each unit of program counters; nightly CI has three more.
plan 60 "import: real Go binaries" corpora/import/test_real_go.sh amd64 386 arm64 arm s390x mips stripped pie pie-external
plan 40 "the tutorial: a codec" docs/test_tutorial.sh docs/adding-a-codec.md
plan 70 "second readers" codecs/test_second_readers.sh
plan 60 "the tutorial: a format" docs/test_tutorial.sh docs/adding-a-format.md
plan 45 "the steps of make test" harness/test_steps.sh
plan 60 "bench, and the page in a browser" bench/report/test_after_bench.sh
plan 45 "PC tables in the Go runtime" examples/go-runtime/run.sh check
plan 50 "import: AutoFDO's programs" corpora/import/test_real_autofdo.sh
plan 40 "report: pages in git" bench/report/test_pages.sh
plan 40 "import: LLVM's own profiles" corpora/import/test_real_llvm.sh
plan 20 "import: LTTng's traces" corpora/import/test_real_lttng.sh
plan 20 "import: Java reads state histories" corpora/import/test_real_statehist.sh
plan 40 "record: Trace Compass' queries" corpora/record/tracecompass/test_record.sh
plan 10 "record: clang's lookups" corpora/record/clang/test_record.sh
plan 5 "record: libgcc's walks" corpora/record/unwind/test_record.sh
plan 10 "source layout" make --no-print-directory check-format
plan 10 "corpora: manifest" corpora/check.sh
plan 10 "import: clang's traces" corpora/import/test_real_templight.sh
plan 5 "conformance vectors" corpora/vectors.sh check
plan 20 "what vectors reach" corpora/vectors_coverage.sh check guid/eytzinger pcdata/linear-index lprf/list+u64 unwind/sframe-v3
plan 40 "unwind: other readers" codecs/unwind/test_judges.sh
plan 10 "unwind: checksums of other programs" in_python codecs/unwind/test_checksums.py
plan 10 "unwind: figures of the list" in_python codecs/unwind/list_report.py --check
plan 5 "dumps of the specifications" codecs/check_dumps.sh
plan 15 "a format plugin" examples/format-plugin/test.sh
plan 15 "LLVM's reader as a plugin" examples/llvm-reader/test.sh
plan 15 "PC tables in Go" examples/go/run.sh
plan 25 "state histories in Java" examples/java/run.sh
plan 20 "recording a Go program" corpora/record/go/test_record.sh
plan 5 "planted faults" fuzz/faults.sh anchors
plan 25 "mutation score" make --no-print-directory check-mutants
plan 2 "running fuzzers" fuzz/test_fuzz.sh
run_all
