# Redraw with: gnuplot recovery.gp
reset
set encoding utf8
set terminal svg size 1090,1825 dynamic font 'sans-serif,13' background '#ffffff' noenhanced
set output 'recovery.svg'
X(pixels) = pixels / 1090.0
Y(pixels) = 1 - pixels / 1825.0
unset key
set border 3 linecolor rgb '#666666'
set tics nomirror textcolor rgb '#333333'
set grid linecolor rgb '#dddddd' linewidth 0.7
set multiplot
set label 'How soon the lock is granted again after a fault' at screen X(12.0), screen Y(18.5) left font 'sans-serif,15' textcolor rgb '#111111'
set label 'pause' at screen X(240.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'pause-fenced' at screen X(330.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'kill' at screen X(420.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'restart-keeps' at screen X(510.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'restart-loses-all' at screen X(600.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'failover' at screen X(690.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'failover-unreplicated' at screen X(780.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'cut' at screen X(870.7), screen Y(152.2) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'no server' at screen X(12.0), screen Y(151.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'none' at screen X(187.7), screen Y(168.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'process-mutex' at screen X(187.7), screen Y(184.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'Redis' at screen X(12.0), screen Y(202.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'redis-get-set' at screen X(187.7), screen Y(219.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx' at screen X(187.7), screen Y(235.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-expire' at screen X(187.7), screen Y(251.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-getset' at screen X(187.7), screen Y(267.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-del' at screen X(187.7), screen Y(283.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-get-del' at screen X(187.7), screen Y(299.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-lua' at screen X(187.7), screen Y(315.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-lua' at screen X(187.7), screen Y(331.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog-unchecked' at screen X(187.7), screen Y(347.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog' at screen X(187.7), screen Y(363.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'tair-cad-emulated' at screen X(187.7), screen Y(379.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-wait' at screen X(187.7), screen Y(395.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson' at screen X(187.7), screen Y(411.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-fair' at screen X(187.7), screen Y(427.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-fenced' at screen X(187.7), screen Y(443.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-rw' at screen X(187.7), screen Y(459.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-semaphore' at screen X(187.7), screen Y(475.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock' at screen X(187.7), screen Y(491.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock-multiplexed' at screen X(187.7), screen Y(507.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached' at screen X(12.0), screen Y(525.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'memcached-add' at screen X(187.7), screen Y(542.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached-add-cas' at screen X(187.7), screen Y(558.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'etcd' at screen X(12.0), screen Y(576.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'etcd-lease' at screen X(187.7), screen Y(593.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'etcd-lock-rpc' at screen X(187.7), screen Y(609.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'ZooKeeper' at screen X(12.0), screen Y(627.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'zk-ephemeral' at screen X(187.7), screen Y(644.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'zk-sequential' at screen X(187.7), screen Y(660.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-mutex' at screen X(187.7), screen Y(676.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-semaphore-mutex' at screen X(187.7), screen Y(692.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-rw' at screen X(187.7), screen Y(708.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'MariaDB' at screen X(12.0), screen Y(726.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'mysql-unique' at screen X(187.7), screen Y(743.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-unique-timeout' at screen X(187.7), screen Y(759.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-for-update' at screen X(187.7), screen Y(775.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-for-update-late' at screen X(187.7), screen Y(791.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-optimistic' at screen X(187.7), screen Y(807.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-get-lock' at screen X(187.7), screen Y(823.2) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'PostgreSQL' at screen X(12.0), screen Y(841.7) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'postgres-advisory' at screen X(187.7), screen Y(858.2) right font 'sans-serif,12' textcolor rgb '#333333'
set object rectangle from screen X(195.7), screen Y(866.2) to screen X(285.7), screen Y(160.2) behind fillcolor rgb '#f4f4f4' fillstyle solid 1 noborder
set arrow from screen X(212.7), screen Y(160.2) to screen X(212.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(212.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(219.7), screen Y(160.2) to screen X(219.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(226.7), screen Y(160.2) to screen X(226.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(233.7), screen Y(160.2) to screen X(233.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(240.7), screen Y(160.2) to screen X(240.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(247.7), screen Y(160.2) to screen X(247.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(254.7), screen Y(160.2) to screen X(254.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(254.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(261.7), screen Y(160.2) to screen X(261.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(268.7), screen Y(160.2) to screen X(268.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(285.7), screen Y(866.2) to screen X(375.7), screen Y(160.2) behind fillcolor rgb '#fbfbfb' fillstyle solid 1 noborder
set arrow from screen X(302.7), screen Y(160.2) to screen X(302.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(302.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(309.7), screen Y(160.2) to screen X(309.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(316.7), screen Y(160.2) to screen X(316.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(323.7), screen Y(160.2) to screen X(323.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(330.7), screen Y(160.2) to screen X(330.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(337.7), screen Y(160.2) to screen X(337.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(344.7), screen Y(160.2) to screen X(344.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(344.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(351.7), screen Y(160.2) to screen X(351.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(358.7), screen Y(160.2) to screen X(358.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(375.7), screen Y(866.2) to screen X(465.7), screen Y(160.2) behind fillcolor rgb '#f4f4f4' fillstyle solid 1 noborder
set arrow from screen X(392.7), screen Y(160.2) to screen X(392.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(392.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(399.7), screen Y(160.2) to screen X(399.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(406.7), screen Y(160.2) to screen X(406.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(413.7), screen Y(160.2) to screen X(413.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(420.7), screen Y(160.2) to screen X(420.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(427.7), screen Y(160.2) to screen X(427.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(434.7), screen Y(160.2) to screen X(434.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(434.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(441.7), screen Y(160.2) to screen X(441.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(448.7), screen Y(160.2) to screen X(448.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(465.7), screen Y(866.2) to screen X(555.7), screen Y(160.2) behind fillcolor rgb '#fbfbfb' fillstyle solid 1 noborder
set arrow from screen X(482.7), screen Y(160.2) to screen X(482.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(482.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(489.7), screen Y(160.2) to screen X(489.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(496.7), screen Y(160.2) to screen X(496.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(503.7), screen Y(160.2) to screen X(503.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(510.7), screen Y(160.2) to screen X(510.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(517.7), screen Y(160.2) to screen X(517.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(524.7), screen Y(160.2) to screen X(524.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(524.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(531.7), screen Y(160.2) to screen X(531.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(538.7), screen Y(160.2) to screen X(538.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(555.7), screen Y(866.2) to screen X(645.7), screen Y(160.2) behind fillcolor rgb '#f4f4f4' fillstyle solid 1 noborder
set arrow from screen X(572.7), screen Y(160.2) to screen X(572.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(572.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(579.7), screen Y(160.2) to screen X(579.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(586.7), screen Y(160.2) to screen X(586.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(593.7), screen Y(160.2) to screen X(593.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(600.7), screen Y(160.2) to screen X(600.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(607.7), screen Y(160.2) to screen X(607.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(614.7), screen Y(160.2) to screen X(614.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(614.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(621.7), screen Y(160.2) to screen X(621.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(628.7), screen Y(160.2) to screen X(628.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(645.7), screen Y(866.2) to screen X(735.7), screen Y(160.2) behind fillcolor rgb '#fbfbfb' fillstyle solid 1 noborder
set arrow from screen X(662.7), screen Y(160.2) to screen X(662.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(662.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(669.7), screen Y(160.2) to screen X(669.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(676.7), screen Y(160.2) to screen X(676.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(683.7), screen Y(160.2) to screen X(683.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(690.7), screen Y(160.2) to screen X(690.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(697.7), screen Y(160.2) to screen X(697.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(704.7), screen Y(160.2) to screen X(704.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(704.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(711.7), screen Y(160.2) to screen X(711.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(718.7), screen Y(160.2) to screen X(718.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(735.7), screen Y(866.2) to screen X(825.7), screen Y(160.2) behind fillcolor rgb '#f4f4f4' fillstyle solid 1 noborder
set arrow from screen X(752.7), screen Y(160.2) to screen X(752.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(752.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(759.7), screen Y(160.2) to screen X(759.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(766.7), screen Y(160.2) to screen X(766.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(773.7), screen Y(160.2) to screen X(773.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(780.7), screen Y(160.2) to screen X(780.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(787.7), screen Y(160.2) to screen X(787.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(794.7), screen Y(160.2) to screen X(794.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(794.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(801.7), screen Y(160.2) to screen X(801.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(808.7), screen Y(160.2) to screen X(808.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(825.7), screen Y(866.2) to screen X(915.7), screen Y(160.2) behind fillcolor rgb '#fbfbfb' fillstyle solid 1 noborder
set arrow from screen X(842.7), screen Y(160.2) to screen X(842.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(842.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(849.7), screen Y(160.2) to screen X(849.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(856.7), screen Y(160.2) to screen X(856.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(863.7), screen Y(160.2) to screen X(863.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(870.7), screen Y(160.2) to screen X(870.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(877.7), screen Y(160.2) to screen X(877.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(884.7), screen Y(160.2) to screen X(884.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(884.7), screen Y(876.2) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(891.7), screen Y(160.2) to screen X(891.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(898.7), screen Y(160.2) to screen X(898.7), screen Y(866.2) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen Y(160.2)
set bmargin at screen Y(866.2)
unset border
unset tics
unset grid
unset logscale
unset xlabel
unset ylabel
set xrange [0:1090]
set yrange [866.2:160.2]
plot 'recovery.dat' index 0 using 6:7 with points pointtype 7 pointsize 0.55 linewidth 1.6 linecolor rgb '#0072B2' notitle, \
     'recovery.dat' index 1 using 6:7 with points pointtype 9 pointsize 0.6 linewidth 1.6 linecolor rgb '#E69F00' notitle, \
     'recovery.dat' index 2 using 6:7 with points pointtype 2 pointsize 0.8 linewidth 1.6 linecolor rgb '#a03c00' notitle
unset label
unset object
unset arrow
set label 'loss' at screen X(240.7), screen Y(994.3) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'delay' at screen X(330.7), screen Y(994.3) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'hold' at screen X(420.7), screen Y(994.3) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'disconnect' at screen X(510.7), screen Y(994.3) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'deny' at screen X(600.7), screen Y(994.3) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'clock' at screen X(690.7), screen Y(994.3) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'clock-of-client' at screen X(780.7), screen Y(994.3) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'evict' at screen X(870.7), screen Y(994.3) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'flush' at screen X(960.7), screen Y(994.3) left rotate by 45 font 'sans-serif,12' textcolor rgb '#333333'
set label 'no server' at screen X(12.0), screen Y(993.8) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'none' at screen X(187.7), screen Y(1010.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'process-mutex' at screen X(187.7), screen Y(1026.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'Redis' at screen X(12.0), screen Y(1044.8) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'redis-get-set' at screen X(187.7), screen Y(1061.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx' at screen X(187.7), screen Y(1077.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-expire' at screen X(187.7), screen Y(1093.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-setnx-getset' at screen X(187.7), screen Y(1109.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-del' at screen X(187.7), screen Y(1125.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-get-del' at screen X(187.7), screen Y(1141.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-set-px-lua' at screen X(187.7), screen Y(1157.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-lua' at screen X(187.7), screen Y(1173.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog-unchecked' at screen X(187.7), screen Y(1189.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-watchdog' at screen X(187.7), screen Y(1205.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'tair-cad-emulated' at screen X(187.7), screen Y(1221.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redis-wait' at screen X(187.7), screen Y(1237.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson' at screen X(187.7), screen Y(1253.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-fair' at screen X(187.7), screen Y(1269.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-fenced' at screen X(187.7), screen Y(1285.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-rw' at screen X(187.7), screen Y(1301.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redisson-semaphore' at screen X(187.7), screen Y(1317.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock' at screen X(187.7), screen Y(1333.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'redlock-multiplexed' at screen X(187.7), screen Y(1349.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached' at screen X(12.0), screen Y(1367.8) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'memcached-add' at screen X(187.7), screen Y(1384.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'memcached-add-cas' at screen X(187.7), screen Y(1400.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'etcd' at screen X(12.0), screen Y(1418.8) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'etcd-lease' at screen X(187.7), screen Y(1435.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'etcd-lock-rpc' at screen X(187.7), screen Y(1451.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'ZooKeeper' at screen X(12.0), screen Y(1469.8) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'zk-ephemeral' at screen X(187.7), screen Y(1486.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'zk-sequential' at screen X(187.7), screen Y(1502.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-mutex' at screen X(187.7), screen Y(1518.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-semaphore-mutex' at screen X(187.7), screen Y(1534.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'curator-rw' at screen X(187.7), screen Y(1550.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'MariaDB' at screen X(12.0), screen Y(1568.8) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'mysql-unique' at screen X(187.7), screen Y(1585.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-unique-timeout' at screen X(187.7), screen Y(1601.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-for-update' at screen X(187.7), screen Y(1617.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-for-update-late' at screen X(187.7), screen Y(1633.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-optimistic' at screen X(187.7), screen Y(1649.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'mysql-get-lock' at screen X(187.7), screen Y(1665.3) right font 'sans-serif,12' textcolor rgb '#333333'
set label 'PostgreSQL' at screen X(12.0), screen Y(1683.8) left font 'sans-serif,11' textcolor rgb '#6a6a6a'
set label 'postgres-advisory' at screen X(187.7), screen Y(1700.3) right font 'sans-serif,12' textcolor rgb '#333333'
set object rectangle from screen X(195.7), screen Y(1708.3) to screen X(285.7), screen Y(1002.3) behind fillcolor rgb '#f4f4f4' fillstyle solid 1 noborder
set arrow from screen X(212.7), screen Y(1002.3) to screen X(212.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(212.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(219.7), screen Y(1002.3) to screen X(219.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(226.7), screen Y(1002.3) to screen X(226.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(233.7), screen Y(1002.3) to screen X(233.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(240.7), screen Y(1002.3) to screen X(240.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(247.7), screen Y(1002.3) to screen X(247.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(254.7), screen Y(1002.3) to screen X(254.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(254.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(261.7), screen Y(1002.3) to screen X(261.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(268.7), screen Y(1002.3) to screen X(268.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(285.7), screen Y(1708.3) to screen X(375.7), screen Y(1002.3) behind fillcolor rgb '#fbfbfb' fillstyle solid 1 noborder
set arrow from screen X(302.7), screen Y(1002.3) to screen X(302.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(302.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(309.7), screen Y(1002.3) to screen X(309.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(316.7), screen Y(1002.3) to screen X(316.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(323.7), screen Y(1002.3) to screen X(323.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(330.7), screen Y(1002.3) to screen X(330.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(337.7), screen Y(1002.3) to screen X(337.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(344.7), screen Y(1002.3) to screen X(344.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(344.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(351.7), screen Y(1002.3) to screen X(351.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(358.7), screen Y(1002.3) to screen X(358.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(375.7), screen Y(1708.3) to screen X(465.7), screen Y(1002.3) behind fillcolor rgb '#f4f4f4' fillstyle solid 1 noborder
set arrow from screen X(392.7), screen Y(1002.3) to screen X(392.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(392.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(399.7), screen Y(1002.3) to screen X(399.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(406.7), screen Y(1002.3) to screen X(406.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(413.7), screen Y(1002.3) to screen X(413.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(420.7), screen Y(1002.3) to screen X(420.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(427.7), screen Y(1002.3) to screen X(427.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(434.7), screen Y(1002.3) to screen X(434.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(434.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(441.7), screen Y(1002.3) to screen X(441.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(448.7), screen Y(1002.3) to screen X(448.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(465.7), screen Y(1708.3) to screen X(555.7), screen Y(1002.3) behind fillcolor rgb '#fbfbfb' fillstyle solid 1 noborder
set arrow from screen X(482.7), screen Y(1002.3) to screen X(482.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(482.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(489.7), screen Y(1002.3) to screen X(489.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(496.7), screen Y(1002.3) to screen X(496.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(503.7), screen Y(1002.3) to screen X(503.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(510.7), screen Y(1002.3) to screen X(510.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(517.7), screen Y(1002.3) to screen X(517.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(524.7), screen Y(1002.3) to screen X(524.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(524.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(531.7), screen Y(1002.3) to screen X(531.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(538.7), screen Y(1002.3) to screen X(538.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(555.7), screen Y(1708.3) to screen X(645.7), screen Y(1002.3) behind fillcolor rgb '#f4f4f4' fillstyle solid 1 noborder
set arrow from screen X(572.7), screen Y(1002.3) to screen X(572.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(572.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(579.7), screen Y(1002.3) to screen X(579.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(586.7), screen Y(1002.3) to screen X(586.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(593.7), screen Y(1002.3) to screen X(593.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(600.7), screen Y(1002.3) to screen X(600.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(607.7), screen Y(1002.3) to screen X(607.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(614.7), screen Y(1002.3) to screen X(614.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(614.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(621.7), screen Y(1002.3) to screen X(621.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(628.7), screen Y(1002.3) to screen X(628.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(645.7), screen Y(1708.3) to screen X(735.7), screen Y(1002.3) behind fillcolor rgb '#fbfbfb' fillstyle solid 1 noborder
set arrow from screen X(662.7), screen Y(1002.3) to screen X(662.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(662.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(669.7), screen Y(1002.3) to screen X(669.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(676.7), screen Y(1002.3) to screen X(676.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(683.7), screen Y(1002.3) to screen X(683.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(690.7), screen Y(1002.3) to screen X(690.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(697.7), screen Y(1002.3) to screen X(697.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(704.7), screen Y(1002.3) to screen X(704.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(704.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(711.7), screen Y(1002.3) to screen X(711.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(718.7), screen Y(1002.3) to screen X(718.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(735.7), screen Y(1708.3) to screen X(825.7), screen Y(1002.3) behind fillcolor rgb '#f4f4f4' fillstyle solid 1 noborder
set arrow from screen X(752.7), screen Y(1002.3) to screen X(752.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(752.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(759.7), screen Y(1002.3) to screen X(759.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(766.7), screen Y(1002.3) to screen X(766.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(773.7), screen Y(1002.3) to screen X(773.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(780.7), screen Y(1002.3) to screen X(780.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(787.7), screen Y(1002.3) to screen X(787.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(794.7), screen Y(1002.3) to screen X(794.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(794.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(801.7), screen Y(1002.3) to screen X(801.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(808.7), screen Y(1002.3) to screen X(808.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(825.7), screen Y(1708.3) to screen X(915.7), screen Y(1002.3) behind fillcolor rgb '#fbfbfb' fillstyle solid 1 noborder
set arrow from screen X(842.7), screen Y(1002.3) to screen X(842.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(842.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(849.7), screen Y(1002.3) to screen X(849.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(856.7), screen Y(1002.3) to screen X(856.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(863.7), screen Y(1002.3) to screen X(863.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(870.7), screen Y(1002.3) to screen X(870.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(877.7), screen Y(1002.3) to screen X(877.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(884.7), screen Y(1002.3) to screen X(884.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(884.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(891.7), screen Y(1002.3) to screen X(891.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(898.7), screen Y(1002.3) to screen X(898.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set object rectangle from screen X(915.7), screen Y(1708.3) to screen X(1005.7), screen Y(1002.3) behind fillcolor rgb '#f4f4f4' fillstyle solid 1 noborder
set arrow from screen X(932.7), screen Y(1002.3) to screen X(932.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 µs' at screen X(932.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(939.7), screen Y(1002.3) to screen X(939.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(946.7), screen Y(1002.3) to screen X(946.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(953.7), screen Y(1002.3) to screen X(953.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(960.7), screen Y(1002.3) to screen X(960.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(967.7), screen Y(1002.3) to screen X(967.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(974.7), screen Y(1002.3) to screen X(974.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set label '1 s' at screen X(974.7), screen Y(1718.3) center font 'sans-serif,10' textcolor rgb '#555555'
set arrow from screen X(981.7), screen Y(1002.3) to screen X(981.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set arrow from screen X(988.7), screen Y(1002.3) to screen X(988.7), screen Y(1708.3) nohead linecolor rgb '#dcdcdc' linewidth 0.7 back
set lmargin at screen 0
set rmargin at screen 1
set tmargin at screen Y(1002.3)
set bmargin at screen Y(1708.3)
unset border
unset tics
unset grid
unset logscale
unset xlabel
unset ylabel
set xrange [0:1090]
set yrange [1708.3:1002.3]
plot 'recovery.dat' index 3 using 6:7 with points pointtype 7 pointsize 0.55 linewidth 1.6 linecolor rgb '#0072B2' notitle, \
     'recovery.dat' index 4 using 6:7 with points pointtype 9 pointsize 0.6 linewidth 1.6 linecolor rgb '#E69F00' notitle, \
     'recovery.dat' index 5 using 6:7 with points pointtype 2 pointsize 0.8 linewidth 1.6 linecolor rgb '#a03c00' notitle
unset label
unset object
unset arrow
set label '' at screen X(20), screen Y(1751.3) point pointtype 7 pointsize 0.6 linewidth 1.4 linecolor rgb '#0072B2'
set label 'from the fault''s taking effect to the next grant' at screen X(34.0), screen Y(1751.3) left font 'sans-serif,12' textcolor rgb '#333333'
set label '' at screen X(20), screen Y(1769.3) point pointtype 9 pointsize 0.6 linewidth 1.4 linecolor rgb '#E69F00'
set label 'from the fault''s healing to the next grant' at screen X(34.0), screen Y(1769.3) left font 'sans-serif,12' textcolor rgb '#333333'
set label '' at screen X(20), screen Y(1787.3) point pointtype 2 pointsize 0.6 linewidth 1.4 linecolor rgb '#a03c00'
set label 'nobody was granted until the trial''s end, although somebody waited' at screen X(34.0), screen Y(1787.3) left font 'sans-serif,12' textcolor rgb '#333333'
set label 'A dot for each trial and fault, on a logarithmic scale. Who is not disturbed is granted again at once.' at screen X(12.0), screen Y(1806.8) left font 'sans-serif,12' textcolor rgb '#555555'
unset border
unset tics
unset grid
unset logscale
set xrange [0:1]
set yrange [0:1]
plot 1/0 notitle
unset multiplot
