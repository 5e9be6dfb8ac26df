# A row for each scheme: Jain's index at the left, the least and most of a worker at the right.
below = note("Left, Jain's index of the workers' grants: the median of the repeats, and their least and most. Right, what the worker with the least and the one with the most grants got. At the right both in figures. Most even first.")
stats data index 'rows' using (strlen(strcol(7))) name 'NAMES' nooutput
figures(index, least, most) = sprintf('%.2f; %.2f – %.2f', index, least, most)
stats data index 'rows' using (strlen(figures($2, $5, $6))) name 'FIGURES' nooutput
left = 24 + letters(NAMES_max)
middle = left + (width - left - letters(FIGURES_max) - 30) / 2
height = top + 30 + 20 * rows + 54 + below
eval frame('')
set tmargin at screen Y(top + 26)
set bmargin at screen Y(top + 26 + 20 * rows)
set yrange [rows - 0.5 : -0.5]
set ytics scale 0
set grid noytics
set arrow 1 from 1, graph 0 to 1, graph 1 nohead linecolor rgb grey linewidth 1.2 dashtype (5,3)

set lmargin at screen X(left)
set rmargin at screen X(middle - 16)
set xrange [0:1.05]
set label 1 "Jain's index" at graph 0, screen Y(top + 14) left textcolor rgb dark
set xlabel '1: all got the same, 1 ÷ workers: one got all'
plot data index 'rows' using 3:1:($4 - $3):(0):ytic(7) with vectors nohead linewidth 7 linecolor rgb sky, \
     data index 'rows' using 2:1 with points pointtype 7 pointsize 0.75 linecolor rgb blue, \
     data index 'scenarios' using (0):1:2 with labels left offset 0.5,0 textcolor rgb dark

set lmargin at screen X(middle + 12)
set rmargin at screen X(width - letters(FIGURES_max) - 18)
set xrange [0:*]
set label 1 'least and most of a worker'
set xlabel 'grants by an even share'
unset ytics
set y2range [rows - 0.5 : -0.5]
set y2tics scale 0
plot data index 'rows' using 5:1:($6 - $5):(0):y2tic(figures($2, $5, $6)) with vectors nohead linewidth 7 linecolor rgb sky
unset multiplot
