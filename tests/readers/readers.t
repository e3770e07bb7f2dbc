#!/bin/bash
# readers.t - an archive opens in the tools that people have, with named dimensions.
. "$(dirname "$0")/../tap/tap.sh"
make_archive=$build_dir/tests/archive/make_archive
[[ -x $make_archive ]] || bail "no $make_archive: run make check"
layers=3 neurons=70

run "$make_archive" archive.h5 $layers $neurons 1
expect_status 0 "an archive is made" || bail "nothing to read"

if command -v ncdump >/dev/null; then
    run ncdump -h archive.h5
    expect_status 0 "ncdump opens it"
    for dimension in "layer = $layers" "neuron = $neurons" "rank = 16" "limb = 3" "word = 2" "prompt = 5"; do
        expect_stdout_match "^	$dimension ;" "ncdump names the dimension $dimension"
    done
    expect_stdout_match "^  	float kurtosis\(layer, neuron\) ;" "ncdump shows a metric by its dimensions"
    expect_stdout_match "^    	uint64 sum4\(layer, limb, neuron\) ;" "and the state by three"
    expect_stdout_match 'string flags:flag_meanings = "gate_low_variance gate_zero_gradient' "and the flags' meanings"
    is "$(grep -c 'phony_dim' "$stdout")" 0 "no data set is without a named dimension"
    is "$(sed -n 's/^group: \(.*\) {/\1/p' "$stdout" | tr '\n' ' ')" \
        "gate up ffn saturation extremes summary model state run " \
        "groups come in the order of the design"
    run ncdump -v layer,neuron archive.h5
    expect_stdout_match "^ layer = 0, 1, 2 ;" "coordinates count from 0"
else
    skip 13 "ncdump is not installed (Debian: netcdf-bin)"
fi

if command -v h5dump >/dev/null; then
    run h5dump -H archive.h5
    expect_status 0 "h5dump opens it"
else
    skip 1 "h5dump is not installed (Debian: hdf5-tools)"
fi

# Debian's packages are seen by its own python3 only; another may stand first in PATH.
# The script makes a point a line and skips for itself what isn't installed.
python=/usr/bin/python3
if [[ -x $python ]]; then
    run "$python" "$source_dir/tests/readers/readers.py" archive.h5 $layers $neurons
    expect_status 0 "the Python readers come to their end"
    while IFS= read -r line; do
        case $line in
            'ok '*) pass "${line#ok }" ;;
            'skip '*) skip 1 "${line#skip }" ;;
            'not ok '*) fail "${line#not ok }" ;;
            *) diag "$line" ;;
        esac
    done <"$stdout"
else
    skip 1 "no /usr/bin/python3"
fi
done_testing
