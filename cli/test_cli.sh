#!/usr/bin/env bash
# Tests the command line as used by scripts: exit codes, messages, files, pipes, JSON. Run it from the repository's
# root, with the program's path in BAKEOFF. MEASURED is the program for measurements, which are slow with
# AddressSanitizer. Prints each failed case, then `N passed, M failed`; exits with 1 when one failed.
set -u
bakeoff=$(realpath "${BAKEOFF:-build/bakeoff}")
measured=$(realpath "${MEASURED:-$bakeoff}")
for program in "$bakeoff" "$measured"; do
    [[ -x $program ]] || { echo "test_cli: $program: no such program" >&2; exit 1; }
done
command -v jq >/dev/null || { echo "test_cli: jq is missing" >&2; exit 1; }
root=$PWD
t=$(mktemp -d)
trap 'rm -rf "$t"' EXIT
passed=0 failed=0

# ---- helpers -------------------------------------------------------------------------------------

note() { # OK-OR-NOT WHAT DETAIL
    if [[ $1 = 0 ]]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        printf 'FAILED %s: %s\n' "$2" "$3"
    fi
}

# read_text VARIABLE FILE: the text of a file without newlines at its end. Starts no process.
read_text() {
    local -n text_ret=$1
    IFS= read -rd '' text_ret <"$2"
    while [[ $text_ret = *$'\n' ]]; do text_ret=${text_ret%$'\n'}; done
}

# note_held OK-OR-NOT WHAT WHY: shows the start of $t/held when a command failed.
note_held() {
    local held=
    [[ $1 = 0 ]] || read_text held "$t/held"
    note "$1" "$2" "$3${held:0:200}"
}

# run ARGS...: runs the program. The exit code is in $code, the output in $t/out and $t/err.
run() {
    "$bakeoff" "$@" >"$t/out" 2>"$t/err" </dev/null
    code=$?
}

# gives CODE STDERR ARGS...: expects this exit code, this one line on stderr (a pattern; "" for none), and no data on
# failure.
gives() {
    local expected=$1 pattern=$2 err
    shift 2
    run "$@"
    read_text err "$t/err"
    # shellcheck disable=SC2053
    if [[ $code != "$expected" ]]; then
        note 1 "bakeoff $*" "exit code $code, not $expected: $err"
    elif [[ $err != $pattern ]]; then
        note 1 "bakeoff $*" "says '$err', not '$pattern'"
    elif [[ $code = 2 && -s $t/out ]]; then
        note 1 "bakeoff $*" "writes data although it fails"
    else
        note 0 "" ""
    fi
}

# fast COMMAND...: with the program for measurements, for work that other tests do with AddressSanitizer.
fast() {
    local bakeoff=$measured
    "$@"
}

refuses() { # MESSAGE ARGS...: bad usage or bad input
    gives 2 "bakeoff: $1" "${@:2}"
}

misuses() { # MESSAGE ARGS...: bad usage, with a reference to the help
    refuses "$1; see *" "${@:2}"
}

# interrupt SIGNALS LINE COMMAND...: sends each signal when standard error has a line that begins so. The exit code is
# in $code.
interrupt() {
    local signals=$1 line=$2 signal process i
    rm -f "$t/err"
    "${@:3}" >"$t/out" 2>"$t/err" &
    process=$!
    for ((i = 0; i < 1200; i++)); do
        grep -qs "^$line" "$t/err" && break
        sleep 0.05
    done
    for signal in $signals; do
        kill -"$signal" $process 2>/dev/null
        sleep 0.01
    done
    wait $process
    code=$?
}

same() { # WHAT FILE FILE
    cmp -s "$2" "$3"
    note $? "$1" "$2 and $3 differ"
}

holds() { # WHAT COMMAND...
    local what=$1
    shift
    "$@" >"$t/held" 2>&1
    note_held $? "$what" ""
}

json() { # WHAT JQ-FILTER [FILE]: on the last run's output, or a file
    jq -e "$2" "${3:-$t/out}" >"$t/held" 2>&1
    note_held $? "$1" "$2: "
}

damage() { # FROM TO OFFSET: adds 1 to one byte
    local byte
    cp "$1" "$2"
    byte=$(od -An -tu1 -j "$3" -N 1 "$1")
    # shellcheck disable=SC2059
    printf "\\x$(printf %02x $(((byte + 1) % 256)))" |
        dd of="$2" bs=1 seek="$3" conv=notrunc status=none
}

# ---- documents -----------------------------------------------------------------------------------

cat >"$t/tiny.txt" <<'END'
# comments go
pcdata 1
quantum 2
table 640 kind=pcsp refs=1
0 -1
20 8
30 0
600 16
table 8 kind=5 refs=3
0 7
END
cat >"$t/canonical.txt" <<'END'
pcdata 1
quantum 2
table 640 kind=pcsp refs=1
0 -1
20 8
30 0
600 16
table 8 kind=pcdata2 refs=3
0 7
END

# ---- help and bad usage --------------------------------------------------------------------------

for word in --help -h help; do
    gives 0 "" "$word"
    holds "bakeoff $word" grep -q "exit codes.*130 interrupted bench" "$t/out"
done
commands=$("$bakeoff" --help | sed -n 's/^  \([a-z-]*\)  *[a-zA-Z].*/\1/p')
holds "there are commands" test "$(wc -w <<<"$commands")" -ge 11
for command in $commands; do
    for word in --help -h; do
        gives 0 "" "$command" "$word"
        holds "$command $word" grep -q "^usage: bakeoff $command" "$t/out"
        holds "$command $word" grep -q -- "-h, --help" "$t/out"
    done
    refuses "$command: unknown option --frobnicate; see \`bakeoff $command --help\`" "$command" --frobnicate
done
refuses "no command 'frobnicate'; see \`bakeoff --help\`" frobnicate
run
holds "no arguments: exit code 2" test "$code" = 2
holds "no arguments: help on stderr" grep -q '^usage: bakeoff' "$t/err"

formats=$("$bakeoff" list formats --json | jq -r '.[].format' | paste -sd' ')
codecs=$("$bakeoff" list codecs --json | jq -r '.[] | select(.format == "pcdata").codec')
listed=$(paste -sd' ' <<<"$codecs")
refuses "encode: no format 'nothing'; the formats are $formats" encode nothing/raw "$t/tiny.txt"
refuses "encode: no codec 'nothing' of pcdata; there are $listed" encode pcdata/nothing "$t/tiny.txt"
for command in encode decode; do
    misuses "$command: expects FORMAT/CODEC and one file" "$command"
    misuses "$command: expects FORMAT/CODEC and one file" "$command" pcdata/raw
    misuses "$command: expects FORMAT/CODEC and one file" "$command" pcdata/raw a b
    refuses "$command: needs FORMAT/CODEC, such as *" "$command" pcdata "$t/tiny.txt"
    misuses "$command: --output needs FILE" "$command" pcdata/raw "$t/tiny.txt" -o
done
misuses "convert: expects two FORMAT/CODEC and one file" convert pcdata/raw pcdata/raw
refuses "convert: no codec 'x' of pcdata; there are *" convert pcdata/x pcdata/raw a
refuses "convert: no codec 'x' of pcdata; there are *" convert pcdata/raw pcdata/x a
misuses "import: expects a format and one file or folder" import pcdata
refuses "import: no format 'x'; *" import x "$t/tiny.txt"
misuses "import: --functions expects a number up to 4294967295, not 'x'" import pcdata "$t/tiny.txt" --functions x
misuses "import: --functions expects a number of at least 1" import pcdata "$t/tiny.txt" --functions 0
misuses "import: --functions expects a number of at least 1" import lprf "$t/tiny.txt" --functions 0
misuses "import: no importer of pcdata has the option --names" import pcdata "$t/tiny.txt" --names
misuses "import: --seed expects a number up to 18446744073709551615, not '-1'" import lprf "$t/tiny.txt" --seed -1
misuses "workload: expects check FILE DOC, or header [[]--format FORMAT[]] DOC" workload check
printf '# bakeoff-workload 2\n' >"$t/bad.workload"
refuses "$t/bad.workload: first line is not \"# bakeoff-workload 1\" at byte 0, line 1 (corrupt)" \
    workload check "$t/bad.workload" "$t/tiny.txt"
gives 0 "" workload header "$t/tiny.txt"
{ cat "$t/out"; printf '# program: p\n# version: 1\n# recorded: by hand\npoint\t0\t8\npoint\t7\t0\n'; } >"$t/far.workload"
gives 1 "bakeoff: $t/far.workload: query outside the document at byte *, line 8 (out of range)" \
    workload check "$t/far.workload" "$t/tiny.txt"
cat "$t/far.workload" | "$bakeoff" workload check - "$t/tiny.txt" 2>"$t/err"
holds "the line of an error on standard input" grep -q \
    '^bakeoff: standard input: query outside the document at byte [0-9]*, line 8 (out of range)$' "$t/err"
head -n 7 "$t/far.workload" >"$t/near.workload"
gives 0 "" workload check "$t/near.workload" "$t/tiny.txt"
holds "workload check" grep -q 'point 1 (0 hits); 0 actions$' "$t/out"
misuses "list: needs one of formats, codecs, corpora, workloads" list everything
misuses "list: --json requires formats, codecs, corpora or workloads" list --json
misuses "verify: needs a format" verify
refuses "verify: no format 'x'; *" verify x
refuses "verify: no codec 'x' of pcdata; there are *" verify pcdata --codec x
misuses "verify: --seed expects a number up to 18446744073709551615, not '-1'" verify pcdata --seed -1
misuses "verify: --generate expects a number up to 100000, not '1e9'" verify pcdata --generate=1e9
for other in "$t/tiny.txt" --codec=raw --generate=1; do
    misuses "verify: --vectors cannot be combined with documents, --codec or --generate" \
        verify pcdata "$other" --vectors x.json
done
refuses "size: needs a format; the formats are $formats" size

# ---- misspelt words, help, version ---------------------------------------------------------------

suggests() { # WORD ARGS...: bad usage, and the word that was meant
    refuses "*did you mean '$1'?*" "${@:2}"
}
suggests verify verfy pcdata
suggests help hlep
suggests bench help bnech
suggests codecs list codec
suggests --effort verify pcdata --efort=low
suggests --output encode pcdata/raw "$t/tiny.txt" --ouptut x
suggests pcdata verify pcdta
suggests statehist size stathist
suggests varint-delta encode pcdata/varint-detla "$t/tiny.txt"
suggests linear-index verify pcdata --codec linear-idnex
suggests low verify pcdata --effort lwo
suggests rfc table pcdata --style rfs
suggests esbuild-amd64-sample size pcdata esbuild-amd64-sampel
suggests bash generate bahs
misuses "generate: expects one argument" generate man x
suggests shape-code bench --corpus "$t/tiny.txt" --format pcdata --codec shape-cod
suggests point bench --corpus "$t/tiny.txt" --format pcdata --kind pont
suggests uniform bench --corpus "$t/tiny.txt" --format pcdata --workload unform
suggests encode bench --corpus "$t/tiny.txt" --format pcdata --kind encdoe
suggests esbuild-amd64-sample bench --corpus esbuild-amd64-sampel
suggests small pick pcdata --use smal
misuses "no command 'frobnicate'" help frobnicate
gives 0 "" help help
cp "$t/out" "$t/general-help"
gives 0 "" help --help
same "help --help" "$t/out" "$t/general-help"
misuses "unexpected argument 'list'" help size list
misuses "unexpected argument 'x'" --version x
misuses "unexpected argument 'x'" --help x
for command in $commands; do
    gives 0 "" help "$command"
    cp "$t/out" "$t/help"
    gives 0 "" "$command" --help
    same "help $command" "$t/out" "$t/help"
done
gives 0 "" --version
holds "--version" grep -qE '^bakeoff [0-9]+\.[0-9]+( \([0-9a-f]{12}(\+changes)?\))?$' "$t/out"
refuses "table: no style 'rfs' (did you mean 'rfc'?); the styles are md rfc csv *" table pcdata --style rfs
: >"$t/empty"
for format in $formats; do
    refuses "$t/empty: file is empty at byte 0 (truncated)" import "$format" "$t/empty"
done
make -s -C "$root" verify-codec >"$t/out" 2>"$t/err"
holds "verify-codec without CODEC fails" test $? = 2
holds "verify-codec without CODEC" grep -q 'needs a codec: make verify-codec CODEC=pcdata/shape-code' "$t/err"

# ---- verify-corpora: shards, resuming, the rows written; with a fake program ---------------------

mkdir "$t/corpora" && cd "$t/corpora" || exit 1
for i in 1 2 3 4 5; do head -c "$i" /dev/zero >"d$i"; done
cat >pretend <<'END'
#!/usr/bin/env bash
case $1 in
--version) echo "bakeoff 1.0 (0123456789ab)" ;;
list)
    for i in 1 2 3 4 5; do
        echo "{\"format\": \"f\", \"name\": \"d$i\", \"path\": \"d$i\", \"present\": true, \"state\": \"embedded\"}"
    done | jq -s '. + [{format: "f", name: "drawn", path: "d1", present: true, state: "drawn"},
        {format: "f", name: "absent", path: "d9", present: false, state: "not fetched"}]' ;;
verify)
    echo "$*" >>verified
    [[ ! -e stop || $3 != d4 ]] || exit 137
    case $3 in
    d3) echo '{"passed": 9, "failed": 1, "skipped": 2}'; exit 1 ;;
    d5) exit 2 ;;
    *) echo '{"passed": 10, "failed": 0, "skipped": 2}' ;;
    esac ;;
esac
END
chmod +x pretend
corpora() { # EXPECTED-CODE SHARD
    BAKEOFF=./pretend VERIFY_RESULTS=rows "$root/harness/verify_corpora.sh" "$2" >"$t/out" 2>"$t/err"
    code=$?
    note $((code != $1)) "verify-corpora $2" "exit code $code, not $1: $(head -c 200 "$t/err")"
}
for bad in 0/2 3/2 2 x/y; do corpora 2 "$bad"; done
corpora 0 2/2
holds "a shard verifies its documents" test "$(cut -d' ' -f3 verified | paste -sd' ')" = "d2 d4"
holds "in full" test "$(grep -c -- '--effort full --json$' verified)" = 2
holds "rows of the shard" test "$(grep -v '^#' rows | cut -f1-6,9)" = $'f\td2\tok\t10\t0\t2\t0123456789ab
f\td4\tok\t10\t0\t2\t0123456789ab'
corpora 0 2/2
holds "what was verified is not verified again" test "$(wc -l <verified)" = 2
rm rows
corpora 0 2/2
holds "its rows are written again" test "$(grep -v '^#' rows | cut -f1-6,9)" = $'f\td2\tok\t10\t0\t2\t0123456789ab
f\td4\tok\t10\t0\t2\t0123456789ab'
echo '# another program of this commit' >>pretend
corpora 0 2/2
holds "another program verifies again" test "$(wc -l <verified)" = 4
rm -r build rows verified
for i in 1 2 3 4 5; do
    BAKEOFF=./pretend VERIFY_RESULTS=rows "$root/harness/verify_corpora.sh" $i/5 >"$t/out.$i" 2>&1 &
