#!/bin/bash
# layers.t - no room includes a header that its row in docs/ARCHITECTURE.md does not name.
. "$(dirname "$0")/lint.sh"

declare -A allowed
while IFS='|' read -r _ room _ doors _; do
    room=${room//[\` ]/}
    allowed[${room#src/}]=${doors//,/ }
done < <(grep -E '^\| `src/' docs/ARCHITECTURE.md)

ok "the table of rooms is there" test ${#allowed[@]} -ge 12

# includes FILE...: prints FILE:LINE and the door, a room or a library, that each include opens.
includes() {
    code "$@" | sed -nE 's/^([^:]*:[0-9]+):[[:space:]]*#[[:space:]]*include[[:space:]]*(["<][^">]*).*/\1 \2/p' |
        while read -r where what; do
            case $what in
                '"../../'* | '"./'*) echo "$where ${what#\"}" ;;
                *'/phi3sat.h' | *'/build_id.h') ;;
                '"../'*/* | '"'[!.]*/*) what=${what#\"} what=${what#../} && echo "$where ${what%%/*}" ;;
                '"../'*) echo "$where ${what#\"}" ;;
                '<mpi'*) echo "$where MPI" ;;
                '<hdf5'* | '<H5'*) echo "$where HDF5" ;;
                '<hwloc'*) echo "$where hwloc" ;;
                '<pcre2'*) echo "$where PCRE2" ;;
                '<utf8proc'*) echo "$where utf8proc" ;;
                '<zlib'*) echo "$where zlib" ;;
                '<zstd'*) echo "$where Zstandard" ;;
            esac
        done
}

# foreign ROOM FILE...: the includes that ROOM may not have.
foreign() {
    local room=$1 where door
    shift
    includes "$@" | while read -r where door; do
        [[ $door == "$room" || " ${allowed[$room]} " == *" $door "* ]] ||
            echo "$where: $door is not among: ${allowed[$room]}"
    done
}

for folder in src/*/; do
    room=$(basename "$folder")
    if [[ -z ${allowed[$room]+set} ]]; then
        fail "src/$room has a row in the table"
        continue
    fi
    mapfile -t files < <(find "$folder" -name '*.[ch]' | sort)
    ((${#files[@]})) || continue
    foreign "$room" "${files[@]}" | none "src/$room includes only what its row names"
done
foreign main.c src/main.c | none "src/main.c includes only what its row names"

# The lint itself: a wrong door is seen, the right ones are not.
mkdir -p "$tap_home/work/src"
printf '#include "../stats/sums.h"\n#include "model/config.h"\n/* #include <mpi.h> */\n#include <hdf5.h>\n' \
    >"$tap_home/work/src/x.c"
is "$(foreign kernels "$tap_home/work/src/x.c" | sed 's/.*x.c:\([0-9]*\): \([^ ]*\).*/\1 \2/' | tr '\n' ' ')" \
    "2 model 4 HDF5 " "a header of a room above is found, one in a comment is not"
done_testing
