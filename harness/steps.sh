#!/usr/bin/env bash
# Runs steps and reports them. Sourced by run_tests.sh and its test. `plan` adds a step, run_all runs all.
#
# Two steps run at a time, so that a slow check leaves no processor idle. When a step ends, one line shows its name
# and time; the output of a failed step is printed. On a terminal, the last line shows the running steps and an
# estimate of the time left. Elsewhere, a line is printed when a step starts, and once a minute. A step that this
# machine cannot run prints the reason and, if CI is set, fails. The last line is `N passed, M failed, K skipped`.
AT_ONCE=2
DURATIONS=build/test/durations # seconds and name of each step, of the last run in which it passed
mkdir -p build/test
passed=0 failed=0 skipped=0
declare -a why_skipped=() waiting=()                  # waiting: names of the steps to come
declare -A command_of=() name_of=() start_of=() expected=() # name_of, start_of: of running steps, by process
if [[ -t 1 ]]; then
    on_terminal=1 tick=1
else
    on_terminal='' tick=${BAKEOFF_TICK:-60} # tests wait for less
fi
ticker=                                                     # a process that ends when the status is due
touch "$DURATIONS"

log_of() { echo "build/test/${1//[^a-z0-9]/-}.log"; }

# plan SECONDS NAME COMMAND...: adds a step. SECONDS is the expected duration if no earlier run recorded one. Exit
# code 77 means that the machine lacks something, which the last line of output names.
plan() {
    local name=$2
    waiting+=("$name")
    expected[$name]=$(awk -v name="$name" -v seconds="$1" '
        { s = $1; sub(/^[0-9]+ /, "") } $0 == name { seconds = s } END { print seconds }' "$DURATIONS")
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
    # shellcheck disable=SC2086 # no word of a command has spaces
    ${command_of[$name]} >"$(log_of "$name")" 2>&1 &
    name_of[$!]=$name start_of[$!]=$SECONDS
    [[ $on_terminal ]] || say "$(printf '%-34s started' "$name")"
}

# Waits for the next step to end, and reports it.
finish_one() {
    local process code name log seconds
    [[ ! $on_terminal ]] || status
    while :; do
        if [[ ! $ticker ]]; then
            sleep "$tick" >/dev/null 2>&1 &
            ticker=$!
        fi
        wait -n -p process "${!name_of[@]}" "$ticker"
        code=$?
        [[ $process = "$ticker" ]] || break
        ticker=
        status
    done
    name=${name_of[$process]} seconds=$((SECONDS - start_of[$process])) log=$(log_of "$name")
    unset "name_of[$process]"
    if [[ $code = 77 && -z ${CI:-} ]]; then
        skipped=$((skipped + 1))
        why_skipped+=("$name: $(tail -n 1 "$log")")
        say "$(printf '%-34s not run  %s' "$name" "$(tail -n 1 "$log")")"
    elif [[ $code != 0 ]]; then
        failed=$((failed + 1))
        say "$(printf '%-34s FAILED   %3d s  %s' "$name" "$seconds" "$log")"
        tail -n 40 "$log"
        [[ $name != build ]] || waiting=() # nothing can run
    else
        passed=$((passed + 1))
        say "$(printf '%-34s ok       %3d s  %s' "$name" "$seconds" \
            "$(grep -aE '[0-9]+ passed' "$log" | tail -n 1)")"
        sed -n 's/^note: /    less here: /p' "$log"
        { grep -vx "[0-9]* $name" "$DURATIONS"; echo "$seconds $name"; } >"$DURATIONS.new"
        mv "$DURATIONS.new" "$DURATIONS"
    fi
}

# Runs the planned steps, then prints the summary. Steps after the word BARRIER start when all before it have ended.
# False when a step failed.
run_all() {
    local n_steps=${#command_of[@]}
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
    kill "$ticker" 2>/dev/null
    [[ ! $on_terminal ]] || printf '\r\e[K'
    if ((skipped)); then
        echo "this machine could not run:"
        printf '  %s\n' "${why_skipped[@]}"
    fi
    echo "$passed passed, $failed failed, $skipped skipped"
    ((failed == 0))
}
