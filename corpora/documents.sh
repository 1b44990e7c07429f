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

# How many tables, functions, ... the text on standard input has: the manifest's number.
count_units() { # format
    case $1 in
    pcdata) grep -c '^table ' ;;
    lprf) grep -c '^# Func Hash:$' ;;
    autofdo) grep -c '^[^ #]' ;;
    templight) grep -c '^event: *Begin$' ;;
    statehist) grep -c '^I' ;;
    names) grep -c . ;;
    *) echo "documents.sh does not know what to count in $1" >&2 && false ;;
    esac
}

units_of() { # format
    case $1 in
    pcdata) echo tables ;;
    lprf | autofdo) echo functions ;;
    templight) echo begins ;;
    statehist) echo intervals ;;
    *) echo names ;;
    esac
}
