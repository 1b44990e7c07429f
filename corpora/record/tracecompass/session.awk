# A recorded session of Trace Compass as the lines of a workload (docs/workloads.md). Input, a line a query:
#
#     EVENT full TIME                        all attributes
#     EVENT single QUARK TIME                one
#     EVENT times FROM STEP TO QUARK...      at FROM, FROM + STEP, ... and always at TO
#     EVENT span FROM TO QUARK...            the intervals from one time to another
#
# QUARK is a number, or A+DxN for N of them from A in steps of D. EVENT is what the user did; EVENT-names are the labels
# that this causes. Times have 19 digits and are added in two halves, since awk's numbers hold 15.
function add(time, step,   n, low, high) {
    n = length(time) > 9 ? length(time) - 9 : 0
    low = substr(time, n + 1) + step
    high = substr(time, 1, n) + int(low / 1000000000)
    return n ? sprintf("%d%09d", high, low % 1000000000) : low ""
}
# Whether a time is before another, both without sign.
function before(a, b) { return length(a) != length(b) ? length(a) < length(b) : (a "") < (b "") }
function put_quarks(first,   i, k, parts) {
    for (i = first; i <= NF; i++) {
        if (split($i, parts, /[+x]/) == 1)
            printf "\t%s", $i
        else
            for (k = 0; k < parts[3]; k++)
                printf "\t%d", parts[1] + k * parts[2]
    }
    print ""
}
function put_times(from, step, to,   n, list, time) {
    for (time = from; before(time, to); time = add(time, step)) {
        list = list "\t" time
        n++
    }
    printf "times\t%d%s\t%s", n + 1, list, to
}
{
    base = $1
    sub(/-names$/, "", base)
    if (base != action || (labels && base == $1))
        printf "action\t%s\n", action = base
    labels = base != $1
}
$2 == "full" { printf "full-state\t%s\n", $3 }
$2 == "single" { printf "point\t%s\t%s\n", $3, $4 }
$2 == "times" { put_times($3, $4, $5); put_quarks(6) }
$2 == "span" { printf "range2d\t%s\t%s", $3, $4; put_quarks(5) }
