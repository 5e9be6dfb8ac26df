# What looks a timeline has, and the legend of those that occur in it: `plot @legend` draws it.
# Each look: its name, colour, top above and bottom below the middle of its row, style, and words of the legend.
$looks << END
waits            grey     0.06  0     lines    "waits"
releases         slate    0.11 -0.01  bars     "releases"
possible         pale_blue  0.16 0.04 bars     "may be held"
possible-shared  pale_green 0.16 0.04 bars     ""
holds            blue     0.24  0.12  bars     "holds"
certain          blue     0.24  0.12  bars     "held for certain"
certain-shared   green    0.24  0.12  bars     "held by a reader"
leases           sky     -0.19  0.29  bars     "lease valid"
overlaps         pale_red 0.24  0.12  bars     "two or more hold"
dead             blue     0.24  0.12  hatched  "held by the dead client"
maybe-dead       grey     0.24  0.12  hatched  "may be held by the dead client"
unanswered       grey     0.16  0.04  hatched  "acquire without an answer"
refusal          grey     0.04  0.06  bars     "refused"
stray            dark_red 0.04  0.06  bars     ""
read             black    0.36  0     marks    "read"
write            black    0.36  0     marks    "write"
refused          red      0.36  0     marks    "write refused"
lost             red      0.36  0     marks    "write lost"
long-write       black    0.27  0     dotted   "until it is answered"
fault            shade    0.48  0.48  shades   "fault"
violation        red      0.24  0.12  bars     "violation"
death            black    0.06  0     marks    ""
END
array called[22]; array colour[22]; array top_of[22]; array bottom[22]; array style[22]; array meaning[22]; array found[22]
stats $looks using (i = int($0) + 1, called[i] = strcol(1), colour[i] = value(strcol(2)), top_of[i] = $3, bottom[i] = $4, style[i] = strcol(5), meaning[i] = strcol(6), found[i] = 0) nooutput
number(look) = sum [i = 1:22] (called[i] eq look ? i : 0)
find(look) = (found[number(look)] = 1)
do for [p = 1:1 + enlarged] {
    eval begin_panel
    # Waits and releases of less than a pixel cannot be told from nothing.
    stats data index 'bars:' using (seen($2, $3) && (extent($2, $3) >= 1 || (strcol(4) ne 'waits' && strcol(4) ne 'releases')) ? find(strcol(4)) : 0) nooutput
    stats data index 'marks:' using (seen($2, $2) ? find(strcol(3)) : 0) nooutput
}
stats data index 'servers:' every ::::3 using (find('fault')) nooutput
array at[22]; array line[22]; beyond = 12; legends = 0
do for [i = 1:22] {
    at[i] = NaN; line[i] = NaN; long = 42 + 7.9 * strlen(meaning[i])
    if (found[i] && strlen(meaning[i])) {
        if (beyond + long > width || legends == 0) { legends = legends + 1; beyond = 12 }
        at[i] = beyond; line[i] = legends - 0.5; beyond = beyond + long
    }
}
shape(i) = called[i] eq 'read' ? 10 : called[i] eq 'write' ? 9 : 2
size(i) = called[i] eq 'death' ? 1.3 : called[i] eq 'lost' ? 1.1 : 0.78
# What went wrong is not hidden by what happened at the same time.
is_wrong(i) = shape(i) == 2
i(n) = int(n) + 1
key(kind, n) = style[i(n)] eq kind ? at[i(n)] : NaN
legend = "'+' using (key('bars', $0) + 10):(line[i($0)]):(10):((top_of[i($0)] + bottom[i($0)]) * 0.8):(colour[i($0)]) with boxxyerror linecolor rgb variable fillstyle solid noborder, \
    '+' using (key('shades', $0) + 10):(line[i($0)]):(10):(0.28):(colour[i($0)]) with boxxyerror linecolor rgb variable fillstyle solid border rgb grey, \
    '+' using (key('hatched', $0) + 10):(line[i($0)]):(10):(0.28):(colour[i($0)]) with boxxyerror linecolor rgb variable fillstyle pattern 4 border, \
    '+' using (key('lines', $0)):(line[i($0)]):(20):(0):(colour[i($0)]) with vectors nohead linewidth 1.4 linecolor rgb variable, \
    '+' using (key('dotted', $0)):(line[i($0)]):(20):(0) with vectors nohead linewidth 1.2 dashtype 3 linecolor rgb black, \
    '+' using (key('marks', $0) + 10):(line[i($0)]):(size(i($0))):(shape(i($0))):(colour[i($0)]) with points pointsize variable pointtype variable linewidth 1.6 linecolor rgb variable, \
    '+' using (at[i($0)] + 26):(line[i($0)]):(meaning[i($0)]) with labels left textcolor rgb dark"
