#!/bin/bash
# What the scripts of this folder share: documents and name lists, as the manifest means them.

# The bytes that the manifest's hash is of: the text, whether it is packed or not.
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

# codecs/<format>/units.tsv: what the manifest counts, and a pattern (of grep -E) that each of them has one line of.
unit_field() { # format field
    [ "$1" != names ] || { printf 'names\n.\n' | sed -n "$2p"; return; }
    cut -f "$2" "../codecs/$1/units.tsv"
}

# How many tables, functions, ... the text on standard input has: the manifest's number.
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
