#!/bin/bash
# Records the calls of malloc and free that a command and its children make, as a trace that
# `bakeoff import statehist` reads:
#
#   corpora/statehist/record_memory.sh FOLDER COMMAND [ARGUMENT...]
#
# Needs LTTng's user-space tracer (Debian: lttng-tools liblttng-ust1); no kernel module, no root. FOLDER must
# not be there yet. Exit 0: made; 1: something failed; 77: this machine cannot (with a line that says why).
set -u -o pipefail
[ $# -ge 2 ] || { echo "usage: record_memory.sh FOLDER COMMAND [ARGUMENT...]" >&2; exit 2; }
folder=$(realpath -m "$1")
shift

cannot() {
    echo "record_memory.sh: $*" >&2
    exit 77
}
for tool in lttng lttng-sessiond; do
    command -v $tool >/dev/null || cannot "$tool is not installed (Debian: lttng-tools)"
done
wrapper=$(ldconfig -p | awk '/liblttng-ust-libc-wrapper/ { print $NF; exit }')
[ -n "$wrapper" ] || cannot "liblttng-ust-libc-wrapper is not installed (Debian: liblttng-ust1)"
[ ! -e "$folder" ] || { echo "record_memory.sh: $folder is there" >&2; exit 1; }

# Uses a daemon and a home folder of its own; if root already runs a daemon, that one.
export LTTNG_HOME
LTTNG_HOME=$(mktemp -d) || exit 1
session=bakeoff-$$ daemon=
lttng() { command lttng --no-sessiond "$@"; }
clean_up() {
    lttng destroy "$session" >/dev/null 2>&1
    [ -z "$daemon" ] || { kill "$daemon" 2>/dev/null; tail --pid="$daemon" -f /dev/null; }
    rm -rf "$LTTNG_HOME"
}
trap clean_up EXIT
if ! lttng list >/dev/null 2>&1; then
    lttng-sessiond --no-kernel --daemonize --pidfile "$LTTNG_HOME/pid" >"$LTTNG_HOME/log" 2>&1 ||
        cannot "lttng-sessiond does not start: $(tail -n 1 "$LTTNG_HOME/log")"
    daemon=$(cat "$LTTNG_HOME/pid")
fi
{
    lttng create "$session" --output "$folder" &&
        lttng enable-channel --userspace --session "$session" --blocking-timeout=inf memory &&
        lttng enable-event --userspace --session "$session" --channel memory 'lttng_ust_libc:*' &&
        lttng add-context --userspace --session "$session" --channel memory -t vtid -t procname &&
        lttng start "$session"
} >"$LTTNG_HOME/log" 2>&1 || { cat "$LTTNG_HOME/log" >&2; exit 1; }

# Processes wait for the tracer, and for room in its buffers, so that no event is lost.
LTTNG_UST_REGISTER_TIMEOUT=10000 LTTNG_UST_ALLOW_BLOCKING=1 LD_PRELOAD=$wrapper "$@"
code=$?
lttng destroy "$session" >"$LTTNG_HOME/log" 2>&1 || { cat "$LTTNG_HOME/log" >&2; exit 1; }
[ $code -eq 0 ] || { echo "record_memory.sh: the command failed: $code" >&2; exit 1; }
