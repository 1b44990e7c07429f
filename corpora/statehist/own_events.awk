# Filters the output of perf script: keeps the events of one process and its descendants, and only scheduler and
# interrupt events of others. Names of other tasks become "other", but for those that every kernel has.
#
#   awk -v root=PID -f own_events.awk

BEGIN {
    own[root] = 1
    dropped = "^(sched:sched_stat_runtime|sched:sched_prepare_exec|sched:sched_process_wait|sched:sched_wake_idle_without_ipi|sched:sched_process_hang)$"
    of_own_only = "^(raw_syscalls:|sched:sched_process_(fork|exec|exit|free))"
    kernel = "^(swapper/[0-9]+|kworker/[a-z]*[0-9]+:[0-9]+[A-Za-z]*|ksoftirqd/[0-9]+|migration/[0-9]+|rcu_[a-z]+|kthreadd|kcompactd[0-9]+|kswapd[0-9]+)$"
}

function shown(comm, tid) { return tid in own ? comm : comm ~ kernel ? comm : "other" }

# "...KEY<comm> PIDKEY<tid>..." with the comm replaced, if there is one.
function hide(text, key, pidkey,    at, rest, stop, comm, tid) {
    at = index(text, key)
    if (!at)
        return text
    rest = substr(text, at + length(key))
    stop = index(rest, pidkey)
    if (!stop)
        return text
    comm = substr(rest, 1, stop - 1)
    rest = substr(rest, stop)
    tid = substr(rest, length(pidkey) + 1) + 0
    return substr(text, 1, at + length(key) - 1) shown(comm, tid) rest
}

/^#/ { print; next }

{
    if (!match($0, / +[0-9]+\/[0-9]+ +\[[0-9]+\] +[0-9.]+: +[a-z_]+:[a-z_]+: /)) next
    comm = substr($0, 1, RSTART - 1)
    sub(/^ +/, "", comm)
    head = substr($0, RSTART, RLENGTH)
    text = substr($0, RSTART + RLENGTH)
    gsub(/ +/, " ", head)
    split(head, fields, " ")
    split(fields[1], ids, "/")
    tid = ids[2]
    event = fields[4]
    sub(/:$/, "", event)
    if (event ~ dropped) next
    if (event == "sched:sched_process_fork" && tid in own && match(text, / child_pid=[0-9]+/))
        own[substr(text, RSTART + 11, RLENGTH - 11)] = 1
    subject = tid
    if (event == "sched:sched_process_free" && match(text, / pid=[0-9]+/))
        subject = substr(text, RSTART + 5, RLENGTH - 5)
    if (event ~ of_own_only && !(subject in own)) next
    if (event == "raw_syscalls:sys_enter") sub(/ \(.*/, " ()", text)
    if (event == "raw_syscalls:sys_exit") sub(/ = .*/, "", text)
    if (event == "sched:sched_process_exec") sub(/filename=.*\//, "filename=", text)
    text = hide(text, "prev_comm=", " prev_pid=")
    text = hide(text, "next_comm=", " next_pid=")
    text = hide(text, "child_comm=", " child_pid=")
    if (text ~ /^comm=/) text = hide(text, "comm=", " pid=")
    print shown(comm, tid) head text
}
