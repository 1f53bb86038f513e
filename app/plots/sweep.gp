# SPDX-License-Identifier: GPL-3.0-or-later
# Curves over a number, which is on a logarithmic axis where it goes over more than two decades.
#   table             a column of the number, then one of each curve; empty where a point is missing
#   x_label, y_label  of the axes
#   names             of the curves; a single one without a name has no key
stats table using 1 nooutput
if (STATS_min > 0 && STATS_max > 100*STATS_min) { set logscale x }
margin = STATS_max > STATS_min ? 0.04*(STATS_max - STATS_min) : 1
if (!(STATS_min > 0 && STATS_max > 100*STATS_min)) { set xrange [STATS_min - margin:STATS_max + margin] }
set xlabel x_label noenhanced
set ylabel y_label noenhanced
set yrange [0:*]
set datafile missing ''
if (|names| == 1 && strlen(names[1]) == 0) { unset key }
plot for [k = 1:|names|] table using 1:(column(k + 1)) with linespoints linewidth 2 pointsize 1.5 \
     pointtype int(word('7 5 9 13 11 15', 1 + (k - 1) % 6)) dashtype 1 + int((k - 1)/words(colours)) \
     linecolor rgb word(colours, 1 + (k - 1) % words(colours)) title names[k]
