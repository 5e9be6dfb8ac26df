# A row for each scheme: the median, and a bar from there to the 99th percentile.
below = note("Only releases during which somebody waited. The point is the median, the bar goes on to the 99th percentile (of at least 100 hand-offs). Fastest first.")
stats data index 'rows' using (strlen(strcol(4))) name 'NAMES' nooutput
stats data index 'rows' using (strlen(strcol(5))) name 'FIGURES' nooutput
stats data index 'rows' using ($2*1e-9) name 'LEAST' nooutput
stats data index 'rows' using ((valid(3) && $3 > $2 ? $3 : $2)*1e-9) name 'MOST' nooutput
height = top + 10 + 20 * rows + 54 + below
eval frame('')
set lmargin at screen X(24 + letters(NAMES_max))
set rmargin at screen X(width - letters(FIGURES_max) - 18)
set tmargin at screen Y(top + 6)
set bmargin at screen Y(top + 6 + 20 * rows)
set yrange [rows - 0.5 : -0.5]
set y2range [rows - 0.5 : -0.5]
set ytics scale 0
set y2tics scale 0
set grid noytics
set logscale x
set xrange [down(LEAST_min) : up(1.01 * (MOST_max > LEAST_max ? MOST_max : LEAST_max))]
set x2range [0:1]
set xtics format '%.0s %cs'
set xlabel 'release to the next grant'
plot data index 'rows' using ($2*1e-9):1:(($3 - $2)*1e-9):(0):ytic(4):y2tic(5) with vectors nohead linewidth 7 linecolor rgb sky, \
     data index 'rows' using ($2*1e-9):1 with points pointtype 7 pointsize 0.75 linecolor rgb blue, \
     data index 'scenarios' using (0):1:2 axes x2y1 with labels left offset 0.5,0 textcolor rgb dark
unset multiplot
