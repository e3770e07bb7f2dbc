#!/bin/bash
# refused.t - what phi3sat report says of wrong options and of archives that can't be used: one line.
. "$(dirname "$0")/../profile/profile.sh"
need_command python3

tiny m.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 3 --context 120 --seed 4
words 20 7 30 >p.txt
run phi3sat --model m.gguf --prompts p.txt --output r.csv
expect_status 0 "a profile"

# refuse STATUS REGEX CLAIM ARGUMENT...: one line, nothing printed.
refuse() {
    local code=$1 regex=$2 claim=$3
    shift 3
    run phi3sat report "$@"
    expect_status "$code" "$claim: refused"
    is "$(wc -l <"$stderr")" 1 "in one line"
    expect_stderr_match "^phi3sat: $regex" "that says why"
    expect_empty stdout "and prints nothing"
}
refuse 2 'r.h5: was measured with --activity-threshold 0.100000001.*profile again' "another activity threshold" r.h5 --activity-threshold 0.2
refuse 2 '--neuron 3/0: the archive has layers 0-2 of neurons 0-99' "a layer too far" r.h5 --neuron 3/0
refuse 2 '.*--neuron' "a neuron too far" r.h5 --neuron 0/100
for word in 1 /1 1/ 1/2/3 a/b -1/2 1/2x 99999999999999999999/1; do refuse 2 '.*--neuron' "--neuron $word" r.h5 --neuron="$word"; done
refuse 2 '.*exclude each other' "a neuron and a table" r.h5 --neuron 0/0 --output x.csv
refuse 2 './x.csv: --output and --intervals name the same file' "one file for both tables" r.h5 --output x.csv --intervals ./x.csv
refuse 2 ".*--criterion 'ffn.kurtosys > 3': there is no such statistic \(column 5\); there are mean" "a statistic that there is not" r.h5 --criterion 'ffn.kurtosys > 3'
refuse 2 '.*column 1\)' "a criterion that is none" r.h5 --criterion '1'
refuse 2 '.*--criterion and --combine exclude' "a criterion and a rule" r.h5 --criterion '1 < 2' --combine any
refuse 2 '.*--criterion and --intervals exclude' "a criterion and intervals" r.h5 --criterion '1 < 2' --intervals x.csv
refuse 2 '.*--neuron and --intervals exclude' "a neuron and intervals" r.h5 --neuron 0/0 --intervals x.csv
refuse 2 '' "no archive" --quiet
refuse 2 '' "two archives" r.h5 r.h5
refuse 2 '' "a word that is no rule" r.h5 --combine most
refuse 2 '' "a threshold that is no number" r.h5 --variance-threshold x
refuse 3 'none.h5: can.t be read: No such file' "a missing archive" none.h5
refuse 3 'p.txt: is no HDF5 file' "no archive" p.txt
refuse 3 '\.: ' "a folder" .
refuse 2 'r.h5: is an input' "the archive for an output" r.h5 --output r.h5
refuse 2 '-: ' "standard output for the table" r.h5 --output -
refuse 4 'nowhere/x.csv: ' "a folder that there is not" r.h5 --output nowhere/x.csv
for part in 100 30 75 95; do
    size=$(stat -c %s r.h5)
    head -c "$((part == 100 ? size - 1 : size * part / 100))" r.h5 >cut.h5
    refuse 3 'cut.h5: ' "an archive cut short ($part %)" cut.h5 --output x.csv
done
head -c 2000 /dev/zero >zero.h5
refuse 3 'zero.h5: ' "zeros" zero.h5
: >empty.h5
refuse 3 'empty.h5: ' "an empty file" empty.h5
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
    refuse 3 'bent.h5: .*version 2' "an archive of a newer version" bent.h5
    bend 'f.attrs["format_version"] = numpy.uint64(0)'
    refuse 3 'bent.h5: .*version 0' "an archive of an older version" bent.h5
    bend 'f.attrs["format"] = "something else"'
    refuse 3 'bent.h5: ' "another format" bent.h5
    bend 'del f["ffn/kurtosis"]'
    refuse 3 'bent.h5: .*ffn/kurtosis' "a data set is missing" bent.h5
    bend 'd = f["up/variance"][:]; del f["up/variance"]; f["up/variance"] = d[:, :50]'
    refuse 3 'bent.h5: .*up/variance' "a data set of another shape" bent.h5
    bend 'd = f["up/variance"][:]; del f["up/variance"]; f["up/variance"] = d.astype("f8")'
    refuse 3 'bent.h5: .*up/variance' "a data set of another type" bent.h5
    bend 'f.attrs["layers"] = numpy.uint64(9)'
    refuse 3 'bent.h5: ' "a number of layers that isn't so" bent.h5
    bend 'f.attrs["variance_threshold"] = numpy.float32("nan")'
    refuse 3 'bent.h5: ' "a threshold that is no number" bent.h5
    bend 'f.attrs["combine"] = "most"'
    refuse 3 'bent.h5: ' "a rule that there is not" bent.h5
    bend 'f["extremes/neuron"][0, 0] = 5000'
    refuse 3 'bent.h5: .*extremes/neuron' "an extreme of a neuron that isn't there" bent.h5 --neuron 0/0
    /usr/bin/python3 -c 'import h5py; h5py.File("other.h5", "w")["x"] = [1, 2]'
    refuse 3 'other.h5: is an HDF5 file, but no archive' "another HDF5 file" other.h5
    # A partial archive is named as such, whatever its words hold.
    bend 'f["run"].attrs["partial"] = "7 of 20 prompts\x1b[31m"'
    run phi3sat report bent.h5
    expect_status 0 "a partial archive is reported"
    expect_stderr_match '^warning: bent.h5 is partial: it has 7 of 20 prompts' "with a warning"
    expect_stdout_match '^  partial: 7 of 20 prompts\\x1b\[31m; the run went on$' "and by the report, escaped"
else
    skip 47 "python3-h5py is not installed"
fi
ok "no output was made" test ! -e x.csv
printf 'old\n' >old.csv
refuse 3 'cut.h5: ' "with an old table there" cut.h5 --output old.csv
is "$(cat old.csv)" old "the old table is untouched"
run phi3sat report r.h5 --output old.csv --quiet
expect_status 0 "--quiet"
expect_empty stderr "says nothing"
if [[ -e /dev/full ]]; then
    phi3sat report r.h5 >/dev/full 2>err
    is "$?" 4 "a full disk under the summary: status 4"
else
    skip 1 "no /dev/full"
fi
run phi3sat report --help
expect_status 0 "--help"
for option in output intervals neuron criterion gflops gbytes plot quiet activity-threshold activity combine super-ratio variance-threshold gradient-threshold low-activity-ratio; do
    expect_stdout_match "^ +(-., )?--$option" "--help has --$option"
done
done_testing
