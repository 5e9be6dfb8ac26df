# What pictures of schemes and scenarios share.
# A grid, in tables of at most `most` columns: each has the rows with an entry of the block `entries` in it, in groups,
# which begin with a row for their name. Table t shows the columns first(t) to first(t + 1) - 1; y(t, row) is -9 where it has no such row.
array places[1]; array heads[1] # gnuplot takes no function for one that fills an array, unless there is one
first(t) = all_columns * (t - 1) / tables
shows(t, column) = column >= first(t) && column < first(t + 1)
table_of(column) = 1 + sum [t = 2:tables] (column >= first(t))
y(t, row) = places[(t - 1) * all_rows + int(row) + 1]
set_y(t, row, value) = (places[(t - 1) * all_rows + int(row) + 1] = value)
head(t, row) = heads[(t - 1) * all_rows + int(row) + 1]
set_head(t, row, value) = (heads[(t - 1) * all_rows + int(row) + 1] = value)
wide(t) = first(t + 1) - first(t)
make_tables = "stats data index 'columns:' using (strlen(cut(strcol(2), 36))) nooutput; all_columns = int(STATS_records); headings = STATS_max; \
stats data index 'rows:' using 1 nooutput; all_rows = int(STATS_records); tables = (all_columns + most - 1) / most; names = 0; sum_rows = 0; \
array rows[tables]; array places[tables * all_rows]; array heads[tables * all_rows]; \
do for [i = 1:tables * all_rows] { places[i] = -9; heads[i] = -9 }; \
stats data index entries using ($2 < 0 ? 0 : set_y(table_of($2), $1, 0)) nooutput; \
do for [t = 1:tables] { n = 0; kind = ''; stats data index 'rows:' using (y(t, $1) < 0 ? 0 : ( \
names = strlen(cut(strcol(3), 36)) > names ? strlen(cut(strcol(3), 36)) : names, set_head(t, $1, strcol(2) ne kind ? n : -9), \
n = n + (strcol(2) ne kind), kind = strcol(2), set_y(t, $1, n), n = n + 1)) nooutput; rows[t] = n; sum_rows = sum_rows + n }; \
columns = 0; do for [t = 1:tables] { columns = wide(t) > columns ? wide(t) : columns }"
