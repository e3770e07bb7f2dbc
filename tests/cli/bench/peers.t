#!/bin/bash
# peers.t - tests/bench/peers on a small scale, without peers: the page it writes. Never how fast anything is.
. "$(dirname "$0")/../../tap/tap.sh"
need_command python3 lscpu
printf 'before\n<!-- peers: begin -->\nold\n<!-- peers: end -->\nafter\n' >page.md
phi3sat synth --quiet -o m.gguf || bail "synth failed"
small=(--phi3sat "$build_dir/phi3sat" --shape 17x256 --rows "1,5" --lengths 16 --threads 1 --rounds 1 --seconds 0.01
    --model m.gguf --without-peers --lock lock)

run "$source_dir/tests/bench/peers" "${small[@]}" --output page.md
expect_status 0 "the comparison runs"
cp page.md "$stdout"
for line in '^before$' '^<!-- peers: begin -->$' '^Measured [0-9-]{10} on: ' '^phi3sat .*kernels: reference' \
    '^Peers: none' '^\| threads \| rows \| phi3sat, f32 \| share \|' '^\| 1 \| 1 \| [0-9.]+ \([0-9.]+-[0-9.]+\) \| [0-9.]+ % \|' \
    '^\| 1 \| 5 \| ' '^\| 1 \| 16 \| phi3sat, f32 \| [0-9.]+ \([0-9.]+-[0-9.]+\) \| 1\.00 x \|$' \
    '^    phi3sat, f32: phi3sat bench kernels --types Q4_K ' '^<!-- peers: end -->$' '^after$'; do
    expect_stdout_match "$line" "a line of the page: $line"
done
ok "what stood there before is gone" test "$(grep -c '^old$' page.md)" = 0
ok "no host is named" test "$(grep -cF "$(uname -n)." page.md)" = 0
printf 'no markers\n' >page.md
run "$source_dir/tests/bench/peers" "${small[@]}" --output page.md
expect_status 1 "a page without the markers is refused"
expect_stderr_match 'page.md lacks the lines' "by name"
is "$(cat page.md)" "no markers" "and left as it is"
done_testing
