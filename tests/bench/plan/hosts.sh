#!/bin/bash
# hosts.sh - two hosts on one machine, for judge.py: network namespaces joined by a link of limited bandwidth.
#
#     hosts.sh up FOLDER MBIT      as root; FOLDER gets what the others need
#     hosts.sh on FOLDER HOST COMMAND...
#     hosts.sh agent HOST COMMAND...   called by mpirun as ssh would be; HOSTS_FOLDER is set
#     hosts.sh down FOLDER
#
# Each host has a name, an /etc/hosts and a /dev/shm of its own, so that MPI takes the two for what they
# are meant to be. Bandwidth is limited where packets leave (tc tbf).
set -euo pipefail

a=phi3a b=phi3b

up() {
    local folder=$1 rate=$2 host
    mkdir -p "$folder"
    printf '127.0.0.1 localhost\n10.77.5.1 %s\n10.77.5.2 %s\n' $a $b >"$folder/hosts"
    ip netns add $a
    ip netns add $b
    ip link add p3-$a netns $a type veth peer name p3-$b netns $b
    ip -n $a addr add 10.77.5.1/24 dev p3-$a
    ip -n $b addr add 10.77.5.2/24 dev p3-$b
    for host in $a $b; do
        ip -n "$host" link set lo up
        ip -n "$host" link set "p3-$host" up
        tc -n "$host" qdisc add dev "p3-$host" root tbf rate "${rate}mbit" burst 256kb latency 50ms
    done
}

down() {
    local host
    for host in $a $b; do ip netns del "$host" 2>/dev/null || true; done
    rm -f "$1/hosts"
}

enter() {
    local folder=$1 host=$2
    shift 2
    # shellcheck disable=SC2016 # the inner shell's
    exec nsenter --net="/run/netns/$host" unshare --uts --mount --ipc bash -c '
        hostname "$1" && mount --bind "$2/hosts" /etc/hosts && mount -t tmpfs tmpfs /dev/shm && shift 2 && exec "$@"' \
        bash "$host" "$folder" "$@"
}

case ${1:-} in
    up) up "$2" "$3" ;;
    down) down "$2" ;;
    on)
        shift
        enter "$@"
        ;;
    *)
        # mpirun: [-x ...] HOST COMMAND, the command in words for a shell.
        while [[ ${1:-} == -* ]]; do shift; done
        host=$1
        shift
        enter "$HOSTS_FOLDER" "$host" bash -c "$*"
        ;;
esac
