#!/bin/bash
# package.t - the Python package installs with pip, reads archives, and prints the program's own table.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3
python=/usr/bin/python3
"$python" -c 'import h5py, numpy' 2>/dev/null || skip_all "python3-h5py is not installed"

shape=(--with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 4 --context 120)
tiny m.gguf "${shape[@]}" --seed 4 --plant-zero 1:5
tiny n.gguf "${shape[@]}" --seed 4 --plant-nan 2:33
words 30 7 40 >p.txt
run phi3sat --quiet --model m.gguf --prompts p.txt --output base.csv
expect_status 0 "a profile"
run phi3sat report --quiet base.h5 --variance-threshold 0.5 --combine ffn --output other.csv
expect_status 0 "judged anew"
run phi3sat --quiet --model n.gguf --prompts p.txt --output nan.csv
expect_status 5 "and one with NaN"

# pip builds in a copy: the source tree may be read-only.
cp -r "$source_dir/python" source
chmod -R u+w source
if "$python" -c 'import setuptools, wheel, pip' 2>/dev/null; then
    run "$python" -m pip install --quiet --no-index --no-deps --no-build-isolation --disable-pip-version-check \
        --root-user-action=ignore --target installed ./source
    expect_status 0 "pip installs it"
    ok "with its name and version" test -d installed/phi3sat-0.1.0.dist-info
    tree=$PWD/installed
else
    skip 2 "pip can't build (Debian: python3-pip python3-setuptools python3-wheel)"
    tree=$PWD/source
fi
is "$(sed -n 's/^AC_INIT(\[phi3sat\], \[\(.*\)\])/\1/p' "$source_dir/configure.ac")" \
    "$(sed -n 's/^__version__ = "\(.*\)"/\1/p' source/phi3sat/version.py)" "its version is the program's"
is "$(sed -n 's/^#define PHI3SAT_FORMAT_VERSION //p' "$source_dir/include/phi3sat.h")" \
    "$(sed -n 's/^FORMAT_VERSION = //p' source/phi3sat/version.py)" "and so is the archive's"

export PYTHONPATH=$tree PHI3SAT_ARCHIVES=$PWD PYTHONDONTWRITEBYTECODE=1
run "$python" -m unittest -v source/tests/test_phi3sat.py
expect_status 0 "its own tests pass"
while IFS= read -r line; do
    case $line in
        *' ... ok') pass "${line% ... ok}" ;;
        *' ... skipped '*) skip 1 "${line##*skipped } (Debian: python3-xarray python3-pandas)" ;;
        *' ... FAIL' | *' ... ERROR') fail "${line% ... *}" ;;
        *) diag "$line" ;;
    esac
done < <(grep -v '^$' "$stderr")
done_testing
