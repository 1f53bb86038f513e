# SPDX-License-Identifier: GPL-3.0-or-later
# Plots of the gallery that the program does not draw itself: functions that print a script for gnuplot.

# The look of the program's own plots.
plot_style() {
  echo "title = '${1//_/ }'"
  cat "$root/app/plots/style.gp"
}

# TITLE DIRECTORY: the rates of a sweep of widths of an opening, and Beverloo's law in the plane, fitted.
plot_beverloo() {
  local table="$2/beverloo.csv"
  /usr/bin/python3 - "$2" >"$table" <<'END'
import csv, pathlib, re, statistics, sys
folder = pathlib.Path(sys.argv[1])
def read(file):
    with open(file, newline="") as lines:
        return list(csv.DictReader(lines))
print("width,rate,deviation")
for row in read(folder / "sweep.csv"):
    left, right = (float(x) for x in re.findall(r"\(([-.\d]+),", row["Obstacles/Shapes"])[1:3])
    rates = [float(i["flux_outlet_rate"]) for i in read(folder / row["run"] / "measurements.csv") if float(i["begin"]) > .19]
    print(right - left - .002, statistics.mean(rates), statistics.stdev(rates) / len(rates) ** .5, sep=",")  # ends are round
END
  plot_style "Discharge of a silo through a flat floor"
  cat <<END
C = 1; k = 1
law(D) = D > 0.01*k ? C*2500*0.82*sqrt(9.81)*(D - 0.01*k)**1.5 : 0
set fit quiet logfile '/dev/null'
fit law(x) '$table' using 1:2 via C, k
set xlabel 'width D of the opening [mm]'
set ylabel 'rate W [kg/s]'
set xrange [0:90]
set yrange [0:*]
set key enhanced
plot law(0.001*x) with lines linewidth 2 linecolor rgb '#d55e00' \
     title sprintf('C ρφ √g (D - k d)^{3/2}, fitted: C = %.2f, k = %.2f', C, k), \
     '$table' using (1000*column(1)):2:3 with yerrorbars linewidth 2 pointsize 1.5 pointtype 7 linecolor rgb '#0072b2' \
     title 'measured, t = 0.2 ... 0.8 s'
END
}

# TITLE DIRECTORY DIRECTORY: s of sweeps in the plane and in space over the contacts beyond isostaticity.
plot_dilatancy() {
  plot_style "What contacts beyond isostaticity do"
  cat <<END
set logscale xy
set xlabel 'z - z_{iso}' enhanced
set ylabel 's'
set xrange [0.08:8]
set yrange [0.02:1]
set key top left
plot x/3 with lines linewidth 1.5 dashtype 2 linecolor rgb '#0072b2' title '(z - z_{iso})/3' enhanced, \
     x/9 with lines linewidth 1.5 dashtype 2 linecolor rgb '#d55e00' title '(z - z_{iso})/9' enhanced, \
     '$2/sweep.csv' using (column('coordination') - column('coordination_isostatic')):'s.mean' with points pointsize 1.5 pointtype 7 linecolor rgb '#0072b2' title 'discs', \
     '$3/sweep.csv' using (column('coordination') - column('coordination_isostatic')):'s.circular.mean' with points pointsize 1.5 pointtype 5 linecolor rgb '#d55e00' title 'balls, circular cone'
END
}

# TITLE DIRECTORY [FORMULA...]: where blocks are over time x, and exact edges.
plot_blocks() {
  local edges= table="$2/blocks_with_impacts.csv" title
  case $1 in
    exact_blocks_partly_elastic) title="Two blocks, e = 1/2, solved exactly" ;;
    exact_blocks_three) title="Three blocks, e = 1, solved exactly" ;;
    exact_blocks_cradle) title="Blocks with gaps of a thousandth, e = 1, solved exactly" ;;
    splitting) title="A block takes in a stream, by splitting" ;;
    *) title=$1 ;;
  esac
  # between two rows a block moves with the velocity of the first, then of the second
  /usr/bin/python3 - "$2/blocks.csv" >"$table" <<'END'
