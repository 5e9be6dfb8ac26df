# For each group of schemes, throughput, and acquire p99 below it; beside each other, kinds of locks.
stats data using (strlen(strcol(1))) name 'NAMES' nooutput
stats data index 'places' using 1 name 'LOADS' nooutput
stats data using ($3 > 0 ? $3 : NaN) name 'RATES' nooutput
stats data using ($4 > 0 ? $4 : NaN) name 'RATES4' nooutput
stats data using ($6*1e-9) name 'P99' nooutput
rates_least = known('RATES_min', 1); rates_most = known('RATES4_max', 10); p99_least = known('P99_min', 1); p99_most = known('P99_max', 10)
legend = 64 + letters(NAMES_max)
each = 190
panels = exists('P99_min') ? 2 : 1 # of a few acquires there is no p99
gap = groups > 1 ? 92 : 76 # with a line for the servers of a group
height = top + panels * groups * (each + gap) + below
eval frame(sprintf("layout %d,%d margins screen X(98),X(width-legend),Y(height-below-48),Y(top+gap-50) spacing screen X(112),X(gap)*width/height", panels * groups, words(columns)))
set logscale xy
set xlabel load
do for [g = 1:groups] { do for [panel = 0:panels - 1] { do for [c in columns] {
    set label 1 (panel ? '' : value('locks_'.c)) at graph 0, graph 1 offset 0,0.8 left
    set label 2 (panel || groups == 1 || c ne word(columns, 1) ? '' : value(sprintf('group_%d', g))) at graph 0, graph 1 offset 0,1.9 left
    eval name_y(panel ? 'acquire p99' : 'locks/s')
    set format y panel ? '%.0s %cs' : '%.0s%c/s'
    set ytics autofreq
    eval panel ? fine_tics('y', p99_least, p99_most) : fine_tics('y', rates_least, rates_most)
    low = panel ? down(p99_least) : down(rates_least); high = panel ? up(p99_most) : up(rates_most); end = panel ? '($6*1e-9)' : '($2)'
    curve(n) = c eq word(columns, words(columns)) ? sprintf('curve %d %s %d:', g, c, n) : 'none'; named(n) = sprintf('name %d %d:', g, n)
    eval name_ends(end)
    set xrange [LOADS_min / 1.15 : LOADS_max * 1.15]; set yrange [low : high]
    plot for [n = 1:7] data index sprintf('curve %d %s %d:', g, c, n) using 1:(panel ? $6*1e-9 : $2) with linespoints linestyle n, \
         for [n = 1:7] data index sprintf('curve %d %s %d:', g, c, n) using 1:(panel ? NaN : $3):(0):($4 - $3) with vectors nohead linestyle n linewidth 1 dashtype 1, \
         for [n = 1:7] data index sprintf('curve %d %s %d:', g, c, n) using 1:($7 == 1 ? NaN : panel ? $6*1e-9 : $2) with points pointtype 6 pointsize 1.6 linewidth 1.5 linecolor rgb dark_red, \
         data index 'places' using 1:(NaN):xtic(2)
}}}
unset multiplot
