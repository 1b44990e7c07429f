# Converts callgrind's counts for one binary to the text samples that create_gcov --profiler=text reads.
#
#   awk -v binary=/full/path -v base=0x400000 -f callgrind_to_samples.awk callgrind.out
#
# The profile must come from `valgrind --tool=callgrind --dump-instr=yes --collect-jumps=yes --compress-pos=no
# --compress-strings=no`, the binary must not be relocated; `base` is where its first segment is loaded. Prints a
# number of ranges (none: a range of one instruction counts as empty), of addresses with `ADDRESS:COUNT`, of branches
# with `FROM->TO:COUNT`; addresses are hexadecimal, from the base.
function number(hex,    i, n) {
    hex = tolower(substr(hex, 3))
    for (i = 1; i <= length(hex); i++)
        n = n * 16 + index("0123456789abcdef", substr(hex, i, 1)) - 1
    return n
}

function after(prefix) {
    return substr($0, length(prefix) + 1)
}

# A call or jump is counted for the instruction on the next line.
function await(kind) {
    awaited = kind
    split($1, word, /[=\/]/)
    times = word[2]
    to = number($2)
    to_object = kind == "call" ? called_object : binary
}

function print_sorted(lines,    key, n, sort) {
    for (key in lines)
        n++
    print n + 0
    fflush()
    sort = "LC_ALL=C sort"
    for (key in lines)
        printf "%s:%.0f\n", key, lines[key] | sort
    close(sort)
}

BEGIN {
    base = number(base)
    called_object = binary
}
/^ob=/ { object = after("ob="); next }
object != binary { next }
/^cob=/ { called_object = after("cob="); next }
/^fn=/ { called_object = binary; next }
/^calls=/ { await("call"); next }
/^(jump|jcnd)=/ { await("jump"); next }
!/^0x/ { next }
{ address = number($1) }
awaited != "" {
    was_call = awaited == "call"
    awaited = ""
    called_object = binary
    if (to_object == binary && times > 0)
        branches[sprintf("%x->%x", address - base, to - base)] += times
    if (was_call)
        next # what the callee cost
}
NF >= 3 { counts[sprintf("%x", address - base)] += $3 }
END {
    print 0
    print_sorted(counts)
    print_sorted(branches)
}
