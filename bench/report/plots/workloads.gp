# Times of all queries. $times: place, median and its interval, a block a codec; $names: of the
# codecs; $columns: kind and workload of each column.
width_of_columns = frame_end(longest) * width - left
n_columns = |$columns|
longest_word = 1
do for [i=1:n_columns] {
    kind = strlen(word($columns[i], 1))
    workload = 1 + strlen(word($columns[i], 2))
    longest_word = kind > longest_word ? kind : longest_word
    longest_word = workload > longest_word ? workload : longest_word
}
# the size in which the columns' names fit side by side
fits = width_of_columns / (n_columns ? n_columns : 1) / longest_word / (glyph / font)
column_font = fits < 8 ? 8 : fits > font ? font : fits
eval log_axis('y', 'time', y_low, y_high)
unset xtics
set grid noxtics
do for [i=1:n_columns] {
    set label i word($columns[i], 1)."\n".word($columns[i], 2) \
        at first i - 1, screen micro((bottom - 18) / height) center \
        font sprintf('sans-serif,%d', column_font)
    if (i > 1) {
        set arrow i from first i - 1.5, graph 0 to first i - 1.5, graph 1 nohead back \
            lc rgb '#d0d0d0' lw 1
    }
}
set xrange [-0.5:n_columns - 0.5]
set ylabel 'time a query, faster is down'
eval key_beside(longest)
command = 'plot '
do for [i=1:|$names|] {
    command = command.sprintf("%s$times index %d using 1:2:3:4 with yerrorbars notitle pt -1 ". \
        "lw 1 lc rgb '%s'", i > 1 ? ', ' : '', i - 1, colour(i - 1))
    command = command.sprintf(", $times index %d using 1:2 with points pt %d ps 0.8 ". \
        "lc rgb '%s' title word($names[%d], 1)", i - 1, shape(i - 1), colour(i - 1), i)
}
eval command
