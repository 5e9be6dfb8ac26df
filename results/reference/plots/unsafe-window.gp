# Redraw with: gnuplot unsafe-window.gp
reset
set encoding utf8
set terminal svg size 900,843 dynamic font 'sans-serif,13' background '#ffffff' noenhanced
set output 'unsafe-window.svg'
X(pixels) = pixels / 900.0
Y(pixels) = 1 - pixels / 843.0
unset key
set border 3 linecolor rgb '#666666'
set tics nomirror textcolor rgb '#333333'
set grid linecolor rgb '#dddddd' linewidth 0.7
set multiplot
set label 'For how long two believed to hold the lock at once' at screen X(12.0), screen Y(18.5) left font 'sans-serif,15' textcolor rgb '#111111'
set label 'none' at screen X(187.7), screen Y(51.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'process-mutex' at screen X(187.7), screen Y(71.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-get-set' at screen X(187.7), screen Y(91.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-expire' at screen X(187.7), screen Y(111.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-getset' at screen X(187.7), screen Y(131.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-del' at screen X(187.7), screen Y(151.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-get-del' at screen X(187.7), screen Y(171.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-lua' at screen X(187.7), screen Y(191.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-lua' at screen X(187.7), screen Y(211.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog-unchecked' at screen X(187.7), screen Y(231.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog' at screen X(187.7), screen Y(251.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'tair-cad-emulated' at screen X(187.7), screen Y(271.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-wait' at screen X(187.7), screen Y(291.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson' at screen X(187.7), screen Y(311.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-fair' at screen X(187.7), screen Y(331.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-fenced' at screen X(187.7), screen Y(351.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-rw' at screen X(187.7), screen Y(371.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock' at screen X(187.7), screen Y(391.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock-multiplexed' at screen X(187.7), screen Y(411.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached-add' at screen X(187.7), screen Y(431.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached-add-cas' at screen X(187.7), screen Y(451.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'etcd-lease' at screen X(187.7), screen Y(471.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'etcd-lock-rpc' at screen X(187.7), screen Y(491.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'zk-ephemeral' at screen X(187.7), screen Y(511.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'zk-sequential' at screen X(187.7), screen Y(531.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-mutex' at screen X(187.7), screen Y(551.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-semaphore-mutex' at screen X(187.7), screen Y(571.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-rw' at screen X(187.7), screen Y(591.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-unique-timeout' at screen X(187.7), screen Y(611.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-get-lock' at screen X(187.7), screen Y(631.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'postgres-advisory' at screen X(187.7), screen Y(651.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx' at screen X(187.7), screen Y(671.0) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-unique' at screen X(187.7), screen Y(691.0) right font 'sans-serif,12' textcolor rgb '#333333'
set lmargin at screen X(195.7)
set rmargin at screen X(820.0)
set tmargin at screen Y(41.0)
set bmargin at screen Y(701.0)
set logscale x
set xrange [1:200000000]
set xtics out ('1 ns' 1, '10 ns' 10, '100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000, '10 ms' 10000000, '100 ms' 100000000) font 'sans-serif,12' offset 0,0.4
set label 'how long' at screen X(507.8), screen Y(737.0) center font 'sans-serif,12' textcolor rgb '#333333'
unset logscale y
set yrange [32.5:-0.5]
unset ytics
plot 'unsafe-window.dat' index 0 using 4:3:($5 - $4):(0) with vectors nohead linewidth 2 dashtype 1 linecolor rgb '#0072B2' notitle, \
     'unsafe-window.dat' index 1 using 6:5 with points pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2' notitle, \
     'unsafe-window.dat' index 2 using 4:3:($5 - $4):(0) with vectors nohead linewidth 2 dashtype (9,3) linecolor rgb '#E69F00' notitle, \
     'unsafe-window.dat' index 3 using 6:5 with points pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00' notitle, \
     'unsafe-window.dat' index 4 using 3:2:4 with labels left offset character 1,0 font 'sans-serif,11' textcolor rgb '#333333' notitle
unset label
unset object
unset arrow
set arrow from screen X(12.0), screen Y(760.0) to screen X(42.0), screen Y(760.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(27.0), screen Y(760.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'stale holder: the lease of one had run out' at screen X(50.0), screen Y(760.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(12.0), screen Y(781.0) to screen X(42.0), screen Y(781.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(27.0), screen Y(781.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'double grant: it was granted to both' at screen X(50.0), screen Y(781.0) left font 'sans-serif,12' textcolor rgb '#333333'
set label 'A line goes from the least to the most of all trials, which stands beside it; a dot is the median of a trial. Schemes' at screen X(12.0), screen Y(807.5) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'that had none are left out.' at screen X(12.0), screen Y(824.5) left font 'sans-serif,12' textcolor rgb '#555555'
unset border
unset tics
unset grid
unset logscale
set xrange [0:1]
set yrange [0:1]
plot 1/0 notitle
unset multiplot
