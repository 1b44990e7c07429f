# A table from llvm-cov (functions, lines, branches), file by file. Fails below `least` percent of lines.
function percent(missed, all) { return all ? 100 - 100 * missed / all : 100 }
NF == 10 && $5 ~ /^[0-9]+$/ && $1 != "TOTAL" {
    printf "%-40s %6d lines %6.2f%%, %6d branches %6.2f%%\n", $1, $5, percent($6, $5), $8, percent($9, $8)
    lines += $5; missed += $6
    if ($1 ~ /codecs\//) { l += $5; lm += $6; b += $8; bm += $9 }
}
END {
    printf "codecs/: %.2f%% of %d lines, %.2f%% of %d branches\n", percent(lm, l), l, percent(bm, b), b
    if (percent(missed, lines) < least) {
        print "line coverage is below " least "%" >"/dev/stderr"
        exit 1
    }
}
