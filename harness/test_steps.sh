#!/usr/bin/env bash
# The test runner: the output of steps.sh, its exit codes, and the recorded durations. A crash in the tests of one
# file must not hide those of another (test_main.c). Exits with 77 without gcc.
set -u
command -v gcc >/dev/null || { echo "gcc is missing"; exit 77; }
steps=$PWD/harness/steps.sh
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT

# run ENVIRONMENT...: runs the steps below. The output is in $t/out, the exit code in $code.
run() {
    (cd "$t" && env -u CI BAKEOFF_TICK=1 "$@" timeout 300 bash -uc '
        . "$1"
        cannot() { echo "no tool"; return 77; }
        fails() { seq 9; return 1; }
        [[ ${FAIL:-} ]] && second=fails || second=true
        plan 9 build true
        waiting+=(BARRIER)
        plan 9 "the first" sleep 3.5 # under load, a status line comes after more than a second
        plan 9 second $second
        waiting+=(BARRIER)
        warns() { echo "note: less"; echo "a.c:1:2: warning: odd [-Wodd]"
            [[ ! ${LEAVES_OUT:-} ]] || echo "note: not run: a part: no tool"; }
        plan 9 lacks cannot
        plan 1 warns warns
        for ((i = 0; i < ${MANY:-0}; i++)); do plan 1 "short $i" true; done
        # The runner reads the first half of its end, and a second later the rest.
        halves() {
            exec 7>/proc/$$/fd/$ends
            printf %s "${BASHPID:0:2}" >&7
            sleep 2.5
            echo "${BASHPID:2} 0" >&7
            sleep 3 # before the runner reads it again
        }
        [[ ! ${HALVES:-} ]] || plan 9 halves halves
        hangs() { sleep "$HANGS"; echo "not stopped"; }
        [[ ! ${HANGS:-} ]] || plan 9 hangs hangs
        run_all' - "$steps" >out 2>&1)
    code=$?
}

expect() { # PATTERN: a line of the output
    ((tests++))
    grep -Eqx -- "$1" "$t/out" || { echo "FAILED: no line '$1' in:"; cat "$t/out"; exit 1; }
}
tests=0

run A=
((code == 0)) || { echo "FAILED: exit code $code"; cat "$t/out"; exit 1; }
expect 'the first +started'
expect 'the first +ok +[1-9] s +'
expect '\[2/5, about 0:0[0-9] left\] the first \(0:0[0-9] of 0:09\)'
expect 'lacks +not run  no tool'
expect '    less here: less'
expect '    a.c:1:2: warning: odd \[-Wodd\]'
[[ $(tail -n 1 "$t/out") = '4 passed, 0 failed, 1 skipped' ]] || { echo "FAILED: the summary"; cat "$t/out"; exit 1; }
grep -Eqx '[1-9] the first' "$t/build/test/durations" || { echo "FAILED: durations"; exit 1; }

run FAIL=1
((code == 1)) || { echo "FAILED: exit code $code of a failure"; exit 1; }
expect 'second +FAILED +[0-9] s  build/test/second.log'
expect '\[2/5, about 0:0[0-9] left\] the first \(0:0[0-9] of 0:0[1-9]\)' # the duration of the run before
[[ $(tail -n 5 "$t/out" | tr -s '\n ' ' ') = 'failed: second, build/test/second.log: 7 8 9 3 passed, 1 failed, 1 skipped ' ]] ||
    { echo "FAILED: the summary of a failure"; cat "$t/out"; exit 1; }

run CI=1 LEAVES_OUT=
((code == 1)) || { echo "FAILED: exit code $code of what CI must run"; exit 1; }
expect 'warns +ok +.*'
run LEAVES_OUT=1
expect 'warns +ok +.*'
expect '    less here: not run: a part: no tool'
run CI=1 LEAVES_OUT=1
expect 'warns +FAILED.*'
expect 'note: not run: a part: no tool'
((code == 1)) || { echo "FAILED: exit code $code of what CI must run"; exit 1; }
expect 'lacks +FAILED.*'

# No end of a step is missed, and none runs forever.
run MANY=200
((code == 0)) || { echo "FAILED: exit code $code of many steps"; tail -n 5 "$t/out"; exit 1; }
expect '204 passed, 0 failed, 1 skipped'
run HALVES=1 BAKEOFF_STEP_LIMIT=9
((code == 0)) || { echo "FAILED: exit code $code of an end in two halves"; cat "$t/out"; exit 1; }
expect 'halves +ok +[2-4] s .*'
run HANGS=98.$$ BAKEOFF_STEP_LIMIT=2
((code == 1)) || { echo "FAILED: exit code $code of a step that hangs"; exit 1; }
expect 'hangs +FAILED +[2-9] s .*'
expect 'bakeoff: stopped after 2 s'
pgrep -f "sleep 98.$$\$" >/dev/null && { echo "FAILED: a process of the stopped step still runs"; exit 1; }

for name in a b c; do
    printf '#include <stdlib.h>\n#include "harness/core/test_main.h"\nstatic int run(void) { %s; }
        __attribute__((constructor)) static void add(void) { bo_test_register(__FILE__, run); }\n' \
        "$([[ $name = b ]] && echo 'abort()' || echo 'return 0')" >"$t/$name.c"
done
gcc -std=gnu11 -D_GNU_SOURCE -I. -w "$t"/[abc].c harness/core/test_main.c -o "$t/program" || exit 1
"$t/program" >"$t/out" 2>&1 && { echo "FAILED: exit code of a crash"; exit 1; }
expect "FAILED: $t/b.c: Aborted"
expect 'test files: 2 passed, 1 failed'
"$t/program" "$t/a.c" >"$t/out" 2>&1 || { echo "FAILED: one file alone"; exit 1; }
expect 'test files: 1 passed, 0 failed'
"$t/program" "$t/d.c" >"$t/out" 2>&1 && { echo "FAILED: exit code of an unknown file"; exit 1; }
expect 'FAILED: 1 of 1 files are not in this program'
# An unknown variant is an error that names the others.
make -n VARIANT=word >"$t/out" 2>&1 && { echo "FAILED: make VARIANT=word succeeds"; exit 1; }
expect '.* VARIANT=word: no such variant; there are .*asan.* gcc .*'
echo "$((tests + 14)) passed"
