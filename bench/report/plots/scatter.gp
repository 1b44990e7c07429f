# How times scatter. $times: median, 10th and 90th percentile, and the row; `rows`: the codecs'
# names.
eval row_axis(rows, n_rows, longest)
eval log_axis('x', 'time', x_low, x_high)
set xlabel 'time a query over batches: 10th to 90th percentile, and the median; '. \
    'faster is left'
set style fill solid 0.35
plot $times using 1:4:2:3:($4-0.28):($4+0.28) with boxxyerror lc rgb colour(1) notitle, \
     $times using 1:4 with points pt 7 ps 0.7 lc rgb colour(0) notitle
