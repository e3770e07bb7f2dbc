#!/bin/bash
# forms.t - each form that phi3sat export writes holds the archive's numbers, to the bit.
. "$(dirname "$0")/../profile/profile.sh"
need_command python3
python=/usr/bin/python3
"$python" -c 'import h5py, numpy' 2>/dev/null || skip_all "python3-h5py is not installed"

tiny m.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 4 --context 120 --seed 4 --plant-nan 2:33
{ words 20 7 30; words 2 8 100; } >'prömpts.txt'
run phi3sat --model m.gguf --prompts 'prömpts.txt' --output nan.csv
expect_status 5 "a profile with NaN from layer 2 on"
run "$build_dir/tests/archive/make_archive" made.h5 3 70 1
expect_status 0 "and an invented archive"

# form FORM ARCHIVE FILE CLAIM
form() { holds "$4" "$python" "$source_dir/tests/cli/export/check_forms.py" "$2" "$1" "$3"; }

for archive in nan made; do
    run phi3sat export $archive.h5 --npz a.npz --long a.csv --imatrix a.imatrix
    expect_status 0 "$archive: three forms at once"
    ok "each is told" test "$(grep '^written: ' "$stderr" | tr '\n' ' ')" = "written: a.npz written: a.csv written: a.imatrix "
    expect_empty stdout "and nothing is printed"
    form npz $archive.h5 a.npz "$archive: the .npz has every data set and attribute, to the bit"
    form long $archive.h5 a.csv "$archive: the long table has every number, to the bit"
    form imatrix $archive.h5 a.imatrix "$archive: the importance matrix is E[x^2] of the exact sums"
    run phi3sat export $archive.h5 -o a.gguf --npz b.npz --state --compress
    expect_status 0 "$archive: the other forms"
    form state $archive.h5 b.npz "$archive: the .npz with the state, compressed"
    form gguf $archive.h5 a.gguf "$archive: the importance matrix as GGUF"
done
run phi3sat export nan.h5 -o a.dat
expect_stderr_match '^warning: 1 layers have no finite sample and get no entry in a.dat$' "layers without a value are told"
expect_stderr_match '^warning: 1 neurons have no finite sample: a.dat has' "and neurons"
run phi3sat export --quiet made.h5 -o b.imatrix
expect_empty stderr "--quiet says nothing"
run phi3sat export made.h5 -o c.csv
ok "--output is the form that its ending tells" cmp a.csv c.csv
run phi3sat export made.h5 --npz c.npz
ok "the same archive gives the same bytes" cmp a.npz c.npz
mpirun_n 2 phi3sat export made.h5 --npz d.npz
ok "under mpirun one rank does it" cmp a.npz d.npz
if locale -a 2>/dev/null | grep -qx 'de_DE.utf8'; then
    LC_ALL=de_DE.UTF-8 run phi3sat export made.h5 --long de.csv
    ok "decimal points where the locale has commas" cmp a.csv de.csv
else
    skip 1 "no locale de_DE.UTF-8"
fi

# Texts that nobody vouches for.
cp made.h5 bent.h5
"$python" -c '
import h5py, numpy
f = h5py.File("bent.h5", "a")
f["run"].attrs["../../evil"] = "x"
f["run"].attrs["hosts"] = "Zürich \u20ac \U0001F600"
f["run"].attrs["build"] = ""
f["run"].attrs["prompts_source"] = "long " * 100'
run phi3sat export bent.h5 --npz bent.npz
expect_status 0 "odd attributes"
form npz bent.h5 bent.npz "texts of any script, empty ones, and no member outside the folder"
done_testing