done
wait
holds "shards lose no rows of each other" test "$(grep -v '^#' rows | cut -f2 | paste -sd' ')" = "d1 d2 d3 d4 d5"
rm -r build rows verified
touch stop
corpora 137 1/1
holds "an interrupted run says what it did not finish" test "$(grep -v '^#' rows | cut -f2,3 | paste -sd' ')" = \
    $'d1\tok d2\tok d3\tfailed d4\tnot run d5\tnot run'
rm stop
corpora 2 1/1
holds "and continues there" test "$(cut -d' ' -f3 verified | paste -sd' ')" = "d1 d2 d3 d4 d4 d5"
holds "rows of all" test "$(grep -v '^#' rows | cut -f2-5 | paste -sd' ')" = \
    $'d1\tok\t10\t0 d2\tok\t10\t0 d3\tfailed\t9\t1 d4\tok\t10\t0 d5\tnot read\t-\t-'
rm -r build verified
corpora 2 1/1
holds "documents that no run has verified come first" test "$(cut -d' ' -f3 verified | paste -sd' ')" = "d5 d1 d2 d3 d4"
cd "$root" || exit 1

# ---- shell completion, the man page, make install ------------------------------------------------

make -s -C "$root" install DESTDIR="$t/staged" PREFIX=/usr >"$t/out" 2>&1
holds "make install" test $? = 0
holds "make install takes gcc's program, whichever variant runs this" \
    bash -c "! grep -q __asan_init '$t/staged/usr/bin/bakeoff'"
