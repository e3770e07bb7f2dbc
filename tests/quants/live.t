#!/bin/bash
# live.t - every decoder against an independent one, on many random blocks (a golden has a few of each).
for python in "${PHI3SAT_LLAMA_PYTHON:-}" python3 /usr/bin/python3; do
    [[ -n $python ]] && "$python" -c 'import gguf, numpy' 2>/dev/null && break
    python=
done
if [[ -z $python ]]; then
    echo '1..0 # SKIP no Python with the packages gguf and numpy (bootstrap check-long installs them)'
    exit 0
fi
exec "$python" "${PHI3SAT_SRCDIR:?}/tests/quants/live.py" "${PHI3SAT_BUILDDIR:?}/tests/quants/decode_blocks" \
    "${PHI3SAT_QUANT_BLOCKS:-300000}" 20261203
