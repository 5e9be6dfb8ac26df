# What verdicts look like, and the legend of those that occur: `plot @legend` draws it.
# As in page.css.
colour(verdict) = verdict eq 'SAFE' ? 0x9fd9c6 : verdict eq 'UNSAFE' ? 0xb34700 : verdict eq 'STUCK' ? 0xe3a9cc : \
    verdict eq 'UNKNOWN' ? 0xfbe08a : verdict eq 'SKIPPED' ? 0xf2f2f2 : verdict eq 'ERROR' ? dark : 0xffffff
ink(verdict) = verdict eq 'SAFE' ? 0x06402f : verdict eq 'UNSAFE' || verdict eq 'ERROR' ? 0xffffff : \
    verdict eq 'STUCK' ? stuck : verdict eq 'UNKNOWN' ? 0x574100 : verdict eq 'SKIPPED' ? 0x555555 : 0x6a6a6a
# A sign tells each verdict in grey, too. Those that occur are explained below, two beside each other.
verdicts = 'SAFE UNSAFE STUCK UNKNOWN SKIPPED ERROR n/a'
array signs[7] = ['✓', '✗', '‖', '?', '»', '!', '–']
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
at(v) = 24 + 330 * (int(place[v]) % 2)
line(v) = place[v] < 0 ? NaN : int(place[v]) / 2 + 0.5
legend = "'+' using (at(int($0) + 1)):(line(int($0) + 1)):(12):(0.36):(colour(word(verdicts, int($0) + 1))) with boxxyerror fillstyle solid border rgb 0xb0b0b0 linecolor rgb variable, \
    '+' using (at(int($0) + 1)):(line(int($0) + 1)):(signs[int($0) + 1]):(ink(word(verdicts, int($0) + 1))) with labels center font ',12' textcolor rgb variable, \
    '+' using (at(int($0) + 1) + 18):(line(int($0) + 1)):(word(verdicts, int($0) + 1).meanings[int($0) + 1]) with labels left font ',12' textcolor rgb dark"