installed=$t/staged/usr
holds "the installed program runs" "$installed/bin/bakeoff" --version
# completes WORD... EXPECTED: the completions that bash offers for the last word
completes() {
    local expected=${*: -1}
    (
        # shellcheck disable=SC1091
        . "$installed/share/bash-completion/completions/bakeoff"
        COMP_WORDS=(bakeoff "${@:1:$#-1}") COMP_CWORD=$(($# - 1))
        _bakeoff
        echo "${COMPREPLY[*]}"
    ) >"$t/completed" 2>&1
    holds "bash completes '${*:1:$#-1}'" grep -qxF -- "$expected" "$t/completed"
}
completes ver "verify"
completes --v "--version"
completes help ben "bench"
completes verify stat "statehist"
completes verify pcdata --eff "--effort"
completes verify pcdata --effort "" "low normal full"
completes verify --codec linear-index-s "linear-index-simd"
completes verify --effort low pc "pcdata"
completes encode pcdata/linear-index-s "pcdata/linear-index-simd"
completes table --style rf "rfc"
completes import pcdata "$t/tin" "$t/tiny.txt"
for command in $commands; do
    "$bakeoff" "$command" --help | sed -n 's/^  \(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p' >"$t/options"
    while read -r option; do
        completes "$command" "$option" "$option"
        grep -qF -- "${option//-/\\-}" "$installed/share/man/man1/bakeoff.1"
        note $? "the man page has $option" "$command"
    done <"$t/options"
done
if command -v zsh >/dev/null; then
    cat >"$t/complete.zsh" <<'END'
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "fpath=($1 \$fpath); autoload -U compinit; compinit -u -D; bakeoff() { print -r -- \"RAN<\$*>\" }"
zpty -w -n shell "bakeoff $2"$'\t\n'
zpty -r shell out '*RAN<[^$]*>*'
print -r -- "$out"
END
    zsh_completes() { # LINE EXPECTED: in an interactive zsh, with a tabulator
        timeout 60 zsh -f "$t/complete.zsh" "$installed/share/zsh/site-functions" "$1" >"$t/completed" 2>&1
        holds "zsh completes '$1'" grep -qF -- "RAN<$2>" "$t/completed"
    }
    zsh_completes "veri" "verify"
    zsh_completes "verify --eff" "verify --effort"
    zsh_completes "verify --effort lo" "verify --effort low"
    zsh_completes "verify stat" "verify statehist"
    zsh_completes "encode pcdata/linear-index-s" "encode pcdata/linear-index-simd"
else
    echo "note: not run: the completion: zsh is missing"
fi
if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$installed/share/man/man1/bakeoff.1" | grep -v 'missing date' >"$t/lint"
    holds "the man page is valid" test ! -s "$t/lint"
    mandoc -T ascii "$installed/share/man/man1/bakeoff.1" | sed 's/.\x08//g' >"$t/page"
    holds "the man page has the exit codes" grep -q '1 when a check or comparison failed' "$t/page"
else
    echo "note: not run: the check of the man page: mandoc is missing"
fi

# ---- missing files, and paths that are not files -------------------------------------------------

mkdir "$t/folder"
for command in "encode pcdata/raw" "decode pcdata/raw" "convert pcdata/raw pcdata/raw" \
    "import pcdata"; do
    # shellcheck disable=SC2086
    refuses "$t/absent: No such file or directory" $command "$t/absent"
    [[ $command == import* ]] && continue # there are folders that it takes
    # shellcheck disable=SC2086
    refuses "$t/folder: is a directory" $command "$t/folder"
done
refuses "$t/absent: No such file or directory" query pcdata/raw "$t/absent" point 0 0
misuses "$t/absent: neither a file nor a document of the corpora" verify pcdata "$t/absent"
misuses "$t/absent: neither a file nor a document of the corpora" size pcdata "$t/absent"
refuses "$t/tiny.txt: no importer of pcdata accepts this file; the importers are*" import pcdata "$t/tiny.txt"
refuses "$t/folder: no importer of statehist accepts this folder; the importers are*" import statehist "$t/folder"

# ---- encode, decode, convert, query: every codec -------------------------------------------------

first_codec=$(head -n 1 <<<"$codecs")
for codec in $codecs; do
    c=pcdata/$codec f=$t/codec-$codec.bin
    gives 0 "" encode "$c" "$t/tiny.txt" -o "$f"
    gives 0 "" decode "$c" "$f" -o "$t/back.txt"
    same "decode(encode) of $c" "$t/back.txt" "$t/canonical.txt"
    gives 0 "" encode "$c" "$t/tiny.txt"
    same "encode of $c to stdout" "$t/out" "$f"
    gives 0 "" encode "$c" "$t/tiny.txt" --raw --output="$t/bare.bin"
    gives 0 "" decode "$c" "$t/bare.bin" --raw
    same "decode --raw of $c" "$t/out" "$t/canonical.txt"
    tail -c "$(stat -c %s "$t/bare.bin")" "$f" >"$t/payload"
    same "the payload of $c in its file" "$t/payload" "$t/bare.bin"
    refuses "$t/bare.bin: not a file that \`encode\` wrote (bad magic number) at byte 0 (corrupt)" decode "$c" "$t/bare.bin"
    "$bakeoff" encode "$c" - <"$t/tiny.txt" 2>&1 | "$bakeoff" decode "$c" - >"$t/piped.txt" 2>&1
    same "encode and decode of $c in a pipe" "$t/piped.txt" "$t/canonical.txt"
    gives 0 "" convert "pcdata/$first_codec" "$c" "$t/codec-$first_codec.bin" -o "$t/converted.bin"
    same "convert to $c" "$t/converted.bin" "$f"
    gives 0 "" convert "$c" "pcdata/$first_codec" "$f"
    same "convert from $c" "$t/out" "$t/codec-$first_codec.bin"

    for query in "0 0:-1" "0 18:-1" "0 20:8" "0 30:0" "0 598:0" "0 600:16" "0 638:16" "1 6:7"; do
        # shellcheck disable=SC2086
        gives 0 "" query "$c" "$f" point ${query%:*}
        holds "query $c point ${query%:*}" test "$(cat "$t/out")" = "${query#*:}"
    done
    gives 0 "" query "$c" "$t/bare.bin" point 1 0 --raw
    gives 0 "" query "$c" "$f" scan 0
    holds "query $c scan 0" test "$(paste -sd, "$t/out")" = "0 -1,20 8,30 0,600 16"
    for query in "point 0 640" "point 0 1" "point 2 0" "point 0 4294967295" "scan 2"; do
        # shellcheck disable=SC2086
        refuses "$f: query is outside of the document: $query (out of range)" query "$c" "$f" $query
    done
    refuses "query: no query kind 'x' of pcdata; there are point scan span" query "$c" "$f" x 0
    misuses "query: expects a table number and a PC (point TABLE PC)" query "$c" "$f" point 0
    misuses "query: expects a table number and a PC (point TABLE PC)" query "$c" "$f" point 0 -1
    misuses "query: expects a table number (scan TABLE)" query "$c" "$f" scan 0 0
done
misuses "query: expects FORMAT/CODEC, a file, a query kind and its arguments" query pcdata/raw "$t/bare.bin"

# A real document goes through every codec that can hold all of it, one after the other, and must be unchanged. If no
# codec can, it is first reduced by the first codec, and then goes through those that can hold the result.
for format in $formats; do
    document=$("$bakeoff" list corpora --json |
        jq -r "[.[] | select(.format == \"$format\" and .embedded).path][0]")
    if [[ $document = *.xz ]]; then
        xz -dc "$document" >"$t/unpacked.txt"
        document=$t/unpacked.txt
    fi
    holds_all=$("$bakeoff" size "$format" "$document" --no-compress --json |
        jq -c '[.documents[0].codecs[] | select(.status == "ok" and (.leaves_out | not)) | .name]')
    chain=$("$bakeoff" list codecs --json | jq -r --argjson holds_all "$holds_all" ".[] |
        select(.format == \"$format\" and ((.reads // .codec) | IN(\$holds_all[]))) | \"\(.format)/\(.codec)\"")
    if [[ -z $chain ]]; then
        chain=$("$bakeoff" list codecs --json |
            jq -r ".[] | select(.format == \"$format\") | \"\(.format)/\(.codec)\"")
        gives 0 "bakeoff: note: * does not hold everything: *" \
            encode "$(head -n 1 <<<"$chain")" "$document" -o "$t/chain.bin"
        gives 0 "" decode "$(head -n 1 <<<"$chain")" "$t/chain.bin" -o "$t/held.txt"
        document=$t/held.txt
    fi
    previous=
    for codec in $chain; do
        if [[ -z $previous ]]; then
            gives 0 "" encode "$codec" "$document" -o "$t/chain.bin"
        else
            gives 0 "" convert "$previous" "$codec" "$t/chain.bin" -o "$t/chain.bin"
        fi
        previous=$codec
    done
    gives 0 "" decode "$previous" "$t/chain.bin"
    # A history's text also has the order in which intervals were closed, which is not part of the model.
    if [[ $format = statehist ]]; then
        LC_ALL=C sort -o "$t/out" "$t/out"
        LC_ALL=C sort "$document" >"$t/sorted.txt"
        document=$t/sorted.txt
    fi
    # The text also has the PCs after calls and the sizes of sections, for queries and ratios. They are not part of
    # the model.
    if [[ $format = unwind ]]; then
        grep -vE '^(calls|real) ' "$document" >"$t/rows.txt"
        document=$t/rows.txt
    fi
    same "$document through every codec" "$t/out" "$document"
done

# An answer that exceeds the first buffer.
{
    echo "pcdata 1"
    echo "quantum 1"
    echo "table 3000 kind=pcln refs=1"
    seq 0 2999 | sed 's/.*/& &/'
} >"$t/long.txt"
gives 0 "" encode pcdata/linear-index "$t/long.txt" -o "$t/long.bin"
gives 0 "" query pcdata/linear-index "$t/long.bin" scan 0
tail -n +4 "$t/long.txt" >"$t/long.runs"
same "a long scan" "$t/out" "$t/long.runs"

# A limit that a query exceeds is no full buffer. In this file of shared-trees, a000 inlines itself.
base64 -d >"$t/circle.bin" <<END
YWZzdAAABgAVCAgAKSovBQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABP/1SP4r0BB/xUQ6D+C/woAEPxXAECg/wAC/gMI+A8AAAAA
AAAAoDUBAAAAAAAAHwAAAAAAAgAABAAAAAAAAAAAAAAAAAAAAAAAAAAABwAAAAB/C6CkFjGzat3KAA==
END
for command in decode query; do
    # shellcheck disable=SC2046
    refuses "$t/circle.bin: functions are inlined too deeply at byte 140 (over limit)" \
        $command --raw autofdo/shared-trees "$t/circle.bin" $([[ $command = query ]] && echo function a000)
done

# ---- bad files -----------------------------------------------------------------------------------

f=$t/codec-linear-index.bin
size=$(stat -c %s "$f")
printf abc >"$t/short.bin"
refuses "$t/short.bin: not a file that \`encode\` wrote (bad magic number) at byte 0 (corrupt)" \
    decode pcdata/linear-index "$t/short.bin"
for n in 0 3 7 8 31 40 63; do
    head -c $n "$f" >"$t/cut.bin"
    refuses "$t/cut.bin: ends inside the file header at byte $n (truncated)" decode pcdata/linear-index "$t/cut.bin"
done
for n in 64 80 100 $((size - 1)); do
    head -c "$n" "$f" >"$t/cut.bin"
    for command in "decode pcdata/linear-index" "convert pcdata/linear-index pcdata/raw"; do
        # shellcheck disable=SC2086
        refuses "$t/cut.bin: file is shorter than its payload at byte $n (truncated)" $command "$t/cut.bin"
    done
    refuses "$t/cut.bin: file is shorter than its payload at byte $n (truncated)" \
        query pcdata/linear-index "$t/cut.bin" point 0 0
done
{ cat "$f"; echo; } >"$t/longer.bin"
refuses "$t/longer.bin: bytes follow the payload at byte $size (corrupt)" decode pcdata/linear-index "$t/longer.bin"
for at in 64 80 $((size - 1)); do
    damage "$f" "$t/damaged.bin" "$at"
    refuses "$t/damaged.bin: payload does not match its checksum at byte 64 (corrupt)" \
        decode pcdata/linear-index "$t/damaged.bin"
done
refuses "$f: file was written by another codec: it holds pcdata/linear-index" decode pcdata/raw "$f"
refuses "$f: file was written by another codec: it holds pcdata/linear-index" query pcdata/varint-delta "$f" point 0 0
refuses "$f: file was written by another codec: it holds pcdata/linear-index" convert pcdata/raw pcdata/raw "$f"
sed 's/pcdatalinear/xcdatalinear/' "$f" >"$t/other.bin"
refuses "$t/other.bin: file is of another format: it holds xcdata/linear-index" \
    decode pcdata/linear-index "$t/other.bin"
refuses "$t/tiny.txt: not a file that \`encode\` wrote (bad magic number) at byte 0 (corrupt)" \
    decode pcdata/linear-index "$t/tiny.txt"

# Without the header, errors report offsets in the payload; with it, in the file.
gives 0 "" encode pcdata/varint-delta "$t/tiny.txt" --raw -o "$t/bare.bin"
head -c 30 "$t/bare.bin" >"$t/cut.bin"
for command in "decode pcdata/varint-delta" "query pcdata/varint-delta"; do
    # shellcheck disable=SC2086
    refuses "$t/cut.bin: ends inside the area or its directory at byte 30 (truncated)" \
        $command "$t/cut.bin" --raw $([[ $command = query* ]] && echo point 0 0)
done

# Invalid texts: encode, size and verify all report the offset.
sed 's/^30 0/10 0/' "$t/canonical.txt" >"$t/bad.txt"
for command in "encode pcdata/raw" "size pcdata" "verify pcdata"; do
    # shellcheck disable=SC2086
    refuses "$t/bad.txt: PCs do not ascend at byte 56 (corrupt)" $command "$t/bad.txt"
done
refuses "$t/empty: expected \`pcdata 1\` in the first line at byte 0 (corrupt)" encode pcdata/raw "$t/empty"
{ dd bs=3 count=1 status=none of="$t/first"; "$bakeoff" encode pcdata/raw - >"$t/out" 2>"$t/err"; } <"$t/canonical.txt"
holds "standard input begins where another program stopped" grep -q \
    '^bakeoff: standard input: expected `pcdata 1` in the first line at byte 0 ' "$t/err"
"$bakeoff" encode pcdata/raw - <"$t/bad.txt" >"$t/out" 2>"$t/err"
holds "bad standard input: exit code" test $? = 2
holds "bad standard input is called that" \
    grep -qx "bakeoff: standard input: PCs do not ascend at byte 56 (corrupt)" "$t/err"
echo "pcdata 1
quantum 1
table 67108865 kind=pcsp refs=1
0 1" >"$t/huge.txt"
refuses "raw: text has more than 2^26 quanta (unsupported)" encode pcdata/raw "$t/huge.txt" -o "$t/huge.bin"
holds "nothing is written for a model that does not fit" test ! -e "$t/huge.bin"

# ---- import: options are the importer's ----------------------------------------------------------

printf 'f\n1\n2\n3\n4\n' >"$t/like.proftext"
printf '%s\n' a b c d >"$t/names.txt"
gives 0 "" import lprf "$t/like.proftext"
holds "import lays the text out" grep -qx '# Counter Values:' "$t/out"
misuses "import: importer proftext, which accepts this file, has no option --seed" \
    import lprf "$t/like.proftext" --seed 1
refuses "$t/names.txt: names have no counters: take some from a profile with --counters-like FILE (bad usage)" \
    import lprf "$t/names.txt" --names
refuses "$t/absent: No such file or directory" import lprf "$t/names.txt" --names --counters-like "$t/absent"
xz -kc "$t/like.proftext" >"$t/like.proftext.xz"
gives 0 "" import lprf "$t/names.txt" --names --counters-like "$t/like.proftext.xz" --functions 2
holds "two names, evenly spaced" test "$(grep -x '[a-d]' "$t/out" | paste -sd,)" = a,c
refuses "$bakeoff: no importer of lprf accepts this file; the importers are*" import lprf "$bakeoff"
for start in -1 1; do
    printf '# statehistory-tsv 1\n# start: %d\n# end: 2\nQ\t0\t-1\ta\nI\t0\t%d\t2\ti\t5\n' $start $start >"$t/at$start.tsv"
done
gives 0 "" import statehist "$t/at-1.tsv" --instant 0
holds "a snapshot at 0" grep -qx $'I\t0\t0\t0\ti\t5' "$t/out"
refuses "$t/at1.tsv: time is outside of the history (out of range)" import statehist "$t/at1.tsv" --instant 0

# ---- import: a long text, record by record -------------------------------------------------------

record="---
name:            'a<b>'
kind:            Memoization
event:           Begin
orig:            ''
poi:             'it''s.h:1:2'"
for _ in {1..20000}; do echo "$record"; done >"$t/long.yaml"
gives 0 "" import templight "$t/long.yaml" -o "$t/canonical.yaml"
same "clang's YAML stays what it is" "$t/canonical.yaml" "$t/long.yaml"
"$bakeoff" import templight - <"$t/long.yaml" >"$t/out"
same "on standard input, too" "$t/out" "$t/long.yaml"
head -c 1500000 "$t/long.yaml" >"$t/cut.yaml"
refuses "$t/cut.yaml: text ends inside a line at byte 1500000 (truncated)" \
    import templight "$t/cut.yaml" -o "$t/canonical.yaml"
same "a cut text leaves the old file" "$t/canonical.yaml" "$t/long.yaml"
refuses "$t/cut.yaml: text ends inside a line at byte 1500000 (truncated)" \
    import templight "$t/cut.yaml" -o "$t/cut.out"
holds "it makes no file" test -z "$(find "$t" -name 'cut.out*')"
if [[ -w /dev/full ]]; then
    refuses "/dev/full: No space left on device" import templight "$t/long.yaml" -o /dev/full
fi

# ---- output: whole or not at all -----------------------------------------------------------------

mkdir "$t/o"
refuses "*" encode pcdata/raw "$t/bad.txt" -o "$t/o/new.bin"
holds "bad input leaves no file" test -z "$(ls -A "$t/o")"
echo precious >"$t/o/old.bin"
refuses "*" encode pcdata/raw "$t/bad.txt" -o "$t/o/old.bin"
refuses "*" decode pcdata/raw "$t/bad.txt" -o "$t/o/old.bin"
refuses "*" import pcdata "$t/bad.txt" -o "$t/o/old.bin"
holds "bad input leaves the old file" test "$(cat "$t/o/old.bin")" = precious
refuses "$t/o/no/file: cannot create this output: its folder does not exist" \
    encode pcdata/raw "$t/tiny.txt" -o "$t/o/no/file"
refuses "$t/folder: *" encode pcdata/raw "$t/tiny.txt" -o "$t/folder"
long=$t/$(printf 'x%.0s' {1..5000})
refuses "$long: cannot create this output: File name too long" encode pcdata/raw "$t/tiny.txt" -o "$long"
gives 0 "" encode pcdata/raw "$t/tiny.txt" -o "$t/o/old.bin"
same "an old file is replaced" "$t/o/old.bin" "$t/codec-raw.bin"
(umask 027 && "$bakeoff" encode pcdata/raw "$t/tiny.txt" -o "$t/o/new.bin")
holds "permissions follow the umask" test "$(stat -c %a "$t/o/new.bin")" = 640
gives 0 "" encode pcdata/raw "$t/tiny.txt" -o /dev/null
holds "/dev/null is still a device" test -c /dev/null
gives 0 "" encode pcdata/raw "$t/tiny.txt" -o -
same "-o - is standard output" "$t/out" "$t/codec-raw.bin"
holds "no temporary file stays" test "$(find "$t" -name '*.bin.*' | wc -l)" = 0
if [[ -w /dev/full ]]; then
    for args in "encode pcdata/raw $t/tiny.txt" "list codecs" "decode pcdata/linear-index $f"; do
        # shellcheck disable=SC2086
        "$bakeoff" $args >/dev/full 2>"$t/err"
        holds "bakeoff $args >/dev/full: exit code" test $? = 2
        holds "bakeoff $args >/dev/full: message" grep -q '^bakeoff: standard output: ' "$t/err"
    done
    refuses "/dev/full: No space left on device" encode pcdata/raw "$t/tiny.txt" -o /dev/full
fi

# ---- packed input --------------------------------------------------------------------------------

if command -v xz >/dev/null && command -v zstd >/dev/null; then
    long_text=corpora/pcdata/esbuild-riscv64-sample.txt
    gives 0 "" encode pcdata/varint-delta "$long_text" -o "$t/plain.bin"
    xz -kc "$long_text" >"$t/packed.xz"
    zstd -qc "$long_text" >"$t/packed.zst"
    for kind in xz zst; do
        p=$t/packed.$kind
        name=${kind/zst/zstd}
        gives 0 "" encode pcdata/varint-delta "$p"
        same ".$kind input" "$t/out" "$t/plain.bin"
        "$bakeoff" encode pcdata/varint-delta - <"$p" >"$t/out"
        same ".$kind on standard input" "$t/out" "$t/plain.bin"
        for n in 20 500 $(($(stat -c %s "$p") - 1)); do
            head -c "$n" "$p" >"$t/cut.$kind"
            refuses "$t/cut.$kind: $name data ends early" encode pcdata/raw "$t/cut.$kind"
        done
        damage "$p" "$t/damaged.$kind" 2000
        refuses "$t/damaged.$kind: damaged $name data" encode pcdata/raw "$t/damaged.$kind"
    done
    xz -kc "$t/plain.bin" >"$t/plain.bin.xz"
    gives 0 "" decode pcdata/varint-delta "$t/plain.bin.xz"
    same "a packed file to decode" "$t/out" "$long_text"
    gives 0 "" size pcdata "$t/packed.xz" "$t/packed.zst" --no-compress --json
    json "packed documents lose their suffix" '[.documents[].name] == ["packed", "packed"]'
else
    echo "note: not run: packed input: xz or zstd is missing"
    failed=$((failed + 1))
fi

# ---- list ----------------------------------------------------------------------------------------

gives 0 "" list
for heading in '^pcdata: ' '^codec ' '^format '; do
    holds "list shows all three" grep -q "$heading" "$t/out"
done
for what in formats codecs corpora workloads; do
    gives 0 "" list $what
    holds "list $what" test -s "$t/out"
done
gives 0 "" list formats
holds "a kind without arguments" grep -q '^  summary: ' "$t/out"
gives 0 "" list corpora
holds "list corpora has aligned columns" awk '{ at = match($0, / (embedded|fetched|not fetched|external|drawn|state) /) }
    at && !first { first = at } at && at != first { bad = 1 } END { exit bad || !first }' "$t/out"
gives 0 "" list formats --json
json "list formats --json" 'map(select(.format == "pcdata"))[0].kinds
    | map(.kind) == ["point", "scan", "span"] and all(.arguments and .summary and (.workloads | length > 0))'
gives 0 "" list workloads --json
json "list workloads --json" 'any(.[]; .workload == "recorded" and .document == "go-prof" and (.path | test("go-prof.workload")))
    and any(.[]; .format == "pcdata" and .kind == "point" and .workload == "uniform")'
gives 0 "" list codecs --json
json "list codecs --json" 'all(.[]; (.format and .codec and (.kinds | length > 0))
    and (.role | IN("status quo", "proposed", "control", "new"))
    and (.access | IN("random", "block", "whole")))'
json "list codecs --json has no name twice" '(map(.format + "/" + .codec) | unique | length) == length'
json "list codecs --json has the seed" 'map(select(.codec == "linear-index"))
    == [.[] | select(.codec == "linear-index" and .role == "proposed" and .access == "random")]'
gives 0 "" list corpora --json
json "list corpora --json" 'map(select(.embedded)) | length >= 3
    and all(.[]; .present and .path and .provenance)
    and (map(.format) | unique) == '"$(jq -c '[.documents[].format] | unique' corpora/manifest.json)"''
(cd / && "$bakeoff" list corpora --json) >"$t/out" 2>"$t/err"
json "the corpora are found from elsewhere" 'map(select(.embedded)) | length >= 3'
cp "$bakeoff" "$t/o/bakeoff"
(cd "$t/o" && ./bakeoff list corpora) >"$t/out" 2>"$t/err"
holds "without corpora: exit code" test $? = 2
holds "without corpora: message" \
    grep -qx 'bakeoff: corpora/manifest.json: not found from here' "$t/err"
mkdir -p "$t/o/corpora"
echo '{"documents": [' >"$t/o/corpora/manifest.json"
(cd "$t/o" && ./bakeoff list corpora) >"$t/out" 2>"$t/err"
holds "a broken manifest: exit code" test $? = 2
holds "a broken manifest: message" grep -q '^bakeoff: corpora/manifest.json: .* at byte ' "$t/err"
rm -r "$t/o/corpora"

# ---- verify --------------------------------------------------------------------------------------

fast gives 0 "" verify pcdata "$t/tiny.txt" --effort low
holds "verify ends with its tally" grep -qx '[1-9][0-9]* passed, 0 failed' <(tail -n 1 "$t/out")
for codec in $codecs; do
    holds "verify names $codec" grep -q " $codec " "$t/out"
done
gives 0 "" verify pcdata "$t/tiny.txt" --codec varint-delta --json
json "verify --json" '.format == "pcdata" and .failed == 0 and .passed > 0
    and (.results | map(select(.status == "passed")) | length) == .passed
    and (.results | map(select(.status == "skipped")) | length) == .skipped
    and all(.results[]; .document == "tiny" and .codec and .check)
    and all(.results[]; .status == "passed" or (.status == "skipped" and .detail))'
gives 0 "" verify pcdata "$t/tiny.txt" --codec raw --json
json "verify --codec" '[.results[].codec] | unique == ["-", "raw"]'
fast gives 0 "" verify pcdata "$t/tiny.txt" --codec 'raw,*delta' --json
json "verify --codec with a list" '[.results[].codec] | unique == ["-", "raw", "varint-delta"]'
fast gives 0 "" verify pcdata "$t/tiny.txt" --codec raw --generate 2 --seed 7 --effort low --json
json "verify --generate" '[.results[].document] | unique == ["generated-7", "generated-8", "tiny"]'
mkdir "$t/documents"
cp "$t/tiny.txt" "$t/documents/a.txt"
cp "$t/canonical.txt" "$t/documents/b.txt"
gives 0 "" verify pcdata "$t/documents" --codec raw --json
json "verify of a folder" '[.results[].document] | unique == ["a", "b"]'

# The same results in the same order, for any number of workers.
fast gives 0 "" verify pcdata "$t/documents" --codec linear-index --effort low --jobs 0
cp "$t/out" "$t/one"
fast gives 0 "" verify pcdata "$t/documents" --codec linear-index --effort low -j 3
same "verify with 3 workers" "$t/out" "$t/one"
fast gives 0 "" verify lprf dup_main --codec list+u64 --effort low --json
cp "$t/out" "$t/low"
fast gives 0 "" verify lprf dup_main --codec list+u64 --effort normal --json
holds "--effort low runs fewer cases" jq -en --slurpfile low "$t/low" --slurpfile normal "$t/out" \
    '([$low[].results[].cases] | add) * 2 < ([$normal[].results[].cases] | add)'
mkdir "$t/nothing"
for command in "verify pcdata" "size pcdata" "bench --format pcdata --corpus"; do
    # shellcheck disable=SC2086
    refuses "$t/nothing: no documents here" $command "$t/nothing"
done
echo '[]' >"$t/none.json"
refuses "verify: no vectors of pcdata to verify" verify pcdata --vectors "$t/none.json"
fast gives 0 "" vectors pcdata/linear-index -o "$t/linear.json"
holds "vectors are those in the repository" cmp -s "$t/linear.json" <(xz -dc corpora/vectors/pcdata-linear-index.json.xz)
gives 0 "" verify pcdata --vectors "$t/linear.json"
holds "every reader passes" test "$(grep -c 'linear-index-simd ' "$t/out")" -gt 20
spoilt_vector() { # FILTER WHAT: a vector that the filter damages must fail
    jq "$1" "$t/linear.json" >"$t/spoilt.json"
    gives 1 "" verify pcdata --vectors "$t/spoilt.json"
    holds "vectors: $2" grep -q "^failed .*$2" "$t/out"
}
spoilt_vector '.valid[3].bytes = .valid[4].bytes' 'model encodes to other bytes'
spoilt_vector '.valid[3].answers[0].text = "point 0 0: 99"' 'the oracle gives other answers'
spoilt_vector '.invalid[2].bytes = .valid[0].bytes' 'accepted'
spoilt_vector '.invalid[2].rule = "another"' "expected 'another' ("
spoilt_vector '.invalid[2].offset = 1000' ', offset 1000)'
spoilt_vector '.valid[3].model = "pcdata 1"' 'at byte\|ends\|quantum\|other\|no '
jq '.schema = 2' "$t/linear.json" >"$t/spoilt.json"
refuses "$t/spoilt.json: unknown schema" verify pcdata --vectors "$t/spoilt.json"
refuses "$t/linear.json: the vectors are for pcdata, not for lprf" verify lprf --vectors "$t/linear.json"

fast gives 0 "" verify pcdata --vectors corpora/pcdata/vectors.json
holds "vectors pass" grep -qx '[1-9][0-9]* passed, 0 failed' <(tail -n 1 "$t/out")
jq '[.[] | select(.name == "minus1_then_runs" or .name == "wrap32")]' \
    corpora/pcdata/vectors.json >"$t/two.json"
spoil() { # JQ-FILTER REASON
    jq "$1" "$t/two.json" >"$t/spoilt.json"
    gives 1 "" verify pcdata --vectors "$t/spoilt.json"
    holds "vectors: $2" grep -q "^failed .*other-bytes: $2" "$t/out"
    holds "vectors: $2: tally" grep -qx '[1-9][0-9]* passed, [1-9][0-9]* failed' <(tail -n 1 "$t/out")
}
spoil '.[0].varint_delta = "00"' "the bytes differ"
spoil '.[1].linear_index_len += 1' "the length differs"
spoil '.[1].linear_index_sha256 |= sub("^."; "g")' "the SHA-256 differs"
spoil '.[0].runs[0][1] += 1' "the bytes differ"
jq '.[0].varint_delta = "00"' "$t/two.json" >"$t/spoilt.json"
gives 1 "" verify pcdata --vectors "$t/spoilt.json" --json
json "failing vectors in JSON" '.failed > 0 and any(.results[];
    .status == "failed" and .class == "other-bytes" and .detail == "the bytes differ")'
malform() { # JQ-FILTER MESSAGE
    jq "$1" "$t/two.json" >"$t/spoilt.json"
    refuses "$t/spoilt.json: vector 0: $2" verify pcdata --vectors "$t/spoilt.json"
}
malform '.[0].text_len += 1' "runs of a vector do not end at its text_len"
malform '.[0].runs[0] = [1]' "run of a vector is malformed or passes its text_len"
malform '.[0].runs[0][0] = 99999' "run of a vector is malformed or passes its text_len"
malform '.[0].quantum = 3' "quantum is not 1, 2 or 4"
malform 'del(.[0].runs)' "vector needs text_len, quantum, and runs or gen"
echo '{}' >"$t/spoilt.json"
refuses "$t/spoilt.json: no vectors: the object at byte 0 has no string \"format\"" \
    verify pcdata --vectors "$t/spoilt.json"
echo '{"format": "pcdata"}' >"$t/spoilt.json"
refuses "$t/spoilt.json: no vectors: the object at byte 0 has no string \"codec\"" \
    verify pcdata --vectors "$t/spoilt.json"
echo '[{"name": ' >"$t/spoilt.json"
refuses "$t/spoilt.json: * at byte *" verify pcdata --vectors "$t/spoilt.json"
refuses "$t/absent: *" verify pcdata --vectors "$t/absent"

# ---- size ----------------------------------------------------------------------------------------

gives 0 "" size pcdata "$t/tiny.txt" --json
json "size --json" '.format == "pcdata" and (.documents | length) == 1
    and .documents[0].name == "tiny" and .documents[0].units == {"tables": 2, "runs": 5, "refs": 4}
    and all(.documents[0].codecs[]; .name and .role and .access and .status == "ok"
        and .bytes > 0 and .zstd19 > 0 and .lz4 > 0 and (.sections | add) == .bytes)'
json "size --json has exact sizes" '[.documents[0].codecs[] | select(.name | IN("raw", "run-array"))
    | .bytes] | sort == [48, 1296]'
