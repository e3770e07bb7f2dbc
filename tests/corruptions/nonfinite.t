#!/bin/bash
# nonfinite.t - NaN and infinity in weights and scales of each type: named, and the exit status tells.
. "$(dirname "$0")/corruptions.sh"
