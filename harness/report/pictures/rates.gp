# For each group of schemes, acquire p50 and p99 against the offered rate.
stats data using (strlen(strcol(1))) name 'NAMES' nooutput
stats data index 'places' using 1 name 'LOADS' nooutput
stats data using ($5*1e-9) name 'P50' nooutput
stats data using ($6*1e-9) name 'P99' nooutput
p50_least = known('P50_min', 1); p50_most = known('P50_max', 10); p99_least = known('P99_min', 1); p99_most = known('P99_max', 10)
legend = 64 + letters(NAMES_max)
each = groups > 1 ? 190 : 330
panels = exists('P99_min') ? 2 : 1 # of a few acquires there is no p99
height = top + groups * (each + 76) + below
eval frame(sprintf("layout %d,%d margins screen X(98),X(width-legend),Y(height-below-48),Y(top+26) spacing screen X(112),X(76)*width/height", groups, panels))
set logscale xy
set ytics format '%.0s %cs'
set xlabel 'offered rate'
do for [g = 1:groups] { do for [column = 5:4 + panels] {
    set label 1 (column == 5 && groups > 1 ? value(sprintf('group_%d', g)) : '') at graph 0, graph 1 offset 0,0.8 left
    set ytics autofreq
    eval (column == 5 ? fine_tics('y', p50_least, p50_most) : fine_tics('y', p99_least, p99_most))
    eval name_y(column == 5 ? 'acquire p50' : 'acquire p99')
    low = column == 5 ? down(p50_least) : down(p99_least); high = column == 5 ? up(p50_most) : up(p99_most); end = '(column(column)*1e-9)'
    curve(n) = column == 4 + panels ? sprintf('curve %d 0 %d:', g, n) : 'none'; named(n) = sprintf('name %d %d:', g, n)
    eval name_ends(end)
    set xrange [LOADS_min / 1.15 : LOADS_max * 1.15]; set yrange [low : high]
    plot for [n = 1:7] data index sprintf('curve %d 0 %d:', g, n) using 1:(column(column)*1e-9) with linespoints linestyle n, \
         for [n = 1:7] data index sprintf('curve %d 0 %d:', g, n) using 1:($7 == 1 ? NaN : column(column)*1e-9) with points pointtype 6 pointsize 1.6 linewidth 1.5 linecolor rgb dark_red, \
         data index 'places' using 1:(NaN):xtic(2)
}}
unset multiplot
