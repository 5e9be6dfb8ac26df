# Redraw with: gnuplot matrix.gp
reset
set encoding utf8
set terminal svg size 1094,1210 dynamic font 'sans-serif,13' background '#ffffff' noenhanced
set output 'matrix.svg'
X(pixels) = pixels / 1094.0
Y(pixels) = 1 - pixels / 1210.0
unset key
set border 3 linecolor rgb '#666666'
set tics nomirror textcolor rgb '#333333'
set grid linecolor rgb '#dddddd' linewidth 0.7
set multiplot
set label 'Which lock survives which fault, and what it costs' at screen X(12.0), screen Y(18.5) left font 'sans-serif,15' textcolor rgb '#111111'
CELL = 15.0
set datafile missing '-'
COLOUR(verdict) = verdict eq 'SAFE' ? 0x9fd9c6 : verdict eq 'UNSAFE' ? 0xb34700 : verdict eq 'STUCK' ? 0xE69F00 : verdict eq 'UNKNOWN' ? 0xdcdcdc : verdict eq 'SKIPPED' ? 0xf2f2f2 : verdict eq 'ERROR' ? 0x333333 : verdict eq 'n/a' ? 0xffffff : 0
INK(verdict) = verdict eq 'SAFE' ? 0x06402f : verdict eq 'UNSAFE' ? 0xffffff : verdict eq 'STUCK' ? 0x2b1d00 : verdict eq 'UNKNOWN' ? 0x333333 : verdict eq 'SKIPPED' ? 0x555555 : verdict eq 'ERROR' ? 0xffffff : verdict eq 'n/a' ? 0x8a8a8a : 0
set label 'pause' at screen X(253.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'pause-fenced' at screen X(285.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'kill' at screen X(317.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'restart-keeps' at screen X(349.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'restart-loses-all' at screen X(381.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'failover' at screen X(413.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'failover-unreplicated' at screen X(445.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'cut' at screen X(477.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'loss' at screen X(509.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'delay' at screen X(541.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'hold' at screen X(573.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'disconnect' at screen X(605.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'deny' at screen X(637.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'clock' at screen X(669.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'clock-of-client' at screen X(701.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'evict' at screen X(733.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'flush' at screen X(765.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'no server' at screen X(12.0), screen Y(151.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'none' at screen X(187.7), screen Y(170.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'process-mutex' at screen X(187.7), screen Y(190.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'Redis' at screen X(12.0), screen Y(210.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'redis-get-set' at screen X(187.7), screen Y(229.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx' at screen X(187.7), screen Y(249.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-expire' at screen X(187.7), screen Y(269.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-getset' at screen X(187.7), screen Y(289.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-del' at screen X(187.7), screen Y(309.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-get-del' at screen X(187.7), screen Y(329.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-lua' at screen X(187.7), screen Y(349.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-lua' at screen X(187.7), screen Y(369.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog-unchecked' at screen X(187.7), screen Y(389.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog' at screen X(187.7), screen Y(409.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'tair-cad' at screen X(187.7), screen Y(429.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'tair-cad-emulated' at screen X(187.7), screen Y(449.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-wait' at screen X(187.7), screen Y(469.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson' at screen X(187.7), screen Y(489.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-fair' at screen X(187.7), screen Y(509.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-fenced' at screen X(187.7), screen Y(529.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-rw' at screen X(187.7), screen Y(549.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-semaphore' at screen X(187.7), screen Y(569.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock' at screen X(187.7), screen Y(589.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock-multiplexed' at screen X(187.7), screen Y(609.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached' at screen X(12.0), screen Y(629.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'memcached-add' at screen X(187.7), screen Y(648.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached-add-cas' at screen X(187.7), screen Y(668.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'etcd' at screen X(12.0), screen Y(688.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'etcd-lease' at screen X(187.7), screen Y(707.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'etcd-lock-rpc' at screen X(187.7), screen Y(727.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'ZooKeeper' at screen X(12.0), screen Y(747.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'zk-ephemeral' at screen X(187.7), screen Y(766.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'zk-sequential' at screen X(187.7), screen Y(786.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-mutex' at screen X(187.7), screen Y(806.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-semaphore-mutex' at screen X(187.7), screen Y(826.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-rw' at screen X(187.7), screen Y(846.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'MariaDB' at screen X(12.0), screen Y(866.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'mysql-unique' at screen X(187.7), screen Y(885.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-unique-timeout' at screen X(187.7), screen Y(905.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-for-update' at screen X(187.7), screen Y(925.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-for-update-late' at screen X(187.7), screen Y(945.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-optimistic' at screen X(187.7), screen Y(965.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-get-lock' at screen X(187.7), screen Y(985.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'PostgreSQL' at screen X(12.0), screen Y(1005.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'postgres-advisory' at screen X(187.7), screen Y(1024.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'no fault' at screen X(211.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'locks/s' at screen X(855.7), screen Y(150.2) right font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(861.7), screen Y(160.2) to screen X(861.7), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(872.0), screen Y(160.2) to screen X(872.0), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(882.3), screen Y(160.2) to screen X(882.3), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(892.7), screen Y(160.2) to screen X(892.7), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(903.0), screen Y(160.2) to screen X(903.0), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(913.3), screen Y(160.2) to screen X(913.3), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(923.7), screen Y(160.2) to screen X(923.7), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set label 'acquire p99' at screen X(998.7), screen Y(150.2) right font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(1004.7), screen Y(160.2) to screen X(1004.7), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(1013.5), screen Y(160.2) to screen X(1013.5), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(1022.4), screen Y(160.2) to screen X(1022.4), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(1031.3), screen Y(160.2) to screen X(1031.3), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(1040.1), screen Y(160.2) to screen X(1040.1), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(1049.0), screen Y(160.2) to screen X(1049.0), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(1057.8), screen Y(160.2) to screen X(1057.8), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set arrow from screen X(1066.7), screen Y(160.2) to screen X(1066.7), screen Y(1034.2) nohead linecolor rgb '#e2e2e2' linewidth 0.7 back
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen Y(160.2)
set bmargin at screen Y(1034.2)
unset border
unset tics
unset grid
unset logscale
unset xlabel
unset ylabel
set xrange [0:1094]
set yrange [1034.2:160.2]
plot 'matrix.dat' index 0 using 9:10:(CELL):($11 / 2 - 1):(COLOUR(strcol(3))) with boxxyerror fillstyle solid 1 noborder linecolor rgb variable notitle, \
     'matrix.dat' index 0 using 9:($10 - (strlen(strcol(8)) ? 5 : 0)):7:(INK(strcol(3))) with labels center font 'sans-serif,12' textcolor rgb variable notitle, \
     'matrix.dat' index 1 using (861.7):7:(861.7):(863.2 + ($2 > 0 ? 10.333 * (log10($2) - 1) : 0)):($7 - 5):($7 + 5) with boxxyerror fillstyle solid 1 noborder linecolor rgb '#0072B2' notitle, \
     'matrix.dat' index 1 using (855.7):7:5 with labels right font 'sans-serif,11' textcolor rgb '#333333' notitle, \
     'matrix.dat' index 1 using (1004.7):7:(1004.7):(1006.2 + ($3 > 0 ? 8.857 * (log10($3) - 2) : 0)):($7 - 5):($7 + 5) with boxxyerror fillstyle solid 1 noborder linecolor rgb '#56B4E9' notitle, \
     'matrix.dat' index 1 using (998.7):7:6 with labels right font 'sans-serif,11' textcolor rgb '#333333' notitle
unset label
unset object
unset arrow
set object rectangle from screen X(12.0), screen Y(1069.2) to screen X(36.0), screen Y(1053.2) behind fillcolor rgb '#9fd9c6' fillstyle solid 1 border rgb '#b0b0b0'
set label '✓' at screen X(24.0), screen Y(1061.2) center font 'sans-serif,12' textcolor rgb '#06402f'
set label 'SAFE' at screen X(42.0), screen Y(1061.2) left font 'sans-serif,12' textcolor rgb '#333333'
set object rectangle from screen X(89.3), screen Y(1069.2) to screen X(113.3), screen Y(1053.2) behind fillcolor rgb '#b34700' fillstyle solid 1 border rgb '#b0b0b0'
set label '✗' at screen X(101.3), screen Y(1061.2) center font 'sans-serif,12' textcolor rgb '#ffffff'
set label 'UNSAFE' at screen X(119.3), screen Y(1061.2) left font 'sans-serif,12' textcolor rgb '#333333'
set object rectangle from screen X(181.2), screen Y(1069.2) to screen X(205.2), screen Y(1053.2) behind fillcolor rgb '#E69F00' fillstyle solid 1 border rgb '#b0b0b0'
set label '■' at screen X(193.2), screen Y(1061.2) center font 'sans-serif,12' textcolor rgb '#2b1d00'
set label 'STUCK: nobody was granted any more' at screen X(211.2), screen Y(1061.2) left font 'sans-serif,12' textcolor rgb '#333333'
set object rectangle from screen X(478.1), screen Y(1069.2) to screen X(502.1), screen Y(1053.2) behind fillcolor rgb '#dcdcdc' fillstyle solid 1 border rgb '#b0b0b0'
set label '?' at screen X(490.1), screen Y(1061.2) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'UNKNOWN' at screen X(508.1), screen Y(1061.2) left font 'sans-serif,12' textcolor rgb '#333333'
set object rectangle from screen X(577.3), screen Y(1069.2) to screen X(601.3), screen Y(1053.2) behind fillcolor rgb '#f2f2f2' fillstyle solid 1 border rgb '#b0b0b0'
set label '»' at screen X(589.3), screen Y(1061.2) center font 'sans-serif,12' textcolor rgb '#555555'
set label 'SKIPPED: something is missing here' at screen X(607.3), screen Y(1061.2) left font 'sans-serif,12' textcolor rgb '#333333'
set object rectangle from screen X(12.0), screen Y(1091.2) to screen X(36.0), screen Y(1075.2) behind fillcolor rgb '#ffffff' fillstyle solid 1 border rgb '#b0b0b0'
set label '–' at screen X(24.0), screen Y(1083.2) center font 'sans-serif,12' textcolor rgb '#8a8a8a'
set label 'n/a: they do not go together' at screen X(42.0), screen Y(1083.2) left font 'sans-serif,12' textcolor rgb '#333333'
set label 'Beside ✗, what was broken first: D double-grant · H stale-holder · L lost-update · X wrongful-release.' at screen X(12.0), screen Y(1106.7) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'No fault, and costs: in cost-one-key (8 clients of 1 thread). Locks/s is the median of the trials. Bars are logarithmic, with a line at each power' at screen X(12.0), screen Y(1123.7) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'of ten. –: not measured. *: driver-bound, the lock may be faster than what asked for it.' at screen X(12.0), screen Y(1140.7) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'Measured on: Linux 6.18.44-fc-v657 · 2 processors (AMD EPYC) · placement: free: not pinned; spread: each node pinned, one after the other over the' at screen X(12.0), screen Y(1157.7) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'processors · redis: in memory only; redis: log flushed at each write; zookeeper: log flushed at each write; etcd: log flushed at each write;' at screen X(12.0), screen Y(1174.7) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'memcached: in memory only; mysql: log flushed at each commit; postgres: log flushed at each commit.' at screen X(12.0), screen Y(1191.7) left font 'sans-serif,12' textcolor rgb '#555555'
unset border
unset tics
unset grid
unset logscale
set xrange [0:1]
set yrange [0:1]
plot 1/0 notitle
unset multiplot