gives 0 "" size pcdata "$t/huge.txt" --json --no-compress
json "a codec that cannot hold the document says why" '.documents[0].codecs[] | select(.name == "raw")
    | (.status | test("2\\^26")) and (has("bytes") | not)'
fast gives 0 "" size pcdata "$t/tiny.txt" "$t/huge.txt"
holds "size in plain text" grep -q '^run-array ' "$t/out"
gives 0 "" size guid re2-guids --no-compress
holds "size marks codecs as table does" grep -q '^members (<) ' "$t/out"
holds "size explains the marks" grep -q '^(~): ' "$t/out"
holds "size has the order-0 entropy" grep -q '^order-0 entropy  *-  ' "$t/out"
gives 0 "" size pcdata esbuild-amd64-sample --no-compress --json
json "a document of the corpora by name" '.documents[0].name == "esbuild-amd64-sample"'
mkdir -p "$t/extra/pcdata"
cp "$t/tiny.txt" "$t/extra/pcdata/mine.txt"
BAKEOFF_CORPORA=$t/extra run list corpora --json
json "BAKEOFF_CORPORA adds documents" 'any(.[]; .name == "mine" and .state == "external")'
touch "$t/extra/pcdata/README.md" "$t/extra/pcdata/driver.cpp" "$t/extra/pcdata/esbuild-amd64-sample.txt"
mkdir -p "$t/extra/autofdo/llvm-text" "$t/extra/autofdo/series"
echo 'main:1:1' >"$t/extra/autofdo/llvm-text/libmine.llvmprof.txt.xz"
echo 'main:1:1' >"$t/extra/autofdo/series/libmine.2024.llvmprof.txt.xz"
echo 'main:1:1' >"$t/extra/autofdo/llvm-text/other.txt"
BAKEOFF_CORPORA=$t/extra run list corpora --json
json "notes, sources and known names are not offered" '[.[] | select(.state == "external" and .format == "pcdata")
    | .name] == ["mine"]'
mkdir -p "$t/extra/lprf"
touch "$t/extra/lprf/names-list.txt.xz" "$t/extra/lprf/names-profile.proftext"
BAKEOFF_CORPORA=$t/extra run list corpora --json
json "lists of names are no documents, profiles of names are" '[.[] | select(.state == "external" and .format == "lprf")
    | .name] == ["names-profile"]'
json "the manifest knows what lies deeper, and where it is from" '[.[] | select(.state == "external"
    and .format == "autofdo")] | map(.name) == ["libmine", "libmine.2024"]
    and all(.[]; .provenance | endswith("Apache-2.0"))'
BAKEOFF_CORPORA=$t/extra run size autofdo libmine --json --no-compress
json "and takes it by name" '.documents[0].name == "libmine" and .documents[0].units.functions == 1'

# ---- bench ---------------------------------------------------------------------------------------

pc0=(--format pcdata --corpus "$t/tiny.txt" --kind point --workload pc-0) # one query of a tiny document
gives 0 "*" bench --quick "${pc0[@]}" --codec raw --no-compress --json "$t/bench.json"
json "bench --json is Google Benchmark's" '.context and (.benchmarks | length > 0)
    and all(.benchmarks[]; .name and .run_type and .time_unit and has("cpu_time") and has("real_time"))' "$t/bench.json"
json "bench --json has the selected row" \
    'any(.benchmarks[]; .name | startswith("pcdata/raw/tiny/point/pc-0"))' "$t/bench.json"
for style in md rfc csv tex gobench; do
    gives 0 "" table pcdata --results "$t/bench.json" --style $style
    holds "table --style $style" grep -q raw "$t/out"
done
holds "gobench lines" grep -q '^Benchmark.*codec=raw.* ns/op' "$t/out"
suggests tiny table pcdata --results "$t/bench.json" --corpus tniy
# Bytes by field.
gives 0 "" size pcdata "$t/tiny.txt" --fields
holds "size --fields has the entropies" grep -qE '^run lengths +[0-9]+ +[0-9]+ +[0-9]+ +[0-9]+$' "$t/out"
holds "size --fields has what codecs store" grep -qE '^run-array +run lengths +starts +[0-9]+' "$t/out"
gives 0 "" size pcdata "$t/tiny.txt" --fields --json
json "size --fields --json" '.documents[0] | (.fields | length) == 4 and any(.stored[]; .codec == "shape-code" and .fields == "-")'
for option in --page --results=x --machine=x --charts=x; do
    misuses "report: --check-sizes cannot be combined with --page, --results, --machine or --charts" \
        report --check-sizes "$option"
done
refuses "size: --svg requires --fields and one file*" size pcdata --svg "$t/x.svg"
gives 0 "bakeoff: wrote *" report --results "$t/bench.json" -o "$t/report" --page --charts /dev/null
holds "report --page writes the page" grep -q '<section class="document" data-document="tiny">' "$t/report/build/report/index.html"
holds "report --page writes nothing else" test ! -e "$t/report/REPORT.md"
# A report of one file encodes nothing: the sizes of the embedded documents are only in the complete report.
gives 0 "bakeoff: wrote *" report --results "$t/bench.json" -o "$t/report" --charts /dev/null
holds "report --results has the file's documents" grep -q '^## pcdata' "$t/report/REPORT.md"
note "$(grep -c 'Sizes of the embedded documents' "$t/report/REPORT.md")" "report --results" "encodes the corpora"
holds "report --results writes no sizes" test ! -e "$t/report/results/sizes.md"
# The level of x86-64 can be capped, and results contain the path that ran.
export BAKEOFF_ISA=v9
refuses "BAKEOFF_ISA=v9: not one of v1, v2, v3, v4" list formats
export BAKEOFF_ISA=v1
gives 0 "*" bench --quick "${pc0[@]}" --codec shape-code --json "$t/v1.json"
unset BAKEOFF_ISA
gives 0 "" table pcdata --results "$t/v1.json" --style json
json "a capped run says so" '.documents[0].codecs[] | select(.name == "shape-code") | .path == "portable"'
gives 0 "" table pcdata --results "$t/v1.json" --style rfc
holds "the path is in the caption" grep -q 'shape-code portable' <(tr -s '\n ' ' ' <"$t/out")
suggests shape-code table pcdata --results "$t/v1.json" --codec shape-cod
suggests control table pcdata --results "$t/v1.json" --role contrl
suggests point table pcdata --results "$t/v1.json" --kind pont

# `bench --quick` makes 5 repetitions, too few for a 95% interval.
gives 0 "" table pcdata --results "$t/bench.json" --style rfc
note "$(grep -c '^Choose' "$t/out")" "table --style rfc" "answers where nothing is compared"
# The recipe reproduces the table: for a user's file, and for a document in the repository.
again() { # WHAT: runs the recipe in $t/out, without the checkout and the build, in another folder
    sed -n '/^To repeat it/,$p' "$t/out" | sed -n '2,/[^\\]$/p' >"$t/recipe"
    mkdir -p "$t/again/build" && ln -sf "$bakeoff" "$t/again/build/bakeoff" && ln -sfn "$root/corpora" "$t/again/corpora"
    cp "$t/tiny.txt" "$t/again/"
    cp "$t/out" "$t/first"
    holds "$1: the recipe runs" env -C "$t/again" \
        bash -ec "make() { :; }; git() { :; }; $(cat "$t/recipe") >second"
    # The codecs in the tables, the caption and the recipe: neither times nor lines whose breaks depend on times.
    exact() { sed -n '/^Format:/,/^Machine:/p; /^To repeat it/,/--style/p; 1,/^Format:/s/^\([a-z][a-z0-9+-]*\) .*/\1/p' "$1" | sort -u; }
    same "$1: the recipe prints the same table" <(exact "$t/first") <(exact "$t/again/second")
}
again "a user's file"
holds "the recipe names the user's file" grep -q -- "--corpus tiny.txt" "$t/recipe"
gives 0 "*" bench --quick --format pcdata --corpus esbuild-amd64-sample --codec 'varint*,raw' --kind point --workload pc-0,hot \
    --json "$t/embedded.json"
