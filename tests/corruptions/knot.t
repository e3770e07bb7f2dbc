#!/bin/bash
# knot.t - .knot files that are wrong under right checksums.
. "$(dirname "$0")/corruptions.sh"
