# Each operation as a dot; colour and shape together tell the kinds apart, in grey too.
names = 'granted released not-granted released-late write-refused acquire-unknown release-unknown write-unknown'
array meanings[8] = ['granted', 'released', 'not granted in time', 'released, but lost before', 'write refused by the store', 'acquire without an answer', 'release without an answer', 'write without an answer']
array shapes[8] = [7, 6, 9, 13, 5, 2, 1, 3]
array colours[8] = [blue, green, orange, dark, purple, red, red, red]
array counts[8]
number(name) = sum [i = 1:8] (word(names, i) eq name ? i : 0)
do for [i = 1:8] { counts[i] = 0 }
stats data index 'counts:' using (counts[number(strcol(1))] = $2) nooutput
kinds = STATS_records
size = STATS_sum < 300 ? 0.63 : 0.35 # of those that went well
stats data index 'operations:' using ($2*1e-9) name 'TIMES' nooutput
p = 1
eval place_labels
keys = 18 * ceil(kinds / 2.0)
height = top + keys + 18 * lanes[1] + 14 + 300 + 60 + below
eval frame('')
set key at screen X(8), Y(top) left top horizontal Left reverse samplen 1 font ',13'
panel_y = top + keys + 18 * lanes[1] + 14; tall = 300
eval time_panel
set logscale y
set yrange [10**floor(log10(TIMES_min)) : 10**(floor(log10(TIMES_max)) + 1)]
set ytics format '%.0s %cs'
plot @fault_bands, \
     @fault_lines, \
     for [i = 1:8] data index 'operations:' using (strcol(3) eq word(names, i) ? $1 : NaN):($2*1e-9) with points pointtype shapes[i] pointsize (i < 3 ? size : 0.75) linecolor rgb colours[i] \
         title counts[i] > 0 ? sprintf('%s (%d)', meanings[i], counts[i]) : ''
unset multiplot
