# Bytes against time. $front: the corners of the front; $points: bytes, time and its interval, a
# block a role; `roles`: the blocks' roles; $names: text, place and whether on the front; $leaders:
# lines from points to names far away.
role_colour(role) = role eq 'status quo' ? '#009e73' : role eq 'proposed' ? '#0072b2' : \
    role eq 'control' ? '#6f6f6f' : '#d55e00'
role_shape(role) = role eq 'status quo' ? 5 : role eq 'proposed' ? 9 : \
    role eq 'control' ? 7 : 13
eval log_axis('x', 'bytes', x_low, x_high)
eval log_axis('y', 'time', y_low, y_high)
set xlabel 'bytes, smaller is left'
set ylabel y_label
set key at screen micro(left / width), screen micro(1 - 40 / height) left top horizontal Left \
    reverse samplen 2 width -3
do for [i=1:|$leaders|] {
    l = $leaders[i]
    set arrow i from graph real(word(l, 1)), graph real(word(l, 2)) \
        to graph real(word(l, 3)), graph real(word(l, 4)) nohead back lc rgb '#a0a0a0' lw 0.8
}
do for [i=1:|$names|] {
    n = $names[i]
    set label i word(n, 1) at graph real(word(n, 2)), graph real(word(n, 3)) left \
        tc rgb (int(word(n, 4)) ? '#000000' : '#606060')
}
command = "plot $front with lines lc rgb '#e69f00' lw 2 title 'Pareto front'"
do for [i=1:words(roles)] {
    r = word(roles, i)
    command = command.sprintf(", $points index %d using 1:2:3:4 with yerrorbars notitle pt -1 ". \
        "lw 1.2 lc rgb '%s'", i - 1, role_colour(r))
    command = command.sprintf(", $points index %d using 1:2 with points pt %d ps 1.1 ". \
        "lc rgb '%s' title '%s'", i - 1, role_shape(r), role_colour(r), r)
}
eval command
