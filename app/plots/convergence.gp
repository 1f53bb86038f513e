# SPDX-License-Identifier: GPL-3.0-or-later
# Columns of a table over one of its columns, both logarithmic, and a triangle of the slopes 1 and 1/2 below them.
#   table             as convergence.csv; positive numbers are drawn, others left out
#   size              its column of sizes
#   x_label, y_label  of the axes
#   names, columns    of the curves
#   dashed            1 for bounds, which have the colour of the curve before them, 0 for others
#   intervals         1 where bars go from the column NAME_lower to NAME_upper, NAME that of the curve
#   bars              what they are
#   limits            what the column `limit` says in the rows of a curve; 0: it has all rows
if (!exists('bars')) bars = ''
min(a, b) = a < b ? a : b
max(a, b) = a > b ? a : b

# Of a row: whether curve k has a point there, and its decimal logarithms q. All lengths are decades.
is_shown(k) = column(size) > 0 && column(columns[k]) > 0 && (limits[k] eq '0' || strcol('limit') eq limits[k])
locate(k) = (q_x = log10(column(size)), q_y = log10(column(columns[k])))

# The ends of a bar, which is there where the upper one is known and ends below the picture where the lower one is 0. The
# picture is made for at most a third of a decade of it.
has_bar(k) = intervals[k] eq '1' && is_shown(k) && column(columns[k].'_upper') < 1e300
bar_lower(k) = has_bar(k) && column(columns[k].'_lower') > 0 ? log10(column(columns[k].'_lower')) : -1e3
bar_upper(k) = has_bar(k) ? log10(column(columns[k].'_upper')) : -1e3

# The curves that have points, and how far these go. Markers are filled on errors and open on bounds.
array shown[|names|]; array colour[|names|]; array marker[|names|]; array dash[|names|]
array barred[|names|] # of these, those with bars
barred[1] = 1 # read by gnuplot where there are none, too
# n_wide: bars that can be seen
n = n_bars = n_wide = n_solid = n_dashed = n_dashed_here = 0
x_lower = y_lower = 1e3
x_upper = y_upper = -1e3
do for [k = 1:|names|] {
  has_points = has_bars = 0
  stats table using (is_shown(k) ? (locate(k), has_points = 1, has_bars = has_bars + has_bar(k), \
                                    n_wide = n_wide + (has_bar(k) && bar_upper(k) - bar_lower(k) > 0.05), \
                                    x_lower = min(x_lower, q_x), x_upper = max(x_upper, q_x), \
                                    y_lower = min(y_lower, has_bar(k) ? max(q_y - 0.33, bar_lower(k)) : q_y), \
                                    y_upper = max(y_upper, has_bar(k) ? min(q_y + 0.33, bar_upper(k)) : q_y)) : NaN) \
                             nooutput
  if (has_points) {
    n = n + 1
    shown[n] = k
    if (has_bars) { n_bars = n_bars + 1; barred[n_bars] = n }
    if (n == 1) { corner = x_lower }
    is_bound = dashed[k] eq '1'
    n_solid = n_solid + !is_bound
    n_dashed = n_dashed + is_bound
    n_dashed_here = is_bound ? n_dashed_here + 1 : 0
    colour[n] = word(colours, 1 + max(n_solid - 1, 0) % words(colours))
    marker[n] = int(word('7 5 9 13 11 15', 1 + ((is_bound ? n_dashed : n_solid) - 1) % 6)) - is_bound
    dash[n] = 1 + min(n_dashed_here, 4)
  }
}
if (n == 0) { print 'there is no positive error'; exit }
stats table using 0 nooutput
do for [k = 1:|names|] {
  is_there = sum [i = 1:STATS_columns] (STATS_column_header[i] eq columns[k])
  if (!is_there) { print 'the table has no column '.columns[k]; exit }
}

# Of curves that lie on each other those below are drawn wider, once for each above: how far two are apart at the most.
array n_above[n]
do for [i = 1:n] {
  n_above[i] = 0
  do for [j = i + 1:n] {
    apart = 0
    n_both = 0
    stats table using (is_shown(shown[i]) && is_shown(shown[j]) ? \
                       (n_both = n_both + 1, locate(shown[i]), p_y = q_y, locate(shown[j]), apart = max(apart, abs(q_y - p_y))) : \
                       NaN) nooutput
    if (n_both > 0 && apart < 0.01) { n_above[i] = n_above[i] + 1 }
  }
}

