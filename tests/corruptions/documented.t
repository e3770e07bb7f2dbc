#!/bin/bash
# documented.t - the counts in docs/security.md are those of the tables.
# shellcheck source-path=SCRIPTDIR/../cli/folder
. "$(dirname "$0")/../cli/folder/folder.sh"
need_command python3
relay env PYTHONDONTWRITEBYTECODE=1 python3 "$source_dir/tests/corruptions/count.py" "$source_dir/docs/security.md"
done_testing
