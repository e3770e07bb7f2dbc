#!/bin/bash
# refused.t - Hugging Face folders that are damaged, incomplete or of another kind: status 3 and one line each.
. "$(dirname "$0")/folder.sh"
need_command python3
python3 "$source_dir/tests/golden/make_tiny.py" -o m.gguf --with-vocab --vocab 300 --layers 3 --arch llama --tied || bail "make_tiny.py failed"
python3 "$source_dir/tests/golden/make_hf.py" m.gguf good --shards 3 || bail "make_hf.py failed"
relay python3 "$source_dir/tests/cli/folder/refused.py" good
done_testing
