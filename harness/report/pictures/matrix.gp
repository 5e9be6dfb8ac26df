# A cell for each scheme under each fault, and one without; at the right, what each costs without.
entries = 'cells:'; most = costs ? 20 : 24
eval make_tables
array smallest[2]; array largest[2]
do for [i = 1:costs ? 2 : 0] {
    stats data index 'costs:' using (column(i + 1) > 0 ? log10(column(i + 1)) : NaN) name 'COSTS' nooutput
    smallest[i] = known('COSTS_min', 0); largest[i] = known('COSTS_max', 1)
}
share(all, alike) = alike < all ? sprintf('%d/%d', alike, all) : ''
slant = 0.72 * letters(headings) + 20
left = letters(names) + 20
edge = costs ? -1.4 : 0
cell = (width - left - 12 - (costs ? 300 : slant)) / (columns - edge)
cell = cell > 42 ? 42 : cell
right = left + cell * (columns - edge)
row = shares ? 28 : 20
height = top + row * sum_rows + tables * (slant + 16) + 24 * ceil(legends / 2.0) + 8 + below
eval frame('')
unset grid
unset border
set tics scale 0
unset xtics
set x2tics rotate by 45 left
panel_top = top
do for [t = 1:tables] {
    n = rows[t]
    set tmargin at screen Y(panel_top + slant)
    set bmargin at screen Y(panel_top + slant + row * n)
    panel_top = panel_top + slant + row * n + 16
    set yrange [n - 0.5 : -0.5]
    set lmargin at screen X(left)
    set rmargin at screen X(right)
    set xrange [edge : columns]; set x2range [edge : columns]
    set x2tics ()
    if (costs) { set x2tics add ('no fault' -0.8) }
    set ytics ()
    x(column) = column < 0 ? -0.8 : shows(t, column) ? column - first(t) + 0.5 : NaN
    plot data index 'rows:' using (NaN):(y(t, $1)):ytic(cut(strcol(3), 36)), \
         data index 'columns:' using (shows(t, $1) ? $1 - first(t) + 0.5 : -9):(NaN):x2tic(cut(strcol(2), 36)) axes x2y1, \
         data index 'rows:' using (edge):(head(t, $1)):2 with labels left offset screen X(12 - left),0 font ',11' textcolor rgb 0x6a6a6a, \
         data index 'cells:' using (x($2)):(y(t, $1)):(0.46):(0.44):(colour(strcol(3))) with boxxyerror fillstyle solid noborder linecolor rgb variable, \
         data index 'cells:' using (x($2)):(y(t, $1) - ($6 < $5 ? 0.18 : 0)):(signs[number(strcol(3))].strcol(4)):(ink(strcol(3))) with labels center font ',12' textcolor rgb variable, \
         data index 'cells:' using (x($2)):(y(t, $1) + 0.27):(share($5, $6)):(ink(strcol(3))) with labels center font ',9' textcolor rgb variable
    if (!costs) { continue }
    unset x2tics; unset ytics
    do for [panel = 0:1] {
        low = ceil(smallest[panel + 1]) - 1; high = ceil(largest[panel + 1]); low = low > high - 2 ? high - 2 : low
        from = right + 10 + 145 * panel
        set lmargin at screen X(from + 66)
        set rmargin at screen X(from + 130)
        set xrange [low:high]
        set label 1 (panel ? panel_1 : panel_0) at graph 0, graph 1 right offset -0.7,0.8 font ',12' textcolor rgb dark
        unset arrow
        do for [power = low:high] { set arrow from power, graph 0 to power, graph 1 nohead back linecolor rgb 0xe2e2e2 linewidth 0.7 }
        plot data index 'costs:' using (low):(y(t, $1)):(low):(log10(column(panel + 2))):(y(t, $1) - 0.25):(y(t, $1) + 0.25) with boxxyerror fillstyle solid noborder linecolor rgb (panel ? sky : blue), \
             data index 'costs:' using (low):(y(t, $1)):(strcol(panel ? 5 : 4)) with labels right offset -0.7,0 font ',11' textcolor rgb dark
    }
    unset label 1; unset arrow
    set x2tics rotate by 45 left scale 0
}
set tmargin at screen Y(panel_top)
set bmargin at screen Y(panel_top + 24 * ceil(legends / 2.0))
set lmargin at screen X(0)
set rmargin at screen X(width)
unset x2tics; unset ytics; unset xtics
set xrange [0:width]; set yrange [ceil(legends / 2.0):0]; set samples 7
plot @legend
unset multiplot
