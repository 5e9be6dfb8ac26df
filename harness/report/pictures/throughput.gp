# Throughput, in bins; faults as bands and lines, and labels above.
p = 1
eval place_labels
height = top + 18 * lanes[1] + 12 + 250 + 60 + below
eval frame('')
panel_y = top + 18 * lanes[1] + 12; tall = 250
eval time_panel
set ylabel 'locks/s' offset 2,0
set yrange [0:*]
set offsets 0,0,graph 0.08,0
plot @fault_bands, \
     data index 'bins' using (($1 + $2) / 2):3:($2 - $1) with boxes fillstyle transparent solid 0.6 noborder linecolor rgb sky, \
     data index 'bins' using 1:3 with steps linewidth 1.6 linecolor rgb blue, \
     data index 'bins' using 1:3:($2 - $1):(0) with vectors nohead linewidth 1.6 linecolor rgb blue, \
     @fault_lines, \
     data index 'stuck' using 1:(0.5):($2 - $1):(0) axes x1y2 with vectors heads size screen 0.008,20 linewidth 2 linecolor rgb stuck, \
     data index 'stuck' using 1:(0):(0):(1) axes x1y2 with vectors nohead linewidth 1.2 dashtype 3 linecolor rgb stuck, \
     data index 'stop' using 1:(0):(0):(1) axes x1y2 with vectors nohead linewidth 1.6 linecolor rgb dark
unset multiplot
