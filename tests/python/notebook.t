#!/bin/bash
# notebook.t - python/profile.ipynb, run again on the archive it names, comes out as it stands in the tree. Part of check-long.
. "$(dirname "$0")/../cli/profile/profile.sh"
python=/usr/bin/python3
"$python" -c 'import h5py, numpy, pandas, xarray' 2>/dev/null || skip_all "python3-h5py, python3-pandas or python3-xarray is not installed"
"$python" -c 'import nbclient, nbformat, ipykernel' 2>/dev/null ||
    skip_all "python3-nbclient or python3-ipykernel is not installed"

cp -r "$source_dir/python" source
chmod -R u+w source
run phi3sat synth --quiet -o model.gguf --layers 8 --seed 1 --plant-dead 12 --plant-low 40 --plant-super 1
expect_status 0 "the model of python/README.md"
run phi3sat --quiet --model model.gguf --num-prompts 40 --output profile.csv
expect_status 0 "its profile"
export PYTHONDONTWRITEBYTECODE=1 HOME=$PWD
run "$python" source/run_notebook.py source/profile.ipynb profile.h5
expect_status 0 "the notebook runs from its first cell to its last"
ok "and is the one in the tree, outputs and all" cmp "$source_dir/python/profile.ipynb" source/profile.ipynb
done_testing
