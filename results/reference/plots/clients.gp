# Redraw with: gnuplot clients.gp
reset
set encoding utf8
set terminal svg size 1100,2184 dynamic font 'sans-serif,13' background '#ffffff' noenhanced
set output 'clients.svg'
X(pixels) = pixels / 1100.0
Y(pixels) = 1 - pixels / 2184.0
unset key
set border 3 linecolor rgb '#666666'
set tics nomirror textcolor rgb '#333333'
set grid linecolor rgb '#dddddd' linewidth 0.7
set multiplot
set label 'Throughput and acquire p99 against the number of clients, without faults: cost-alone, cost-one-key' at screen X(12.0), screen Y(18.5) left font 'sans-serif,15' textcolor rgb '#111111'
set label 'no server: one lock for all' at screen X(108.0), screen Y(41.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(108.0)
set rmargin at screen X(308.3)
set tmargin at screen Y(53.0)
set bmargin at screen Y(243.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:2000000]
set ytics out ('100/s' 100, '1,000/s' 1000, '10,000/s' 10000, '100,000/s' 100000, '1,000,000/s' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(208.2), screen Y(279.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'locks/s' at screen X(12.0), screen Y(148.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(62.0) to screen X(352.3), screen Y(62.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(337.3), screen Y(62.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'none*' at screen X(360.3), screen Y(62.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(80.0) to screen X(352.3), screen Y(80.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(337.3), screen Y(80.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'process-mutex*' at screen X(360.3), screen Y(80.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 0 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 0 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 1 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 1 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#E69F00' notitle
unset label
unset object
unset arrow
set lmargin at screen X(108.0)
set rmargin at screen X(308.3)
set tmargin at screen Y(319.0)
set bmargin at screen Y(509.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [100:200000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000, '10 ms' 10000000, '100 ms' 100000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(208.2), screen Y(545.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire p99' at screen X(12.0), screen Y(414.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 2 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 3 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle
unset label
unset object
unset arrow
set label 'Redis (1 of 3): one lock for all' at screen X(658.0), screen Y(41.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(658.0)
set rmargin at screen X(858.3)
set tmargin at screen Y(53.0)
set bmargin at screen Y(243.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:2000000]
set ytics out ('100/s' 100, '1,000/s' 1000, '10,000/s' 10000, '100,000/s' 100000, '1,000,000/s' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(758.2), screen Y(279.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'locks/s' at screen X(562.0), screen Y(148.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(62.0) to screen X(902.3), screen Y(62.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(887.3), screen Y(62.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'redis-get-set*' at screen X(910.3), screen Y(62.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(80.0) to screen X(902.3), screen Y(80.0) nohead linecolor rgb '#CC79A7' linewidth 2 dashtype 1
set label '' at screen X(887.3), screen Y(80.0) point pointtype 4 pointsize 0.6 linewidth 1.5 linecolor rgb '#CC79A7'
set label 'redis-set-px-del' at screen X(910.3), screen Y(80.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(98.0) to screen X(902.3), screen Y(98.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(887.3), screen Y(98.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'redis-setnx*' at screen X(910.3), screen Y(98.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(116.0) to screen X(902.3), screen Y(116.0) nohead linecolor rgb '#D55E00' linewidth 2 dashtype (9,3,2,3)
set label '' at screen X(887.3), screen Y(116.0) point pointtype 13 pointsize 0.6 linewidth 1.5 linecolor rgb '#D55E00'
set label 'redis-setnx-getset' at screen X(910.3), screen Y(116.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(134.0) to screen X(902.3), screen Y(134.0) nohead linecolor rgb '#009E73' linewidth 2 dashtype (2,3)
set label '' at screen X(887.3), screen Y(134.0) point pointtype 9 pointsize 0.6 linewidth 1.5 linecolor rgb '#009E73'
set label 'redis-setnx-expire' at screen X(910.3), screen Y(134.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(152.0) to screen X(902.3), screen Y(152.0) nohead linecolor rgb '#56B4E9' linewidth 2 dashtype (14,3)
set label '' at screen X(887.3), screen Y(152.0) point pointtype 6 pointsize 0.6 linewidth 1.5 linecolor rgb '#56B4E9'
set label 'redis-set-px-get-del' at screen X(910.3), screen Y(152.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 4 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 4 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 5 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 5 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 6 using 1:2 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 6 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 7 using 1:2 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 7 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 8 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.7 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 8 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 9 using 1:2 with linespoints linewidth 2 dashtype (14,3) pointtype 6 pointsize 0.7 linecolor rgb '#56B4E9' notitle, \
     'clients.dat' index 9 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#56B4E9' notitle
unset label
unset object
unset arrow
set lmargin at screen X(658.0)
set rmargin at screen X(858.3)
set tmargin at screen Y(319.0)
set bmargin at screen Y(509.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [100:200000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000, '10 ms' 10000000, '100 ms' 100000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(758.2), screen Y(545.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire p99' at screen X(562.0), screen Y(414.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 10 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 11 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 12 using 1:2 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 13 using 1:2 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 14 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.7 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 15 using 1:2 with linespoints linewidth 2 dashtype (14,3) pointtype 6 pointsize 0.7 linecolor rgb '#56B4E9' notitle
unset label
unset object
unset arrow
set label 'Redis (2 of 3): one lock for all' at screen X(108.0), screen Y(573.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(108.0)
set rmargin at screen X(308.3)
set tmargin at screen Y(585.0)
set bmargin at screen Y(775.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:2000000]
set ytics out ('100/s' 100, '1,000/s' 1000, '10,000/s' 10000, '100,000/s' 100000, '1,000,000/s' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(208.2), screen Y(811.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'locks/s' at screen X(12.0), screen Y(680.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(594.0) to screen X(352.3), screen Y(594.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(337.3), screen Y(594.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'redis-lua' at screen X(360.3), screen Y(594.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(612.0) to screen X(352.3), screen Y(612.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(337.3), screen Y(612.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'redis-set-px-lua' at screen X(360.3), screen Y(612.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(630.0) to screen X(352.3), screen Y(630.0) nohead linecolor rgb '#CC79A7' linewidth 2 dashtype 1
set label '' at screen X(337.3), screen Y(630.0) point pointtype 4 pointsize 0.6 linewidth 1.5 linecolor rgb '#CC79A7'
set label 'tair-cad-emulated' at screen X(360.3), screen Y(630.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(648.0) to screen X(352.3), screen Y(648.0) nohead linecolor rgb '#009E73' linewidth 2 dashtype (2,3)
set label '' at screen X(337.3), screen Y(648.0) point pointtype 9 pointsize 0.6 linewidth 1.5 linecolor rgb '#009E73'
set label 'redis-watchdog-unchecked' at screen X(360.3), screen Y(648.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(666.0) to screen X(352.3), screen Y(666.0) nohead linecolor rgb '#D55E00' linewidth 2 dashtype (9,3,2,3)
set label '' at screen X(337.3), screen Y(666.0) point pointtype 13 pointsize 0.6 linewidth 1.5 linecolor rgb '#D55E00'
set label 'redis-watchdog' at screen X(360.3), screen Y(666.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(684.0) to screen X(352.3), screen Y(684.0) nohead linecolor rgb '#56B4E9' linewidth 2 dashtype (14,3)
set label '' at screen X(337.3), screen Y(684.0) point pointtype 6 pointsize 0.6 linewidth 1.5 linecolor rgb '#56B4E9'
set label 'redis-wait' at screen X(360.3), screen Y(684.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 16 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 16 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 17 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 17 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 18 using 1:2 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 18 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 19 using 1:2 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 19 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 20 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.7 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 20 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 21 using 1:2 with linespoints linewidth 2 dashtype (14,3) pointtype 6 pointsize 0.7 linecolor rgb '#56B4E9' notitle, \
     'clients.dat' index 21 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#56B4E9' notitle
unset label
unset object
unset arrow
set lmargin at screen X(108.0)
set rmargin at screen X(308.3)
set tmargin at screen Y(851.0)
set bmargin at screen Y(1041.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [100:200000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000, '10 ms' 10000000, '100 ms' 100000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(208.2), screen Y(1077.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire p99' at screen X(12.0), screen Y(946.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 22 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 23 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 24 using 1:2 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 25 using 1:2 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 26 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.7 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 27 using 1:2 with linespoints linewidth 2 dashtype (14,3) pointtype 6 pointsize 0.7 linecolor rgb '#56B4E9' notitle
unset label
unset object
unset arrow
set label 'Redis (3 of 3): one lock for all' at screen X(658.0), screen Y(573.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(658.0)
set rmargin at screen X(858.3)
set tmargin at screen Y(585.0)
set bmargin at screen Y(775.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:2000000]
set ytics out ('100/s' 100, '1,000/s' 1000, '10,000/s' 10000, '100,000/s' 100000, '1,000,000/s' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(758.2), screen Y(811.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'locks/s' at screen X(562.0), screen Y(680.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(594.0) to screen X(902.3), screen Y(594.0) nohead linecolor rgb '#CC79A7' linewidth 2 dashtype 1
set label '' at screen X(887.3), screen Y(594.0) point pointtype 4 pointsize 0.6 linewidth 1.5 linecolor rgb '#CC79A7'
set label 'redisson-semaphore' at screen X(910.3), screen Y(594.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(612.0) to screen X(902.3), screen Y(612.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(887.3), screen Y(612.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'redisson' at screen X(910.3), screen Y(612.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(630.0) to screen X(902.3), screen Y(630.0) nohead linecolor rgb '#D55E00' linewidth 2 dashtype (9,3,2,3)
set label '' at screen X(887.3), screen Y(630.0) point pointtype 13 pointsize 0.6 linewidth 1.5 linecolor rgb '#D55E00'
set label 'redisson-rw*' at screen X(910.3), screen Y(630.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(648.0) to screen X(902.3), screen Y(648.0) nohead linecolor rgb '#009E73' linewidth 2 dashtype (2,3)
set label '' at screen X(887.3), screen Y(648.0) point pointtype 9 pointsize 0.6 linewidth 1.5 linecolor rgb '#009E73'
set label 'redisson-fenced' at screen X(910.3), screen Y(648.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(666.0) to screen X(902.3), screen Y(666.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(887.3), screen Y(666.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'redisson-fair' at screen X(910.3), screen Y(666.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(684.0) to screen X(902.3), screen Y(684.0) nohead linecolor rgb '#333333' linewidth 2 dashtype (4,3)
set label '' at screen X(887.3), screen Y(684.0) point pointtype 8 pointsize 0.6 linewidth 1.5 linecolor rgb '#333333'
set label 'redlock-multiplexed*' at screen X(910.3), screen Y(684.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(702.0) to screen X(902.3), screen Y(702.0) nohead linecolor rgb '#56B4E9' linewidth 2 dashtype (14,3)
set label '' at screen X(887.3), screen Y(702.0) point pointtype 6 pointsize 0.6 linewidth 1.5 linecolor rgb '#56B4E9'
set label 'redlock*' at screen X(910.3), screen Y(702.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 28 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 28 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 29 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 29 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 30 using 1:2 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 30 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 31 using 1:2 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 31 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 32 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.7 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 32 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 33 using 1:2 with linespoints linewidth 2 dashtype (14,3) pointtype 6 pointsize 0.7 linecolor rgb '#56B4E9' notitle, \
     'clients.dat' index 33 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#56B4E9' notitle, \
     'clients.dat' index 34 using 1:2 with linespoints linewidth 2 dashtype (4,3) pointtype 8 pointsize 0.7 linecolor rgb '#333333' notitle, \
     'clients.dat' index 34 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#333333' notitle
unset label
unset object
unset arrow
set lmargin at screen X(658.0)
set rmargin at screen X(858.3)
set tmargin at screen Y(851.0)
set bmargin at screen Y(1041.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [100:200000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000, '10 ms' 10000000, '100 ms' 100000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(758.2), screen Y(1077.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire p99' at screen X(562.0), screen Y(946.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 35 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 36 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 37 using 1:2 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 38 using 1:2 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 39 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.7 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 40 using 1:2 with linespoints linewidth 2 dashtype (14,3) pointtype 6 pointsize 0.7 linecolor rgb '#56B4E9' notitle, \
     'clients.dat' index 41 using 1:2 with linespoints linewidth 2 dashtype (4,3) pointtype 8 pointsize 0.7 linecolor rgb '#333333' notitle
unset label
unset object
unset arrow
set label 'memcached, etcd: one lock for all' at screen X(108.0), screen Y(1105.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(108.0)
set rmargin at screen X(308.3)
set tmargin at screen Y(1117.0)
set bmargin at screen Y(1307.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:2000000]
set ytics out ('100/s' 100, '1,000/s' 1000, '10,000/s' 10000, '100,000/s' 100000, '1,000,000/s' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(208.2), screen Y(1343.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'locks/s' at screen X(12.0), screen Y(1212.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(1126.0) to screen X(352.3), screen Y(1126.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(337.3), screen Y(1126.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'memcached-add' at screen X(360.3), screen Y(1126.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(1144.0) to screen X(352.3), screen Y(1144.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(337.3), screen Y(1144.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'memcached-add-cas' at screen X(360.3), screen Y(1144.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(1162.0) to screen X(352.3), screen Y(1162.0) nohead linecolor rgb '#009E73' linewidth 2 dashtype (2,3)
set label '' at screen X(337.3), screen Y(1162.0) point pointtype 9 pointsize 0.6 linewidth 1.5 linecolor rgb '#009E73'
set label 'etcd-lease' at screen X(360.3), screen Y(1162.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(1180.0) to screen X(352.3), screen Y(1180.0) nohead linecolor rgb '#D55E00' linewidth 2 dashtype (9,3,2,3)
set label '' at screen X(337.3), screen Y(1180.0) point pointtype 13 pointsize 0.6 linewidth 1.5 linecolor rgb '#D55E00'
set label 'etcd-lock-rpc*' at screen X(360.3), screen Y(1180.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 42 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 42 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 43 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 43 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 44 using 1:2 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 44 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 45 using 1:2 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 45 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#D55E00' notitle
unset label
unset object
unset arrow
set lmargin at screen X(108.0)
set rmargin at screen X(308.3)
set tmargin at screen Y(1383.0)
set bmargin at screen Y(1573.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [100:200000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000, '10 ms' 10000000, '100 ms' 100000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(208.2), screen Y(1609.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire p99' at screen X(12.0), screen Y(1478.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 46 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 47 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 48 using 1:2 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 49 using 1:2 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.7 linecolor rgb '#D55E00' notitle
unset label
unset object
unset arrow
set label 'ZooKeeper: one lock for all' at screen X(658.0), screen Y(1105.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(658.0)
set rmargin at screen X(858.3)
set tmargin at screen Y(1117.0)
set bmargin at screen Y(1307.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:2000000]
set ytics out ('100/s' 100, '1,000/s' 1000, '10,000/s' 10000, '100,000/s' 100000, '1,000,000/s' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(758.2), screen Y(1343.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'locks/s' at screen X(562.0), screen Y(1212.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(1126.0) to screen X(902.3), screen Y(1126.0) nohead linecolor rgb '#CC79A7' linewidth 2 dashtype 1
set label '' at screen X(887.3), screen Y(1126.0) point pointtype 4 pointsize 0.6 linewidth 1.5 linecolor rgb '#CC79A7'
set label 'curator-rw' at screen X(910.3), screen Y(1126.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(1144.0) to screen X(902.3), screen Y(1144.0) nohead linecolor rgb '#009E73' linewidth 2 dashtype (2,3)
set label '' at screen X(887.3), screen Y(1144.0) point pointtype 9 pointsize 0.6 linewidth 1.5 linecolor rgb '#009E73'
set label 'curator-mutex*' at screen X(910.3), screen Y(1144.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(1162.0) to screen X(902.3), screen Y(1162.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(887.3), screen Y(1162.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'zk-sequential*' at screen X(910.3), screen Y(1162.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(1180.0) to screen X(902.3), screen Y(1180.0) nohead linecolor rgb '#D55E00' linewidth 2 dashtype (9,3,2,3)
set label '' at screen X(887.3), screen Y(1180.0) point pointtype 13 pointsize 0.6 linewidth 1.5 linecolor rgb '#D55E00'
set label 'curator-semaphore-mutex*' at screen X(910.3), screen Y(1180.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(872.3), screen Y(1198.0) to screen X(902.3), screen Y(1198.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(887.3), screen Y(1198.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'zk-ephemeral' at screen X(910.3), screen Y(1198.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 50 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 50 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 51 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 51 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 52 using 1:2 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 52 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 53 using 1:2 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 53 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 54 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.7 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 54 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#CC79A7' notitle
unset label
unset object
unset arrow
set lmargin at screen X(658.0)
set rmargin at screen X(858.3)
set tmargin at screen Y(1383.0)
set bmargin at screen Y(1573.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [100:200000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000, '10 ms' 10000000, '100 ms' 100000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(758.2), screen Y(1609.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire p99' at screen X(562.0), screen Y(1478.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 55 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 56 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 57 using 1:2 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 58 using 1:2 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 59 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.7 linecolor rgb '#CC79A7' notitle
unset label
unset object
unset arrow
set label 'MariaDB, PostgreSQL: one lock for all' at screen X(108.0), screen Y(1637.0) left font 'sans-serif,13' textcolor rgb '#333333'
set lmargin at screen X(108.0)
set rmargin at screen X(308.3)
set tmargin at screen Y(1649.0)
set bmargin at screen Y(1839.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [50:2000000]
set ytics out ('100/s' 100, '1,000/s' 1000, '10,000/s' 10000, '100,000/s' 100000, '1,000,000/s' 1000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(208.2), screen Y(1875.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'locks/s' at screen X(12.0), screen Y(1744.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(1658.0) to screen X(352.3), screen Y(1658.0) nohead linecolor rgb '#56B4E9' linewidth 2 dashtype (14,3)
set label '' at screen X(337.3), screen Y(1658.0) point pointtype 6 pointsize 0.6 linewidth 1.5 linecolor rgb '#56B4E9'
set label 'mysql-get-lock' at screen X(360.3), screen Y(1658.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(1676.0) to screen X(352.3), screen Y(1676.0) nohead linecolor rgb '#333333' linewidth 2 dashtype (4,3)
set label '' at screen X(337.3), screen Y(1676.0) point pointtype 8 pointsize 0.6 linewidth 1.5 linecolor rgb '#333333'
set label 'postgres-advisory*' at screen X(360.3), screen Y(1676.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(1694.0) to screen X(352.3), screen Y(1694.0) nohead linecolor rgb '#CC79A7' linewidth 2 dashtype 1
set label '' at screen X(337.3), screen Y(1694.0) point pointtype 4 pointsize 0.6 linewidth 1.5 linecolor rgb '#CC79A7'
set label 'mysql-optimistic' at screen X(360.3), screen Y(1694.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(1712.0) to screen X(352.3), screen Y(1712.0) nohead linecolor rgb '#009E73' linewidth 2 dashtype (2,3)
set label '' at screen X(337.3), screen Y(1712.0) point pointtype 9 pointsize 0.6 linewidth 1.5 linecolor rgb '#009E73'
set label 'mysql-for-update' at screen X(360.3), screen Y(1712.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(1730.0) to screen X(352.3), screen Y(1730.0) nohead linecolor rgb '#D55E00' linewidth 2 dashtype (9,3,2,3)
set label '' at screen X(337.3), screen Y(1730.0) point pointtype 13 pointsize 0.6 linewidth 1.5 linecolor rgb '#D55E00'
set label 'mysql-for-update-late' at screen X(360.3), screen Y(1730.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(1748.0) to screen X(352.3), screen Y(1748.0) nohead linecolor rgb '#E69F00' linewidth 2 dashtype (9,3)
set label '' at screen X(337.3), screen Y(1748.0) point pointtype 5 pointsize 0.6 linewidth 1.5 linecolor rgb '#E69F00'
set label 'mysql-unique-timeout' at screen X(360.3), screen Y(1748.0) left font 'sans-serif,12' textcolor rgb '#333333'
set arrow from screen X(322.3), screen Y(1766.0) to screen X(352.3), screen Y(1766.0) nohead linecolor rgb '#0072B2' linewidth 2 dashtype 1
set label '' at screen X(337.3), screen Y(1766.0) point pointtype 7 pointsize 0.6 linewidth 1.5 linecolor rgb '#0072B2'
set label 'mysql-unique' at screen X(360.3), screen Y(1766.0) left font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 60 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 60 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 61 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 61 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 62 using 1:2 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 62 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 63 using 1:2 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 63 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 64 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.7 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 64 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 65 using 1:2 with linespoints linewidth 2 dashtype (14,3) pointtype 6 pointsize 0.7 linecolor rgb '#56B4E9' notitle, \
     'clients.dat' index 65 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#56B4E9' notitle, \
     'clients.dat' index 66 using 1:2 with linespoints linewidth 2 dashtype (4,3) pointtype 8 pointsize 0.7 linecolor rgb '#333333' notitle, \
     'clients.dat' index 66 using 1:3:(0):($4-$3) with vectors nohead linewidth 1 linecolor rgb '#333333' notitle
unset label
unset object
unset arrow
set lmargin at screen X(108.0)
set rmargin at screen X(308.3)
set tmargin at screen Y(1915.0)
set bmargin at screen Y(2105.0)
set logscale x
set xrange [0.869565217:9.2]
set xtics out ('1' 1, '8' 8) font 'sans-serif,12' offset 0,0.4
set logscale y
set yrange [100:200000000]
set ytics out ('100 ns' 100, '1 µs' 1000, '10 µs' 10000, '100 µs' 100000, '1 ms' 1000000, '10 ms' 10000000, '100 ms' 100000000) font 'sans-serif,12' offset 0.5,0
set label 'clients' at screen X(208.2), screen Y(2141.0) center font 'sans-serif,12' textcolor rgb '#333333'
set label 'acquire p99' at screen X(12.0), screen Y(2010.0) center rotate by 90 font 'sans-serif,12' textcolor rgb '#333333'
plot 'clients.dat' index 67 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 7 pointsize 0.7 linecolor rgb '#0072B2' notitle, \
     'clients.dat' index 68 using 1:2 with linespoints linewidth 2 dashtype (9,3) pointtype 5 pointsize 0.7 linecolor rgb '#E69F00' notitle, \
     'clients.dat' index 69 using 1:2 with linespoints linewidth 2 dashtype (2,3) pointtype 9 pointsize 0.7 linecolor rgb '#009E73' notitle, \
     'clients.dat' index 70 using 1:2 with linespoints linewidth 2 dashtype (9,3,2,3) pointtype 13 pointsize 0.7 linecolor rgb '#D55E00' notitle, \
     'clients.dat' index 71 using 1:2 with linespoints linewidth 2 dashtype 1 pointtype 4 pointsize 0.7 linecolor rgb '#CC79A7' notitle, \
     'clients.dat' index 72 using 1:2 with linespoints linewidth 2 dashtype (14,3) pointtype 6 pointsize 0.7 linecolor rgb '#56B4E9' notitle, \
     'clients.dat' index 73 using 1:2 with linespoints linewidth 2 dashtype (4,3) pointtype 8 pointsize 0.7 linecolor rgb '#333333' notitle
unset label
unset object
unset arrow
set label '* in some repeat driver-bound, or late in beginning acquires: the figure may tell of the driver, not of the lock.' at screen X(12.0), screen Y(2165.5) left font 'sans-serif,12' textcolor rgb '#555555'
unset border
unset tics
unset grid
unset logscale
set xrange [0:1]
set yrange [0:1]
plot 1/0 notitle
unset multiplot
