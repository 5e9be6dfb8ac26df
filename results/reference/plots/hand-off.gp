# Redraw with: gnuplot hand-off.gp
reset
set encoding utf8
set terminal svg size 1000,1219 dynamic font 'sans-serif,13' background '#ffffff' noenhanced
set output 'hand-off.svg'
X(pixels) = pixels / 1000.0
Y(pixels) = 1 - pixels / 1219.0
unset key
set border 3 linecolor rgb '#666666'
set tics nomirror textcolor rgb '#333333'
set grid linecolor rgb '#dddddd' linewidth 0.7
set multiplot
set label 'Hand-off: from a release to the next grant, without faults: cost-one-key, cost-alone' at screen X(12.0), screen Y(18.5) left font 'sans-serif,15' textcolor rgb '#111111'
set label 'Only releases during which somebody waited. The point is the median, the bar goes on to the 99th percentile (of at least 100' at screen X(12.0), screen Y(37.5) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'hand-offs). Fastest first.' at screen X(12.0), screen Y(54.5) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'none*' at screen X(187.7), screen Y(97.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'process-mutex*' at screen X(187.7), screen Y(117.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx*' at screen X(187.7), screen Y(137.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-del' at screen X(187.7), screen Y(157.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached-add' at screen X(187.7), screen Y(177.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-get-set' at screen X(187.7), screen Y(197.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-getset' at screen X(187.7), screen Y(217.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-lua' at screen X(187.7), screen Y(237.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-lua' at screen X(187.7), screen Y(257.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-get-lock' at screen X(187.7), screen Y(277.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'tair-cad-emulated' at screen X(187.7), screen Y(297.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog-unchecked' at screen X(187.7), screen Y(317.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog' at screen X(187.7), screen Y(337.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'postgres-advisory' at screen X(187.7), screen Y(357.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached-add-cas' at screen X(187.7), screen Y(377.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-get-del' at screen X(187.7), screen Y(397.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-expire' at screen X(187.7), screen Y(417.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-for-update' at screen X(187.7), screen Y(437.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-for-update-late' at screen X(187.7), screen Y(457.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-wait' at screen X(187.7), screen Y(477.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-semaphore' at screen X(187.7), screen Y(497.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-rw*' at screen X(187.7), screen Y(517.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson' at screen X(187.7), screen Y(537.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-fair' at screen X(187.7), screen Y(557.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-fenced' at screen X(187.7), screen Y(577.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock-multiplexed*' at screen X(187.7), screen Y(597.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock*' at screen X(187.7), screen Y(617.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-unique' at screen X(187.7), screen Y(637.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-unique-timeout' at screen X(187.7), screen Y(657.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-rw' at screen X(187.7), screen Y(677.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'zk-sequential*' at screen X(187.7), screen Y(697.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-mutex*' at screen X(187.7), screen Y(717.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'etcd-lock-rpc' at screen X(187.7), screen Y(737.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-semaphore-mutex' at screen X(187.7), screen Y(757.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'zk-ephemeral' at screen X(187.7), screen Y(777.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'etcd-lease' at screen X(187.7), screen Y(797.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'cost-one-key' at screen X(195.7), screen Y(75.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(195.7)
set rmargin at screen X(851.6)
set tmargin at screen Y(87.0)
set bmargin at screen Y(807.0)
set logscale x
set xrange [200:100000000]
set xtics out ('1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000, '10 ms' 10000000, '100 ms' 100000000) font 'sans-serif,12' offset 0,0.4
set label 'release to the next grant' at screen X(523.6), screen Y(843.0) center font 'sans-serif,12' textcolor rgb '#333333'
unset logscale y
set yrange [35.5:-0.5]
unset ytics
set label '261 ns – 301 ns' at screen X(863.6), screen Y(97.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '331 ns – 370 ns' at screen X(863.6), screen Y(117.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '55.8 µs – 190 µs' at screen X(863.6), screen Y(137.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '55.9 µs – 173 µs' at screen X(863.6), screen Y(157.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '59.4 µs – 195 µs' at screen X(863.6), screen Y(177.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '60.7 µs – 200 µs' at screen X(863.6), screen Y(197.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '60.7 µs – 169 µs' at screen X(863.6), screen Y(217.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '60.7 µs – 191 µs' at screen X(863.6), screen Y(237.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '62 µs – 183 µs' at screen X(863.6), screen Y(257.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '67.7 µs – 163 µs' at screen X(863.6), screen Y(277.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '68.4 µs – 177 µs' at screen X(863.6), screen Y(297.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '73.3 µs – 188 µs' at screen X(863.6), screen Y(317.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '81.7 µs – 252 µs' at screen X(863.6), screen Y(337.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '88.6 µs – 283 µs' at screen X(863.6), screen Y(357.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '89.3 µs – 274 µs' at screen X(863.6), screen Y(377.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '98.4 µs – 254 µs' at screen X(863.6), screen Y(397.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '98.9 µs – 246 µs' at screen X(863.6), screen Y(417.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '118 µs – 346 µs' at screen X(863.6), screen Y(437.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '152 µs – 434 µs' at screen X(863.6), screen Y(457.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '202 µs – 400 µs' at screen X(863.6), screen Y(477.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '208 µs – 348 µs' at screen X(863.6), screen Y(497.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '237 µs – 414 µs' at screen X(863.6), screen Y(517.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '241 µs – 412 µs' at screen X(863.6), screen Y(537.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '243 µs – 518 µs' at screen X(863.6), screen Y(557.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '251 µs – 426 µs' at screen X(863.6), screen Y(577.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '365 µs – 1.38 ms' at screen X(863.6), screen Y(597.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '559 µs – 1.63 ms' at screen X(863.6), screen Y(617.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '778 µs – 9.68 ms' at screen X(863.6), screen Y(637.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.09 ms – 8.96 ms' at screen X(863.6), screen Y(657.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.26 ms – 2.53 ms' at screen X(863.6), screen Y(677.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.37 ms – 3.39 ms' at screen X(863.6), screen Y(697.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.46 ms – 2.88 ms' at screen X(863.6), screen Y(717.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.9 ms – 90.6 ms' at screen X(863.6), screen Y(737.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '2.44 ms – 3.98 ms' at screen X(863.6), screen Y(757.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '2.47 ms – 9.51 ms' at screen X(863.6), screen Y(777.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '3.29 ms – 80.3 ms' at screen X(863.6), screen Y(797.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'hand-off.dat' index 0 using 2:1:($3-$2):(0) with vectors nohead linewidth 7 linecolor rgb '#56B4E9' notitle, \
     'hand-off.dat' index 1 using 2:1 with points pointtype 7 pointsize 0.75 linecolor rgb '#0072B2' notitle
unset label
unset object
unset arrow
set label 'redisson-semaphore' at screen X(187.7), screen Y(893.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-lua' at screen X(187.7), screen Y(913.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-del' at screen X(187.7), screen Y(933.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-getset' at screen X(187.7), screen Y(953.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'tair-cad-emulated' at screen X(187.7), screen Y(973.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-lua' at screen X(187.7), screen Y(993.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog' at screen X(187.7), screen Y(1013.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-get-del' at screen X(187.7), screen Y(1033.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-expire' at screen X(187.7), screen Y(1053.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-wait' at screen X(187.7), screen Y(1073.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached-add-cas' at screen X(187.7), screen Y(1093.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock-multiplexed' at screen X(187.7), screen Y(1113.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'cost-alone' at screen X(195.7), screen Y(871.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(195.7)
set rmargin at screen X(851.6)
set tmargin at screen Y(883.0)
set bmargin at screen Y(1123.0)
set logscale x
set xrange [200:100000000]
set xtics out ('1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000, '10 ms' 10000000, '100 ms' 100000000) font 'sans-serif,12' offset 0,0.4
set label 'release to the next grant' at screen X(523.6), screen Y(1159.0) center font 'sans-serif,12' textcolor rgb '#333333'
unset logscale y
set yrange [11.5:-0.5]
unset ytics
set label '99.9 µs' at screen X(863.6), screen Y(893.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '104 µs' at screen X(863.6), screen Y(913.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '105 µs' at screen X(863.6), screen Y(933.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '105 µs' at screen X(863.6), screen Y(953.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '114 µs' at screen X(863.6), screen Y(973.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '114 µs – 614 µs' at screen X(863.6), screen Y(993.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '121 µs' at screen X(863.6), screen Y(1013.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '151 µs – 869 µs' at screen X(863.6), screen Y(1033.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '162 µs' at screen X(863.6), screen Y(1053.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '167 µs' at screen X(863.6), screen Y(1073.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '189 µs' at screen X(863.6), screen Y(1093.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '282 µs' at screen X(863.6), screen Y(1113.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'hand-off.dat' index 2 using 2:1:($3-$2):(0) with vectors nohead linewidth 7 linecolor rgb '#56B4E9' notitle, \
     'hand-off.dat' index 3 using 2:1 with points pointtype 7 pointsize 0.75 linecolor rgb '#0072B2' notitle
unset label
unset object
unset arrow
set label '* driver-bound in some repeat: the figure may tell of the driver, not of the lock.' at screen X(12.0), screen Y(1183.5) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'Not shown: 1 more scenario without faults.' at screen X(12.0), screen Y(1200.5) left font 'sans-serif,12' textcolor rgb '#555555'
unset border
unset tics
unset grid
unset logscale
set xrange [0:1]
set yrange [0:1]
plot 1/0 notitle
unset multiplot
