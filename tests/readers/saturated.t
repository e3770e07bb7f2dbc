#!/bin/bash
# saturated.t - from the raw arrays and the thresholds in an archive, every tool gets the CSV's Saturated%.
. "$(dirname "$0")/../cli/profile/profile.sh"
need_command python3
here=$source_dir/tests/readers

# The last layer has a neuron without finite samples: its values are missing.
tiny m.gguf --with-vocab --vocab 300 --hidden 48 --intermediate 100 --heads 4 --layers 5 --context 120 --seed 4 --plant-nan 4:33
words 30 7 60 >p.txt
run phi3sat --quiet --model m.gguf --prompts p.txt --output r.csv --variance-threshold 0.6 --gradient-threshold 0.02 --low-activity-ratio 0.1
expect_status 5 "a profile with a missing neuron"
mv r.h5 archive.h5
cut -d, -f 1,6 r.csv | sed 1d >wanted
ok "whose layers differ" test "$(cut -d, -f 2 wanted | sort -u | wc -l)" -gt 2

# finds NAME COMMAND...: prints the layers' shares as the table has them.
finds() {
    local name=$1
    shift
    run "$@"
    expect_status 0 "$name reads the archive"
    expect_stdout "$name finds the table's Saturated%" <wanted
}
# has COUNT WHAT PACKAGE COMMAND...: the command succeeds, or COUNT points are skipped.
has() {
    local count=$1 what=$2 package=$3
    shift 3
    "$@" >/dev/null 2>&1 && return 0
    skip "$count" "$what is not installed (Debian: $package)"
    return 1
}
python=/usr/bin/python3
has 2 "Python's h5py" python3-h5py $python -c 'import h5py' && finds h5py $python "$here/saturated.py" archive.h5 h5py
for engine in netcdf4:netCDF4 h5netcdf:h5netcdf; do
    has 2 "xarray with ${engine#*:}" "python3-xarray python3-${engine%:*}" $python -c "import xarray, ${engine#*:}" &&
        finds "xarray with ${engine#*:}" $python "$here/saturated.py" archive.h5 "${engine%:*}"
done
if has 2 ncdump netcdf-bin command -v ncdump; then
    ncdump -p 9 archive.h5 >dump
    finds ncdump awk -f "$here/saturated.awk" dump
fi
has 2 "R's ncdf4" r-cran-ncdf4 Rscript -e 'library(ncdf4)' && finds R Rscript --vanilla "$here/saturated.R" archive.h5
has 2 "Octave's netcdf" "octave octave-netcdf" octave-cli --no-init-file --eval 'pkg load netcdf' &&
    finds Octave octave-cli --no-init-file --quiet "$here/saturated.m" archive.h5
done_testing