import csv, sys
last = {}
print("t,block,left,right,u")
for row in csv.DictReader(open(sys.argv[1], newline="")):
    t, left, right, u = (float(row[name]) for name in ("t", "left", "right", "u"))
    if row["block"] in last:
        t0, left0, right0, u0 = last[row["block"]]
        s = (left - u * (t - t0) - left0) / (u0 - u) if u != u0 else -1.
        if 0. < s < t - t0:
            print(t0 + s, row["block"], left0 + u0 * s, right0 + u0 * s, u, sep=",")
    last[row["block"]] = t, left, right, u
    print(t, row["block"], left, right, u, sep=",")
END
  plot_style "$title"
  for formula in "${@:3}"; do
    edges+=", $formula with lines linewidth 2 dashtype 2 linecolor rgb '#000000' $([ -z "$edges" ] && echo "title 'exact edges'" || echo notitle)"
  done
  cat <<END
set autoscale xfix
set style fill transparent solid 0.5
set xlabel 't [s]'
set ylabel 'x [m]'
blocks = $(tail -n 1 "$2/blocks.csv" | cut -d , -f 2)
plot for [k = 0:blocks] "< sed -n '1p; /^[^,]*,".k.",/p' '$table'" using 't':'left':'right' with filledcurves linecolor rgb word(colours, k + 1) title blocks > 0 ? 'block '.(k + 1) : 'block'$edges
END
}

# TITLE DIRECTORY: how far rows of spheres, and the finite volumes, are from the exact flow.
plot_distances() {
  plot_style "Rows of spheres and the exact flow of two blocks, e = 1/2"
  cat <<END
set logscale xy
set xlabel 'radius of the spheres [m]'
set ylabel 'Wasserstein-1 distance from the exact density, relative' noenhanced
set xrange [3e-3:4e-2]
set yrange [8e-5:3e-3]
set format y '10^{%T}'
set grid mxtics mytics linetype 1 linecolor rgb '#c8c8c8', linetype 1 linecolor rgb '#ececec'
do for [k = 3:9] { set xtics add (k % 5 == 0 ? sprintf('%g', 1e-3*k) : '' 1e-3*k) }
set xtics add ('0.01' 1e-2, '0.02' 2e-2)
stats '< grep -E "^(method|finite)" $2/comparison.csv' using (n_cells = column('parameter'), column('wasserstein_to_exact')) nooutput
set label 1 'order 1' at 6e-3,1.15e-4 left offset 0.6,0 textcolor rgb '#505050'
plot '< grep -E "^(method|spheres)" $2/comparison.csv' using (0.5/column('parameter')):'wasserstein_to_exact' with linespoints linewidth 2 pointsize 1.5 pointtype 7 linecolor rgb '#0072b2' title 'spheres', \
     STATS_min with lines linewidth 2 dashtype 2 linecolor rgb '#d55e00' title sprintf('finite volumes, cells of 1/%d m', n_cells), \
     x < 1.6e-2 && x > 4e-3 ? 0.02*x : NaN with lines linewidth 1.5 linecolor rgb '#505050' notitle
END
}

# TITLE DIRECTORY DIRECTORY: velocities of two rows of spheres after the impact.
plot_rows() {
  plot_style "Twenty spheres in a row, struck by the first one"
  cat <<END
set xlabel 'x [m]'
set ylabel 'velocity after the impact [m/s]'
set offsets 0, 0, graph 0.1, graph 0.1
set xrange [0:1]
plot '$2/spheres.csv' using 'x':'ux' with linespoints pointsize 1.5 pointtype 7 linewidth 2 linecolor rgb '#0072b2' title 'e = 0', \
     '$3/spheres.csv' using 'x':'ux' with linespoints pointsize 1.5 pointtype 5 linewidth 2 linecolor rgb '#d55e00' title 'e = 1/2'
END
}