gives 0 "" table pcdata --results "$t/embedded.json" --style rfc --codec raw --workload pc-0
again "an embedded document"
gives 0 "" table pcdata --results "$t/embedded.json" --style csv --role control
note "$(cut -d, -f3 "$t/out" | tail -n +2 | sort -u | grep -cvx control)" "table --role" "another role is shown"
gives 0 "" table pcdata --results "$t/embedded.json" --style json --codec 'varint*'
json "table --codec" '[.documents[0].codecs[].name] == ["varint-delta", "varint-delta-cached"]'
mkdir -p "$t/runs/results/amd-zen3-2c"
cp "$t/embedded.json" "$t/runs/results/amd-zen3-2c/20260101T000000Z.json"
of_machine() { (cd "$t/runs" && "$bakeoff" "${@:2}" --machine "$1" 2>&1); } # NAME COMMAND...
holds "table --machine" grep -q '^| raw ' <(of_machine amd-zen3-2c table pcdata --codec raw)
holds "another machine is suggested" grep -qF \
    "no results of the machine 'amd-zen3' (did you mean 'amd-zen3-2c'?); there are: amd-zen3-2c" \
    <(of_machine amd-zen3 table pcdata)
holds "report --machine: another one" grep -qF "no results of the machine 'zen'; there are: amd-zen3-2c" \
    <(of_machine zen report --output "$t/runs/out")
refuses "table: --machine cannot be combined with --results*" \
    table pcdata --machine amd-zen3-2c --results "$t/embedded.json"
misuses "table: no row matches both --kind and --workload" \
    table guid --kind encode --workload hot
misuses "table: --json cannot be combined with --style md" table pcdata --results "$t/bench.json" --json --style md
misuses "table: the results have no codec 'nothing'" table pcdata --results "$t/embedded.json" --codec nothing
misuses "table: the results have no codec of the role 'nothing'" \
    table pcdata --results "$t/embedded.json" --role nothing
gives 0 "" table pcdata --results "$t/bench.json" --style rfc
tr -s '\n ' ' ' <"$t/out" >"$t/words"
holds "few repetitions have no interval" grep -q 'no 95% intervals, which need 6 repetitions' "$t/words"
note "$(grep -c '+-' "$t/out")" "few repetitions" "an interval is printed"
# Encodings with the same bytes on all documents are one encoding: its second readers name it in `reads`.
for golden in codecs/*/golden.tsv; do
    holds "$golden: each encoding once" awk \
        '$2 != "fields" && $1 !~ /^(sections|kinds|queries|damage)$/ {h[$2] = h[$2] " " $4} END {for (c in h) if (seen[h[c]]++) {print c; bad = 1}; exit bad}' "$golden"
done
echo 'x = "</script>"' >"$t/charts.js"
refuses "$t/charts.js: not usable in a page, because it contains </script or <!--" report --results "$t/bench.json" -o "$t/report" --page --charts "$t/charts.js"
gives 0 "" table pcdata --results "$t/bench.json" --style json
cp "$t/out" "$t/style.json"
gives 0 "" table pcdata --results "$t/bench.json" --json
same "table --json is --style json" "$t/out" "$t/style.json"
json "table --style json" '.format == "pcdata" and .run.commit and .run.machine
    and (.documents[0] | .xxh3 and (.codecs[0] | .bytes > 0 and (.rows["point/pc-0"] | .n > 0 and .low_ns <= .median_ns)))'
refuses "table: *" table pcdata --results "$t/bench.json" --style nothing
refuses "$t/absent: *" table pcdata --results "$t/absent"
refuses "bench: *" bench --quick --format pcdata --corpus "$t/tiny.txt" --codec nothing
cp "$t/tiny.txt" "$t/"$'latin1-\xe4.txt'
refuses "$t/"$'latin1-\xe4.txt: file name is not UTF-8' bench --quick --format pcdata --corpus "$t/"$'latin1-\xe4.txt'
rm "$t/"$'latin1-\xe4.txt'
# A codec that cannot hold a document is reported, but has not failed.
gives 0 "*" bench --quick --corpus make --format statehist --codec snapshot-packed --kind point --workload uniform
holds "bench says what is not held" grep -qx \
    'not held: make by snapshot-packed: holds one instant, not a history' "$t/out"
refuses "bench: no format 'x'; *" bench --format x

# ---- pick ----------------------------------------------------------------------------------------

gives 0 "*" bench --quick "${pc0[@]}" --kind point,open --codec varint-delta,raw --no-compress --json "$t/two.json"
gives 0 "" pick pcdata --results "$t/two.json" --row point/pc-0
holds "pick prints its pick" grep -q '^The pick: ' "$t/out"
gives 0 "" pick pcdata --results "$t/two.json" --size 1 --json
json "pick --json" '.pick == (.codecs | map(select(.score)) | min_by(.score) | .codec)
    and .weights.size.weight == 1'
gives 1 "" pick pcdata --results "$t/two.json" --row point/pc-0 --max-size 0.001x
holds "pick says that nothing is fit" grep -q '^No codec meets the limits' "$t/out"
for limit in '5 %' 105% abc -1; do
    misuses "pick: --max-size expects +5%, 0.8x or a number (a percentage needs a sign), not '$limit'" \
        pick pcdata --results "$t/two.json" --max-size "$limit"
done
gives 0 "" pick pcdata --results "$t/two.json" --max-size +500%
# Numbers are checked before the results are read.
for weight in abc -1; do
    misuses "pick: --size expects a number of at least 0, not '$weight'" \
        pick pcdata --results "$t/absent" --size "$weight"
done
misuses "pick: --row needs a weight or a limit of the lookup" \
    pick pcdata --results "$t/two.json" --row point/pc-0 --size 1
gives 0 "" pick pcdata --results "$t/two.json" --row point/pc-0 --size 1 --min-speed 0.001x
misuses "pick: tiny has no row 'point/absent'; the rows are point/pc-0" pick pcdata --results "$t/two.json" --row point/absent
run bench --quick --corpus "$t/tiny.txt" --kind open --codec varint-delta,raw --no-compress --json "$t/opened.json"
misuses "pick: varint-delta has no lookup, ns on tiny" pick pcdata --results "$t/opened.json" --lookup 1
refuses "pick: lprf has no use 'Z'; uses: A B C D" pick lprf --use Z --results results/absent
misuses "pick: the results have no documents of lprf" pick lprf --results "$t/two.json"
misuses "pick: the results have no document tinny of pcdata (did you mean 'tiny'?)" \
    pick pcdata --results "$t/two.json" --corpus tinny
for wish in --size=1 --max-open=5 --min-speed=2x --row=point/pc-0; do
    misuses "pick: --use cannot be combined with weights, limits or --row" pick pcdata --use "any PC" $wish
done
misuses "pick: --min-speed cannot be combined with --max-lookup" pick pcdata --min-speed 2x --max-lookup 5
misuses "table: --held-out cannot be combined with --codec, --role, --kind, --workload or --corpus" \
    table pcdata --held-out --kind point
jq '.benchmarks = [] | .context.bakeoff.documents[].codecs = []' "$t/two.json" >"$t/bare.json"
misuses "pick: tiny has no codecs" pick pcdata --results "$t/bare.json"
misuses "pick: no measure has a weight above 0" pick pcdata --results "$t/two.json" --size 0

gives 0 "" pick guid --use small
holds "units of uses are those of the tables" grep -q ' guid  *score ' "$t/out"

# ---- insns ---------------------------------------------------------------------------------------

not_measured=$bakeoff bakeoff=$measured
insns=(insns pcdata --corpus "$t/canonical.txt" --codec raw,varint-delta)
echo "# Made with: another compiler" >"$t/other.tsv"
run "${insns[@]}" --check "$t/other.tsv"
holds "counts of another compiler are not compared" test "$code" = 2
holds "and it is said" grep -q '^not comparable: made here with .* with another compiler$' "$t/out"
refuses "$t/absent: No such file or directory" "${insns[@]}" --check "$t/absent"
misuses "insns: --golden cannot be combined with --check" "${insns[@]}" --golden --check "$t/other.tsv"
refuses "insns: no codec 'rew' of pcdata (did you mean 'raw'?)" insns pcdata --codec raw,rew
if grep -q -e __asan_init -e __llvm_prf_cnts "$bakeoff"; then
    echo "note: a program with AddressSanitizer or coverage does not run under valgrind: instructions are not counted"
else
    gives 0 "" "${insns[@]}" --golden
    cp "$t/out" "$t/insns.tsv"
    gives 0 "" "${insns[@]}" --check "$t/insns.tsv"
    awk -F '\t' -v OFS='\t' '$4 == "point/uniform" { $5 *= 1.02 } { print }' "$t/insns.tsv" >"$t/more.tsv"
    gives 1 "" "${insns[@]}" --check "$t/more.tsv"
    holds "what takes other counts is named" \
        grep -q '^pcdata/raw/canonical/point/uniform: .* instructions, was .* (-2.0%)$' "$t/out"
fi
bakeoff=$not_measured

# ---- outputs and standard streams ----------------------------------------------------------------

printf 'guid 1\n0x5 -\n' >"$t/guids.txt"
gives 0 "" encode guid/sorted "$t/guids.txt" -o "$t/kept.bin"
cp "$t/kept.bin" "$t/expected.bin"
: >"$t/kept.bin"
chmod 600 "$t/kept.bin"
ln -s kept.bin "$t/link.bin"
gives 0 "" encode guid/sorted "$t/guids.txt" -o "$t/link.bin"
same "an output through a link" "$t/kept.bin" "$t/expected.bin"
holds "the link and the permissions of an output stay" test "$(stat -c %F/%a "$t/link.bin" "$t/kept.bin")" = \
    $'symbolic link/777\nregular file/600'
long=$(printf 'n%.0s' {1..250})
gives 0 "" encode guid/sorted "$t/guids.txt" -o "$t/$long"
mkfifo "$t/fifo"
mkdir "$t/interrupted"
for signal in INT TERM HUP; do
    # Background jobs of a script ignore SIGINT, and what nohup starts ignores SIGHUP.
    env --default-signal=INT,TERM,HUP "$bakeoff" import templight "$t/fifo" -o "$t/interrupted/out" 2>/dev/null &
    exec 9>"$t/fifo"
    for ((i = 0; i < 100; i++)); do
        [[ ! $(ls -A "$t/interrupted") ]] || break
        printf 'x' >&9
        sleep 0.05
    done
    kill -$signal $!
    exec 9>&-
    wait $! 2>/dev/null
    code=$?
    holds "SIG$signal leaves no temporary file ($code)" test "$code.$(ls -A "$t/interrupted")" = "$((128 + $(kill -l $signal)))."
done
"$bakeoff" --version >/dev/full 2>/dev/null
holds "--version reports a full device" test $? = 2
"$bakeoff" help >/dev/full 2>/dev/null
holds "help reports a full device" test $? = 2
"$measured" bench --format guid --codec sorted --kind open --repetitions 1 --corpus "$t/guids.txt" --json "$t/closed.json" \
    >&- 2>"$t/err"
holds "a closed standard output is an error" test $? = 2
gives 0 "" table guid --results "$t/closed.json"
"$bakeoff" decode guid/sorted - <&- >"$t/out" 2>"$t/err"
holds "a closed standard input is an error" test $? = 2
mkdir "$t/no-files" "$t/two-files"
cp "$t/guids.txt" "$t/two-files"
echo notes >"$t/no-files/README.md"
refuses "$t/no-files: no documents here" size guid "$t/no-files"
echo notes >"$t/two-files/README.md"
gives 0 "" size guid "$t/two-files" --no-compress --json
json "notes in a folder are no documents" '[.documents[].name] == ["guids"]'
mkdir "$t/json-files"
echo '{"traceEvents": []}' >"$t/json-files/trace.json"
echo '{"by": "hand"}' >"$t/json-files/provenance.json"
gives 0 "" size templight "$t/json-files" --no-compress --json
json "JSON that a format accepts is a document" '[.documents[].name] == ["trace.json"]'
fast gives 0 "" size guid corpora/guid --no-compress --json
cp "$t/guids.txt" "$t/two-files/two.txt"
misuses "size: --svg requires one document" size guid --fields --svg "$t/x.svg" "$t/two-files"
misuses "bench: two documents have the name guid/guids: *" bench --format guid --corpus "$t/guids.txt,$t/two-files/guids.txt"
refuses "--plugin needs FILE.so; see *" --plugin
(trap '' CHLD; timeout 100 "$bakeoff" verify guid "$t/guids.txt" --effort low -j 2 >"$t/out" 2>&1)
holds "verify ends where SIGCHLD is ignored" grep -q ' passed, 0 failed$' "$t/out"

# ---- plugins, new-codec, new-format --------------------------------------------------------------

if make -s -C "$root/examples/plugin" BAKEOFF="$root" OUT="$t" >"$t/out" 2>&1; then
    plugin=$t/run-pairs.so
    gives 0 "" --plugin "$plugin" verify pcdata "$t/tiny.txt" --codec run-pairs
    holds "a plugin's codec passes every check" grep -q ' passed, 0 failed' "$t/out"
    gives 0 "" --plugin "$plugin" encode pcdata/run-pairs "$t/tiny.txt" -o "$t/pairs.bin"
    gives 0 "" --plugin "$plugin" decode pcdata/run-pairs "$t/pairs.bin" -o "$t/pairs.txt"
    gives 0 "" encode pcdata/raw "$t/tiny.txt" -o "$t/raw.bin"
    gives 0 "" decode pcdata/raw "$t/raw.bin"
    same "a plugin's round trip" "$t/out" "$t/pairs.txt"
    gives 0 "*" --plugin "$plugin" bench --quick "${pc0[@]}" --codec raw,run-pairs --no-compress --json "$t/plugin.json"
    gives 0 "" --plugin "$plugin" table pcdata --results "$t/plugin.json"
    holds "a run names its plugins" jq -e '.context.bakeoff.plugins | test("^run-pairs.so [0-9a-f]{16}$")' "$t/plugin.json"
    holds "a plugin's row" grep -q '^| run-pairs | control' "$t/out"
    refuses "$plugin: codec run-pairs: another codec of the format has this name" --plugin "$plugin" --plugin "$plugin" list
    refuses "encode: no codec 'run-pairs' of pcdata; there are *" encode pcdata/run-pairs "$t/tiny.txt"
    # A codec that crashes fails that check; the other checks still run.
    mkdir "$t/crash"
    sed 's/"run-pairs"/"crash"/; s/\.query = query,/.query = crash,/
        /^static enum bo_status encode(/i static enum bo_status crash(void *reader, unsigned kind, const void *queries, size_t n, void *answers, struct bo_error *err) { (void)reader, (void)kind, (void)queries, (void)n, (void)answers, (void)err; __builtin_trap(); }
        ' "$root/examples/plugin/run_pairs.c" >"$t/crash/run_pairs.c"
    cp "$root/examples/plugin/Makefile" "$t/crash/"
    make -s -C "$t/crash" BAKEOFF="$root" OUT="$t/crash" >"$t/out" 2>&1
    gives 1 "*" --plugin "$t/crash/run-pairs.so" verify pcdata "$t/tiny.txt" --codec crash -j 2
    holds "a crash is a failed check" grep -q '^failed .* oracle .*crash: ' "$t/out"
    holds "checks that do not crash pass" grep -q '^passed .* determinism ' "$t/out"
else
    holds "the example plugin builds" false
fi
refuses "$t/absent.so: cannot open*" --plugin "$t/absent.so" list
refuses "libm.so.6: not a plugin for this version: it has no bo_plugin_6" --plugin libm.so.6 list
misuses "new-codec: expects a format and a name" new-codec pcdata
misuses "new-codec: pcdata already has a codec raw" new-codec pcdata raw
misuses "new-codec: codec name 'My_Idea' must start with a letter a-z, contain only a-z, 0-9 and -, not end with -, and have at most 40 characters" new-codec pcdata My_Idea
cd "$t" || exit 1
refuses "codecs/pcdata/codecs.def: *; run this command in bakeoff's source tree, for a format in it" new-codec pcdata my-idea
misuses "new-codec: codec name 'test-a' begins with test-: files test_[*].c are tests" new-codec pcdata test-a
misuses "new-codec: noop is bakeoff's measurement of the driver alone" new-codec pcdata noop
refuses "codecs/formats.def: *; run this command in bakeoff's source tree" new-format mine
misuses "new-format: expects a name" new-format
misuses "export: prefix '9a_' must start with a letter a-z and contain only a-z, 0-9 and _" export pcdata/raw -o x --prefix 9a_
mkdir -p source/cli/export own earlier
echo 'raise SystemExit(1)' >source/cli/export/amalgamate.py
for file in own/{README.md,vectors.json} earlier/vectors.json; do
    echo mine >$file
done
echo '/* Made by `bakeoff export`; not to be edited. */' >earlier/raw.c
refuses "export: own is not empty, and not a folder of an earlier export" export pcdata/raw -o own
gives 2 "" export pcdata/raw -o earlier --source source
holds "a failed export leaves an earlier one as it was" test "$(cat earlier/vectors.json) $(ls earlier)" = \
    $'mine raw.c\nvectors.json'
