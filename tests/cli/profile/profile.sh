# shellcheck shell=bash
# profile.sh - what the profiler's tests share: tiny models, prompts, and looking into archives.
# shellcheck source-path=SCRIPTDIR/../cli/profile
. "$(dirname "${BASH_SOURCE[0]}")/../../tap/tap.sh"

# tiny FILE OPTION...: a tiny random model (tests/golden/make_tiny.py). Python needs nothing but itself.
tiny() {
    local file=$1
    shift
    python3 "$source_dir/tests/golden/make_tiny.py" -o "$file" "$@" || bail "make_tiny.py failed"
}

# words N SEED LENGTH: N prompts of up to LENGTH words each that tiny's vocabulary has.
words() {
    awk -v n="$1" -v seed="$2" -v longest="$3" 'BEGIN {
        count = split("the of and to in is that it was for on are as with his they at be this from", word, " ")
        state = seed
        for (i = 0; i < n; i++) {
            line = ""
            state = (state * 1103515245 + 12345) % 2147483648
            length_ = 1 + int(state / 65536) % longest
            for (k = 0; k < length_; k++) {
                state = (state * 1103515245 + 12345) % 2147483648
                line = line (k ? " " : "") word[1 + int(state / 65536) % count]
            }
            print line
        }
    }'
}

# values COMMAND ARCHIVE ...: see archive_values.c.
values() { "$build_dir/tests/cli/profile/archive_values" "$@"; }

# same A.h5 B.h5 CLAIM: all but /run is the same to the byte.
same() {
    local found
    if found=$("$build_dir/tests/archive/archive_same" "$1" "$2" 2>&1); then
        pass "$3"
    else
        fail "$3"
        diag "$found"
        return 1
    fi
}

# holds CLAIM COMMAND...: succeeds; what it prints is shown where it doesn't.
holds() {
    local claim=$1 found
    shift
    if found=$("$@" 2>&1); then pass "$claim"; else
        fail "$claim"
        diag "$found"
        return 1
    fi
}

# attribute FILE NAME: a root attribute, or one of /run, as the reader's user sees it.
attribute() { h5dump -a "$2" "$1" 2>/dev/null | sed -n 's/^ *(0): //p' | tr -d '"'; }
