#!/usr/bin/env bash
# end.sh SIGNAL SIZE TRIALS ARGUMENTS...: runs that into run, anew, until the history of each trial has
# so many pages on the disk, or so many chunks with events (10chunks: as its header says), and ends
# it by the signal. All its processes inherit a lock on the witness: whatever lived on would hold
# it. The shell would have it ignore SIGINT.
signal=$1 size=$2 trials=$3
shift 3
has_size() {
    case $size in
        *chunks) (($(od -An -t u8 -j 64 -N 8 "$1" 2>/dev/null) + 0 >= ${size%chunks})) ;;
        *) (($(stat -c %b "$1" 2>/dev/null || echo -8) / 8 >= size)) ;;
    esac
}
rm -rf run
(
    exec 9>witness
    flock -s 9
    exec env --default-signal=INT,QUIT "$LOCKPICK" run "$@" --out run --quiet >/dev/null 2>&1
) &
run=$!
for trial in $trials; do
    until has_size "run/trials/$trial/history.bin"; do
        kill -0 "$run" || exit 1
        sleep 0.005
    done
done
kill -"$signal" "$run"
code=0
wait "$run" || code=$?
echo "ended with $code"
((code == 128 + $(kill -l "$signal"))) && timeout 100 flock -x witness true
