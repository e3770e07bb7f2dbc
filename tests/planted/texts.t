#!/bin/bash
# texts.t - the faults of this folder still fit the sources, each in one place, and the tests that must notice are there.
# shellcheck source-path=SCRIPTDIR/../cli/folder
. "$(dirname "$0")/../cli/folder/folder.sh"
need_command python3
relay python3 "$source_dir/tests/planted/plant.py" --texts
done_testing
