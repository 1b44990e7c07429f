#!/usr/bin/env bash
# Runs steps and reports them. Sourced by run_tests.sh and its test. `plan` adds a step, run_all runs all.
#
# Three steps run at a time: one more than the processors of a small machine, so that none is idle while a step waits.
# When a step ends, one line shows its name and time; the output of a failed step is printed. On a terminal, the last
# line shows the running steps and an estimate of the time left. Elsewhere, a line is printed when a step starts, and
# after each minute without one. A step that this machine cannot run prints the reason and, if CI is set, fails. So
# does a step that leaves a part out: `note: not run: PART: REASON`, or `test_NAME: NOT RUN...`. So does a step that
# runs for longer than ten times what was planned, plus ten minutes. The last line is `N passed, M failed, K skipped`.
# The names of failed steps are printed before it, with the ends of their logs.
AT_ONCE=3
DURATIONS=build/test/durations # seconds and name of each step, of the last run in which it passed
mkdir -p build/test
passed=0 failed=0 skipped=0
declare -a why_skipped=() failures=() waiting=()      # waiting: names of the steps to come
declare -A command_of=() expected=() limit_of=()      # by name; seconds
declare -A name_of=() start_of=()                     # of running steps, by process; each has its process group
if [[ -t 1 ]]; then
    on_terminal=1 tick=1
else
    on_terminal='' tick=${BAKEOFF_TICK:-60} # tests wait for less
fi
touch "$DURATIONS"
# A step that ends writes its process and exit code to a pipe. bash 5.2's `wait -n` misses processes that end while
# it runs other commands.
pipe=$(mktemp -u build/test/ends.XXXXXX)
mkfifo "$pipe" && exec {ends}<>"$pipe" && rm "$pipe" || exit 1
message= # the part of a line that `read` had when it timed out

