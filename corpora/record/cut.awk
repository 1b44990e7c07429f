# Cuts a pcdata document and its recorded queries ("TABLE PC HOW") to the tables that were queried
# and every tenth of the others:
#
#     awk -v document=cut.txt -f cut.awk QUERIES DOCUMENT > cut.queries
#
# Tables keep their order and get new numbers.
BEGIN { number = kept = 0 }
FILENAME != previous { previous = FILENAME; n_files++ }
n_files == 1 { n++; table[n] = $1; pc[n] = $2; how[n] = $3; queried[$1] = 1; next }
/^table / {
    keep = (number in queried) || number % 10 == 0
    if (keep)
        renumbered[number] = kept++
    number++
}
!/^table / && !number { keep = 1 }
keep { print > document }
END { for (i = 1; i <= n; i++) print renumbered[table[i]], pc[i], how[i] }
