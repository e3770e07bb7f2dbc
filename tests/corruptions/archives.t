#!/bin/bash
# archives.t - HDF5 files that are no archive or checkpoint of ours, and expressions that are none.
python=/usr/bin/python3
export HDF5_USE_FILE_LOCKING=FALSE
. "$(dirname "$0")/corruptions.sh"
