# Compares two files of bench/adoption.sh, the accepted one first: figures may differ by 1%. A codec that
# needs a library (column 11) may be missing from the second file.
BEGIN {FS = "\t"}
/^#/ {next}
{name = $1 "/" $2}
NR == FNR {accepted[name] = $0; next}
!(name in accepted) {print name ": has no row in the accepted file; run `make adoption`"; n_failed++; next}
{
    n = split(accepted[name], was)
    delete accepted[name]
    for (i = 3; i <= n || i <= NF; i++)
        if ($i != was[i] && (i == 11 || $i + 0 < was[i] * 0.99 || $i + 0 > was[i] * 1.01)) {
            print name ": column " i " is " $i ", was " was[i] "; run `make adoption`"
            n_failed++
        } else
            n_passed++
}
END {
    for (name in accepted) {
        split(accepted[name], was)
        if (was[11] != "-") {
            print "note: not compared: " name ": built without " was[11]
            continue
        }
        print name ": has a row in the accepted file and is not built"
        n_failed++
    }
    print n_passed + 0 " passed, " n_failed + 0 " failed"
    exit n_failed > 0
}
