# SPDX-License-Identifier: GPL-3.0-or-later
# Where contacts point: wedges as long as their share of directions, relative to the share where none is preferred (1).
#   table      as contact_directions.csv
#   time       of the rows that are drawn
#   quantity   p or force, the weight of the outlines
#   dimension  2: angles from the x axis; 3: angles from the z axis, which is upwards, drawn to both sides
in_space = dimension eq '3'
max(a, b) = a > b ? a : b
stats table using (column('time') == time + 0 ? max(column('count_density'), column('force_density')) : NaN) nooutput
most = max(STATS_max, 1.)
step = 10**floor(log10(most)); step = most/step > 5 ? 2*step : most/step > 2 ? step : 0.5*step
reach = most*1.08
unset border; unset tics; unset grid; unset xlabel; unset ylabel
set size ratio -1
set xrange [-reach*1.18:reach*1.18]
set yrange [-reach*1.12:reach*1.12]
do for [k = 1:int(most/step)] {
  set object circle at 0,0 size first k*step fillstyle empty border rgb '#c8c8c8' linewidth 1 behind
}
set object circle at 0,0 size first 1 fillstyle empty border rgb '#000000' linewidth 1.5 dashtype 2 front
set angles degrees
set style textbox opaque fillcolor rgb '#ffffff' noborder margins 0.6,0.3
set style arrow 1 nohead linecolor rgb '#e4e4e4' back
do for [a = 0:150:30] { set arrow from -reach*cos(a),-reach*sin(a) to reach*cos(a),reach*sin(a) arrowstyle 1 }
if (!in_space) {
  do for [a = 0:330:30] {
    set label sprintf('%d°', a) at 1.08*reach*cos(a),1.06*reach*sin(a) center textcolor rgb '#505050'
  }
} else {
  do for [a = 0:180:30] {
    set label sprintf(a == 0 ? '%d° (z)' : '%d°', a) at 1.08*reach*sin(a),1.06*reach*cos(a) center textcolor rgb '#505050'
  }
}
# a wedge of 10 degrees around an angle of the page; at the poles of space half of it lies on either side
wedge(of_page) = sprintf('arc [%g:%g]', of_page - 5, of_page + 5)
place(angle, side) = in_space ? 90 - side*angle : angle
bins = 0
stats table using (column('time') == time + 0 ? (bins = bins + 1, 0) : NaN) nooutput
array at[bins]; array by_count[bins]; array by_force[bins]
read = 0
stats table using (column('time') == time + 0 ? (read = read + 1, at[read] = column('angle'), \
                   by_count[read] = column('count_density'), by_force[read] = column('force_density'), 0) : NaN) nooutput
do for [k = 1:bins] for [side = -1:1:2] {
  if (side < 0 && (!in_space || at[k] == 0 || at[k] == 180)) { continue }
  if (by_count[k] > 0) {
    eval sprintf("set object circle at 0,0 size first %.9g %s fillcolor rgb '#8fc3e0' fillstyle solid border \
                  rgb '#0072b2' linewidth 1", by_count[k], wedge(place(at[k], side)))
  }
  if (by_force[k] > 0) {
    eval sprintf("set object circle at 0,0 size first %.9g %s nowedge fillstyle empty border rgb '#d55e00' \
                  linewidth 2.5 front", by_force[k], wedge(place(at[k], side)))
  }
}
# numbers of the circles where there is most room for them: between the rays, where both wedges are short
room = 1e9
ray = 45
do for [k = 1:bins] {
  far = max(by_count[k], by_force[k])
  of_page = place(at[k], 1)
  if (far < room && abs(sin(of_page)) > 0.2 && abs(cos(of_page)) > 0.2) { room = far; ray = of_page }
}
do for [k = 1:int(most/step)] {
  set label sprintf('%g', k*step) at first k*step*cos(ray), first k*step*sin(ray) center textcolor rgb '#404040' boxed front
}
# the outline between arcs
do for [k = 1:bins] for [side = -1:1:2] {
  if (side < 0 && !in_space || in_space && k == bins) { continue }
  next = k % bins + 1
  edge = place(at[k] + 5, side)
  set arrow from by_force[k]*cos(edge),by_force[k]*sin(edge) to by_force[next]*cos(edge),by_force[next]*sin(edge) \
      nohead linewidth 2.5 linecolor rgb '#d55e00' front
}
set style fill solid 1 border rgb '#0072b2'
plot NaN with boxes linewidth 1 fillcolor rgb '#8fc3e0' title 'contacts, density over that of no preferred direction', \
     NaN with lines linewidth 2.5 linecolor rgb '#d55e00' title quantity.', the same', \
     NaN with lines dashtype 2 linewidth 1.5 linecolor rgb '#000000' title 'no preferred direction'
