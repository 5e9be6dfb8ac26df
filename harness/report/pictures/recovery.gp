# A column for each scenario, in which all have the same logarithmic scale; a row for each scheme.
entries = 'dots:'; most = 10
eval make_tables
effects = 0; leaders = 0; healings = 0; nevers = 0
stats data index 'dots:' using (effects = effects + (strcol(3) eq 'after-effect'), leaders = leaders + (strcol(3) eq 'leaderless'), healings = healings + (strcol(3) eq 'after-healing'), nevers = nevers + (strcol(3) eq 'never')) nooutput
below = note("A dot for each trial and fault, on a logarithmic scale. Who is not disturbed ".(leaders ? "acts on." : "is granted again at once."))
stats data index 'dots:' using ($4 > 0 ? $4*1e-9 : NaN) name 'TIMES' nooutput
low = floor(log10(known('TIMES_min', 1))); high = ceil(log10(known('TIMES_max', 10))); high = high > low ? high : low + 1
slant = 0.72 * letters(headings) + 16
left = letters(names) + 20
each = (width - left - 12 - slant > 200 * columns) ? 200 : (width - left - 12 - slant) / columns
height = top + 17 * sum_rows + tables * (slant + 44) + 64 + below
eval frame('')
unset grid
unset border
set lmargin at screen X(left)
step = ceil(44 / (0.84 * each / (high - low)))
number(power) = gprintf('%.0s %cs', 10.0**power)
at(column, logarithm) = column + 0.08 + 0.84 * (logarithm - low) / (high - low)
set xtics scale 0 font ',10' textcolor rgb 0x555555 offset 0,0.5
set ytics scale 0
set x2tics rotate by 45 left scale 0
set key at screen X(12), Y(height - below - 52) top left Left reverse font ',12'
panel_top = top
do for [t = 1:tables] {
    n = rows[t]
    count = wide(t)
    set rmargin at screen X(left + each * count)
    set tmargin at screen Y(panel_top + slant)
    set bmargin at screen Y(panel_top + slant + 17 * n)
    panel_top = panel_top + slant + 17 * n + 44
    set xrange [0:count]; set x2range [0:count]; set yrange [n - 0.5 : -0.5]
    unset object; unset arrow; set xtics ()
    do for [c = 0:count - 1] {
        set object rectangle from c, graph 0 to c + 1, graph 1 behind fillcolor rgb (c % 2 ? 0xfbfbfb : 0xf4f4f4) fillstyle solid noborder
        do for [power = low:high] { set arrow from at(c, power), graph 0 to at(c, power), graph 1 nohead back linecolor rgb 0xdcdcdc linewidth 0.7 }
        do for [power = low:high:step] { if ((c + 1.08 - at(c, power)) * each > 3.1 * (strlen(number(power)) + strlen(number(low))) + 6 || c == count - 1) { set xtics add (number(power) at(c, power)) }}
    }
    dot(what, column, named) = what eq named && shows(t, column) ? column - first(t) : NaN
    plot data index 'rows:' using (NaN):(y(t, $1)):ytic(cut(strcol(3), 36)), \
         data index 'columns:' using ($1 - first(t) + 0.5):(NaN):x2tic(cut(strcol(2), 36)) axes x2y1, \
         data index 'rows:' using (0):(head(t, $1)):2 with labels left offset screen X(12 - left),0 font ',11' textcolor rgb 0x6a6a6a, \
         data index 'dots:' using (at(dot(strcol(3), $2, 'leaderless'), log10($4 < 1 ? 1 : $4) - 9)):(y(t, $1)) with points pointtype 7 pointsize 0.55 linecolor rgb blue title t == 1 && leaders ? "the longest time without an accepted act after the fault took effect" : '', \
         data index 'dots:' using (at(dot(strcol(3), $2, 'after-effect'), log10($4 < 1 ? 1 : $4) - 9)):(y(t, $1) - 0.18) with points pointtype 7 pointsize 0.55 linecolor rgb blue title t == 1 && effects ? "from the fault's taking effect to the next grant" : '', \
         data index 'dots:' using (at(dot(strcol(3), $2, 'after-healing'), log10($4 < 1 ? 1 : $4) - 9)):(y(t, $1) + 0.18) with points pointtype 9 pointsize 0.6 linecolor rgb orange title t == 1 && healings ? "from the fault's healing to the next grant" : '', \
         data index 'dots:' using (at(dot(strcol(3), $2, 'never'), high)):(y(t, $1)) with points pointtype 2 pointsize 0.8 linewidth 1.6 linecolor rgb stuck title t == 1 && nevers ? "nobody was granted until the trial's end, although somebody waited" : ''
}
unset multiplot