# The triangle begins at the smallest size of the first curve and stays below all curves: what lies over it of a segment p q
# is at least as high as its upper side, foot + t - corner.
length = max(0.2*(x_upper - x_lower), 0.12)
end = corner + length
cut(t) = max(corner, min(end, t))
height(t) = (q_x == p_x ? q_y : p_y + (t - p_x)/(q_x - p_x)*(q_y - p_y)) - (t - corner)
foot = 1e3
do for [i = 1:n] {
  p_x = p_y = 1e3 # there is none before the first
  stats table using (is_shown(shown[i]) ? (locate(shown[i]), \
                         p_y = p_x == 1e3 ? q_y : p_y, p_x = p_x == 1e3 ? q_x : p_x, \
                         foot = min(p_x, q_x) > end || max(p_x, q_x) < corner ? foot : \
                                min(foot, min(height(cut(p_x)), height(cut(q_x)))), \
                         p_x = q_x, p_y = q_y) : NaN) nooutput
}
foot = foot - max(0.05*(y_upper - y_lower), 0.03)
x_upper = max(x_upper, end)
y_lower = min(y_lower, foot)
y_upper = max(y_upper, foot + length)

# An axis shows at least most of a decade, so that noise does not look like a trend. Its labels stand at powers of ten and,
# where it has fewer than three of them, at 2 and 5 times these.
set logscale xy
set grid mxtics mytics linetype 1 linecolor rgb '#c8c8c8', linetype 1 linecolor rgb '#ececec'
do for [axis in 'x y'] {
  lower = value(axis.'_lower'); upper = value(axis.'_upper')
  margin = max(0.06*(upper - lower), 0.5*(0.8 - (upper - lower)))
  lower = lower - margin; upper = upper + margin
  has_few = floor(upper) - ceil(lower) < 2
  is_plain = has_few && lower > -4 && upper < 5
  eval sprintf("set %srange [10**lower:10**upper]; set %slabel %s_label noenhanced", axis, axis, axis)
  eval sprintf("set format %s '%s'; set m%stics 10", axis, is_plain ? '%g' : '10^{%T}', axis)
  if (has_few) {
    eval sprintf("unset m%stics", axis)
    do for [k = floor(lower):floor(upper)] for [m = 2:9] {
      label = m != 2 && m != 5 ? '' : is_plain ? sprintf('%g', m*10.**k) : sprintf('%d·10^{%d}', m, k)
      eval sprintf("set %stics add ('%s' %de%d %d)", axis, label, m, k, label eq '')
    }
  }
}

# Labels of the slopes go apart where their lines end too near to each other.
set style arrow 1 nohead linewidth 1.5 linecolor rgb '#505050' back
do for [slope in '0 0.5 1'] { set arrow from 10**corner,10**foot to 10**end,10**(foot + slope*length) arrowstyle 1 }
set arrow from 10**end,10**foot to 10**end,10**(foot + length) arrowstyle 1
apart = 0.5*length < 0.035*(upper - lower) ? 0.45 : 0
set label '1' at 10**end,10**(foot + length) left offset 0.6,apart textcolor rgb '#505050'
set label '0.5' at 10**end,10**(foot + 0.5*length) left offset 0.6,-apart textcolor rgb '#505050'

set datafile missing NaN # does not break a line
set errorbars 0.7
plot for [b = 1:n_bars] table using (column(size)):(has_bar(shown[barred[b]]) ? column(columns[shown[barred[b]]]) : NaN): \
                                   (max(10**bar_lower(shown[barred[b]]), 1e-30)):(10**bar_upper(shown[barred[b]])) \
     with yerrorbars linewidth 1 pointsize 0 linecolor rgb colour[barred[b]] notitle, \
     for [b = 1:n_wide > 0] keyentry with lines linewidth 1 linecolor rgb '#707070' \
     title bars noenhanced, \
     for [i = 1:n] table using (column(size)):(is_shown(shown[i]) ? column(columns[shown[i]]) : NaN) with linespoints \
     linewidth 2 + 1.6*n_above[i] pointsize 1.5 + 0.5*n_above[i] dashtype dash[i] pointtype marker[i] linecolor rgb colour[i] title names[shown[i]]
