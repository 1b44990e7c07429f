# Lists the code that no input has reached, from llvm-cov's lcov. For the functions that some operation enters, these
# are the groups of adjacent lines that were not executed, and the lines with branches that were not taken. A row has
# the place, the probable reason (inferred from the words in the lines and in the condition above them), the number of
# lines, that of branches, and the text of the first line. The last row has the totals of these functions: lines, missed
# lines, branches, missed branches.

function why(text) {
    if (text ~ /alloc|grow_array|no_memory|NO_MEMORY|OVER_LIMIT|no memory|->refus/) return "memory runs out"
    if (text ~ /sink|take_answer|_take_/) return "answer buffer is too small"
    if (text ~ /UNSUPPORTED|GiB|more than|too many|too large|ESCAPE|MAX_|UINT32/) return "larger than fuzz inputs"
    if (text ~ /BAD_USAGE|default:|_N_KINDS/) return "invalid call"
    if (text ~ /portable|_mm|pdep|has_v3/) return "another processor"
    if (text ~ /[!(& ]status[ )?;]|[& ]ok[ );]|^ *(if \(|return )![a-z_]+\(/) return "passes on an error"
    if (text ~ /^( *if \(![^;]*\)[ {]*)? *(return (false|NULL|0|status|true);|status)? *}? *$/) return "passes on an error"
    return "other"
}

function row(from, to, branches,   i, text) {
    for (i = from - 1; i <= to; i++) text = text source[i]
    gsub(/^[ \t]+/, "", source[from])
    printf "%s:%d\t%s\t%d\t%d\t%s\n", file, from, why(text), branches ? 0 : to - from + 1, branches, source[from]
}

function flush(   i, in_function, from) {
    while ((getline source[++n_source] < path) > 0);
    close(path)
    for (i = 1; i <= last; i++) {
        if (i in start) in_function = i
        if (!entered[in_function]) continue
        n_lines += i in executed
        n_missed += (i in executed) && !executed[i]
        n_branches += branches[i]
        n_not_taken += missed[i]
        if (i in executed && executed[i] == 0) {
            for (from = i; (i + 1) in executed && !executed[i + 1] && !((i + 1) in start); i++);
            row(from, i, 0)
        } else if (missed[i]) {
            row(i, i, missed[i])
        }
    }
    delete source; delete start; delete entered; delete executed; delete missed; delete branches; delete at
    last = n_source = 0
}

/^SF:/ { path = file = substr($0, 4); sub(/.*\/codecs\//, "", file) }
/^FN:/ { split(substr($0, 4), a, ","); at[a[2]] = a[1]; start[a[1]]; if (a[1] > last) last = a[1] }
/^FNDA:/ { split(substr($0, 6), a, ","); if (a[1] > 0) entered[at[a[2]]] = 1 }
/^DA:/ { split(substr($0, 4), a, ","); executed[a[1]] += a[2]; if (a[1] > last) last = a[1] }
/^BRDA:/ { split(substr($0, 6), a, ","); branches[a[1]]++; missed[a[1]] += a[4] == "0" || a[4] == "-" }
/^end_of_record/ { flush() }
END { printf "all\tall\t%d\t%d\t%d\t%d\n", n_lines, n_missed, n_branches, n_not_taken }
