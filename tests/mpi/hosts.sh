# shellcheck shell=bash disable=SC2154 # what tap.sh sets
# hosts.sh - hosts on this machine: network namespaces joined by a switch, for tests that source it after tap.sh.
#
#     hosts_start 4                      or skip_all where the kernel doesn't permit; leaves hosts=(NAME...)
#     hosts_on 0 COMMAND...              replaces this shell by COMMAND on host 0: ( hosts_on 0 ... ) &
#     hosts_mpirun RANKS COMMAND...      the same with mpirun, RANKS on each host
#     hosts_cut 2; hosts_mend 2          takes host 2's cable out, and puts it back
#
# Each host has an address, a name, an /etc/hosts and a /dev/shm of its own, so that MPI takes them for what they are
# meant to be. Names are this test's alone: others may run beside it. When the test ends, hosts are removed with every
# process on them.

hosts=()
hosts_home=$PWD/hosts

# The processes on the hosts.
hosts_processes() {
    local host
    for host in "${hosts[@]}"; do ip netns pids "$host" 2>/dev/null; done
}

hosts_stop() {
    local host left round
    for round in {1..50}; do
        left=$(hosts_processes)
        [[ -n $left ]] || break
        # shellcheck disable=SC2086 # several
        kill -KILL $left 2>/dev/null
        sleep 0.1
    done
    : "$round"
    for host in "${hosts[@]}"; do ip netns del "$host" 2>/dev/null; done
    hosts=()
}

# The switch stands in host 0, so that this machine's own network stays as it is.
hosts_connect() {
    local net=$1 i
    for ((i = 0; i < ${#hosts[@]}; i++)); do
        ip netns add "${hosts[i]}" && ip -n "${hosts[i]}" link set lo up || return 1
    done
    ip -n "${hosts[0]}" link add eth0 type bridge || return 1
    for ((i = 0; i < ${#hosts[@]}; i++)); do
        if ((i)); then
            ip -n "${hosts[0]}" link add "port$i" type veth peer name eth0 netns "${hosts[i]}" || return 1
            ip -n "${hosts[0]}" link set "port$i" master eth0 up || return 1
        fi
        ip -n "${hosts[i]}" addr add "10.77.$net.$((i + 1))/24" dev eth0 || return 1
        ip -n "${hosts[i]}" link set eth0 up || return 1
    done
}

# hosts_start COUNT
hosts_start() {
    local count=$1 i id=$((BASHPID % 100000)) net=$((BASHPID % 250 + 1))
    need_command ip nsenter unshare
    trap 'hosts_stop; tap_leave' EXIT
    mkdir "$hosts_home"
    echo '127.0.0.1 localhost' >"$hosts_home/hosts"
    for ((i = 0; i < count; i++)); do
        hosts+=("p3h$id-$i")
        echo "10.77.$net.$((i + 1)) ${hosts[i]}" >>"$hosts_home/hosts"
    done
    # What mpirun calls as it would ssh: [-x ...] HOST COMMAND, the command in words for a shell.
    cat >"$hosts_home/agent" <<'END'
#!/bin/bash
while [[ ${1:-} == -* ]]; do shift; done
host=$1
shift
exec nsenter --net="/run/netns/$host" unshare --uts --mount --ipc bash -c '
    hostname "${3:-$1}" && mount --bind "$2/hosts" /etc/hosts && mount -t tmpfs tmpfs /dev/shm && export TMPDIR=/dev/shm &&
    shift 3 && exec "$@"' \
    bash "$host" "${0%/*}" "${HOSTS_NAME:-}" bash -c "$*"
END
    chmod +x "$hosts_home/agent"
    hosts_connect "$net" >"$hosts_home/log" 2>&1 || skip_all "no hosts can be made here: $(tail -n 1 "$hosts_home/log")"
    (hosts_on 0 true) >"$hosts_home/log" 2>&1 || skip_all "no hosts can be entered here: $(tail -n 1 "$hosts_home/log")"
}

hosts_on() {
    local host=${hosts[$1]}
    shift
    exec "$hosts_home/agent" "$host" "exec $(printf '%q ' "$@")"
}

hosts_mpirun() {
    local slots=$1 list
    shift
    list=$(printf ",%s:$slots" "${hosts[@]}")
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1
    hosts_on 0 "${PHI3SAT_MPIRUN:-mpirun}" --mca plm_rsh_agent "$hosts_home/agent" --bind-to none --oversubscribe \
        -H "${list:1}" -np $((slots * ${#hosts[@]})) "$@"
}

hosts_cut() { ip -n "${hosts[0]}" link set "port$1" down; }
# Neighbours that didn't answer are asked anew only after a while.
hosts_mend() {
    ip -n "${hosts[0]}" link set "port$1" up
    ip -n "${hosts[0]}" neigh flush all
    ip -n "${hosts[$1]}" neigh flush all
}
