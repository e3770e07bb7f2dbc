# shellcheck shell=bash disable=SC2154
# seeds_archives.sh - seeds of the targets that read archives and checkpoints; see make_seeds.sh.

# A run small enough for seeds, that of one layer of 32 neurons over two prompts: small_run OPTION...
small_run() {
    export OMP_NUM_THREADS=1 OMPI_MCA_btl=self HDF5_USE_FILE_LOCKING=FALSE
    quietly python3 "$golden/make_tiny.py" -o m.gguf --layers 1 --hidden 32 --intermediate 32 --vocab 40
    printf '1 2 3 4\n5 6 7\n' >p.txt
    quietly phi3sat profile --model m.gguf --tokens p.txt --output r.csv --hdf5 r.h5 "$@"
    rm -f m.gguf p.txt r.csv
}

seeds_archive() {
    small_run
}

seeds_checkpoint() {
    local said
    # A signal that the run sends itself leaves the checkpoint; its exit status is that of the signal.
    said=$(PHI3SAT_TEST_SIGNAL=0:10:4 small_run --checkpoint r.ckpt 2>&1) || true
    rm -f m.gguf p.txt r.csv
    [[ -e r.ckpt ]] || {
        echo "$said" >&2
        exit 1
    }
}
