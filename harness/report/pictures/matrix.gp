# A cell for each scheme under each fault, and one without; at the right, what each costs without.
entries = 'cells:'; most = costs ? 20 : 24
eval make_tables
array smallest[2]; array largest[2]
do for [i = 1:costs ? 2 : 0] {
    stats data index 'costs:' using (column(i + 1) > 0 ? log10(column(i + 1)) : NaN) name 'COSTS' nooutput
    smallest[i] = known('COSTS_min', 0); largest[i] = known('COSTS_max', 1)
}
# As in page.css.
colour(verdict) = verdict eq 'SAFE' ? 0x9fd9c6 : verdict eq 'UNSAFE' ? 0xb34700 : verdict eq 'STUCK' ? 0xe3a9cc : \
    verdict eq 'UNKNOWN' ? 0xfbe08a : verdict eq 'SKIPPED' ? 0xf2f2f2 : verdict eq 'ERROR' ? dark : 0xffffff
ink(verdict) = verdict eq 'SAFE' ? 0x06402f : verdict eq 'UNSAFE' || verdict eq 'ERROR' ? 0xffffff : \
    verdict eq 'STUCK' ? 0x6f174c : verdict eq 'UNKNOWN' ? 0x574100 : verdict eq 'SKIPPED' ? 0x555555 : 0x6a6a6a
# A sign tells each verdict in grey, too. Those that occur are explained below, two beside each other.
verdicts = 'SAFE UNSAFE STUCK UNKNOWN SKIPPED ERROR n/a'
array signs[7] = ['✓', '✗', '■', '?', '»', '!', '–']
array meanings[7] = ['', '', ': nobody was granted any more', '', ': something is missing here', ': the harness failed', ': they do not go together']
array place[7]
number(verdict) = sum [v = 1:7] (word(verdicts, v) eq verdict ? v : 0)
legends = 0
do for [v = 1:7] {
    found = 0
    stats data index 'cells:' using (found = found + (strcol(3) eq word(verdicts, v))) nooutput
    place[v] = found ? legends : -1
    legends = legends + (found > 0)
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
        set label 1 (panel ? 'acquire p99' : 'locks/s') at graph 0, graph 1 right offset -0.7,0.8 font ',12' textcolor rgb dark
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
at(v) = 24 + 330 * (int(place[v]) % 2)
line(v) = place[v] < 0 ? NaN : int(place[v]) / 2 + 0.5
plot '+' using (at(int($0) + 1)):(line(int($0) + 1)):(12):(0.36):(colour(word(verdicts, int($0) + 1))) with boxxyerror fillstyle solid border rgb 0xb0b0b0 linecolor rgb variable, \
     '+' using (at(int($0) + 1)):(line(int($0) + 1)):(signs[int($0) + 1]):(ink(word(verdicts, int($0) + 1))) with labels center font ',12' textcolor rgb variable, \
     '+' using (at(int($0) + 1) + 18):(line(int($0) + 1)):(word(verdicts, int($0) + 1).meanings[int($0) + 1]) with labels left font ',12' textcolor rgb dark
unset multiplot
