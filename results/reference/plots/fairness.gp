# Redraw with: gnuplot fairness.gp
reset
set encoding utf8
set terminal svg size 1000,923 dynamic font 'sans-serif,13' background '#ffffff' noenhanced
set output 'fairness.svg'
X(pixels) = pixels / 1000.0
Y(pixels) = 1 - pixels / 923.0
unset key
set border 3 linecolor rgb '#666666'
set tics nomirror textcolor rgb '#333333'
set grid linecolor rgb '#dddddd' linewidth 0.7
set multiplot
set label 'Fairness of grants, without faults: cost-one-key' at screen X(12.0), screen Y(18.5) left font 'sans-serif,15' textcolor rgb '#111111'
set label 'Left, Jain''s index of the workers'' grants: the median of the repeats, and their least and most. Right, what the worker with the least' at screen X(12.0), screen Y(37.5) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'and the one with the most grants got. At the right both in figures. Most even first.' at screen X(12.0), screen Y(54.5) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'etcd-lock-rpc' at screen X(187.7), screen Y(97.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-fair' at screen X(187.7), screen Y(117.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-for-update' at screen X(187.7), screen Y(137.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-for-update-late' at screen X(187.7), screen Y(157.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-get-lock' at screen X(187.7), screen Y(177.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-rw' at screen X(187.7), screen Y(197.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'zk-sequential*' at screen X(187.7), screen Y(217.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-mutex*' at screen X(187.7), screen Y(237.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-semaphore-mutex' at screen X(187.7), screen Y(257.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-semaphore' at screen X(187.7), screen Y(277.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-fenced' at screen X(187.7), screen Y(297.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson' at screen X(187.7), screen Y(317.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'etcd-lease' at screen X(187.7), screen Y(337.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-get-set' at screen X(187.7), screen Y(357.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-optimistic' at screen X(187.7), screen Y(377.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock*' at screen X(187.7), screen Y(397.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock-multiplexed*' at screen X(187.7), screen Y(417.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-expire' at screen X(187.7), screen Y(437.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-unique-timeout' at screen X(187.7), screen Y(457.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-get-del' at screen X(187.7), screen Y(477.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog-unchecked' at screen X(187.7), screen Y(497.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-unique' at screen X(187.7), screen Y(517.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-del' at screen X(187.7), screen Y(537.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog' at screen X(187.7), screen Y(557.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'none*' at screen X(187.7), screen Y(577.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-getset' at screen X(187.7), screen Y(597.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'tair-cad-emulated' at screen X(187.7), screen Y(617.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-lua' at screen X(187.7), screen Y(637.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-lua' at screen X(187.7), screen Y(657.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx*' at screen X(187.7), screen Y(677.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-rw*' at screen X(187.7), screen Y(697.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'process-mutex*' at screen X(187.7), screen Y(717.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached-add' at screen X(187.7), screen Y(737.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'postgres-advisory' at screen X(187.7), screen Y(757.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached-add-cas' at screen X(187.7), screen Y(777.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-wait' at screen X(187.7), screen Y(797.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'zk-ephemeral' at screen X(187.7), screen Y(817.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'Jain''s index' at screen X(195.7), screen Y(75.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(195.7)
set rmargin at screen X(509.6)
set tmargin at screen Y(87.0)
set bmargin at screen Y(827.0)
unset logscale x
set xrange [0:1]
set xtics out ('0' 0, '0.2' 0.2, '0.4' 0.4, '0.6' 0.6, '0.8' 0.8, '1' 1) font 'sans-serif,12' offset 0,0.4
set label '1: all got the same, 1 ÷ workers: one got all' at screen X(352.6), screen Y(863.0) center font 'sans-serif,12' textcolor rgb '#333333'
unset logscale y
set yrange [36.5:-0.5]
unset ytics
set arrow from screen X(509.6), screen Y(87.0) to screen X(509.6), screen Y(827.0) nohead linecolor rgb '#8a8a8a' linewidth 1.2 dashtype (5,3)
set label '1.00; 1.00 – 1.00' at screen X(863.6), screen Y(97.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 1.00 – 1.00' at screen X(863.6), screen Y(117.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 0.99 – 1.01' at screen X(863.6), screen Y(137.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 0.99 – 1.01' at screen X(863.6), screen Y(157.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 0.99 – 1.01' at screen X(863.6), screen Y(177.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 0.99 – 1.01' at screen X(863.6), screen Y(197.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 0.98 – 1.01' at screen X(863.6), screen Y(217.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 0.98 – 1.01' at screen X(863.6), screen Y(237.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 0.97 – 1.03' at screen X(863.6), screen Y(257.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 0.94 – 1.06' at screen X(863.6), screen Y(277.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 0.91 – 1.07' at screen X(863.6), screen Y(297.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 0.88 – 1.09' at screen X(863.6), screen Y(317.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 0.93 – 1.08' at screen X(863.6), screen Y(337.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '1.00; 0.88 – 1.17' at screen X(863.6), screen Y(357.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.99; 0.76 – 1.27' at screen X(863.6), screen Y(377.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.99; 0.81 – 1.17' at screen X(863.6), screen Y(397.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.99; 0.83 – 1.26' at screen X(863.6), screen Y(417.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.98; 0.83 – 1.28' at screen X(863.6), screen Y(437.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.98; 0.75 – 1.28' at screen X(863.6), screen Y(457.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.98; 0.73 – 1.54' at screen X(863.6), screen Y(477.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.97; 0.75 – 1.31' at screen X(863.6), screen Y(497.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.97; 0.50 – 1.50' at screen X(863.6), screen Y(517.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.96; 0.68 – 1.34' at screen X(863.6), screen Y(537.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.96; 0.68 – 1.35' at screen X(863.6), screen Y(557.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.96; 0.63 – 1.30' at screen X(863.6), screen Y(577.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.96; 0.70 – 1.44' at screen X(863.6), screen Y(597.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.96; 0.73 – 1.38' at screen X(863.6), screen Y(617.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.95; 0.72 – 1.32' at screen X(863.6), screen Y(637.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.95; 0.75 – 1.39' at screen X(863.6), screen Y(657.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.95; 0.73 – 1.38' at screen X(863.6), screen Y(677.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.95; 0.67 – 1.27' at screen X(863.6), screen Y(697.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.91; 0.57 – 1.68' at screen X(863.6), screen Y(717.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.90; 0.60 – 1.51' at screen X(863.6), screen Y(737.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.88; 0.56 – 1.51' at screen X(863.6), screen Y(757.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.86; 0.47 – 1.57' at screen X(863.6), screen Y(777.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.81; 0.50 – 1.84' at screen X(863.6), screen Y(797.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label '0.76; 0.15 – 2.01' at screen X(863.6), screen Y(817.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'fairness.dat' index 0 using 2:1:($3-$2):(0) with vectors nohead linewidth 7 linecolor rgb '#56B4E9' notitle, \
     'fairness.dat' index 1 using 2:1 with points pointtype 7 pointsize 0.75 linecolor rgb '#0072B2' notitle
unset label
unset object
unset arrow
set label 'least and most of a worker' at screen X(537.6), screen Y(75.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(537.6)
set rmargin at screen X(851.6)
set tmargin at screen Y(87.0)
set bmargin at screen Y(827.0)
unset logscale x
set xrange [0:2.5]
set xtics out ('0' 0, '0.5' 0.5, '1' 1, '1.5' 1.5, '2' 2, '2.5' 2.5) font 'sans-serif,12' offset 0,0.4
set label 'grants by an even share' at screen X(694.6), screen Y(863.0) center font 'sans-serif,12' textcolor rgb '#333333'
unset logscale y
set yrange [36.5:-0.5]
unset ytics
set arrow from screen X(663.2), screen Y(87.0) to screen X(663.2), screen Y(827.0) nohead linecolor rgb '#8a8a8a' linewidth 1.2 dashtype (5,3)
plot 'fairness.dat' index 2 using 2:1:($3-$2):(0) with vectors nohead linewidth 7 linecolor rgb '#56B4E9' notitle
unset label
unset object
unset arrow
set label '* driver-bound in some repeat: the figure may tell of the driver, not of the lock.' at screen X(12.0), screen Y(887.5) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'Not shown: 1 more scenario without faults.' at screen X(12.0), screen Y(904.5) left font 'sans-serif,12' textcolor rgb '#555555'
unset border
unset tics
unset grid
unset logscale
set xrange [0:1]
set yrange [0:1]
plot 1/0 notitle
unset multiplot
