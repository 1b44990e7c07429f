#!/bin/bash
# Exchanges attribute trees of history tree files with a Java machine: its streams read ours, and write
# the same bytes. Where Trace Compass' answers for a history are stored, the nodes, the
# files' lengths and the full state in the middle are compared with its sums.
#
#   corpora/import/test_real_statehist.sh
#
# Needs java with its compiler (Debian: openjdk-17-jdk-headless), xz and jq; no network. The histories are
# looked for in $BAKEOFF_CORPORA/statehistory. BAKEOFF and OUT override where the program is and where
# files go. Exit 0: all passed; 1: a comparison failed; 77: could not run.
. "$(dirname "$0")/real.sh" statehist "openjdk-17-jdk-headless xz-utils jq" javac java xz jq
histories=${BAKEOFF_CORPORA:-/nowhere}/statehistory

javac -d "$out" corpora/import/StatehistTree.java || exit 1
tree() { # read|write FILE
    java -Dfile.encoding=UTF-8 -cp "$out" StatehistTree "$@"
}

# ---- attribute trees --------------------------------------------------------------------------------

# Java must read the file as the text says.
java_reads() { # text file
    grep -a '^Q' "$1" >"$out/lines" && tree read "$2" | cmp - "$out/lines"
}

# The file must end with the bytes that Java writes for the text.
java_writes() { # text file
    grep -a '^Q' "$1" >"$out/lines" && tree write "$out/lines" >"$out/tree" &&
        tail -c "$(stat -c %s "$out/tree")" "$2" | cmp - "$out/tree"
}

exchange() { # name text
    local codec file
    for codec in ht ht-4k; do
        file=$out/$codec.bin
        check "$1: $codec" "$bakeoff" encode --raw statehist/$codec "$2" -o "$file"
        check "$1: Java reads $codec" java_reads "$2" "$file"
        check "$1: Java writes $codec" java_writes "$2" "$file"
    done
}

put_history() { # lines of attributes on standard input
    printf '# statehistory-tsv 1\n# start: 0\n# end: 9\n'
    awk '{ print; n++ } END { for (q = 0; q < n; q++) printf "I\t%d\t0\t9\tn\t\n", q }'
}

# Names beyond ASCII and beyond U+FFFF, empty, with slashes and escapes, "*" if it can be represented, equal ones
# under several parents, and one of more than 65535 bytes.
{
    printf 'Q\t0\t-1\tThreads\nQ\t1\t0\t\nQ\t2\t1\t*\nQ\t3\t2\t*\nQ\t4\t0\t26/0000:00:1f.2\n'
    printf 'Q\t5\t-1\t\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\nQ\t6\t5\ta\\tb\\nc\\\\d\nQ\t7\t0\tThreads\n'
    printf 'Q\t8\t7\tThreads\nQ\t9\t6\tThreads\nQ\t10\t9\t\xf4\x8f\xbf\xbf\nQ\t11\t5\t**\nQ\t12\t-1\t'
    head -c 70000 /dev/zero | tr '\0' x
    printf '\nQ\t13\t12\tThreads\nQ\t14\t0\tx\n'
} | put_history >"$out/hard.txt"
exchange "hard names" "$out/hard.txt"

# Thousands of attributes, so that references have large numbers.
for ((q = 0; q < 3000; q++)); do
    printf 'Q\t%d\t%d\t%d\n' $q $(((q + 2) / 3 - 1)) $((q % 100 + q / 1000 * 100))
done | put_history >"$out/many.txt"
exchange "many names" "$out/many.txt"

for text in corpora/statehist/*.tsv.xz; do
    [ -f "$text" ] || continue
    xz -dc "$text" >"$out/embedded.txt"
    exchange "$(basename "$text")" "$out/embedded.txt"
done

# ---- Trace Compass' own answers for three histories ----------------------------------------------

sum() { # sum of standard input
    local sum
    sum=$(sha256sum | cut -d ' ' -f 1)
    [ "$sum" = "$1" ] || { echo "sum is $sum"; return 1; }
}
nodes_are() { # file nbytes sum
    head -c "$2" "$1" | sum "$3"
}
length_is() { # file nbytes
    [ "$(stat -c %s "$1")" = "$2" ]
}
state_is() { # codec text time sum
    "$bakeoff" encode "statehist/$1" "$2" -o "$out/state.bin" &&
        "$bakeoff" query "statehist/$1" "$out/state.bin" export "$3" | sum "$4"
}
comes_back() { # text: decoding and encoding again makes the same file
    "$bakeoff" encode statehist/ht "$1" -o "$out/once.bin" &&
        "$bakeoff" decode statehist/ht "$out/once.bin" -o "$out/again.txt" &&
        "$bakeoff" encode statehist/ht "$out/again.txt" | cmp - "$out/once.bin"
}

n_histories=0
while read -r name nbytes nodes whole time state; do
    [ -f "$histories/$name.tsv.xz" ] || continue
    n_histories=$((n_histories + 1))
    text=$out/$name.txt
    xz -dc "$histories/$name.tsv.xz" >"$text"
    check "$name: encode" "$bakeoff" encode --raw statehist/ht "$text" -o "$out/$name.ht"
    check "$name: nodes" nodes_are "$out/$name.ht" "$nbytes" "$nodes"
    check "$name: length" length_is "$out/$name.ht" "$whole"
    check "$name: comes back" comes_back "$text"
    check "$name: Java reads" java_reads "$text" "$out/$name.ht"
    check "$name: Java writes" java_writes "$text" "$out/$name.ht"
    for codec in $("$bakeoff" list codecs --json | jq -r '.[] | select(.format == "statehist") | .codec'); do
        check "$name: state, $codec" state_is "$codec" "$text" "$time" "$state"
    done
    rm -f "$text" "$out"/*.ht "$out/again.txt" "$out/once.bin"
done <<'EOF'
kernel-many-threads 14553088 78cfff85c7c258a89de2e78edba30c96704c69114842cf0dd78644b794aec4d6 16258801 1457113583010896983 498a490240031ea102560d35e1d3e787be93acd41f6ca26685085b205d4e2910
kernel-scp-dest 1183744 bbc9a5c6e4b66085a5ddad6d0d3844ccea2de0cd124cb041bfc8c06f5de1ce8e 1196695 1361214087674590647 fc64f5d44f6a7a5e2cd4c555bdd6dcf4c82c05fc02f1cfcd5f56cf99d9133d3b
ust-memory 6361088 466aa0c9460543922ebd3e8a159b19eaba6ec29e348e35de920bc18c6fdb4fdf 6361621 1448652394622128582 d217c65f6c73eb2babe612fd7c04ff9bb75c5b090137fef8fd579cdb9288ade8
EOF
[ $n_histories -gt 0 ] || echo "note: no histories in BAKEOFF_CORPORA: sums of the real program are not compared"

conclude
