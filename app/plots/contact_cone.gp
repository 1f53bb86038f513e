# SPDX-License-Identifier: GPL-3.0-or-later
# Two polar plots side by side: s over the direction in which a packing gets longer, and how frequent directions of contacts
# are.
#   table  curve,angle,value: the curves `s` and `contacts`, angles in degrees from 0 to 360
#   mean   of s, as text
stats table using (strcol('curve') eq 'contacts' ? column('value') : NaN) nooutput
largest = STATS_max > 2 ? STATS_max : 2
stats table using (strcol('curve') eq 's' ? column('value') : NaN) nooutput
least = STATS_min < -0.2 ? STATS_min : -0.2
most = STATS_max > 1 ? STATS_max : 1
set polar
set angles degrees
unset border
unset tics
unset grid
set size square
set lmargin 1
set rmargin 1
set tmargin 1.5
set bmargin 4
set key bmargin center horizontal noenhanced
set multiplot layout 1,2 title title font ',16' noenhanced
unset title

# circles at the values v, drawn at the radius v - centre, up to the largest one
circle = "with lines linewidth 1 linecolor rgb '#c8c8c8' notitle"
set samples 361
set trange [0:360]

centre = least - 0.05
zero = -centre
set rrange [0:most - centre + 0.05]
unset raxis
set style textbox opaque fillcolor rgb '#ffffff' noborder margins 0.5,0.3
set label 1 '0' at first zero*cos(55), first zero*sin(55) center boxed front textcolor rgb '#404040'
set label 2 '0.5' at first (zero + 0.5)*cos(55), first (zero + 0.5)*sin(55) center boxed front textcolor rgb '#404040'
set label 3 '1' at first (zero + 1)*cos(55), first (zero + 1)*sin(55) center boxed front textcolor rgb '#404040'
set label 4 'x' at graph 1, first 0 right offset 0,0.6 textcolor rgb '#404040'
set label 5 'y' at first 0, graph 1 left offset 0.6,-0.6 textcolor rgb '#404040'
set arrow 1 from graph 0, first 0 to graph 1, first 0 nohead linecolor rgb '#c8c8c8' back
set arrow 2 from first 0, graph 0 to first 0, graph 1 nohead linecolor rgb '#c8c8c8' back
set title 's over the direction that gets longer, mean '.mean noenhanced
plot zero @circle, zero + 0.5 @circle, zero + 1 @circle, \
     table using (strcol('curve') eq 's' ? column('angle') : NaN):(column('value') - centre) \
       with linespoints linewidth 2 pointtype 7 pointsize 0.7 linecolor rgb word(colours, 1) title 's = 0: isotropic cone, 1: all directions'

set rrange [0:1.05*largest]
set label 1 '' at first 0, first 0
set label 2 '' at first 0, first 0
set label 3 '1' at first cos(55), first sin(55) center boxed front textcolor rgb '#404040'
set title 'density of contacts over their direction' noenhanced
plot 1 @circle, \
     table using (strcol('curve') eq 'contacts' ? column('angle') : NaN):(column('value')) \
       with lines linewidth 2 linecolor rgb word(colours, 2) title '1: no preferred direction'
unset multiplot
