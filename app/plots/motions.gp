# SPDX-License-Identifier: GPL-3.0-or-later
# Few coordinates of some motions over time, a panel per coordinate; names of motions stand in the last panel.
#   table         as motions.csv
#   coordinates   in the order of its columns, with units
#   names, steps  of the motions, steps as in its column h; the last motion is what others are compared with
n = |names|
set autoscale xfix
unset key
set multiplot layout |coordinates|,1
do for [i = 1:|coordinates|] {
  set ylabel coordinates[i] noenhanced
  if (i == |coordinates|) { set xlabel 't [s]'; set key }
  plot for [k = 1:n] table using 'time':(strcol('h') eq steps[k] ? column(2 + i) : NaN) with lines \
       linewidth 2 + 1.5*(n - k) dashtype 1 + (k == n) linecolor rgb (k < n ? word(colours, k) : '#000000') title names[k]
  unset title
}
unset multiplot
