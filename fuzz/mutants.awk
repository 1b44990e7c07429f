# Joins the edits of a run with their verdicts; see judged() in mutants.sh. Reads, each after kind=NAME on the
# command line: codecs (codecs.def), equivalent, state, plan.
# Prints: codec, verdict, file:number, line, edited line, check that detected it, 1 when listed as equivalent.

# The codec that a file belongs to.
function codec_of(file, folder, base, words, n_words, best, most, i, n, codec) {
    n = split(file, folder, "/")
    if (folder[1] != "codecs")
        return n > 2 ? folder[1] "/" folder[2] : folder[1]
    base = folder[3]
    if (n > 3) { # a codec's folder
        gsub(/_/, "-", base)
        return folder[2] "/" base
    }
    sub(/\.[ch]c?$/, "", base)
    n_words = split(base, words, "_")
    for (i = 1; i <= n_codecs; i++) {
        if (format_of[i] != folder[2])
            continue
        split(codecs[i], codec, "_")
        for (n = 0; n < n_words && codec[n + 1] == words[n + 1]; n++)
            ;
        if (n > most) {
            most = n
            best = codecs[i]
        }
    }
    gsub(/_/, "-", best)
    return folder[2] (most ? "/" best : ": shared")
}

kind == "codecs" && match($0, /^(CODEC|INDEX)\([a-z0-9_]+\)/) {
    split(FILENAME, folder, "/")
    format_of[++n_codecs] = folder[2]
    codecs[n_codecs] = substr($0, 7, RLENGTH - 7)
}
kind == "equivalent" && !/^#/ { equivalent[$1, $2, $3, $4] }
kind == "state" { verdict[$1, $2, $3, $4] = $5; by[$1, $2, $3, $4] = $6 }
kind == "plan" {
    id = $1 SUBSEP $3 SUBSEP $4 SUBSEP $5
    v = verdict[id]
    if (v == "same-code" || (v == "survived" && id in equivalent))
        v = "equivalent"
    print codec_of($1), v, $1 ":" $2, $4, $5, by[id], (id in equivalent) ? 1 : ""
}
