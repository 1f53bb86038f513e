# SPDX-License-Identifier: GPL-3.0-or-later
# Few coordinates of some motions over time, a panel per coordinate; names of motions stand in the last panel.
#   table         as motions.csv
#   coordinates   in the order of its columns, with units
#   below, above  places of walls under and over the first coordinate, with blanks between them
#   names, steps  of the motions, steps as in its column h; the last motion is what others are compared with
n = |names|
set autoscale xfix
unset key
set offsets 0, 0, graph 0.05, graph 0.05
wall(k) = k > words(below.' '.above) ? NaN : word(below.' '.above, k) + 0
do for [k = 1:words(below.' '.above)] {
  set object k rectangle from graph 0, first wall(k) to graph 1, graph (k > words(below)) fillstyle solid noborder \
      fillcolor rgb '#dcdcdc' behind
}
set multiplot layout |coordinates|,1
do for [i = 1:|coordinates|] {
  set ylabel coordinates[i] noenhanced
  if (i == |coordinates|) { set xlabel 't [s]'; set key }
  plot for [k = 1:n] table using 'time':(strcol('h') eq steps[k] ? column(2 + i) : NaN) with lines \
       linewidth 1.5 + 1.2*(n - k) dashtype 1 + (k == n) linecolor rgb (k < n ? word(colours, k) : '#000000') title names[k], \
       for [k = 1:words(below.' '.above)] wall(k) with lines linewidth 2 linecolor rgb '#707070' title (k == 1 ? 'wall' : '')
  unset title
}
unset multiplot
