# What all pictures share. bench/report/canvas.c sets the numbers of canvas.h and `title` before
# this, and prints tables as data blocks; texts in them are in double quotes.
set terminal svg size width,height noenhanced font sprintf('sans-serif,%d', font) \
    background rgb '#ffffff'
set border 3 lc rgb '#404040'
set tics nomirror out scale 0.6
set grid lc rgb '#e4e4e4' lw 1
micro(x) = floor(1e6 * x + 0.5) / 1e6
set tmargin at screen micro(1 - top / height)
set bmargin at screen micro(bottom / height)
set lmargin at screen micro(left / width)
set rmargin at screen micro(1 - right / width)
set label 1000 title at screen micro(left / width), screen micro(1 - 22 / height) left \
    font sprintf('sans-serif,%d', font + 2)

# The look of the n-th of several series, from 0: Okabe and Ito's colours, which colour-blind eyes
# distinguish, and shapes.
colour(n) = word( \
    "'#000000' '#0072b2' '#d55e00' '#009e73' '#cc79a7' '#e69f00' '#56b4e9' '#6f6f6f'", \
    1 + n % 8)
shape(n) = int(word('7 5 9 13 11', 1 + n % 5))

# A command: a key to the right of the frame, as wide as names of so many characters need.
frame_end(n) = 1 - (50 + 1.1 * glyph * n) / width
key_look = "left top vertical Left reverse samplen 1.5 spacing 1.2"
key_beside(n) = sprintf("set rmargin at screen %.6f; set key at screen %.6f, screen %.6f %s", \
    frame_end(n), frame_end(n) + 8 / width, 1 - top / height, key_look)

# Labels of tics: kinds are bytes, time (ns) and count.
bytes_tic(v) = v < 1e3 ? sprintf('%g B', v) : v < 1e6 ? sprintf('%g kB', v / 1e3) : \
    sprintf('%g MB', v / 1e6)
time_tic(v) = v < 1e4 ? sprintf('%g ns', v) : v < 1e7 ? sprintf('%g us', v / 1e3) : \
    v < 1e10 ? sprintf('%g ms', v / 1e6) : sprintf('%g s', v / 1e9)
count_tic(v) = sprintf(v < 1e5 ? '%.0f' : '%.0e', v)
tic(kind, v) = sprintf(", '%s' %.9g", \
    kind eq 'bytes' ? bytes_tic(v) : kind eq 'time' ? time_tic(v) : count_tic(v), v)

# A command: a logarithmic axis with round numbers, more to a decade where there are few.
steps(low, high) = log10(high / low) < 1.2 ? '1 1.5 2 3 4 5 7' : \
    log10(high / low) < 2.7 ? '1 2 5' : '1'
tic_within(kind, low, high, v) = v < low || v > high ? '' : tic(kind, v)
log_tics(kind, low, high, e, i) = e > ceil(log10(high)) ? '' : \
    i > words(steps(low, high)) ? log_tics(kind, low, high, e + 1, 1) : \
    tic_within(kind, low, high, word(steps(low, high), i) * 10.0 ** e). \
    log_tics(kind, low, high, e, i + 1)
log_axis(name, kind, low, high) = \
    sprintf("set %stics (%s); set %srange [%.9g:%.9g]; set logscale %s", name, \
    substr(log_tics(kind, low, high, floor(log10(low)), 1), 3, -1), name, low, high, name)

# A command: a linear axis from 0, whose step is a round number of which some four to nine fit.
power(high) = 10 ** floor(log10(high / 4))
times(high) = high / 4 / power(high)
step(high) = power(high) * (times(high) >= 5 ? 5 : times(high) >= 2 ? 2 : 1)
linear_tics(kind, high, i) = i * step(high) > high ? '' : \
    tic(kind, i * step(high)).linear_tics(kind, high, i + 1)
linear_axis(name, kind, high) = sprintf("set %stics (%s); set %srange [0:%.9g]", name, \
    substr(linear_tics(kind, high, 0), 3, -1), name, high)

# A command: codecs from the top down, one a unit of the y axis, with names of at most `longest`
# characters at the left.
row_tics(rows, n, i) = i > n ? '' : \
    sprintf(", '%s' %d", word(rows, i), 1 - i).row_tics(rows, n, i + 1)
row_axis(rows, n, longest) = \
    sprintf("set lmargin at screen %.6f; set ytics (%s); set yrange [%g:0.5]; set grid noytics", \
    (30 + glyph * longest) / width, substr(row_tics(rows, n, 1), 3, -1), 0.5 - n)
