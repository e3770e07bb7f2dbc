# shellcheck shell=bash
# torture.sh - what the torture tests share: a small run of every command, made to fail at its nth call of a kind
# (faults.c), and what has to hold afterwards, whatever failed:
#
#     the status is one of those expected, and never 0 with an output that isn't what it should be
#     one line says so, and it names what is expected of it
#     every output is what it was before or what it should be, to the byte, and no other file is left
#     base/memory.c has all its blocks back, and all ranks have ended within a minute
# shellcheck source-path=SCRIPTDIR/../cli/profile
. "$(dirname "${BASH_SOURCE[0]}")/../cli/profile/profile.sh"
need_command python3
failing=$build_dir/tests/torture/phi3sat_failing
# No run here takes seconds; what hangs is found after a minute. A lone rank of Open MPI starts no daemon.
export PHI3SAT_TEST_SECONDS=60 OMPI_MCA_ess_singleton_isolated=1 OMP_NUM_THREADS=1

tiny m.gguf --with-vocab --vocab 300 --hidden 32 --intermediate 70 --heads 2 --layers 2
words 9 3 12 >p.txt
tried=0 # points, in all
spoiled='' spoiled_from='' # a file that a fault changes, and what to have it back from

# start RANKS COMMAND...: as a user would.
start() {
    local ranks=$1
    shift
    if ((ranks == 1)); then run "$@"; else mpirun_n "$ranks" "$@"; fi
}

# task RANKS OUTPUTS COMMAND...: what is tortured. Runs it once for its good outputs and the counts of its calls; then
# every output is an old file again.
task() {
    task_ranks=$1
    read -ra outputs <<<"$2"
    shift 2
    command=("$failing" "$@")
    rm -rf "$tap_io/good" "$tap_io/old"
    mkdir "$tap_io/good" "$tap_io/old"
    PHI3SAT_TEST_COUNT=$tap_io/count start "$task_ranks" "${command[@]}"
    expect_status 0 "untroubled, it runs: $*"
    ((!${#outputs[@]})) || cp "${outputs[@]}" "$tap_io/good"
    cp "$stdout" "$tap_io/good.stdout"
    local file
    for file in "${outputs[@]}"; do
        # A checkpoint or an archive that is to be gone on from must be one.
        if [[ -e $tap_io/keep/$file ]]; then cp "$tap_io/keep/$file" .; else echo "old ${file##*.}" >"$file"; fi
    done
    ((!${#outputs[@]})) || cp "${outputs[@]}" "$tap_io/old"
    before=$(find . | sort)
}

# calls KIND [RANK]: how many there were.
calls() { sed -n "s/^$1 //p" "$tap_io/count.${2:-0}" 2>/dev/null; }

# is_good FILE: is it what it should be? Times are all that may differ, in an archive's /run and on a page.
is_good() {
    case $1 in
    *.h5 | *.ckpt) "$build_dir/tests/archive/archive_same" "$1" "$tap_io/good/$1" >/dev/null 2>&1 ;;
    *.html) [[ $(tail -n 1 "$1") == '</html>' ]] ;;
    *) cmp -s "$1" "$tap_io/good/$1" ;;
    esac
}

# judge_files: prints what is wrong with the outputs, and has the old ones back.
judge_files() {
    local file
    [[ $(find . | sort) == "$before" ]] || echo "files come and gone: $(diff <(echo "$before") <(find . | sort) | grep '^[<>]' | tr '\n' ' ')"
    for file in "${outputs[@]}"; do
        if cmp -s "$file" "$tap_io/old/$file"; then
            ((status)) || echo "$file is the old one, and all is well?"
        else
            is_good "$file" || echo "$file is neither the old one nor the new one"
        fi
    done
    find . -name '*.part-*' -delete
    [[ -z $spoiled ]] || cp "$spoiled_from" "$spoiled"
    ((!${#outputs[@]})) || cp -f "$tap_io/old"/* .
}

# attempt SPEC STATUSES REGEX: one run with PHI3SAT_TEST_FAIL=SPEC; prints what is wrong. A success is one of the statuses only where 0
# stands among them.
attempt() {
    local rank lines
    rm -f "$tap_io"/count.[0-9]
    PHI3SAT_TEST_FAIL=$1 PHI3SAT_TEST_COUNT=$tap_io/count start "$task_ranks" "${command[@]}"
    [[ " $2 " == *" $status "* ]] || echo "status $status"
    if ((status == 0)); then
        cmp -s "$stdout" "$tap_io/good.stdout" || [[ ${command[1]} == --* ]] || echo "prints something else"
    else
        # Of ranks that must end at once each may speak, where the launcher is slow to tell them.
        if [[ -z $spoiled ]]; then lines=$(grep -ac '^phi3sat: ' "$stderr"); else
            lines=$(grep -a '^phi3sat: ' "$stderr" | sed 's/(byte [0-9]*/(byte/' | sort -u | wc -l)
        fi
        ((lines == 1)) || echo "$lines lines"
        grep -aEq "^phi3sat: .*($3)" "$stderr" || echo "the line has nothing of: $3"
    fi
    # A launcher may end the ranks that are left, once one has come out with an error: those can't write their counts (to the end).
    for ((rank = 0; rank < task_ranks; rank++)); do
        [[ ! -s $tap_io/count.$rank && (-n $spoiled || $task_ranks != 1 && $status != 0) ||
            $(calls live $rank) == 0 ]] || echo "rank $rank: $(calls live $rank) blocks leaked"
    done
    judge_files
}

# sweep POINTS RANK:KIND HOW STATUSES REGEX CLAIM: POINTS of the calls of that kind, evenly spread, the last one among them; 0: two dozen,
# or all with PHI3SAT_TORTURE=all, which takes hours.
sweep() {
    local points=$1 rank=${2%:*} kind=${2#*:} how=$3 total step number wrong all=''
    total=$(calls "$kind" "$rank")
    [[ $status == 0 && ${total:-0} -gt 0 ]] || { fail "$6: there is nothing to fail"; return; }
    ((points)) || [[ ${PHI3SAT_TORTURE:-} == all ]] || points=24
    step=$((points ? (total + points - 1) / points : 1))
    cp "$tap_io"/count.* "$tap_io/good"
    for ((number = total - 1; number >= 0; number -= step)); do
        wrong=$(attempt "$rank:$kind:$number${how:+$how}" "$4" "$5")
        ((++tried))
        [[ -z $wrong ]] || all+="$rank:$kind:$number$how: ${wrong//$'\n'/, }: $(grep -a '^phi3sat: ' "$stderr" | head -n 2)"$'\n'
    done
    cp "$tap_io/good"/count.* "$tap_io"
    rm -f "$tap_io/good"/count.*
    if [[ -z $all ]]; then pass "$6 ($kind, $(((total + step - 1) / step)) of $total)"; else
        fail "$6 ($kind, $(((total + step - 1) / step)) of $total)"
        diag "$(head -n 12 <<<"$all")"
    fi
}