misuses "new-format: format pcdata already exists" new-format pcdata
misuses "new-format: format name 'my-idea' must start with a letter a-z, contain only a-z and 0-9, and have at most 24 characters" new-format my-idea
misuses "new-format: --as is lines or json, not 'yaml'" new-format mine --as yaml
mkdir -p codecs/mine
echo 'FORMAT(pcdata)' >codecs/formats.def
refuses "codecs/mine: File exists" new-format mine
rmdir codecs/mine
for form in lines json; do
    gives 0 "" new-format mine$form --as $form
    holds "new-format fills in every word" bash -c "! grep -rE '@[A-Za-z_0-9]+@' codecs/mine$form --include='*.[ch]' --include='*.md'"
done
holds "new-format limits the variants of make test" test "$(grep -cE '^(gcc|asan|msan|ppc)'$'\t' codecs/minelines/limits.tsv)" = 4
holds "new-format lists the formats" test "$(tail -n 2 codecs/formats.def)" = $'FORMAT(minelines)\nFORMAT(minejson)'
rm -r codecs
cd "$root" || exit 1

# ---- merge ---------------------------------------------------------------------------------------

record() { # NAME HASH COUNTER...
    printf '%s\n# Func Hash:\n%s\n# Num Counters:\n%s\n# Counter Values:\n' "$1" "$2" $(($# - 2))
    printf '%s\n' "${@:3}" ''
}
{
    record main 24 1 2
    record main 25 7
    record step 0 18446744073709551614
} >"$t/one.proftext"
{
    record 'x y' 3 5
    record step 0 2
    record main 24 10 20
} >"$t/two.proftext"
{
    record main 24 11 22
    record main 25 7
    record step 0 18446744073709551615
    record 'x y' 3 5
} >"$t/sum.proftext"
gives 0 "bakeoff: merge: 1 sums were limited to the largest number" \
    merge lprf "$t/one.proftext" "$t/two.proftext" -o "$t/merged.proftext"
same "merge adds up" "$t/merged.proftext" "$t/sum.proftext"
gives 0 "" merge lprf "$t/one.proftext"
same "merge of one" "$t/out" "$t/one.proftext"
llvm_profdata=$(command -v llvm-profdata-14 || command -v llvm-profdata)
if [[ $llvm_profdata ]]; then
    "$llvm_profdata" merge --text "$t/one.proftext" "$t/two.proftext" -o "$t/llvm.proftext" 2>"$t/err"
    same "merge as llvm-profdata" "$t/merged.proftext" "$t/llvm.proftext"
else
    echo "note: not run: what merge makes, compared with llvm-profdata, which is missing"
fi
record main 24 1 2 3 >"$t/three.proftext"
refuses "$t/three.proftext: functions of one name and hash differ in their number of counters: main (corrupt)" \
    merge lprf "$t/one.proftext" "$t/two.proftext" "$t/three.proftext" "$t/two.proftext"
misuses "merge: documents of pcdata cannot be merged" merge pcdata "$t/tiny.txt" "$t/tiny.txt"
misuses "merge: expects a format and files, or results" merge lprf
refuses "$t/absent: *" merge lprf "$t/one.proftext" "$t/absent"
refuses "$t/tiny.txt: hash is not a number below 2^64 at byte * (corrupt)" merge lprf "$t/one.proftext" "$t/tiny.txt"

# ---- repeated measurements -----------------------------------------------------------------------

bakeoff=$measured
finish() {
    echo "$passed passed, $failed failed"
    exit $((failed > 0))
}
if grep -q __asan_init "$bakeoff"; then
    echo "note: no shards, held-out documents, comparisons of runs or two builds in turns: they take minutes with AddressSanitizer"
    finish
fi

# ---- report: the page of sizes -------------------------------------------------------------------

mkdir -p "$t/checked/results"
sed '0,/ 1\.000 /s// 2.000 /' results/sizes.md >"$t/checked/results/sizes.md"
gives 1 "bakeoff: $t/checked/results/sizes.md: its sizes differ from those of a new run" \
    report --check-sizes -o "$t/checked"
holds "the changed line is printed" test "$(grep -c '^[-+]|' "$t/out") $(grep -c '^-|.* 2\.000 ' "$t/out")" = '2 1'

# ---- bench: chosen documents, interrupted runs, --resume, --report -------------------------------

gives 0 "bakeoff: 1 of 1: pcdata/tiny: *" bench --quick --corpus "$t/tiny.txt" --codec raw --kind open
holds "the format is that of the file" grep -q '^pcdata/tiny: ' "$t/out"
gives 0 "bakeoff: 1 of 1: autofdo/lua-perf: *" \
    bench --corpus lua-perf --codec gcov-v3 --kind open --repetitions 1
for file in lprf/spirit_calc.proftext templight/small_tuple.yaml statehist/pipes.tsv; do
    gives 0 "bakeoff: 1 of 1: ${file%.*}*" bench --corpus "corpora/$file.xz" --kind open --repetitions 1
done
echo nonsense >"$t/nonsense"
refuses "/proc/self/mem: Input/output error" workload header /proc/self/mem
misuses "bench: $t/nonsense: not accepted by any format; --format chooses one of $formats" bench --corpus "$t/nonsense"
misuses "bench: --quick cannot be combined with --full" bench --quick --full
misuses "bench: --report requires --json with a file or folder" bench --report

mkdir -p "$t/docs4" "$t/tree/results"
for i in 1 2 3 4; do sed "s/^600 16/600 1$i/" "$t/tiny.txt" >"$t/docs4/d$i.txt"; done
ln -s "$root"/{Makefile,bench,build,codecs,corpora,fuzz,harness} "$t/tree/"
cp -r README.md docs "$t/tree/"
long=(bench --format pcdata --corpus "$t/docs4" --codec raw,varint-delta --repetitions 3)
# Stops a run of the tiny documents after its first document; the others take long. As from `timeout`, the signal comes
# twice: once to the process, once to its group.
partial='.context.bakeoff.partial'
for signal in TERM INT; do
    rm -f "$t/stopped.json"
    interrupt "$signal $signal" "bakeoff: 1 of 4: " "$bakeoff" "${long[@]}" --json "$t/stopped.json"
    holds "no process of the run stopped by SIG$signal stays" bash -c "! pgrep -f '[s]topped.json'"
    holds "SIG$signal: exit code 130" test "$code" = 130
    holds "SIG$signal: the message" grep -q 'interrupted after [1-3] of 4 documents; `--resume` ' "$t/err"
    json "SIG$signal leaves valid results" "($partial.measured | . >= 1 and . < 4) and $partial.of == 4
        and any(.benchmarks[]; .run_name == \"pcdata/raw/d1/open\")" "$t/stopped.json"
done
gives 0 "*note: partial results: [1-3] of 4 documents*" table pcdata --results "$t/stopped.json" --style rfc
tr -s '\n ' ' ' <"$t/out" >"$t/words"
holds "table states it" grep -q 'partial run: [1-3] of 4 documents' "$t/words"
gives 0 "*note: partial results: *" compare "$t/stopped.json" "$t/stopped.json"
gives 0 "*note: partial results: *" report --results "$t/stopped.json" -o "$t/report" --charts /dev/null
holds "report states it" grep -q '; partial: [1-3] of 4 documents' "$t/report/REPORT.md"
cp "$t/stopped.json" "$t/kept.json"
resumed="$t/stopped.json: note: partial results: * of 4 documents
bakeoff: $t/stopped.json: cannot be resumed: its"
refuses "$resumed options is *, this run's is *" "${long[@]}" --kind open --resume "$t/stopped.json"
refuses "$resumed rounds is 3, this run's is 2" "${long[@]}" --repetitions 2 --resume "$t/stopped.json"
refuses "$resumed documents differ from this run's" \
    "${long[@]}" --corpus "$t/docs4/d1.txt" --resume "$t/stopped.json"
for fact in machine processor paths program_xxh3; do
    jq ".context.bakeoff.$fact = \"other\"" "$t/kept.json" >"$t/stopped.json"
    refuses "$resumed $fact is \"other\", this run's is *" "${long[@]}" --resume "$t/stopped.json"
done
cp "$t/kept.json" "$t/stopped.json"
# What failed before the interruption still counts, also on a portable path.
for name in raw raw@portable; do
    jq --arg name "pcdata/$name/d1/open" '.benchmarks |= [.[] | if .name == "pcdata/raw/d1/open"
        then ., . + {name: $name, run_name: $name, error_occurred: true, error_message: "planted"} else . end]' \
        "$t/kept.json" >"$t/stopped.json"
    gives 1 "*bakeoff: 4 of 4: pcdata/d4: *" "${long[@]}" --resume "$t/stopped.json"
done
cp "$t/kept.json" "$t/stopped.json"
misuses "bench: --resume $t/stopped.json continues in that file, not in --json $t/other.json" \
    "${long[@]}" --json "$t/other.json" --resume "$t/stopped.json"
first_time='[.benchmarks[] | select(.name == "pcdata/raw/d1/open").real_time]'
gives 0 "*bakeoff: 4 of 4: pcdata/d4: *" "${long[@]}" --resume "$t/stopped.json"
json "--resume completes the results" "$partial == null and ([.context.bakeoff.documents[].name]
    == [\"d1\", \"d2\", \"d3\", \"d4\"]) and all(.context.bakeoff.documents[]; .complete_rounds == null)" "$t/stopped.json"
json "each row has its repetitions once" '[.benchmarks[] | select(.run_type == "iteration").run_name]
    | group_by(.) | all(.[]; length == 3)' "$t/stopped.json"
holds "--resume keeps what was measured" \
    test "$(jq -c "$first_time" "$t/stopped.json")" = "$(jq -c "$first_time" "$t/kept.json")"
refuses "$t/stopped.json: the results are complete: nothing to resume" "${long[@]}" --resume "$t/stopped.json"
# The documents share the time, and their results are complete with fewer repetitions.
limited=(bench --format pcdata --corpus "$t/docs4" --codec raw --repetitions 1000)
gives 0 "*" "${limited[@]}" --time-limit 2 --json "$t/limited.json"
holds "each document gets part of the time" bash -c "
    grep -c '^bakeoff: [1-4] of 4: .* rows, [1-9][0-9]* of 1000 repetitions, ' '$t/err' | grep -qx 4"
holds "the limit is named" grep -q '^bakeoff: bench: documents with fewer than 1000 .* limit of 2 s: 4 of 4; ' "$t/err"
json "results within a limit are complete" "$partial == null and .context.bakeoff.options.time_limit_s == 2 and
    ([.benchmarks[] | select(.run_type == \"iteration\" and .error_occurred == null)] | group_by(.run_name)
    | all(.[]; length >= 1 and length < 1000))" "$t/limited.json"
gives 0 "*" report --results "$t/limited.json" -o "$t/limited" --charts /dev/null
holds "report counts the documents" grep -q '; depth: selected, 1000 repetitions of 4 documents; 4 documents with fewer repetitions$' "$t/limited/REPORT.md"
misuses "bench: --time-limit cannot be combined with --against" "${limited[@]}" --time-limit 2 --against "$bakeoff"
misuses "bench: --time-limit cannot be combined with layouts; *" "${limited[@]}" --time-limit 2 --layouts 2
misuses "bench: --time-limit expects *" "${limited[@]}" --time-limit soon

cd "$t/tree" || exit 1
# `make bench`, stopped with SIGTERM once the first document is done.
interrupt TERM "bakeoff: 1 of 4: " env -u MAKEFLAGS -u MAKELEVEL make bench BENCH_FLAGS="${long[*]:1}"
holds "make bench fails when it is stopped" test "$code" != 0
holds "no process of make bench stays" bash -c "! pgrep -f '[r]eport --format pcdata --corpus $t'"
json "make bench keeps what was measured" "$partial.measured >= 1" results/*/*Z.json
rm -r results/*
gives 0 "*" bench --quick --corpus "$t/tiny.txt" --codec raw,varint-delta --kind point,open --json results/ --report
holds "--report leaves README.md and docs/ as they are" \
    bash -c "cmp README.md '$root/README.md' && diff -r docs '$root/docs'"
holds "it writes results/ and REPORT.md" test "$(ls -d results/*/*Z.json results/pcdata.md REPORT.md | wc -l)" = 3
holds "--report writes the run's report" grep -q '; depth: selected, 5 repetitions of 1 document$' REPORT.md
holds "--report writes no sizes, which do not depend on the run" test ! -e results/sizes.md
holds "--report draws no pictures" bash -c "! grep -q '^!\[' REPORT.md; [[ -z \$(find . -name '*.svg') ]]"
run_file=$(echo results/*/*Z.json)
jq '.context.bakeoff.partial = {measured: 0, of: 1, documents: []}' "$run_file" >"$t/partial.json"
mv "$t/partial.json" "$run_file"
gives 2 "*bakeoff: $run_file: cannot be resumed: its options is *" bench --quick --corpus "$t/tiny.txt" --resume
cd "$root" || exit 1

# ---- bench in shards, merge of results -----------------------------------------------------------

mkdir "$t/shards" "$t/many"
for i in 1 2 3 4; do
    sed "s/^30 0/3$((2 * i)) 0/" "$t/canonical.txt" >"$t/many/d$i.txt"
done
options=(--format pcdata --corpus "$t/many" --codec raw --kind point --workload pc-0 --repetitions 1 --no-compress)
examples=$root/examples/shards
# All documents once, each with the part that timed it, for any order of the shards.
merged='[.context.bakeoff.documents[].name] == ["d1", "d2", "d3", "d4"]
    and [.context.bakeoff.parts[].bakeoff.shard.shard] == [1, 2, 3]
    and [.context.bakeoff.documents[].part] == [0, 1, 2, 0]
    and ([.benchmarks[] | select(.run_type == "iteration").run_name] | sort | unique | length == 8)'

mkdir -p "$t/ci/build"
ln -s "$bakeoff" "$t/ci/build/bakeoff"
mapfile -t steps < <(sed -n 's/^ *- run: \(build\/bakeoff .*\)/\1/p' "$examples/matrix.yml")
holds "the matrix measures, then merges" test ${#steps[@]} = 2
for shard in $(sed -n 's/^ *shard: \[\(.*\)\]/\1/p' "$examples/matrix.yml" | tr -d ,); do
    step=${steps[0]//'${{ matrix.shard }}'/$shard}
    (cd "$t/ci" && BENCH_FLAGS="${options[*]}" bash -e -c "$step") >"$t/out" 2>&1
    holds "the matrix measures shard $shard" test $? = 0
done
(cd "$t/ci" && bash -e -c "${steps[1]}")
json "the matrix's results, merged" "$merged" "$t/ci/merged.json"

if command -v parallel >/dev/null; then
    BAKEOFF=$bakeoff "$examples/parallel.sh" 3 "$t/parallel.json" "${options[@]}" >"$t/held" 2>&1
    holds "GNU parallel runs the shards" test -s "$t/parallel.json"
    json "GNU parallel's results, merged" "$merged" "$t/parallel.json"
else
    echo "note: not run: the example with GNU parallel, which is missing"
    failed=$((failed + 1))
fi
for task in 1 2 3; do
    SLURM_ARRAY_TASK_ID=$task SLURM_ARRAY_TASK_COUNT=3 BAKEOFF=$bakeoff \
        "$examples/slurm.sh" "$t/shards" "${options[@]}" 2>"$t/err"
done
s=$t/shards
gives 0 "" merge "$s/3.json" "$s/1.json" "$s/2.json"
json "the order of files does not matter" '[.context.bakeoff.documents[].name] == ["d1", "d2", "d3", "d4"]'
refuses "$s/2.json: with these files, of 3 shards there are missing: 3; --partial merges *" \
    merge "$s/1.json" "$s/2.json" -o "$t/part.json"
holds "nothing is written without all shards" test ! -e "$t/part.json"
gives 0 "" merge --partial "$s/1.json" "$s/2.json" -o "$t/part.json"
json "without a shard, results are partial" '.context.bakeoff.partial.of == 4 and
    .context.bakeoff.partial.measured == (.context.bakeoff.documents | length)' "$t/part.json"
gives 2 "*: note: partial results: [1-3] of 4 documents
bakeoff: $s/2.json: shard 2/3 occurs twice" merge "$t/part.json" "$s/2.json"
gives 0 "*: note: partial results: [1-3] of 4 documents" merge "$t/part.json" "$s/3.json" -o "$t/whole.json"
json "what was merged in part can be completed" "$merged" "$t/whole.json"
gives 0 "bakeoff: table: *" table pcdata --results "$t/whole.json"
holds "a table says which shard timed it" grep -q 'Run: .*, shard [123] of 3' "$t/out"
gives 0 "" table pcdata --results "$t/whole.json" --style csv
holds "csv says which machine timed a document" grep -q ',machine,cpu,date$' "$t/out"
gives 0 "" pick pcdata --results "$t/whole.json" --size 1
holds "pick says what is compared" grep -Pqz 'All\s+times\s+of\s+a\s+document\s+are\s+from\s+one\s+machine\s+and\s+one\s+run' "$t/out"
jq '.context.bakeoff.machine = "another"' "$s/2.json" >"$t/elsewhere.json"
gives 0 "" merge "$s/1.json" "$t/elsewhere.json" "$s/3.json" -o "$t/apart.json"
gives 0 "" compare "$t/whole.json" "$t/apart.json"
holds "times of another machine are not compared" \
    test "$(grep -c 'times were not compared: measured on different processors' "$t/out")" = 1
jq '.context.bakeoff.commit = "0123"' "$s/2.json" >"$t/other.json"
refuses "$t/other.json: is of another commit than $s/1.json: 0123, not *" merge "$s/1.json" "$t/other.json" "$s/3.json"
jq '.context.bakeoff.commit = "unknown"' "$s/1.json" >"$t/a.json"
jq '.context.bakeoff.commit = "unknown" | .context.bakeoff.program_xxh3 = "0"' "$s/2.json" >"$t/b.json"
refuses "$t/b.json: is of another program (the commit does not say what it holds) than *" \
    merge --partial "$t/a.json" "$t/b.json"
gives 0 "*" bench "${options[@]}" --kind point,open --shard 2/3 --json "$t/other.json"
refuses "$t/other.json: is of other options than $s/1.json: *\"kind\": \"point,open\"*" \
    merge "$s/1.json" "$t/other.json" "$s/3.json"
gives 0 "*" bench "${options[@]}" --corpus "$t/many/d1.txt,$t/many/d2.txt" --shard 2/3 --json "$t/other.json"
refuses "$t/other.json: is a shard of another list of documents than $s/1.json" \
    merge "$s/1.json" "$t/other.json" "$s/3.json"
refuses "$t/bench.json: is not a shard; \`bakeoff bench --shard K/N\` makes them" merge "$t/bench.json"
gives 0 "*shard 5 of 9 has no documents*" bench "${options[@]}" --shard 5/9 --json "$t/none.json"
refuses "$t/none.json: is a shard of 9, $s/1.json one of 3" merge "$s/1.json" "$t/none.json"
refuses "$t/tiny.txt: not JSON at byte *
bakeoff: $t/tiny.txt: neither a format nor results of \`bench --json\`" merge "$t/tiny.txt" "$s/1.json"
for shard in 0/3 4/3 1/0 2 x/3 1/3x; do
    misuses "bench: --shard expects K/N, such as 2/3, not '$shard'" bench --shard $shard
done
misuses "bench: no codec 'nothing' for the selected documents" bench "${options[@]}" --codec nothing --shard 1/3

# ---- bench --held-out ----------------------------------------------------------------------------

mkdir -p "$t/unseen/pcdata" "$t/flat"
cp "$t/many/d2.txt" "$t/unseen/pcdata/late.txt"
cp "$t/many/d3.txt" "$t/flat/later.txt"
touch "$t/unseen/pcdata/README.md"
held=(bench "${pc0[@]}" --codec raw,varint-delta --repetitions 2)
gives 0 "*" "${held[@]}" --held-out "$t/unseen" --json "$t/held.json"
json "the results know them" '[.context.bakeoff.documents[] | select(.held_out).name] == ["late"]' "$t/held.json"
# With one document of each sort, means are the ratios themselves, and sizes are exact.
ratio_on() { # DOCUMENT
    jq -r ".context.bakeoff.documents[] | select(.name == \"$1\").codecs
        | map({(.name): .bytes}) | add | .raw / .[\"varint-delta\"]" "$t/held.json" | xargs printf %.3f
}
sizes="$(ratio_on tiny) +$(ratio_on late)"
holds "held-out and others stand side by side" grep -Eq "^raw +control +$sizes +[0-9.]+ " "$t/out"
holds "the held-out documents are named" grep -q '1 other document and over 1 held-out one (late), of bytes' "$t/out"
gives 0 "bakeoff: table: the largest corpus, tiny; *" table pcdata --results "$t/held.json"
holds "the largest is not a held-out one" grep -q 'Corpus: tiny ' "$t/out"
for style in md rfc csv; do
    gives 0 "" table pcdata --results "$t/held.json" --held-out --style $style
    holds "table --held-out --style $style" grep -Eq "raw.*control.*$(ratio_on late)" "$t/out"
done
misuses "table: --held-out requires --style md, rfc or csv" table pcdata --results "$t/held.json" --held-out --style tex
misuses "table: the results have no held-out documents of pcdata beside others" \
    table pcdata --results "$t/bench.json" --held-out
gives 0 "" pick pcdata --results "$t/held.json" --size 1
holds "pick says how its pick does there" grep -q \
    '^On the 1 held-out document: varint-delta is number 1 of 2, score 1.000' "$t/out"
gives 0 "*" "${held[@]}" --held-out "$t/flat"
holds "a folder of files of the one format" grep -q '(later), of bytes' "$t/out"
cp "$t/tiny.txt" "$t/flat/copy.txt"
refuses "$t/flat/copy.txt: not a held-out document: it has the content of tiny" "${held[@]}" --held-out "$t/flat"
mv "$t/flat/copy.txt" "$t/flat/tiny.txt"
refuses "$t/flat/tiny.txt: duplicate document name in this run" "${held[@]}" --held-out "$t/flat"
refuses "$t/absent: no such folder" "${held[@]}" --held-out "$t/absent"
refuses "$t/flat: no documents here; its subfolders would be called as formats are" bench --held-out "$t/flat"

# The digests of held-out documents are in git. The corpora next to the working directory have priority.
mkdir -p "$t/sealing/corpora"
echo '{"documents": [], "drawn": [], "external": [], "lists": []}' >"$t/sealing/corpora/manifest.json"
"$bakeoff" encode pcdata/raw "$t/unseen/pcdata/late.txt" -o "$t/late.raw"
"$bakeoff" decode pcdata/raw "$t/late.raw" -o "$t/late.canonical"
seal() { # DIGEST
    printf '{"documents": [{"format": "pcdata", "name": "late", "sealed": "2026-11-24", "sha256": "%s"}]}' "$1" \
        >"$t/sealing/corpora/held-out.json"
}
seal "$(sha256sum "$t/late.canonical" | cut -d ' ' -f 1)"
cd "$t/sealing" || exit 1
gives 0 "bakeoff: 1 of 2: *" "${held[@]}" --held-out "$t/unseen" --json "$t/sealed.json"
json "results have the day of sealing" '[.context.bakeoff.documents[].sealed] == [null, "2026-11-24"]' "$t/sealed.json"
seal 0123
refuses "$t/unseen/pcdata/late.txt: not the sealed document: SHA-256 * differs from 0123 in corpora/held-out.json" \
    "${held[@]}" --held-out "$t/unseen"
echo '{"documents": []}' >"$t/sealing/corpora/held-out.json"
gives 0 "bakeoff: $t/unseen/pcdata/late.txt: note: not sealed: it is missing in corpora/held-out.json*" "${held[@]}" --held-out "$t/unseen"
echo '{' >"$t/sealing/corpora/held-out.json"
refuses "corpora/held-out.json: line *" "${held[@]}" --held-out "$t/unseen"
cd "$root" || exit 1

# ---- bench --check: results that are contributed -------------------------------------------------

gives 0 "*" bench "${pc0[@]}" --codec raw --repetitions 2 --json "$t/users/"
users=$(echo "$t"/users/*/*.json)
gives 1 "" bench --check "$users"
holds "a user's file is not accepted" grep -q "$users: document pcdata/tiny is a file of the user's" "$t/out"
holds "selected documents are not accepted" grep -q "$users: documents were selected by --corpus: " "$t/out"
holds "missing documents are named" grep -q "$users: document pcdata/go-prof was not measured" "$t/out"
holds "few repetitions are not accepted" grep -q "$users: repetitions are 2: " "$t/out"
holds "the user's path stays private" bash -c "! grep -q '$t' '$users'"
gives 0 "*" bench --format guid --codec sorted --kind open --repetitions 6 --json "$t/mine/"
mine=$(echo "$t"/mine/*/*.json)
gives 1 "" bench --check "$mine"
holds "selected rows are not accepted" grep -q "$mine: depth is selected: " "$t/out"
holds "the last line says so" grep -qx "$mine: not accepted" "$t/out"
mended() { # FILTER: exit code and output of the check of a run that is accepted but for the filter
    jq '.context.bakeoff |= (.commit = "0123456789012345678901234567890123456789"
        | .options |= (del(.codec, .kind, .workload) | .depth = "default" | .quick = false)) | '"$1" "$mine" >"$t/mended"
    mkdir -p "$t/mended.d/$(basename "$(dirname "$mine")")"
    mv "$t/mended" "$t/mended.d/$(basename "$(dirname "$mine")")/run.json"
    run bench --check "$t/mended.d/$(basename "$(dirname "$mine")")/run.json"
}
breaks() { # FILTER MESSAGE: only this rule
    mended "$1"
    holds "a run is not accepted: $2" test "$code" = 1 -a "$(wc -l <"$t/out")" = 2
    holds "the rule is named: $2" grep -q "run.json: $2" "$t/out"
}
mended .
holds "a sound run is accepted" test "$code" = 0
breaks '.context.bakeoff.commit += "+changes"' "commit is 0*"
breaks '.context.bakeoff.partial = {measured: 1, of: 3}' "partial results: 1 of 3 documents"
breaks '.context.bakeoff.options.depth = "full"' "layouts are 0: a full run has at least 5"
breaks '.context.bakeoff.processor.isa_cap = "x86-64-v1"' "code paths were capped at x86-64-v1"
breaks '.context.bakeoff.machine = "other-2c"' "folder is .*, the machine is other-2c"
breaks '.context.bakeoff.options.corpus = true' "documents were selected by --corpus"
breaks '.context.bakeoff.rounds = 5' "repetitions are 5: a 95% interval needs at least 6"
breaks 'del(.context.bakeoff.documents[0])' "document guid/re2-guids was not measured"
other='.context.bakeoff.documents += [.context.bakeoff.documents[0] | .name = "other"'
breaks "$other | .embedded = true]" "document guid/other is not in the repository"
breaks "$other | .embedded = false | .held_out = true]" "held-out document guid/other is not sealed"
breaks '.benchmarks += [(.benchmarks[0] | .error_occurred = true | .error_message = "wrong answer")]' \
    "guid/sorted failed on re2-guids, open: wrong answer"
breaks '.benchmarks += [(.benchmarks[0] | .run_name = "guid/sorted@portable/re2-guids/open"
    | .error_occurred = true | .error_message = "wrong answer")]' \
    "guid/sorted@portable failed on re2-guids, open: wrong answer"
breaks '.context.bakeoff.documents = [] | .benchmarks = []' "the run has no documents"
holds "make contribute's script keeps what is not accepted" grep -q "depth is selected" \
    <(BAKEOFF=$bakeoff RESULTS=$t/contributed bench/contribute.sh "${pc0[@]}" --codec raw --repetitions 2 2>/dev/null)
holds "the results of that are there" compgen -G "$t/contributed/*/*.json"

# ---- bench/watch.pl: figures from artificial traces ----------------------------------------------

printf '%s\n' 'payload 10020 256' 'mark 4000' 'kind point uniform 2' 'kind all whole 1' >"$t/said"
{
    echo ' L 10020,8' # before the first mark: opening
    echo 'I  4000,3'
    echo ' L 10040,4' # the batch
    echo 'I  4000,3'
    echo 'I  4000,3'  # query 0: across a line's end, once more in the same line, and outside of the payload
    printf '%s\n' ' L 1003c,8' ' L 10044,1' ' L 1001f,1' ' L 10120,8' ' S 10080,8' 'I  4010,2'
    echo 'I  4000,3'  # query 1: nothing
    echo 'I  4000,3'
    echo ' L 10080,8' # between kinds
    printf '%s\n' 'I  4000,3' 'I  4000,3' 'I  4000,3'
    printf '%s\n' ' M 10100,8' ' L 1011f,1' ' L 10081,32'
    echo 'I  4000,3'
} >"$t/trace.lackey"
perl bench/watch.pl lines "$t/said" p <"$t/trace.lackey" >"$t/out"
holds "lines of a made trace" test "$(cat "$t/out")" = "$(printf 'p\tpoint/uniform\t1.00\np\tall/whole\t2.00')"
sed -E 's|^I  4000,3$|Trace 0: 0x7f00 [0/4000/0/0] bo_queries_mark|; s|^ [LSM].*|Trace 0: 0x7f00 [0/5000/0/0] x|' \
    "$t/trace.lackey" >"$t/trace.qemu"
perl bench/watch.pl insns "$t/said" p <"$t/trace.qemu" >"$t/out"
holds "instructions of a made trace" test "$(cat "$t/out")" = "$(printf 'p\tpoint/uniform\t0.50\np\tall/whole\t0.00')"
head -n 5 "$t/trace.lackey" >"$t/trace.cut"
holds "a trace that ends early is no figure" grep -q 'too few marks' <(perl bench/watch.pl lines "$t/said" p <"$t/trace.cut" 2>&1)
holds "watch.sh names the machines" grep -q 'no machine vax; the machines are arm64 and s390x' \
    <(bench/watch.sh insns vax pcdata "$t/tiny.txt" 2>&1)

# ---- bench --layouts -----------------------------------------------------------------------------

links=(bench "${pc0[@]}" --codec raw,shape-code)
misuses "bench: --layouts expects N or N:SEED with N up to 12, not '13'" bench --layouts 13
misuses "bench: --layouts expects N or N:SEED with N up to 12, not '2:x'" bench --layouts 2:x
misuses "bench: --layouts 3 needs at least as many repetitions; 2 are too few" "${links[@]}" --layouts 3 --repetitions 2
if [[ -e $bakeoff.link ]] && command -v ld.lld >/dev/null; then
    gives 0 "bakeoff: linking 2 layouts*" "${links[@]}" --layouts 2:9 --repetitions 4 --json "$t/links.json"
    json "the results have the layouts" '.context.bakeoff.layouts
        | .n == 2 and .seed == 9 and (.linker | test("LLD")) and .functions > 1000' "$t/links.json"
    json "rounds take layouts in turn" '[.benchmarks[] | select(.run_type == "iteration")]
        | group_by(.run_name) | length > 1 and all(map(.layout) == [0, 1, 0, 1])' "$t/links.json"
    json "the results have the size of the effect" '.context.bakeoff.documents[0].noise.point
        | .between >= 1 and .within >= 1 and .layout_sd >= 0' "$t/links.json"
    gives 0 "bakeoff: 1 of 1: *" "${links[@]}" --repetitions 4 --json "$t/one.json"
    json "results without --layouts have no layouts" '(.context.bakeoff.layouts | not) and
        all(.benchmarks[]; has("layout") | not) and .context.bakeoff.documents[0].noise.point.between == null' "$t/one.json"
    # A program that was moved out of its build tree cannot be linked.
    mkdir "$t/moved"
    cp "$bakeoff" "$t/moved/bakeoff"
    holds "layouts need the build tree" grep -q "moved/bakeoff.link: no such file" \
        <("$t/moved/bakeoff" "${links[@]}" --layouts 2 2>&1)
    printf '%s\n' "$t/moved" gcc x.o >"$t/moved/bakeoff.link"
    holds "layouts need the objects" grep -q "moved/x.o: the build tree lacks this object" \
        <("$t/moved/bakeoff" "${links[@]}" --layouts 2 2>&1)
    touch -d '+1 hour' "$t/moved/x.o"
    holds "layouts need the program's own objects" grep -q "x.o: the object is newer than the program" \
        <("$t/moved/bakeoff" "${links[@]}" --layouts 2 2>&1)
    touch -d '-1 hour' "$t/moved/x.o"
    sed -i '2s/gcc/false/' "$t/moved/bakeoff.link"
    holds "a failing linker" grep -q "false: linking in another order failed" \
        <("$t/moved/bakeoff" "${links[@]}" --layouts 2 2>&1)
else
    echo "note: not run: bench --layouts: no build tree beside $bakeoff, or no ld.lld"
fi

# ---- compare -------------------------------------------------------------------------------------

gives 0 "" compare "$t/bench.json" "$t/bench.json"
holds "compare counts" grep -q '^0 better, 0 worse' "$t/out"
jq '.context.bakeoff.documents[0].codecs |= map(if .name == "raw" then .bytes += 1 else . end)' \
    "$t/bench.json" >"$t/larger.json"
gives 1 "" compare "$t/bench.json" "$t/larger.json"
holds "compare reports one byte more" grep -Eq '^raw +bytes .* worse' "$t/out"
gives 1 "" compare --json "$t/bench.json" "$t/larger.json"
json "compare --json" '[.[].changes[] | select(.verdict == "worse")]
    | length == 1 and .[0].what == "bytes" and .[0].after == .[0].before + 1'
gives 1 "" compare --style md "$t/bench.json" "$t/larger.json"
holds "compare --style md" grep -Eq '^\| raw \| bytes \| .* \| worse \|$' "$t/out"
misuses "compare: --json cannot be combined with --style" compare --json --style md "$t/bench.json" "$t/bench.json"
refuses "$t/tiny.txt: not JSON at byte [0-9]*" compare "$t/bench.json" "$t/tiny.txt"
misuses "compare: no style 'html'; the styles are text and md" compare --style html "$t/bench.json" "$t/bench.json"
comment() { # EXIT-CODE ARGS...: of the script that comments on pull requests
    local expected=$1
    shift
    BAKEOFF=$bakeoff "$root/.github/comment.sh" "$@" >"$t/out" 2>"$t/err"
    holds "comment.sh $*: exit code $expected" test $? = "$expected"
}
comment 1 "$t/bench.json" "$t/bench.json" "$t/bench.json" "$t/larger.json"
holds "the comment says that something is worse" grep -q '^### .*: \*\*something is worse\*\*$' "$t/out"
holds "the comment has the row" grep -Eq '^\| raw \| bytes \| .* \| worse \|$' "$t/out"
comment 0 "$t/bench.json" "$t/bench.json"
holds "the comment says that nothing is" grep -q '^### .*: nothing is worse$' "$t/out"
jq '.context.bakeoff.documents[0] as $d
    | .context.bakeoff.documents = [range(300) as $i | $d | .name += "-\($i)-" + ("x" * 200)]' \
    "$t/bench.json" >"$t/long.json"
comment 0 "$t/long.json" "$t/long.json"
holds "a long comment is cut, and says so" grep -q '^The rest does not fit' "$t/out"
holds "it fits" test "$(wc -c <"$t/out")" -lt 65536
comment 2 "$t/bench.json"
comment 2 "$t/bench.json" "$t/absent"
misuses "compare: expects two files of results" compare "$t/bench.json"
misuses "compare: --threshold expects percent, such as 5" compare "$t/bench.json" "$t/bench.json" --threshold five
refuses "$t/absent: *" compare "$t/bench.json" "$t/absent"

# ---- bench --against -----------------------------------------------------------------------------

disguise() { # FILE JQ-FILTER: makes a build that is this one, except that the filter changes its results
    cat >"$1" <<END
#!/usr/bin/env bash
"$bakeoff" "\$@" || exit
while [[ \$1 != --json ]]; do shift; done
jq '$2' "\$2" >"\$2.new" && mv "\$2.new" "\$2"
END
    chmod +x "$1"
}
disguise "$t/faster" '.benchmarks |= map(if .name | startswith("pcdata/raw/") then .real_time /= 5 else . end)'
disguise "$t/larger" '.context.bakeoff.documents[].codecs[].bytes += 1'
disguise "$t/asks-others" '.context.bakeoff.documents[].questions["point/pc-0"] = "others"'
disguise "$t/lacks" 'del(.benchmarks[] | select(.name | startswith("pcdata/raw/")))'
against=(bench "${pc0[@]}" --codec raw --no-compress --repetitions 6)
# This build may be slower or faster by chance, but not eleven times.
gives 0 "*" "${against[@]}" --threshold 1000 --against "$bakeoff" --json "$t/ab.json"
holds "two builds, in turns" grep -qx 'Measured in turns, in one run.' "$t/out"
holds "nothing is worse than itself" grep -q '^0 better, 0 worse, [0-2] no difference, [0-2] unknown, [1-9][0-9]* equal$' "$t/out"
for name in ab ab.against; do
    json "$name.json has every repetition" '[.benchmarks[] | select(.name == "pcdata/raw/tiny/point/pc-0")]
        | map(.repetition_index) == [0, 1, 2, 3, 4, 5] and all(.[]; .repetitions == 6)' "$t/$name.json"
    gives 0 "" table pcdata --results "$t/$name.json"
done
gives 0 "" compare "$t/ab.against.json" "$t/ab.json" --threshold 1000
holds "the files state how they were made" grep -qx 'Measured in turns, in one run.' "$t/out"
gives 0 "" compare "$t/bench.json" "$t/ab.json" --threshold 1000
holds "others are of two runs" grep -q '^Measured in two runs' "$t/out"
gives 1 "*" "${against[@]}" --against "$t/faster" --threshold 50
holds "a slower row is worse" grep -Eq '^raw +point/pc-0 .* worse' "$t/out"
gives 0 "*" "${against[@]}" --against "$t/larger" --threshold 1000
holds "smaller is better" grep -Eq '^raw +bytes .* better' "$t/out"
gives 0 "*" "${against[@]}" --against "$t/asks-others"
holds "other questions are not compared" \
    grep -q 'note: point/pc-0: not compared: the two runs have different queries' "$t/out"
gives 0 "*" "${against[@]}" --against "$t/lacks" --threshold 1000
holds "what one build lacks is named" grep -q 'note: only in the new run: point/pc-0' "$t/out"
gives 0 "*" "${against[@]}" --repetitions 2 --against "$bakeoff"
holds "too few repetitions are reported" grep -q 'note: too few repetitions for 2 times' "$t/out"
gives 0 "*" bench --full "${pc0[@]}" --codec raw --repetitions 1 --against "$bakeoff" --json "$t/deep.json"
json "--full --against has sizes under compressors" '.context.bakeoff.documents[0].codecs[0].zstd19 > 0' "$t/deep.json"
refuses "$t/absent: no such program" "${against[@]}" --against "$t/absent"
refuses "$t/tiny.txt: no such program" "${against[@]}" --against "$t/tiny.txt"
false=$(type -P false)
refuses "$(realpath "$false"): bench exited with code 1" "${against[@]}" --against "$false"
printf '#!/bin/sh\necho "bakeoff: bench: no codec here" >&2\nexit 2\n' >"$t/older"
chmod +x "$t/older"
refuses "$t/older: bench exited with code 2: bakeoff: bench: no codec here" "${against[@]}" --against "$t/older"
misuses "bench: --threshold requires --against" bench --threshold 5
refuses "bench: --against cannot be combined with --shard, and *" bench --against x --shard 1/2
# Stopped once a document is measured: its results stay.
interrupt "TERM TERM" "bakeoff: round 1 of 6: 1 of 4: pcdata/d[1-4], both builds; about " \
    "$bakeoff" "${against[@]}" --corpus "$t/docs4" --against "$bakeoff" --json "$t/ended.json"
holds "--against, interrupted: exit code 130" test "$code" = 130
holds "--against, interrupted: the message" grep -q 'interrupted after [1-9][0-9]* of 24 times that both' "$t/err"
for name in ended ended.against; do
    json "$name.json has what was measured" '.context.bakeoff.documents | length >= 1' "$t/$name.json"
    gives 0 "*" table pcdata --results "$t/$name.json"
done
mkdir "$t/temporary"
TMPDIR=$t/temporary gives 2 "*" "${against[@]}" --against "$t/older"
TMPDIR=$t/temporary gives 0 "*" "${against[@]}" --repetitions 1 --against "$bakeoff"
holds "no temporary file stays after two builds" test -z "$(ls -A "$t/temporary")"

finish
