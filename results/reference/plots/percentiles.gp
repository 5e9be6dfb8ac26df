# Redraw with: gnuplot percentiles.gp
reset
set encoding utf8
set terminal svg size 1100,1154 dynamic font 'sans-serif,13' background '#ffffff' noenhanced
set output 'percentiles.svg'
X(pixels) = pixels / 1100.0
Y(pixels) = 1 - pixels / 1154.0
unset key
set border 3 linecolor rgb '#666666'
set tics nomirror textcolor rgb '#333333'
set grid linecolor rgb '#dddddd' linewidth 0.7
set multiplot
set label 'Acquire latency by percentile, without faults: cost-alone' at screen X(12.0), screen Y(18.5) left font 'sans-serif,15' textcolor rgb '#111111'
set label 'A curve ends where fewer than 10 acquires lie beyond it. Legends are in the order of the curves'' ends, the slowest first.' at screen X(12.0), screen Y(37.5) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'no server' at screen X(108.0), screen Y(58.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(108.0)
set rmargin at screen X(308.3)
set tmargin at screen Y(70.0)
set bmargin at screen Y(260.0)
set logscale x
set xrange [1:89125.0938]
set xtics out ('0' 1, '99' 100, '99.99' 10000) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:5000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'percent of acquires' at screen X(208.2), screen Y(296.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire latency' at screen X(12.0), screen Y(165.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(79.0) to screen X(352.3), screen Y(79.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(337.3), screen Y(79.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'process-mutex*' at screen X(360.3), screen Y(79.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(97.0) to screen X(352.3), screen Y(97.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(337.3), screen Y(97.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'none*' at screen X(360.3), screen Y(97.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'percentiles.dat' index 0 using 1:3 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.6 pointinterval 10 linecolor rgb '#0072B2' notitle, \
     'percentiles.dat' index 1 using 1:3 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.6 pointinterval 10 linecolor rgb '#E69F00' notitle
unset label
unset object
unset arrow
set label 'Redis (1 of 3)' at screen X(658.0), screen Y(58.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(658.0)
set rmargin at screen X(858.3)
set tmargin at screen Y(70.0)
set bmargin at screen Y(260.0)
set logscale x
set xrange [1:89125.0938]
set xtics out ('0' 1, '99' 100, '99.99' 10000) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:5000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'percent of acquires' at screen X(758.2), screen Y(296.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire latency' at screen X(562.0), screen Y(165.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(79.0) to screen X(902.3), screen Y(79.0) nohead linecolor rgb '#56B4E9' linewidth 2 dashtype (14,3)
set label '' at screen X(887.3), screen Y(79.0) point pointtype 6 pointsize 0.6 linewidth 1.5 linecolor rgb '#56B4E9'
set label 'redis-set-px-get-del' at screen X(910.3), screen Y(79.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(97.0) to screen X(902.3), screen Y(97.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(887.3), screen Y(97.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'redis-get-set*' at screen X(910.3), screen Y(97.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(115.0) to screen X(902.3), screen Y(115.0) nohead linecolor rgb '#D55E00' linewidth 2 dashtype (9,3,2,3)
set label '' at screen X(887.3), screen Y(115.0) point pointtype 13 pointsize 0.6 linewidth 1.5 linecolor rgb '#D55E00'
set label 'redis-setnx-getset' at screen X(910.3), screen Y(115.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(133.0) to screen X(902.3), screen Y(133.0) nohead linecolor rgb '#009E73' linewidth 2 dashtype (2,3)
set label '' at screen X(887.3), screen Y(133.0) point pointtype 9 pointsize 0.6 linewidth 1.5 linecolor rgb '#009E73'
set label 'redis-setnx-expire' at screen X(910.3), screen Y(133.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(151.0) to screen X(902.3), screen Y(151.0) nohead linecolor rgb '#CC79A7' linewidth 2 dashtype 1
set label '' at screen X(887.3), screen Y(151.0) point pointtype 4 pointsize 0.6 linewidth 1.5 linecolor rgb '#CC79A7'
set label 'redis-set-px-del' at screen X(910.3), screen Y(151.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(169.0) to screen X(902.3), screen Y(169.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(887.3), screen Y(169.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'redis-setnx' at screen X(910.3), screen Y(169.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'percentiles.dat' index 2 using 1:3 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.6 pointinterval 10 linecolor rgb '#0072B2' notitle, \
     'percentiles.dat' index 3 using 1:3 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.6 pointinterval 10 linecolor rgb '#E69F00' notitle, \
     'percentiles.dat' index 4 using 1:3 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.6 pointinterval 10 linecolor rgb '#009E73' notitle, \
     'percentiles.dat' index 5 using 1:3 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.6 pointinterval 10 linecolor rgb '#D55E00' notitle, \
     'percentiles.dat' index 6 using 1:3 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.6 pointinterval 10 linecolor rgb '#CC79A7' notitle, \
     'percentiles.dat' index 7 using 1:3 with linespoints linewidth 2 dashtype (14,3) pointtype 6 pointsize 0.6 pointinterval 10 linecolor rgb '#56B4E9' notitle
unset label
unset object
unset arrow
set label 'Redis (2 of 3)' at screen X(108.0), screen Y(324.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(108.0)
set rmargin at screen X(308.3)
set tmargin at screen Y(336.0)
set bmargin at screen Y(526.0)
set logscale x
set xrange [1:89125.0938]
set xtics out ('0' 1, '99' 100, '99.99' 10000) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:5000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'percent of acquires' at screen X(208.2), screen Y(562.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire latency' at screen X(12.0), screen Y(431.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(345.0) to screen X(352.3), screen Y(345.0) nohead linecolor rgb '#D55E00' linewidth 2 dashtype (9,3,2,3)
set label '' at screen X(337.3), screen Y(345.0) point pointtype 13 pointsize 0.6 linewidth 1.5 linecolor rgb '#D55E00'
set label 'redis-watchdog' at screen X(360.3), screen Y(345.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(363.0) to screen X(352.3), screen Y(363.0) nohead linecolor rgb '#CC79A7' linewidth 2 dashtype 1
set label '' at screen X(337.3), screen Y(363.0) point pointtype 4 pointsize 0.6 linewidth 1.5 linecolor rgb '#CC79A7'
set label 'tair-cad-emulated' at screen X(360.3), screen Y(363.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(381.0) to screen X(352.3), screen Y(381.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(337.3), screen Y(381.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'redis-lua' at screen X(360.3), screen Y(381.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(399.0) to screen X(352.3), screen Y(399.0) nohead linecolor rgb '#009E73' linewidth 2 dashtype (2,3)
set label '' at screen X(337.3), screen Y(399.0) point pointtype 9 pointsize 0.6 linewidth 1.5 linecolor rgb '#009E73'
set label 'redis-watchdog-unchecked' at screen X(360.3), screen Y(399.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(417.0) to screen X(352.3), screen Y(417.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(337.3), screen Y(417.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'redis-set-px-lua' at screen X(360.3), screen Y(417.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(435.0) to screen X(352.3), screen Y(435.0) nohead linecolor rgb '#56B4E9' linewidth 2 dashtype (14,3)
set label '' at screen X(337.3), screen Y(435.0) point pointtype 6 pointsize 0.6 linewidth 1.5 linecolor rgb '#56B4E9'
set label 'redis-wait' at screen X(360.3), screen Y(435.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'percentiles.dat' index 8 using 1:3 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.6 pointinterval 10 linecolor rgb '#0072B2' notitle, \
     'percentiles.dat' index 9 using 1:3 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.6 pointinterval 10 linecolor rgb '#E69F00' notitle, \
     'percentiles.dat' index 10 using 1:3 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.6 pointinterval 10 linecolor rgb '#009E73' notitle, \
     'percentiles.dat' index 11 using 1:3 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.6 pointinterval 10 linecolor rgb '#D55E00' notitle, \
     'percentiles.dat' index 12 using 1:3 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.6 pointinterval 10 linecolor rgb '#CC79A7' notitle, \
     'percentiles.dat' index 13 using 1:3 with linespoints linewidth 2 dashtype (14,3) pointtype 6 pointsize 0.6 pointinterval 10 linecolor rgb '#56B4E9' notitle
unset label
unset object
unset arrow
set label 'Redis (3 of 3)' at screen X(658.0), screen Y(324.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(658.0)
set rmargin at screen X(858.3)
set tmargin at screen Y(336.0)
set bmargin at screen Y(526.0)
set logscale x
set xrange [1:89125.0938]
set xtics out ('0' 1, '99' 100, '99.99' 10000) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:5000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'percent of acquires' at screen X(758.2), screen Y(562.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire latency' at screen X(562.0), screen Y(431.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(345.0) to screen X(902.3), screen Y(345.0) nohead linecolor rgb '#009E73' linewidth 2 dashtype (2,3)
set label '' at screen X(887.3), screen Y(345.0) point pointtype 9 pointsize 0.6 linewidth 1.5 linecolor rgb '#009E73'
set label 'redisson-fenced' at screen X(910.3), screen Y(345.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(363.0) to screen X(902.3), screen Y(363.0) nohead linecolor rgb '#56B4E9' linewidth 2 dashtype (14,3)
set label '' at screen X(887.3), screen Y(363.0) point pointtype 6 pointsize 0.6 linewidth 1.5 linecolor rgb '#56B4E9'
set label 'redlock*' at screen X(910.3), screen Y(363.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(381.0) to screen X(902.3), screen Y(381.0) nohead linecolor rgb '#D55E00' linewidth 2 dashtype (9,3,2,3)
set label '' at screen X(887.3), screen Y(381.0) point pointtype 13 pointsize 0.6 linewidth 1.5 linecolor rgb '#D55E00'
set label 'redisson-rw' at screen X(910.3), screen Y(381.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(399.0) to screen X(902.3), screen Y(399.0) nohead linecolor rgb '#333333' linewidth 2 dashtype (4,3)
set label '' at screen X(887.3), screen Y(399.0) point pointtype 8 pointsize 0.6 linewidth 1.5 linecolor rgb '#333333'
set label 'redlock-multiplexed' at screen X(910.3), screen Y(399.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(417.0) to screen X(902.3), screen Y(417.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(887.3), screen Y(417.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'redisson-fair' at screen X(910.3), screen Y(417.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(435.0) to screen X(902.3), screen Y(435.0) nohead linecolor rgb '#CC79A7' linewidth 2 dashtype 1
set label '' at screen X(887.3), screen Y(435.0) point pointtype 4 pointsize 0.6 linewidth 1.5 linecolor rgb '#CC79A7'
set label 'redisson-semaphore' at screen X(910.3), screen Y(435.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(453.0) to screen X(902.3), screen Y(453.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(887.3), screen Y(453.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'redisson' at screen X(910.3), screen Y(453.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'percentiles.dat' index 14 using 1:3 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.6 pointinterval 10 linecolor rgb '#0072B2' notitle, \
     'percentiles.dat' index 15 using 1:3 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.6 pointinterval 10 linecolor rgb '#E69F00' notitle, \
     'percentiles.dat' index 16 using 1:3 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.6 pointinterval 10 linecolor rgb '#009E73' notitle, \
     'percentiles.dat' index 17 using 1:3 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.6 pointinterval 10 linecolor rgb '#D55E00' notitle, \
     'percentiles.dat' index 18 using 1:3 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.6 pointinterval 10 linecolor rgb '#CC79A7' notitle, \
     'percentiles.dat' index 19 using 1:3 with linespoints linewidth 2 dashtype (14,3) pointtype 6 pointsize 0.6 pointinterval 10 linecolor rgb '#56B4E9' notitle, \
     'percentiles.dat' index 20 using 1:3 with linespoints linewidth 2 dashtype (4,3) pointtype 8 pointsize 0.6 pointinterval 10 linecolor rgb '#333333' notitle
unset label
unset object
unset arrow
set label 'memcached, etcd' at screen X(108.0), screen Y(590.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(108.0)
set rmargin at screen X(308.3)
set tmargin at screen Y(602.0)
set bmargin at screen Y(792.0)
set logscale x
set xrange [1:89125.0938]
set xtics out ('0' 1, '99' 100, '99.99' 10000) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:5000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'percent of acquires' at screen X(208.2), screen Y(828.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire latency' at screen X(12.0), screen Y(697.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(611.0) to screen X(352.3), screen Y(611.0) nohead linecolor rgb '#009E73' linewidth 2 dashtype (2,3)
set label '' at screen X(337.3), screen Y(611.0) point pointtype 9 pointsize 0.6 linewidth 1.5 linecolor rgb '#009E73'
set label 'etcd-lease' at screen X(360.3), screen Y(611.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(629.0) to screen X(352.3), screen Y(629.0) nohead linecolor rgb '#D55E00' linewidth 2 dashtype (9,3,2,3)
set label '' at screen X(337.3), screen Y(629.0) point pointtype 13 pointsize 0.6 linewidth 1.5 linecolor rgb '#D55E00'
set label 'etcd-lock-rpc*' at screen X(360.3), screen Y(629.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(647.0) to screen X(352.3), screen Y(647.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(337.3), screen Y(647.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'memcached-add' at screen X(360.3), screen Y(647.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(665.0) to screen X(352.3), screen Y(665.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(337.3), screen Y(665.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'memcached-add-cas' at screen X(360.3), screen Y(665.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'percentiles.dat' index 21 using 1:3 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.6 pointinterval 10 linecolor rgb '#0072B2' notitle, \
     'percentiles.dat' index 22 using 1:3 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.6 pointinterval 10 linecolor rgb '#E69F00' notitle, \
     'percentiles.dat' index 23 using 1:3 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.6 pointinterval 10 linecolor rgb '#009E73' notitle, \
     'percentiles.dat' index 24 using 1:3 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.6 pointinterval 10 linecolor rgb '#D55E00' notitle
unset label
unset object
unset arrow
set label 'ZooKeeper' at screen X(658.0), screen Y(590.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(658.0)
set rmargin at screen X(858.3)
set tmargin at screen Y(602.0)
set bmargin at screen Y(792.0)
set logscale x
set xrange [1:89125.0938]
set xtics out ('0' 1, '99' 100, '99.99' 10000) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:5000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'percent of acquires' at screen X(758.2), screen Y(828.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire latency' at screen X(562.0), screen Y(697.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(611.0) to screen X(902.3), screen Y(611.0) nohead linecolor rgb '#D55E00' linewidth 2 dashtype (9,3,2,3)
set label '' at screen X(887.3), screen Y(611.0) point pointtype 13 pointsize 0.6 linewidth 1.5 linecolor rgb '#D55E00'
set label 'curator-semaphore-mutex*' at screen X(910.3), screen Y(611.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(629.0) to screen X(902.3), screen Y(629.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(887.3), screen Y(629.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'zk-ephemeral' at screen X(910.3), screen Y(629.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(647.0) to screen X(902.3), screen Y(647.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(887.3), screen Y(647.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'zk-sequential' at screen X(910.3), screen Y(647.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(665.0) to screen X(902.3), screen Y(665.0) nohead linecolor rgb '#CC79A7' linewidth 2 dashtype 1
set label '' at screen X(887.3), screen Y(665.0) point pointtype 4 pointsize 0.6 linewidth 1.5 linecolor rgb '#CC79A7'
set label 'curator-rw' at screen X(910.3), screen Y(665.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(683.0) to screen X(902.3), screen Y(683.0) nohead linecolor rgb '#009E73' linewidth 2 dashtype (2,3)
set label '' at screen X(887.3), screen Y(683.0) point pointtype 9 pointsize 0.6 linewidth 1.5 linecolor rgb '#009E73'
set label 'curator-mutex' at screen X(910.3), screen Y(683.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'percentiles.dat' index 25 using 1:3 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.6 pointinterval 10 linecolor rgb '#0072B2' notitle, \
     'percentiles.dat' index 26 using 1:3 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.6 pointinterval 10 linecolor rgb '#E69F00' notitle, \
     'percentiles.dat' index 27 using 1:3 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.6 pointinterval 10 linecolor rgb '#009E73' notitle, \
     'percentiles.dat' index 28 using 1:3 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.6 pointinterval 10 linecolor rgb '#D55E00' notitle, \
     'percentiles.dat' index 29 using 1:3 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.6 pointinterval 10 linecolor rgb '#CC79A7' notitle
unset label
unset object
unset arrow
set label 'MariaDB, PostgreSQL' at screen X(108.0), screen Y(856.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(108.0)
set rmargin at screen X(308.3)
set tmargin at screen Y(868.0)
set bmargin at screen Y(1058.0)
set logscale x
set xrange [1:89125.0938]
set xtics out ('0' 1, '99' 100, '99.99' 10000) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:5000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'percent of acquires' at screen X(208.2), screen Y(1094.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire latency' at screen X(12.0), screen Y(963.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(877.0) to screen X(352.3), screen Y(877.0) nohead linecolor rgb '#333333' linewidth 2 dashtype (4,3)
set label '' at screen X(337.3), screen Y(877.0) point pointtype 8 pointsize 0.6 linewidth 1.5 linecolor rgb '#333333'
set label 'postgres-advisory*' at screen X(360.3), screen Y(877.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(895.0) to screen X(352.3), screen Y(895.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(337.3), screen Y(895.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'mysql-unique-timeout' at screen X(360.3), screen Y(895.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(913.0) to screen X(352.3), screen Y(913.0) nohead linecolor rgb '#D55E00' linewidth 2 dashtype (9,3,2,3)
set label '' at screen X(337.3), screen Y(913.0) point pointtype 13 pointsize 0.6 linewidth 1.5 linecolor rgb '#D55E00'
set label 'mysql-for-update-late' at screen X(360.3), screen Y(913.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(931.0) to screen X(352.3), screen Y(931.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(337.3), screen Y(931.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'mysql-unique' at screen X(360.3), screen Y(931.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(949.0) to screen X(352.3), screen Y(949.0) nohead linecolor rgb '#56B4E9' linewidth 2 dashtype (14,3)
set label '' at screen X(337.3), screen Y(949.0) point pointtype 6 pointsize 0.6 linewidth 1.5 linecolor rgb '#56B4E9'
set label 'mysql-get-lock' at screen X(360.3), screen Y(949.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(967.0) to screen X(352.3), screen Y(967.0) nohead linecolor rgb '#009E73' linewidth 2 dashtype (2,3)
set label '' at screen X(337.3), screen Y(967.0) point pointtype 9 pointsize 0.6 linewidth 1.5 linecolor rgb '#009E73'
set label 'mysql-for-update' at screen X(360.3), screen Y(967.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(985.0) to screen X(352.3), screen Y(985.0) nohead linecolor rgb '#CC79A7' linewidth 2 dashtype 1
set label '' at screen X(337.3), screen Y(985.0) point pointtype 4 pointsize 0.6 linewidth 1.5 linecolor rgb '#CC79A7'
set label 'mysql-optimistic' at screen X(360.3), screen Y(985.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'percentiles.dat' index 30 using 1:3 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.6 pointinterval 10 linecolor rgb '#0072B2' notitle, \
     'percentiles.dat' index 31 using 1:3 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.6 pointinterval 10 linecolor rgb '#E69F00' notitle, \
     'percentiles.dat' index 32 using 1:3 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.6 pointinterval 10 linecolor rgb '#009E73' notitle, \
     'percentiles.dat' index 33 using 1:3 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.6 pointinterval 10 linecolor rgb '#D55E00' notitle, \
     'percentiles.dat' index 34 using 1:3 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.6 pointinterval 10 linecolor rgb '#CC79A7' notitle, \
     'percentiles.dat' index 35 using 1:3 with linespoints linewidth 2 dashtype (14,3) pointtype 6 pointsize 0.6 pointinterval 10 linecolor rgb '#56B4E9' notitle, \
     'percentiles.dat' index 36 using 1:3 with linespoints linewidth 2 dashtype (4,3) pointtype 8 pointsize 0.6 pointinterval 10 linecolor rgb '#333333' notitle
unset label
unset object
unset arrow
set label '* in some repeat driver-bound, or late in beginning acquires: the figure may tell of the driver, not of the lock.' at screen X(12.0), screen Y(1118.5) left font 'sans-serif,12' textcolor rgb '#555555'
set label 'Not shown: 2 more scenarios without faults.' at screen X(12.0), screen Y(1135.5) left font 'sans-serif,12' textcolor rgb '#555555'
unset border
unset tics
unset grid
unset logscale
set xrange [0:1]
set yrange [0:1]
plot 1/0 notitle
unset multiplot
