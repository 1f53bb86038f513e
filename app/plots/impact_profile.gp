# SPDX-License-Identifier: GPL-3.0-or-later
# An impact of the continuum on the line: velocities before and after, where there is matter, and the pressure.
#   table   as profile.csv of 'macro impact'
stats table using 'left' nooutput
begin = STATS_min
stats table using 'right' nooutput
end = STATS_max
set lmargin 10
set rmargin 3
set xrange [begin:end]
set offsets 0, 0, graph 0.06, graph 0.06
set multiplot layout 2,1
set ylabel 'velocity [m/s]'
set key inside top left vertical Left reverse noenhanced
# means over cells
plot table using 'left':'U':(column('right') - column('left')):(0) with vectors nohead linewidth 4 linecolor rgb '#a0a0a0' \
       title 'U, before', \
     table using 'left':'u':(column('right') - column('left')):(0) with vectors nohead linewidth 2 linecolor rgb '#d55e00' \
       title 'u, after'
unset title
unset key
set ylabel 'p [m²/s]'
set yrange [0:*]
set xlabel 'x [m]'
set style fill solid border rgb '#cdeadf'
plot table using 'x':'p':(column('right') - column('left')) with boxes linecolor rgb '#cdeadf', \
     table using 'left':'p':(column('right') - column('left')):(0) with vectors nohead linewidth 2 linecolor rgb '#009e73'
unset multiplot
