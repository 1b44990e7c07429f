# Costs of codecs. $curves: x and y, a block a codec; $names: of the codecs.
eval log_axis('x', x_kind, x_low, x_high)
eval log_axis('y', y_kind, y_low, y_high)
set xlabel x_label
set ylabel y_label
eval key_beside(longest)
plot for [i=1:|$names|] $curves index i - 1 with linespoints lw 1.4 pt shape(i - 1) ps 0.7 \
    lc rgb colour(i - 1) title word($names[i], 1)
