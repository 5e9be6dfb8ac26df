# A row for each scheme: how long its unsafe windows were, of both kinds.
below = note("A line goes from the shortest to the longest window of a trial, a dot is their median; the longest of all trials stands beside it. Schemes that had none are left out.")
stats data index 'rows' using (strlen(strcol(2))) name 'NAMES' nooutput
stats data index 'rows' using (strlen(strcol(3))) name 'FIGURES' nooutput
stats data index 'windows' using ($3*1e-9) name 'LEAST' nooutput
stats data index 'windows' using ($5*1e-9) name 'MOST' nooutput
height = top + 10 + 20 * rows + 84 + below
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
set xrange [down(LEAST_min) : up(1.01 * MOST_max)]
set xtics format '%.0s %cs'
set xlabel 'how long'
set key at screen X(12), Y(top + 46 + 20 * rows) top left Left reverse font ',12'
kinds = 'stale-holder double-grant'
meaning(n) = n == 1 ? 'stale holder: the lease of one had run out' : 'double grant: it was granted to both'
of(n, value) = strcol(2) eq word(kinds, n) ? value : NaN
plot data index 'rows' using (NaN):1:ytic(2):y2tic(3), \
     for [n = 1:2] data index 'windows' using (of(n, $3*1e-9)):($1 + 0.36 * n - 0.54):(($5 - $3)*1e-9):(0) with vectors nohead linestyle n dashtype 1, \
     for [n = 1:2] data index 'windows' using (of(n, $4*1e-9)):($1 + 0.36 * n - 0.54) with points linestyle n pointsize 0.6 title meaning(n)
unset multiplot
