# Where the bytes go. $bars: left and right end, and the row, a block a section; $series: the
# sections' names and colours; $sums: bytes of each row; a bar is cut at `longest_bar`.
eval row_axis(rows, n_rows, longest)
eval key_beside(longest_section)
eval linear_axis('x', 'bytes', 1.12 * longest_bar)
set xlabel x_label
set style fill solid 0.9
do for [i=1:n_rows] {
    bytes = real($sums[i])
    if (bytes > longest_bar) {
        set label i sprintf('cut at the edge: %.3g', bytes / baseline) \
            at first longest_bar, first 1 - i right offset -1,0
    } else {
        set label i sprintf('%.3f', bytes / baseline) \
            at first bytes, first 1 - i left offset 0.5,0
    }
    set label i front font sprintf('sans-serif,%d', font - 2)
}
plot for [i=1:|$series|] $bars index i - 1 using 1:3:1:2:($3-0.34):($3+0.34) with boxxyerror \
    lc rgb colour(int(word($series[i], 2))) title word($series[i], 1)
