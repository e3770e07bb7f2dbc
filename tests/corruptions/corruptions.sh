# shellcheck shell=bash
# corruptions.sh - runs the table of the test that sources it: gguf.t runs gguf.py, whose rows must end as gguf.txt says.
# shellcheck source-path=SCRIPTDIR/../cli/folder
. "$(dirname "${BASH_SOURCE[0]}")/../cli/folder/folder.sh"
need_command "${python:=python3}"
table=$(basename "$0" .t)
[[ $table != archives ]] || "$python" -c 'import h5py' 2>/dev/null || skip_all "$python has no h5py"
[[ $table != knot ]] || "$python" -c 'import ctypes; ctypes.CDLL("libxxhash.so.0")' 2>/dev/null ||
    skip_all "Python finds no libxxhash.so.0"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMP_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE=1
relay "$python" "$source_dir/tests/corruptions/$table.py"
done_testing
