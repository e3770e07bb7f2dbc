# shellcheck shell=bash disable=SC2154 # what tap.sh sets
# slurm.sh - a real Slurm of a few nodes on this machine, for tests that source it after tap.sh.
#
#     slurm_start 2          or skip_all where it can't be had
#     slurm_send SCRIPT...   sbatch; leaves $job
#     slurm_end SECONDS      waits for it; leaves $state and $code
#
# One controller, a daemon a node, and an authentication daemon, all with their files below the test's own folder and
# ports that are free; ended when the test ends, by their process ids. Nodes share this machine's address, so that
# messages between them go through its loopback device.

slurm_home=$PWD/slurm
slurm_pids=()

slurm_stop() {
    local guard round
    ((${#slurm_pids[@]})) || return 0
    scancel --user="$(id -un)" >/dev/null 2>&1
    for round in {1..50}; do
        [[ -n $(squeue -h 2>/dev/null) ]] || break
        sleep 0.1
    done
    : "$round"
    kill "${slurm_pids[@]}" 2>/dev/null
    (sleep 10 && kill -9 "${slurm_pids[@]}") 2>/dev/null &
    guard=$!
    wait "${slurm_pids[@]}" 2>/dev/null
    kill "$guard" 2>/dev/null
    wait
}

# A port from which on $1 are free.
slurm_ports() {
    local base=$((20000 + RANDOM % 9000)) port
    while :; do
        for ((port = base; port < base + $1; port++)); do
            if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
                base=$((port + 1))
                continue 2
            fi
        done
        echo "$base"
        return
    done
}

slurm_configure() {
    local nodes=$1 base=$2 host user node
    host=$(hostname -s) user=$(id -un)
    cat <<END
ClusterName=phi3sat
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$base
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$slurm_home/munge.socket
CredType=cred/munge
SlurmctldPidFile=$slurm_home/controller.pid
SlurmdPidFile=$slurm_home/%n.pid
SlurmctldLogFile=$slurm_home/controller.log
SlurmdLogFile=$slurm_home/%n.log
StateSaveLocation=$slurm_home/state
SlurmdSpoolDir=$slurm_home/spool-%n
TmpFS=$slurm_home/spool-%n
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=1,batch_sched_delay=0,bf_interval=1
SlurmdParameters=config_overrides
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
KillWait=10
JobRequeue=1
END
    for ((node = 1; node <= nodes; node++)); do
        echo "NodeName=n$node NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + node)) CPUs=2 RealMemory=4000"
    done
    echo "PartitionName=test Nodes=ALL Default=YES MaxTime=INFINITE State=UP"
}

# slurm_start NODES
slurm_start() {
    local nodes=$1 node base round
    export PATH=$PATH:/usr/sbin:/sbin
    need_command slurmctld slurmd munged sbatch srun scontrol squeue
    mkdir -p "$slurm_home/state"
    chmod 755 "$slurm_home" "$tap_home" "$PWD"
    base=$(slurm_ports $((nodes + 1)))
    head -c 1024 /dev/urandom >"$slurm_home/munge.key"
    chmod 600 "$slurm_home/munge.key"
    slurm_configure "$nodes" "$base" >"$slurm_home/slurm.conf"
    export SLURM_CONF=$slurm_home/slurm.conf
    trap 'slurm_stop; tap_leave' EXIT
    munged --foreground --force --key-file="$slurm_home/munge.key" --socket="$slurm_home/munge.socket" \
        --pid-file="$slurm_home/munge.pid" --log-file="$slurm_home/munge.log" --seed-file="$slurm_home/munge.seed" \
        >"$slurm_home/munge.out" 2>&1 &
    slurm_pids+=($!)
    for round in {1..50}; do
        [[ ! -S $slurm_home/munge.socket ]] || break
        sleep 0.1
    done
    slurmctld -D >"$slurm_home/controller.out" 2>&1 &
    slurm_pids+=($!)
    for ((node = 1; node <= nodes; node++)); do
        mkdir "$slurm_home/spool-n$node"
        slurmd -D -N "n$node" >"$slurm_home/n$node.out" 2>&1 &
        slurm_pids+=($!)
    done
    for round in {1..200}; do
        if [[ $(sinfo -h -o %D -t idle 2>/dev/null) == "$nodes" ]]; then
            [[ $(srun --mpi=list 2>&1) == *pmix* ]] || skip_all "this Slurm has no pmix"
            return 0
        fi
        sleep 0.1
    done
    : "$round"
    tail -n 5 "$slurm_home"/*.log "$slurm_home"/*.out >&2
    skip_all "Slurm does not start here"
}

# slurm_send OPTION... SCRIPT ARGUMENT...
slurm_send() {
    run sbatch --parsable "$@"
    job=$(head -n 1 "$stdout")
    job=${job%%;*}
}

slurm_field() { scontrol --oneliner show job "$1" 2>/dev/null | head -n 1 | grep -oE "(^| )$2=[^ ]*" | cut -d= -f2; }

# slurm_end SECONDS [JOB]
# shellcheck disable=SC2034 # tests read state and code
slurm_end() {
    local id=${2:-$job} end=$((SECONDS + $1))
    while ((SECONDS < end)); do
        state=$(slurm_field "$id" JobState)
        case $state in
            COMPLETED | FAILED | CANCELLED | TIMEOUT | NODE_FAIL | OUT_OF_MEMORY) break ;;
        esac
        sleep 0.2
    done
    code=$(slurm_field "$id" ExitCode)
    code=${code%%:*}
}
