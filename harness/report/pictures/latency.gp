# Latency by percentile; x = 1 / (1 - percentile), so that each nine is as wide.
stats data using 1 name 'NINES' nooutput
stats data using ($3*1e-9) name 'TIMES' nooutput
height = top + 28 + 280 + 60 + below
eval frame('')
set lmargin at screen X(92)
set rmargin at screen X(width - 30)
set tmargin at screen Y(top + 28)
set bmargin at screen Y(top + 308)
set key at screen X(8), Y(top) left top horizontal Left reverse samplen 2 font ',13'
set logscale xy
set xrange [1 : 10**ceil(log10(NINES_max < 11 ? 11 : NINES_max > 1e5 ? 1e5 : NINES_max) - 0.001)]
set yrange [10**floor(log10(TIMES_min)) : 10**(floor(log10(TIMES_max)) + 1)]
set xtics ('0' 1, '50' 2, '75' 4, '90' 10, '99' 100, '99.9' 1000, '99.99' 1e4, '99.999' 1e5)
set ytics format '%.0s %cs'
set xlabel 'percentile (each further nine as wide as the one before)'
plot data index 'acquire' using 1:($3*1e-9) with steps linewidth 2.2 dashtype 1 linecolor rgb blue title columnheader(1), \
     data index 'release' using 1:($3*1e-9) with steps linewidth 2.2 dashtype 2 linecolor rgb orange title columnheader(1), \
     data index 'hand-off' using 1:($3*1e-9) with steps linewidth 2.2 dashtype 4 linecolor rgb green title columnheader(1)
unset multiplot
