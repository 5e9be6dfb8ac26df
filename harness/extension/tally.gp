# A bar for each trial: how often the lock was held.
height = top + 40 + 30 * rows + below
eval frame('')
set lmargin at screen X(160)
set rmargin at screen X(width - 20)
set tmargin at screen Y(top + 10)
set bmargin at screen Y(top + 10 + 30 * rows)
set yrange [rows - 0.5 : -0.5]
set xrange [0:*]
plot data index 'rows' using (0):1:(0):2:($1 - 0.3):($1 + 0.3):ytic(3) with boxxyerror fillstyle solid 0.6 linecolor rgb blue notitle
unset multiplot
