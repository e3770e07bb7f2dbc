/* fuzz_tokenizer_json.c - a folder's tokenizer.json, read and then used on texts. */
#include "fuzz.h"
#include "hf_tiny.h"
#include "model_oracle.h"
#include "mutate.h"

static const char *const words[] = {
    "version", "truncation", "padding", "added_tokens", "id", "content", "single_word", "lstrip", "rstrip", "normalized", "special", "normalizer",
    "type", "Sequence", "normalizers", "Prepend", "prepend", "Replace", "pattern", "String", "Regex", "NFC", "NFKC", "Lowercase", "Strip", "Precompiled",
    "pre_tokenizer", "pretokenizers", "ByteLevel", "Metaspace", "replacement", "prepend_scheme", "first", "always", "never", "split", "add_prefix_space",
    "use_regex", "Split", "behavior", "Isolated", "Removed", "invert", "Digits", "post_processor", "TemplateProcessing", "single", "SpecialToken",
    "special_tokens", "ids", "tokens", "decoder", "model", "BPE", "Unigram", "WordPiece", "WordLevel", "dropout", "unk_token", "unk_id",
    "continuing_subword_prefix", "end_of_word_suffix", "fuse_unk", "byte_fallback", "ignore_merges", "vocab", "merges", "<unk>", "<s>", "</s>",
    "<0x0A>", "<0xFF>", "\\u2581", "a b", "a  b", " ", "\\u0120the"};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    hf_tiny_put_config();
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model_file *file = NULL;
    struct error e;
    fuzz_begin(data, size);
    fuzz_memory_bound(64, 2 << 20); /* ids may leave out 8192: at 32 bytes each, then as texts, and both tables double */
    (void)fuzz_put("tokenizer.json", data, size);
    error_clear(&e);
    enum status s = model_file_open(&file, fuzz_folder(), &e);
    if (s == STATUS_OK) {
        model_oracle(file);
        s = model_oracle_tokenizer(file, &e);
    }
    if (s == STATUS_OK)
        fuzz_accepted();
    else
        fuzz_refused(&e);
    model_file_close(file);
    return fuzz_end();
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutate_random r = mutate_random(seed);
    if (mutate_one_in(&r, 10))
        return LLVMFuzzerMutate(data, size, max);
    return mutate_json(data, size, max, words, sizeof words / sizeof *words, &r);
}
