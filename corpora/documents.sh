#!/bin/bash
# Shared by the scripts of this folder: documents and name lists, as the manifest defines them.

# The bytes for the manifest's hash: the text, decompressed if necessary.
text_of() { # file
    case $1 in
    *.xz) xz -dc "$1" ;;
    *.zst) zstd -dcq "$1" ;;
    *) cat "$1" ;;
    esac
}

has_sha256() { # file sha256
    [ -f "$1" ] && [ "$(text_of "$1" | sha256sum | cut -d ' ' -f 1)" = "$2" ]
}

# codecs/<format>/units.tsv: the unit that the manifest counts, and a pattern (of grep -E) that matches one line per
# unit.
unit_field() { # format field
    [ "$1" != names ] || { printf 'names\n.\n' | sed -n "$2p"; return; }
    cut -f "$2" "../codecs/$1/units.tsv"
}

# The number of tables, functions, ... in the text on standard input: the manifest's number.
count_units() { # format
    grep -cE "$(unit_field "$1" 2)"
}

units_of() { # format
    unit_field "$1" 1
}

# The unit of each format, as JSON.
all_units() {
    local format
    for format in $(sed -n 's/^FORMAT(\(.*\))$/\1/p' ../codecs/formats.def); do
        printf '{"%s": "%s"}\n' "$format" "$(units_of "$format")"
    done | jq -s add
}
