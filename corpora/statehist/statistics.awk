# Statistics of a trace, as a history: how often each event has occurred. Reads the events that
# `babeltrace2 --clock-seconds --no-delta FOLDER` prints, writes the text form with the attributes in the order of
# their first event. As in Trace Compass' statistics, an attribute of Event_types is null until its first event, and a
# long that counts its events from then on. Of several events of one type at one time, the last one counts.
#
#   babeltrace2 --clock-seconds --no-delta FOLDER | awk -f corpora/statehist/statistics.awk >statistics.tsv
#
# Times have 19 digits, which awk's numbers do not hold: they stay texts, from the digits of which 1 is subtracted.
function before(time, low) { # the nanosecond before
    low = substr(time, length(time) - 8) - 1
    return low >= 0 ? substr(time, 1, length(time) - 9) sprintf("%09d", low) : substr(time, 1, length(time) - 9) - 1 "999999999"
}
function close_at(q, end) {
    intervals[++n] = sprintf("I\t%d\t%s\t%s\t%s\t%s", q, since[q], end, count[q] ? "l" : "n", count[q] ? count[q] : "")
}
{
    time = substr($1, 2, length($1) - 2)
    sub(/\./, "", time)
    if (NR == 1) start = time
    type = $3
    sub(/:$/, "", type)
    if (!(type in quarks)) {
        quarks[type] = ++quark
        names[quark] = type
        since[quark] = start
        count[quark] = 0
    }
    q = quarks[type]
    if (since[q] != time) close_at(q, before(time))
    since[q] = time
    count[q]++
}
END {
    since[0] = start
    count[0] = 0
    for (q = 0; q <= quark; q++) close_at(q, time)
    printf "# statehistory-tsv 1\n# start: %s\n# end: %s\nQ\t0\t-1\tEvent_types\n", start, time
    for (q = 1; q <= quark; q++) printf "Q\t%d\t0\t%s\n", q, names[q]
    for (i = 1; i <= n; i++) print intervals[i]
}
