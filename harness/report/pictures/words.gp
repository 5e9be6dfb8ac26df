# Words in a timeline, each where it covers no other, if there is room: `eval put_texts` finds places for those of panel p,
# and `plot @texts_placed` writes them.
# Words stand left of a time (1), around it (2), or right of it (3), where there is room for them; 0: nowhere.
room(words) = 7.9 * strlen(words) + 18
array text[999]; array text_x[999]; array text_y[999]; array text_side[999]; array text_colour[999]
put(side, time, y, colour, words) = side == 0 || texts == 999 ? 0 : (texts = texts + 1, text_side[texts] = side, \
    text_x[texts] = time, text_y[texts] = y, text_colour[texts] = colour, text[texts] = words, side)
standing(i, side) = text_side[i] == side ? text_x[i] : NaN
words_side(where, from, to, words) = !seen(from, to) ? 0 : where eq 'centre' ? 2 : \
    where eq 'inside' ? 2 * (extent(from, to) >= room(words) + 122) : where eq 'right' || extent(to, high) > room(words) - 6 ? 3 : 1
put_words = "stats data index 'words:' using (put(words_side(strcol(4), $1, $2, strcol(6)), middle($1, $2), $3, value(strcol(5)), strcol(6))) nooutput"
# Values cover neither other marks nor the value before; where there is less room, the number alone (4).
array mark_at[999]; array mark_row[999]; array mark_words[999]; array mark_value[999]
value_side(at, last, next, words, number) = extent(at, next) >= room(words) ? 3 : \
    extent(last, at) - 9 * (last >= low) >= room(words) && pixel(at) - taken >= room(words) ? 1 : extent(at, next) >= room(number) ? 4 : 0
find_marks = "marks = 0; stats data index 'marks:' using ($4 > 10 * dot && seen($2, $2) && marks < 999 ? (marks = marks + 1, mark_row[marks] = $1, \
    mark_at[marks] = $2, mark_words[marks] = strcol(5), mark_value[marks] = strcol(6), marks) : 0) nooutput"
# What struck servers is told inside (1), behind (2) or before it (3); in brief, where there is room for no more.
slot_y(i) = rows + 0.54 + 0.92 * slot[i] / strikes[p] - 0.03
fit(words) = 7.3 * strlen(words) + 10
strike_side(from, to, words) = extent(from, to) >= fit(words) ? 1 : extent(to, high) >= fit(words) ? 2 : extent(low, from) >= fit(words) ? 3 : 0
put_strike(s, from, to, words) = seen(from, to) ? put(s == 3 ? 1 : s > 0 ? 3 : 0, within(s == 2 ? to : from, low, high), slot_y(n), brown, words) : 0
put_strikes = "n = 0; stats data index 'servers:' every ::::3 using (n = n + 1, s = strike_side($1, $2, strcol(3).strcol(4)), \
    put_strike(s > 0 ? s : strike_side($1, $2, strcol(3).strcol(5)), $1, $2, strcol(3).(s > 0 ? strcol(4) : strcol(5)))) nooutput"
put_values = "eval find_marks; taken = left; do for [m = 1:marks] { \
    is_first = m == 1 || mark_row[m > 1 ? m - 1 : 1] != mark_row[m]; \
    is_last = m == marks || mark_row[m < marks ? m + 1 : m] != mark_row[m]; \
    taken = is_first ? left : taken; \
    words = mark_words[m].mark_value[m]; \
    if (strlen(words)) { \
    s = value_side(mark_at[m], is_first ? low : mark_at[m > 1 ? m - 1 : 1], is_last ? high : mark_at[m < marks ? m + 1 : m], words, mark_value[m]); \
    nothing = put(s == 4 ? 3 : s, mark_at[m], mark_row[m] - 0.36, black, s == 4 ? mark_value[m] : words); \
    taken = pixel(mark_at[m]) + (s > 2 ? room(s == 4 ? mark_value[m] : words) - 9 : 9) } }"
put_texts = "texts = 0; nothing = put(2, low - 1, 0, black, ' ') + put(2, low - 1, 0, black, ' '); eval put_words; eval put_strikes; eval put_values; set samples texts"
texts_placed = "'+' using (standing($0 + 1, 1)):(text_y[$0 + 1]):(text[$0 + 1]):(text_colour[$0 + 1]) with labels right offset -0.8,0 font ',12' textcolor rgb variable, \
    '+' using (standing($0 + 1, 2)):(text_y[$0 + 1]):(text[$0 + 1]):(text_colour[$0 + 1]) with labels center font ',12' textcolor rgb variable, \
    '+' using (standing($0 + 1, 3)):(text_y[$0 + 1]):(text[$0 + 1]):(text_colour[$0 + 1]) with labels left offset 0.8,0 font ',12' textcolor rgb variable"
