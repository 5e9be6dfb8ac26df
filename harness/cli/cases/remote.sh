# For tests of servers on other hosts, in their folder: remote.sh WHAT.
case $1 in
run) # the scenario $2 into small, with all folders of agents in one place
    mkdir -p agents
    rm -rf small
    TMPDIR=$PWD/agents exec "$LOCKPICK" run "$2.yaml" --out small
    ;;
servers) # by their folders: some write over their environment
    for process in /proc/[0-9]*; do
        case $(readlink "$process/cwd") in "$PWD/agents/"*) basename "$process" ;; esac
    done
    ;;
agent) # the first, or, when it is gone, who outlives it
    for process in /proc/[0-9]*; do
        read -rd '' program <"$process/cmdline" && [ "$program" = "$PWD/lockpick" ] && echo "${process#/proc/}"
    done 2>/dev/null | sort -n | head -1
    ;;
holds) # until somebody has been granted the lock
    until "$LOCKPICK" history small 2>/dev/null | grep -q acquire-return; do sleep 0.05; done
    ;;
left) # until nothing is left
    while [ -n "$(ls agents)" ] || [ -n "$(bash "$0" servers)" ] || [ -n "$(bash "$0" agent)" ]; do sleep 0.01; done
    ;;
esac
