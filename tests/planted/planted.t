#!/bin/bash
# planted.t - faults planted in a copy of the tree, one at a time: each makes a test fail.
# shellcheck source-path=SCRIPTDIR/../cli/folder
. "$(dirname "$0")/../cli/folder/folder.sh"
need_command python3 autoreconf
relay python3 "$source_dir/tests/planted/plant.py"
done_testing
