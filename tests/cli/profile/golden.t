#!/bin/bash
# golden.t - another engine's statistics, neuron by neuron, for every model of ../shared.
. "$(dirname "$0")/profile.sh"
shared_dir
shared=$shared/goldens

for stats in "$shared"/stats/*.csv; do
    name=$(basename "$stats" .csv)
    run phi3sat --model "$shared/models/${name%-*}.gguf" --tokens "$shared/tokens/$name.txt" --output r.csv
    expect_status 0 "it runs"
    holds "$name agrees" values golden r.h5 "$stats"
done

# Text and the ids that tokenize prints for it are the same prompts.
sed 's/^"//; s/"$//' "$shared/tokens/tiny-h64-f32-vocab-prompts.txt" | grep -vF "\\" >p.txt
run phi3sat tokenize --model "$shared/models/tiny-h64-f32-vocab.gguf" p.txt
expect_status 0 "it runs"
cp "$stdout" ids.txt
run phi3sat --model "$shared/models/tiny-h64-f32-vocab.gguf" --prompts p.txt --output text.csv
run phi3sat --model "$shared/models/tiny-h64-f32-vocab.gguf" --tokens ids.txt --output ids.csv
expect_status 0 "it runs"
same text.h5 ids.h5 "a text and its token ids give one archive"
done_testing
