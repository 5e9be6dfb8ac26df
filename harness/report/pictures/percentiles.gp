# A panel for each group of schemes; x = 1 / (1 - percentile), so that each nine is as wide.
below = note("A curve ends where fewer than 10 acquires lie beyond it.")
stats data using (strlen(strcol(1))) name 'NAMES' nooutput
stats data using 1 name 'NINES' nooutput
stats data using ($3*1e-9) name 'TIMES' nooutput
legend = 64 + letters(NAMES_max)
columns = groups > 1 ? 2 : 1
lines = (groups + columns - 1) / columns
each = groups > 2 ? 190 : 330
height = top + lines * (each + 76) + below
eval frame(sprintf("layout %d,%d margins screen X(98),X(width-legend),Y(height-below-48),Y(top+26) spacing screen X(legend+104),X(76)*width/height", lines, columns))
set logscale xy
set xtics ('50' 2, '90' 10, '99' 100, '99.9' 1000, '99.99' 1e4, '99.999' 1e5)
set ytics format '%.0s %cs'
eval fine_tics('y', TIMES_min, TIMES_max)
set xlabel 'percent of acquires'
eval name_y('acquire latency')
low = down(TIMES_min); high = up(TIMES_max); end = '($3*1e-9)'
do for [g = 1:groups] {
    curve(n) = sprintf('curve %d %d:', g, n); named(n) = curve(n)
    eval name_ends(end)
    set xrange [1 : NINES_max]; set yrange [low : high]
    set label 1 value(sprintf('group_%d', g)) at graph 0, graph 1 offset 0,0.8 left
    plot for [n = 1:7] data index sprintf('curve %d %d:', g, n) using 1:($3*1e-9) with linespoints linestyle n pointinterval 10, \
         for [n = 1:7] data index sprintf('uncorrected %d %d:', g, n) using 1:($3*1e-9) with lines linestyle n linewidth 1 dashtype (2,4)
}
unset multiplot
