#!/bin/bash
# Records what programs allocate with LTTng's user-space tracer, imports the traces, and compares them with sums
# computed from babeltrace's own output; then damages them.
#
#   corpora/import/test_real_lttng.sh
#
# Needs lttng-tools, liblttng-ust1, babeltrace2 and gcc; no network, no kernel module. BAKEOFF and OUT override where
# the program is and where files go. Exit 0: all passed; 1: a comparison failed; 77: could not run.
. "$(dirname "$0")/real.sh" lttng "lttng-tools liblttng-ust1 babeltrace2 libbabeltrace2-dev gcc" lttng babeltrace2 gcc
if "$bakeoff" import statehist corpora/statehist/ctf 2>&1 | grep -q 'built without libbabeltrace2'; then
    echo "test_real_lttng: NOT RUN: built without libbabeltrace2 (Debian: libbabeltrace2-dev)"
    exit 77
fi

record() { # NAME COMMAND...
    corpora/statehist/record_memory.sh "$out/$1" "${@:2}" >"$out/$1.out" 2>"$out/$1.err"
}

# The changes of each thread's sum, "tid start value", from the printed events. Numbers of 64 bits stay texts.
summed() { # TRACE
    babeltrace2 --clock-seconds --no-delta "$1" | awk '
        function field(name, at) { # of the line
            at = index($0, " " name " = ")
            if (!at) return ""
            at = substr($0, at + length(name) + 4)
            sub(/[,} ].*/, "", at)
            return at
        }
        function change(by) {
            if (!(tid in sum)) { sum[tid] = 0; since[tid] = "" }
            if (since[tid] != time) { put(tid); since[tid] = time; was[tid] = tid in given ? given[tid] : "none" }
            sum[tid] += by
        }
        function put(t) {
            if (since[t] != "" && sum[t] != was[t]) { printf "%s %s %d\n", t, since[t], sum[t]; given[t] = sum[t] }
        }
        function take(p, n) {
            if (p == "0x0") return
            if (n == 0) { if (p in size) { change(-size[p]); delete size[p] } return }
            size[p] = n; change(n)
        }
        { time = substr($1, 2, length($1) - 2); sub(/\./, "", time); tid = field("vtid") }
        / lttng_ust_libc:(malloc|memalign): / { take(field("ptr"), field("size")) }
        / lttng_ust_libc:calloc: / { take(field("ptr"), field("size") * field("nmemb")) }
        / lttng_ust_libc:posix_memalign: / { if (field("result") == 0) take(field("out_ptr"), field("size")) }
        / lttng_ust_libc:free: / { take(field("ptr"), 0) }
        / lttng_ust_libc:realloc: / {
            if (field("ptr") != "0x0") { take(field("in_ptr"), 0); take(field("ptr"), field("size")) }
        }
        END { for (t in sum) put(t) }' | sort
}

imported() { # HISTORY
    awk -F '\t' '
        $1 == "Q" && $3 == -1 { tid[$2] = $4 }
        $1 == "Q" && $4 == "UST_MEMORY_MEMORY_ATTRIBUTE" { of[$2] = tid[$3] }
        $1 == "I" && ($2 in of) && $5 == "l" { print of[$2], $3, $6 }' "$1" | sort
}

agrees() { # NAME: the history equals the sums of the printed events, of which there are more than 200
    summed "$out/$1" >"$out/$1.summed"
    imported "$out/$1.tsv" >"$out/$1.imported"
    [ "$(wc -l <"$out/$1.summed")" -gt 200 ] && cmp "$out/$1.summed" "$out/$1.imported"
}

names_are() { # HISTORY NAME...: each thread's
    local history=$1
    shift
    cmp <(awk -F '\t' '$1 == "I" && $5 == "s" { print $6 }' "$history" | sort -u) <(printf '%s\n' "$@" | sort -u)
}

# Without -fno-builtin, gcc removes the store to the pointer that a failed posix_memalign leaves.
check "program" gcc -O1 -fno-builtin -pthread corpora/import/testdata/allocating/program.c -o "$out/allocating"
record threads "$out/allocating"
code=$?
if [ $code -eq 77 ]; then
    echo "test_real_lttng: NOT RUN: $(tail -n 1 "$out/threads.err")"
    exit 77
fi
check "recording" test $code -eq 0
check "threads: import" "$bakeoff" import statehist "$out/threads" -o "$out/threads.tsv"
check "threads: agree with babeltrace" agrees threads
check "threads: names" names_are "$out/threads.tsv" allocating
check "threads: a document like others" "$bakeoff" size statehist "$out/threads"

check "processes: recording" record processes sh -c 'ls -l /usr/bin | sort -k 5 | tail -n 1'
check "processes: import" "$bakeoff" import statehist "$out/processes" -o "$out/processes.tsv"
check "processes: agree with babeltrace" agrees processes
check "processes: more than one" test "$(awk -F '\t' '$1 == "I" && $5 == "s" { print $6 }' "$out/processes.tsv" | sort -u | wc -l)" -gt 1

# ---- statistics -------------------------------------------------------------------------------------

counted() { # the document is what its script makes of the trace
    mkdir -p "$out/ls-memory" && tar -C "$out/ls-memory" -xJf corpora/statehist/ctf/ls-memory.tar.xz &&
        babeltrace2 --clock-seconds --no-delta "$out/ls-memory" |
        awk -f corpora/statehist/statistics.awk >"$out/counted.tsv" &&
        "$bakeoff" import statehist "$out/counted.tsv" -o "$out/ls-statistics.tsv" &&
        xz -dc corpora/statehist/ls-statistics.tsv.xz | cmp - "$out/ls-statistics.tsv"
}
check "statistics: the document" counted

# ---- damage: babeltrace names the error -------------------------------------------------------------

stream=$(find "$out/threads" -name 'memory_*' -size +0 ! -name '*.idx' | head -n 1)
damaged() { # COMMAND FILE: on a copy of the trace
    rm -rf "$out/damaged"
    cp -r "$out/threads" "$out/damaged"
    "$1" "$out/damaged/${2#"$out/threads/"}"
}
overwrite() { printf 'no magic' | dd of="$1" conv=notrunc status=none; }
cut_short() { truncate -s 100 "$1"; }
empty() { truncate -s 0 "$1"; }
damaged overwrite "$stream"
check "stream without its magic" fails_saying 'babeltrace: .*magic.* (corrupt)' "$bakeoff" import statehist "$out/damaged"
damaged cut_short "$stream"
check "stream cut short" fails_saying 'babeltrace: .* (corrupt)' "$bakeoff" import statehist "$out/damaged"
damaged empty "$(find "$out/threads" -name metadata)"
check "no metadata" fails_saying 'no importer of statehist accepts this folder' "$bakeoff" import statehist "$out/damaged"
check "lists no folders as files" fails_saying 'no importer of lprf accepts this folder' "$bakeoff" import lprf "$out/threads"

conclude
