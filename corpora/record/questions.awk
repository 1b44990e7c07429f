# Recorded queries of Go's PC tables, "TABLE PC HOW" a line, as the lines of a workload
# (docs/workloads.md). HOW is 0 for a miss of the runtime's cache, 1 for a hit, 2 for a query that
# went past the cache.
{ printf "%spoint\t%d\t%d\n", $3 == 1 ? "hit\t" : "", $1, $2 }
