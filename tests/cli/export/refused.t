#!/bin/bash
# refused.t - what phi3sat export says of wrong options and of archives that can't be used: one line.
. "$(dirname "$0")/../profile/profile.sh"
run "$build_dir/tests/archive/make_archive" r.h5 3 70 1
expect_status 0 "an archive"

# refuse STATUS REGEX CLAIM ARGUMENT...: one line, nothing printed.
refuse() {
    local code=$1 regex=$2 claim=$3
    shift 3
    run phi3sat export "$@"
    expect_status "$code" "$claim: refused"
    is "$(wc -l <"$stderr")" 1 "in one line"
    expect_stderr_match "^phi3sat: $regex" "that says why"
    expect_empty stdout "and prints nothing"
}
refuse 2 'nothing to write: give --npz' "no form" r.h5
refuse 2 '' "no archive" --npz x.npz
refuse 2 '' "two archives" r.h5 r.h5 --npz x.npz
for name in x x.zip .npz x.NPZ; do refuse 2 "--output $name: the ending tells no form; there are .npz" "--output $name" r.h5 -o $name; done
refuse 2 '--output y.npz and --npz are one form' "one form twice" r.h5 -o y.npz --npz x.npz
refuse 2 '--output y.gguf and --imatrix are one form' "so for imatrix" r.h5 -o y.gguf --imatrix x.dat
refuse 2 '--state is about --npz' "--state without --npz" r.h5 --long x.csv --state
refuse 2 '--compress is about --npz' "--compress without --npz" r.h5 --long x.csv --compress
refuse 2 './x.csv: --npz and --long name the same file' "one file for two forms" r.h5 --npz x.csv --long ./x.csv
refuse 2 'x.csv: --long and --imatrix name the same file' "or these" r.h5 --long x.csv --imatrix x.csv
for option in npz long imatrix; do
    refuse 2 'r.h5: is an input' "--$option over the archive" r.h5 --$option r.h5
    refuse 2 '-: ' "--$option to standard output" r.h5 --$option -
    refuse 4 'nowhere/x: ' "--$option in a folder that there is not" r.h5 --$option nowhere/x
    refuse 3 'none.h5: can.t be read: No such file' "--$option of a missing archive" none.h5 --$option x
done
ln r.h5 link.npz
refuse 2 'link.npz: is an input' "the archive by another name" r.h5 -o link.npz
mkfifo pipe.npz
refuse 2 'pipe.npz: is a device or a pipe' "a pipe for --npz" r.h5 -o pipe.npz
size=$(stat -c %s r.h5)
for part in 30 75 95; do
    head -c "$((size * part / 100))" r.h5 >cut.h5
    refuse 3 'cut.h5: ' "an archive cut short ($part %)" cut.h5 --npz x.npz --long x.csv --imatrix x.dat
done
echo no >text.h5
refuse 3 'text.h5: is no HDF5 file' "no archive" text.h5 --npz x.npz
if /usr/bin/python3 -c 'import h5py' 2>/dev/null; then
    # bend CODE: a copy of the archive, changed by hand.
    bend() {
        cp r.h5 bent.h5
        /usr/bin/python3 -c "
import h5py, numpy
f = h5py.File('bent.h5', 'a')
$1
f.close()" || bail "can't bend: $1"
    }
    bend 'f.attrs["format_version"] = numpy.uint64(2)'
    refuse 3 'bent.h5: .*version 2' "an archive of a newer version" bent.h5 --npz x.npz
    bend 'f.attrs["format_version"] = numpy.uint64(0)'
    refuse 3 'bent.h5: .*version 0' "an archive of an older version" bent.h5 --long x.csv
    bend 'del f["state/ffn/sum2"]'
    refuse 3 'bent.h5: .*state/ffn/sum2' "a data set is missing" bent.h5 --imatrix x.dat
    bend 'f["state/ffn/nonfinite"][...] = f["state/samples"][0]'
    refuse 3 'bent.h5: no neuron has a finite sample' "no importance" bent.h5 --imatrix x.dat
    # A byte in the midst of a chunk: HDF5's own checksum finds it.
    bend 'at = f["up/kurtosis"].id.get_chunk_info(1).byte_offset; print(at, file=open("at", "w"))'
    printf '\xff\x00\xff' | dd of=bent.h5 bs=1 seek="$(($(cat at) + 20))" conv=notrunc status=none
    refuse 3 'bent.h5: .*up/kurtosis' "a damaged chunk" bent.h5 --npz x.npz
    refuse 3 'bent.h5: .*up/kurtosis' "for the table too" bent.h5 --long x.csv
    bend 'f["run"].attrs["partial"] = "7 of 20 prompts"'
    run phi3sat export bent.h5 -o part.npz
    expect_status 0 "a partial archive is exported"
    expect_stderr_match '^warning: bent.h5 is partial: it has 7 of 20 prompts' "with a warning"
else
    skip 26 "python3-h5py is not installed"
fi
ok "no output was made" test ! -e x.npz -a ! -e x.csv -a ! -e x.dat -a ! -e x
ok "nor anything beside" test -z "$(find . -name '*x.*' -o -name '*tmp*')"
printf 'old\n' >old.csv
refuse 3 'cut.h5: ' "with an old table there" cut.h5 -o old.csv
is "$(cat old.csv)" old "the old table is untouched"
run phi3sat export --help
expect_status 0 "--help"
for option in output npz state compress long imatrix quiet; do
    expect_stdout_match "^ +(-., )?--$option" "--help has --$option"
done
run phi3sat --help
expect_stdout_match '^  export  ' "the program's help names it"
done_testing