stop() { # PROCESS...: ends the steps with all their processes
    (($# == 0)) || kill -- "${@/#/-}" 2>/dev/null
}
trap 'stop "${!name_of[@]}"; exit 130' INT TERM

log_of() { echo "build/test/${1//[^a-z0-9]/-}.log"; }

# plan SECONDS NAME COMMAND...: adds a step. SECONDS is the expected duration if no earlier run recorded one. Exit
# code 77 means that the machine lacks something, which the last line of output names.
plan() {
    local name=$2
    waiting+=("$name")
    expected[$name]=$(awk -v name="$name" -v seconds="$1" '
        { s = $1; sub(/^[0-9]+ /, "") } $0 == name { seconds = s } END { print seconds }' "$DURATIONS")
    limit_of[$name]=${BAKEOFF_STEP_LIMIT:-$((600 + 10 * $1))} # tests wait for less
    shift 2
    command_of[$name]=$*
}

clock() { printf '%d:%02d' $(($1 / 60)) $(($1 % 60)); }

# say TEXT: prints a line above the status line.
say() { printf '%s%s\n' "${on_terminal:+$'\r\e[K'}" "$1"; }

# Estimates the time left: each planned step is assigned to the processor that is free first. A step that already
# takes longer than expected is assumed to take another tenth.
seconds_left() {
    local process name left a=0 b=0
    for process in "${!name_of[@]}"; do
        local elapsed=$((SECONDS - start_of[$process])) wanted=${expected[${name_of[$process]}]}
        left=$((wanted - elapsed))
        ((left > elapsed / 10)) || left=$((elapsed / 10))
        ((a <= b)) && a=$((a + left)) || b=$((b + left))
    done
    for name in "${waiting[@]}"; do
        [[ $name != BARRIER ]] || continue
        ((a <= b)) && a=$((a + expected[$name])) || b=$((b + expected[$name]))
    done
    echo $((a > b ? a : b))
}

status() {
    local process running=
    for process in "${!name_of[@]}"; do
        running+="${running:+, }${name_of[$process]} ($(clock $((SECONDS - start_of[$process]))) of $(clock \
            "${expected[${name_of[$process]}]}"))"
    done
    local left line
    left=$(clock "$(seconds_left)")
    line="[$((passed + failed + skipped))/$n_steps, about $left left] $running"
    if [[ $on_terminal ]]; then
        printf '\r\e[K%s' "${line:0:$((${COLUMNS:-$(tput cols 2>/dev/null || echo 80)} - 1))}"
    else
        echo "$line"
    fi
}

start_next() {
    local name=${waiting[0]}
    waiting=("${waiting[@]:1}")
    set -m # a process group of its own
    {
        trap - INT TERM
        # shellcheck disable=SC2086 # no word of a command has spaces
        ${command_of[$name]} </dev/null >"$(log_of "$name")" 2>&1 {ends}>&-
        echo "$BASHPID $?" >&"$ends"
    } &
    set +m
    name_of[$!]=$name start_of[$!]=$SECONDS
    [[ $on_terminal ]] || say "$(printf '%-34s started' "$name")"
}

# Waits for the next step to end, and reports it.
finish_one() {
    local process code name log seconds part
    [[ ! $on_terminal ]] || status
    while true; do
        if IFS= read -rt "$tick" part <&"$ends"; then
            read -r process code <<<"$message$part"
            message=
            [[ ! ${name_of[$process]:-} ]] || break
            continue
        fi
        message+=$part
        status
        for process in "${!name_of[@]}"; do
            name=${name_of[$process]}
            ((SECONDS - start_of[$process] <= limit_of[$name])) || {
                stop "$process"
                echo "bakeoff: stopped after ${limit_of[$name]} s" >>"$(log_of "$name")"
                code=1
                break 2
            }
        done
    done
    name=${name_of[$process]} seconds=$((SECONDS - start_of[$process])) log=$(log_of "$name")
    if [[ $code = 0 && ${CI:-} ]] && grep -aE '^(note: not run|test_[a-z_]+: NOT RUN)[:,]' "$log" >"$log.left-out"; then
        cat "$log.left-out" >>"$log" # the end of the log is shown
        code=1
    fi
    unset "name_of[$process]"
    if [[ $code = 77 && -z ${CI:-} ]]; then
        skipped=$((skipped + 1))
        why_skipped+=("$name: $(tail -n 1 "$log")")
        say "$(printf '%-34s not run  %s' "$name" "$(tail -n 1 "$log")")"
    elif [[ $code != 0 ]]; then
        failed=$((failed + 1))
        failures+=("$name")
        say "$(printf '%-34s FAILED   %3d s  %s' "$name" "$seconds" "$log")"
        tail -n 40 "$log"
        [[ $name != build ]] || waiting=() # nothing can run
    else
        passed=$((passed + 1))
        say "$(printf '%-34s ok       %3d s  %s' "$name" "$seconds" \
            "$(grep -aE '[0-9]+ passed' "$log" | tail -n 1)")"
        sed -n 's/^note: /    less here: /p' "$log"
        sed -n 's/^[^ ]*:[0-9]*:[0-9]*: warning: /    &/p' "$log" # errors if CI is set
        { grep -vx "[0-9]* $name" "$DURATIONS"; echo "$seconds $name"; } >"$DURATIONS.new"
        mv "$DURATIONS.new" "$DURATIONS"
    fi
}

# Runs the planned steps, then prints the summary. Steps after the word BARRIER start when all before it have ended.
# False when a step failed.
run_all() {
    local n_steps=${#command_of[@]} name
    while ((${#waiting[@]} + ${#name_of[@]})); do
        while ((${#waiting[@]} && ${#name_of[@]} < AT_ONCE)) && [[ ${waiting[0]} != BARRIER ]]; do
            start_next
        done
        if ((${#name_of[@]})); then
            finish_one
        else
            waiting=("${waiting[@]:1}")
        fi
    done
    [[ ! $on_terminal ]] || printf '\r\e[K'
    if ((skipped)); then
        echo "this machine could not run:"
        printf '  %s\n' "${why_skipped[@]}"
    fi
    for name in "${failures[@]}"; do
        echo "failed: $name, $(log_of "$name"):"
        tail -n 3 "$(log_of "$name")" | sed 's/^/    /'
    done
    echo "$passed passed, $failed failed, $skipped skipped"
    ((failed == 0))
}
