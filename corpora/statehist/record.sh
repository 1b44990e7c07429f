#!/bin/bash
# Records what the kernel does while a command runs, as text that `bakeoff import statehist` reads:
#
#   corpora/statehist/record.sh OUT.txt [COMMAND ARGUMENT...]
#
# Without a command, it builds a small C project with `make -j4`. Needs root, perf (Debian: linux-perf)
# and tracefs, which is mounted for as long as that takes if it is not. The whole machine is recorded,
# but the text contains of other processes only when they ran: their names become "other", and their system
# calls, forks and execs are left out (own_events.awk). OTHERS=1 keeps everything.
# Exit 0: made; 1: something failed; 77: this machine cannot (with a line that says why).
set -u -o pipefail
here=$(cd "$(dirname "$0")" && pwd)
[ $# -ge 1 ] || { echo "usage: record.sh OUT.txt [COMMAND ARGUMENT...]" >&2; exit 2; }
out=$(realpath "$1") && shift
export LC_ALL=C

cannot() {
    echo "record.sh: $*" >&2
    exit 77
}
[ "$(id -u)" = 0 ] || cannot "needs root"
command -v perf >/dev/null || cannot "perf is not installed (Debian: linux-perf)"

work=$(mktemp -d) || exit 1
mounted=false
clean_up() {
    $mounted && umount /sys/kernel/tracing
    rm -rf "$work"
}
trap clean_up EXIT
if [ ! -e /sys/kernel/tracing/events ]; then
    mount -t tracefs nodev /sys/kernel/tracing 2>/dev/null || cannot "cannot mount tracefs"
    mounted=true
fi

# Six files that include headers, so that the compiler has enough to do.
make_project() {
    mkdir "$work/project"
    for i in 1 2 3 4 5 6; do
        printf '#include <stdio.h>\n#include <stdlib.h>\nint f%s(int n) { return n ? rand() %% n : %s; }\n' \
            $i $i >"$work/project/f$i.c"
    done
    printf 'int f1(int n);\nint main(void) { return f1(0) - 1; }\n' >"$work/project/main.c"
    printf '%s\n' 'OBJECTS := main.o f1.o f2.o f3.o f4.o f5.o f6.o' \
        'program: $(OBJECTS)' $'\tcc -o $@ $^ && ./$@' '%.o: %.c' $'\tcc -c $< -o $@' \
        >"$work/project/Makefile"
}
if [ $# -eq 0 ]; then
    make_project
    set -- make -s -j4 -C "$work/project"
fi

# The command's own process prints its process id.
perf record -q -m 4096 -a -e 'sched:*,raw_syscalls:*,irq:*' -o "$work/data" -- \
    sh -c 'echo $$ >"$0"; exec "$@"' "$work/pid" "$@" >&2 || exit 1
script() {
    echo "# arch : $(uname -m)"
    perf script -i "$work/data" --ns -F comm,pid,tid,cpu,time,event,trace 2>/dev/null
}
if [ -n "${OTHERS:-}" ]; then
    script >"$out"
else
    script | awk -v root="$(cat "$work/pid")" -f "$here/own_events.awk" >"$out"
fi
