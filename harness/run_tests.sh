#!/usr/bin/env bash
# What `make test` runs: run_tests.sh FULL-VARIANTS -- CORE-VARIANTS
#
# Steps run two at a time, so that the slowest check of one leaves no processor idle. Each is one line
# with its time when it ends; the output of a failed step is shown. A step that this machine cannot
# run says why and, where CI is set, fails. Ends with `N passed, M failed, K skipped`.
set -u
AT_ONCE=2
mkdir -p build/test
passed=0 failed=0 skipped=0
declare -a why_skipped=()
declare -A name_of=() start_of=() # of the steps that run, by process

log_of() { echo "build/test/${1//[^a-z0-9]/-}.log"; }

# step NAME COMMAND...: starts a step. Exit code 77 means that the machine lacks something; the last
# line says what.
step() {
    local name=$1
    shift
    ((${#name_of[@]} < AT_ONCE)) || finish_one
    "$@" >"$(log_of "$name")" 2>&1 &
    name_of[$!]=$name start_of[$!]=$SECONDS
}

# Waits for the step that ends next, and tells of it.
finish_one() {
    local process code name log seconds
    wait -n -p process "${!name_of[@]}"
    code=$?
    name=${name_of[$process]} seconds=$((SECONDS - start_of[$process])) log=$(log_of "$name")
    unset "name_of[$process]"
    if [[ $code = 77 && -z ${CI:-} ]]; then
        skipped=$((skipped + 1))
        why_skipped+=("$name: $(tail -n 1 "$log")")
        printf '%-34s not run  %s\n' "$name" "$(tail -n 1 "$log")"
    elif [[ $code != 0 ]]; then
        failed=$((failed + 1))
        printf '%-34s FAILED   %3d s  %s\n' "$name" "$seconds" "$log"
        tail -n 40 "$log"
    else
        passed=$((passed + 1))
        printf '%-34s ok       %3d s  %s\n' "$name" "$seconds" \
            "$(grep -aE '[0-9]+ passed' "$log" | tail -n 1)"
        sed -n 's/^note: /    less here: /p' "$log"
    fi
}

finish_all() {
    while ((${#name_of[@]})); do finish_one; done
}

# needs COMMAND...: 77 when one of them is missing.
needs() {
    local tool
    for tool in "$@"; do
        command -v "$tool" >/dev/null || { echo "$tool is missing"; return 77; }
    done
}

variant() { # NAME FULL
    case $1 in
    i686) needs i686-linux-gnu-gcc || return ;;
    s390x) needs s390x-linux-gnu-gcc qemu-s390x-static || return ;;
    gcc) needs gcc || return ;;
    *) needs clang || return ;;
    esac
    [[ $2 ]] || echo "note: $1: no cmocka tests"
    make --no-print-directory -j"$(nproc)" VARIANT="$1" FULL="$2" check-variant
}

# Counts are of gcc's build, whatever compiler the rest is for. Where they were accepted with another compiler,
# libc or valgrind they say nothing.
instructions() {
    local said code
    needs valgrind gcc || return
    said=$(make --no-print-directory VARIANT=gcc check-insns 2>&1)
    code=$?
    printf '%s\n' "$said"
    if [[ $code != 0 ]] && ! grep -qE ' [1-9][0-9]* differ$' <<<"$said" &&
        grep '^not comparable' <<<"$said" | tail -n 1; then
        return 77
    fi
    return $code
}

make --no-print-directory -j"$(nproc)" test-shared >build/test/build.log 2>&1 ||
    { tail -n 40 build/test/build.log; exit 1; }
full=1
for v in "$@"; do
    if [[ $v = -- ]]; then
        full=
    else
        step "checks: $v" variant "$v" "$full"
    fi
done
finish_all # the programs that the rest runs are there now
# The longest first: the last step to end has a processor for itself.
step "instructions" instructions
step "command line" make --no-print-directory build/bakeoff check-cli
step "import: real Go binaries" corpora/import/test_real_go.sh
step "command line: asan" make --no-print-directory VARIANT=asan BAKEOFF=build/asan/bakeoff check-cli
step "the tutorial" docs/test_tutorial.sh
step "report: the page in a browser" make --no-print-directory check-page
step "import: LLVM's own profiles" corpora/import/test_real_llvm.sh
step "import: AutoFDO's programs" corpora/import/test_real_autofdo.sh
step "import: LTTng's traces" corpora/import/test_real_lttng.sh
step "import: Java reads state histories" corpora/import/test_real_statehist.sh
step "source layout" make --no-print-directory check-format
step "corpora: manifest" corpora/check.sh
step "import: clang's traces" corpora/import/test_real_templight.sh
step "vectors" build/bakeoff verify pcdata --vectors corpora/pcdata/vectors.json
step "planted faults" fuzz/faults.sh anchors
finish_all

if ((skipped)); then
    echo "this machine could not run:"
    printf '  %s\n' "${why_skipped[@]}"
fi
echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0))