# TITLE DIRECTORY: the velocities of three spheres in a row without their mean, in coordinates (u_2 - u_1)/sqrt(2) and (2 u_3 - u_1 - u_2)/sqrt(6), in
# which lengths are those of u: the cone, its polar cone, U, its projection u and the impulse between.
plot_cone() {
  local numbers
  numbers=$(/usr/bin/python3 - "$root/prm/data/three_in_a_row.csv" "$2/spheres.csv" <<'END'
import csv, sys
for name, file in zip("Uu", sys.argv[1:]):
    v = [float(row["ux"]) for row in csv.DictReader(open(file, newline=""))]
    print(f"{name}_x = {(v[1] - v[0]) / 2**.5!r}; {name}_y = {(2 * v[2] - v[0] - v[1]) / 6**.5!r}")
END
)
  plot_style "Velocities of three spheres in a row, without their mean"
  cat <<END
$numbers
set size ratio -1
set xrange [-1.5:1.5]
set yrange [-1.1:1.15]
unset border; unset tics; unset grid; unset key
set style fill solid 1 noborder
# admissible: the first coordinate is not negative, and u_3 >= u_2, which is y >= x/sqrt(3)
set object 1 polygon from 0,0 to 0,1.1 to 1.45,1.1 to 1.45,1.45/sqrt(3) to 0,0 fillcolor rgb '#cce3f0' behind
set object 2 polygon from 0,0 to -1.45,0 to -1.45,-1.05 to 1.05/sqrt(3),-1.05 to 0,0 fillcolor rgb '#fbe3d3' behind
set label 1 'K: no two approach' at 0.42,0.78
set label 2 'K°: B*p with p ≥ 0' at -1.3,-0.75
set arrow 1 from 0,0 to U_x,U_y linewidth 2.5 linecolor rgb '#505050'
set arrow 2 from 0,0 to u_x,u_y linewidth 3.5 linecolor rgb '#0072b2'
set arrow 3 from u_x,u_y to U_x,U_y linewidth 2.5 linecolor rgb '#d55e00'
set arrow 4 from 0,0 to -1.45,0 nohead dashtype 2 linecolor rgb '#d55e00'
set arrow 5 from 0,0 to 1.05/sqrt(3),-1.05 nohead dashtype 2 linecolor rgb '#d55e00'
set label 3 'U, before' at U_x,U_y right offset -0.5,0.8 textcolor rgb '#505050'
set label 4 'u = P_K U' at u_x,u_y left offset 0.8,0.6 textcolor rgb '#0072b2'
set label 5 'U - u = B*p' at (u_x + U_x)/2,U_y center offset 0,-0.9 textcolor rgb '#d55e00'
set label 6 'B*p of contact 1-2' at -1.1,0 center offset 0,-0.9 textcolor rgb '#d55e00'
set label 7 'B*p of contact 2-3' at 0.45,-0.9*sqrt(3)/2 left offset 0.8,0 textcolor rgb '#d55e00'
plot NaN
END
}

# TITLE DIRECTORY: what a sweep of tolerances promises, and what is true: distances from its finest run, relative to |U - mean U|.
plot_bound() {
  local table="$2/bound.csv"
  /usr/bin/python3 - "$2" >"$table" <<'END'
import csv, json, pathlib, sys
folder = pathlib.Path(sys.argv[1])
def read(file):
    with open(file, newline="") as lines:
        return list(csv.DictReader(lines))
def velocities(run):
    return [(float(row["mass"]), float(row[axis])) for row in read(folder / run / "spheres.csv") for axis in ("ux", "uy")]
rows = read(folder / "sweep.csv")
exact = velocities(rows[-1]["run"])
print("tolerance,bound,error")
for row in rows[:-1]:
    scale = json.loads((folder / row["run"] / "summary.json").read_text())["certificate"]["scale"]
    error = sum(m * (v - w) ** 2 for (m, v), (_, w) in zip(velocities(row["run"]), exact)) ** .5 / scale
    print(row["Tolerance"], row["certificate.relative_error_bound"], error, sep=",")
END
  plot_style "Projected gradient: certified bound and true error"
  cat <<END
set logscale xy
set xlabel 'tolerance'
set xrange [*:*] reverse
set format x '10^{%T}'
set ylabel '|u - exact| / |U - mean U|' noenhanced
set yrange [1e-10:1]
set format y '10^{%T}'
plot '$table' using 1:2 with linespoints linewidth 2 pointsize 1.5 pointtype 5 linecolor rgb '#d55e00' title 'certified bound', \
     '' using 1:3 with linespoints linewidth 2 pointsize 1.5 pointtype 7 linecolor rgb '#0072b2' title 'true error'
END
}
