#!/bin/bash
# schema.t - docs/archive.md and archives say the same, both ways; and the comparison sees what differs.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3
python=/usr/bin/python3
"$python" -c 'import h5py' 2>/dev/null || skip_all "python3-h5py is not installed"
page=$source_dir/docs/archive.md

tiny m.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 3 --context 120 --seed 4
words 20 7 30 >p.txt
for k in 0 1; do
    run phi3sat --quiet --model m.gguf --prompts p.txt --shard $k/2 --output $k.csv
    expect_status 0 "a profile"
done
run phi3sat merge 0.h5 1.h5 -o merged.h5
expect_status 0 "and a merged one"
run "$build_dir/tests/archive/make_archive" made.h5 3 70 1
expect_status 0 "and an invented archive"

# compare PAGE ARCHIVE...
compare() { run "$python" "$source_dir/tests/readers/schema.py" "$@"; }
compare "$page" 0.h5 merged.h5 made.h5
expect_status 0 "page and archives are compared"
expect_empty stdout "they say the same"

# differs REGEX CLAIM CODE: an archive changed by hand.
differs() {
    cp 0.h5 bent.h5
    "$python" -c "
import h5py, numpy
f = h5py.File('bent.h5', 'a')
$3
f.close()" || bail "can't bend: $3"
    compare "$page" bent.h5
    expect_stdout_match "$1" "$2"
}
differs 'gate/mode is in one' "a data set that the page has not" 'f["gate/mode"] = numpy.zeros(3)'
differs 'up/mean is in one' "one that the archive has not" 'del f["up/mean"]'
differs 'up/mean is float64 and should' "another type" 'f.move("up/mean", "x"); f["up/mean"] = f["x"][...].astype("f8"); del f["x"]'
differs 'ffn/min has the attributes' "an attribute too many" 'f["ffn/min"].attrs["more"] = 1'
differs 'ffn/min has the attributes' "one too few" 'del f["ffn/min"].attrs["units"]'
differs "'words' and should be 'least value of ffn'" "other words" 'f["ffn/min"].attrs["long_name"] = "words"'
differs '/ colour is in one' "an attribute of the root" 'f.attrs["colour"] = "red"'
differs '/ layers is int64 and should' "of another type" 'f.attrs["layers"] = 3'
differs '/run colour is in one' "an attribute of the run" 'f["run"].attrs["colour"] = "red"'
grep -v '^| .kurtosis.' "$page" >less.md
compare less.md 0.h5
is "$(grep -c 'kurtosis is in one' "$stdout")" 3 "a page without a data set"
sed -E 's%(\| .samples. \| uint64 \| layer) \|%\1, neuron |%' "$page" >other.md
compare other.md 0.h5
expect_stdout_match 'state/samples has other dimensions' "a page with other dimensions"
done_testing
