#!/bin/bash
# large.t - sources that are large: memory stays small. The peaks are what the kernel reports (VmHWM: all
# pages of the process, shared ones too) and are printed. PHI3SAT_LARGE is the size of the pipe in bytes; a run
# with 5000000000 reached 34 MB.
. "$(dirname "$0")/../../tap/tap.sh"
need_command python3
python3 "$source_dir/tests/golden/make_tiny.py" --layers 1 --hidden 32 --intermediate 32 --with-vocab --vocab 600 \
    -o m.gguf || bail "make_tiny.py failed"

# below MB CLAIM COMMAND...: runs it on standard input; it ends well and its peak stays below.
below() {
    local limit=$1 claim=$2
    shift 2
    python3 - "$@" <<'PY' 2>peak
import os, resource, subprocess, sys
status = subprocess.run(sys.argv[1:], stdin=open("input"), stdout=open("out", "w"), stderr=open("err", "w")).returncode
print(status, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024, file=sys.stderr)
PY
    read -r status peak_mb <peak
    diag "$claim: peak $peak_mb MB"
    ok "$claim: ends well, below $limit MB" test "$status" = 0 -a "$peak_mb" -lt "$limit"
}

awk -v left="${PHI3SAT_LARGE:-500000000}" 'BEGIN {
    for (i = 0; left > 0; i++) {
        line = "{\"id\":" i ",\"text\":\"the of and to in is that it was for on are as with his they at be this from " i "\"}"
        print line
        left -= length(line) + 1
    }
    print i >"count"
}' >lines
mkfifo input
cat lines >input &
below 200 "JSON Lines by a pipe" phi3sat tokenize --model m.gguf /dev/stdin
is "$(wc -l <out)" "$(cat count)" "every record comes out"
cat lines >input &
below 200 "the same, profiled in part" phi3sat --model m.gguf --prompts /dev/stdin --num-prompts 50 --output r.csv
rm input lines
: >input
awk 'BEGIN { for (i = 0; i < 2000000; i++) print "the " i }' >short
below 200 "two million short lines" phi3sat tokenize --model m.gguf short
is "$(wc -l <out)" 2000000 "none is lost"
{ yes 'the of and to in is that it was for' | head -c 100000000 | tr '\n' ' '; echo; } >long
below 800 "one line of 100 MB" phi3sat tokenize --model m.gguf long
is "$(wc -l <out)" 1 "it is one prompt"
done_testing
