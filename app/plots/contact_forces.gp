# SPDX-License-Identifier: GPL-3.0-or-later
# A histogram of p over its mean: densities on a logarithmic axis, with the standard deviation that a count of n has, √n.
#   table      as contact_forces.csv
#   time       of the rows that are drawn
#   quantity   p or force
#   contacts   how many there are
n = contacts + 0
stats table using (column('time') == time + 0 && column('count') > 0 ? column('density') : NaN) nooutput
lowest = STATS_min; highest = STATS_max
stats table using (column('time') == time + 0 ? column('upper') : NaN) nooutput
end = STATS_max
# the count of a bin is its density times n and its width, which all bins share
stats table using (column('time') == time + 0 ? column('upper') - column('lower') : NaN) nooutput
width = STATS_max
low = 10**floor(log10(0.6*lowest)); high = 10**ceil(log10(highest))
set title noenhanced
set xlabel quantity.' / mean '.quantity noenhanced
set ylabel 'probability density' noenhanced
set logscale y
set format y '10^{%T}'
set xrange [0:end]
set yrange [low:high]
set ytics nomirror
set logscale y2
set y2range [low*n*width:high*n*width]
set y2tics
set y2label 'contacts in a bin of '.sprintf('%g', width) noenhanced
set style fill solid 0.35 border rgb '#0072b2'
down(count) = count > 1 ? (count - sqrt(count))/(n*width) : low
plot table using (0.5*(column('lower') + column('upper'))): \
                 (column('time') == time + 0 && column('count') > 0 ? column('density') : NaN):(width) \
     with boxes linewidth 1.5 linecolor rgb '#0072b2' title 'pressed contacts between spheres', \
     table using (0.5*(column('lower') + column('upper'))): \
                 (column('time') == time + 0 && column('count') > 0 ? down(column('count')) : NaN):(0): \
                 ((column('count') + sqrt(column('count')))/(n*width) - down(column('count'))) \
     with vectors nohead linewidth 2 linecolor rgb '#004c77' title '± √count', \
     exp(-x) with lines dashtype 2 linewidth 2 linecolor rgb '#505050' title 'exponential of the same mean'
