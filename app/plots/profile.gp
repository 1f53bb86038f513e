# SPDX-License-Identifier: GPL-3.0-or-later
# A flow on the line at its end: density, velocity where there is matter, and where they are not zero p, which jumps from step
# to step, in the mean over the last part of the time, and its integral over all of it; the exact solution, where one is known,
# as a dashed line.
#   table   as profile.csv of a flow
#   since   when that part begins (s)
#   exact   its name, of the columns rho_exact and u_exact; empty: there are none
stats table using 'left' nooutput
begin = STATS_min
stats table using 'right' nooutput
end = STATS_max
stats table using 'p_mean' nooutput
most_p = STATS_max
stats table using 'impulse' nooutput
most_impulse = STATS_max
has_p = most_p > 0
has_impulse = most_impulse > 0
# some three numbers at an axis that goes so far
decade(most) = 10**floor(log10(most))
step(most) = most < 2*decade(most) ? 0.5*decade(most) : most < 5*decade(most) ? decade(most) : 2*decade(most)
has_exact = strlen(exact) > 0
stats table using 'rho' nooutput
most_rho = STATS_max
if (has_exact) { stats table using 'rho_exact' nooutput; if (STATS_max > most_rho) { most_rho = STATS_max } }
has_u = most_rho > 1e-12 # else the box is empty
thin = most_rho > 0.1 ? 0.05 : 0.5*most_rho # the velocity of less says nothing
set lmargin 10
set rmargin 3
set xrange [begin:end]
unset key
n_panels = 1 + has_u + has_p + has_impulse
set multiplot layout n_panels,1
set ylabel 'ρ'
set yrange [0:*]
set offsets 0, 0, graph 0.1, 0
if (most_rho > 0.5) { set ytics 0.5 }
varies = 0 # the maximal density, which is drawn where it is not 1
stats table using (varies = varies || column('rho_max') != 1, 0) nooutput
set style fill solid border rgb '#cce3f0'
set title title.(has_exact ? '; dashed: '.exact : '').(varies ? '; grey: the maximal density' : '')
if (n_panels == 1) { set xlabel 'x [m]' }
plot table using 'x':'rho':(column('right') - column('left')) with boxes linecolor rgb '#cce3f0', \
     table using 'left':'rho' with steps linewidth 2 linecolor rgb '#0072b2', \
     table using 'left':(varies ? column('rho_max') : NaN) with steps linewidth 2 linecolor rgb '#707070', \
     table using 'left':(has_exact ? column('rho_exact') : NaN) with steps linewidth 1.5 dashtype 2 linecolor rgb '#000000'
unset title
set ytics autofreq
if (has_u) {
  set ylabel 'u [m/s]'
  slowest = fastest = 0
  see(u) = (slowest = u < slowest ? u : slowest, fastest = u > fastest ? u : fastest, 0)
  stats table using (column('rho') > thin ? see(column('u')) : NaN) nooutput
  if (fastest - slowest > 0.2) { set ytics step(fastest - slowest) }
  if (has_exact) { stats table using (column('rho_exact') > thin ? see(column('u_exact')) : NaN) nooutput }
  if (slowest > -0.1) { slowest = -0.1 } # does not zoom in on rounding
  if (fastest < 0.1) { fastest = 0.1 }
  set yrange [slowest - 0.08*(fastest - slowest):fastest + 0.08*(fastest - slowest)]
  if (!has_p && !has_impulse) { set xlabel 'x [m]' }
  plot table using 'x':(column('rho') > thin ? column('u') : NaN) with lines linewidth 2 linecolor rgb '#d55e00', \
       table using 'x':(has_exact && column('rho_exact') > thin ? column('u_exact') : NaN) \
       with lines linewidth 1.5 dashtype 2 \
       linecolor rgb '#000000'
}
set yrange [0:*]
set offsets 0, 0, graph 0.05, 0
if (has_p) {
  set ylabel 'p [m²/s²]'
  set style textbox opaque fillcolor rgb '#ffffff' noborder margins 0.4,0.2
  set label 1 'mean since '.since.' s' at graph 0.02, graph 0.88 left boxed front
  set ytics step(most_p)
  if (!has_impulse) { set xlabel 'x [m]' }
  plot table using 'x':'p_mean' with lines linewidth 2 linecolor rgb '#009e73'
  unset label 1
}
if (has_impulse) {
  set ylabel '∫p dt [m²/s]'
  set ytics step(most_impulse)
  set xlabel 'x [m]'
  plot table using 'x':'impulse' with lines linewidth 2 linecolor rgb '#009e73'
}
unset multiplot
