/* fuzz_folder.c - the smaller files of a folder: the index of its shards, tokenizer_config.json, the chat template.
 *
 * The input's first line tells which it is ("index", "tokenizer_config", "template"; anything else is the first); the rest is the file.
 */
#include <string.h>

#include "fuzz.h"
#include "hf_tiny.h"
#include "model_oracle.h"
#include "mutate.h"

static const struct {
    const char *line, *file;
} kinds[] = {
    {"index\n", "model.safetensors.index.json"},
    {"tokenizer_config\n", "tokenizer_config.json"},
    {"template\n", "chat_template.jinja"},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static const char *const words[] = {
    "metadata", "total_size", "weight_map", "model.embed_tokens.weight", "model.layers.0.mlp.up_proj.weight", "lm_head.weight",
    "model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "model-00003-of-00002.safetensors", "config.json", "../config.json",
    "/etc/passwd", ".", "", "tokenizer_class", "LlamaTokenizer", "PreTrainedTokenizerFast", "add_bos_token", "add_eos_token", "added_tokens_decoder",
    "bos_token", "eos_token", "unk_token", "content", "chat_template", "name", "template", "default", "lstrip", "rstrip", "special", "<s>", "</s>",
    "<|end|>", "<|user|>", "{{ bos_token }}{% for message in messages %}<|im_start|>", "[INST]", "<|start_header_id|>"};

/* Letters, and a merge: all that a tokenizer needs. */
static const char tokenizer[] =
    "{\"added_tokens\": [{\"id\": 0, \"content\": \"<unk>\", \"special\": true}, {\"id\": 1, \"content\": \"<s>\", \"special\": true},"
    " {\"id\": 2, \"content\": \"</s>\", \"special\": true}], \"normalizer\": {\"type\": \"Sequence\", \"normalizers\": ["
    "{\"type\": \"Prepend\", \"prepend\": \"\\u2581\"}, {\"type\": \"Replace\", \"pattern\": {\"String\": \" \"}, \"content\": \"\\u2581\"}]},"
    " \"pre_tokenizer\": null, \"post_processor\": null, \"decoder\": null, \"model\": {\"type\": \"BPE\", \"unk_token\": \"<unk>\","
    " \"byte_fallback\": false, \"vocab\": {\"<unk>\": 0, \"<s>\": 1, \"</s>\": 2, \"a\": 3, \"b\": 4, \"ab\": 5, \"\\u2581\": 6},"
    " \"merges\": [\"a b\"]}}";

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    hf_tiny_put_config();
    hf_tiny_put_shards();
    (void)fuzz_put("tokenizer.json", tokenizer, sizeof tokenizer - 1);
    return 0;
}

static size_t kind_of(const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < KINDS; i++)
        if (size >= strlen(kinds[i].line) && memcmp(data, kinds[i].line, strlen(kinds[i].line)) == 0)
            return i;
    return 0;
}

static size_t start_of(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, '\n', size) : NULL;
    return end ? (size_t)(end - data) + 1 : 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct model_file *file = NULL;
    struct error e;
    const size_t kind = kind_of(data, size), start = start_of(data, size);
    fuzz_begin(data, size);
    fuzz_memory_bound(64, 256 << 10); /* the files beside it are 45 KB */
    for (size_t i = 0; i < KINDS; i++)
        fuzz_remove(kinds[i].file);
    if (kind != 0)
        hf_tiny_put_weights(HF_TINY_LLAMA);
    else
        fuzz_remove("model.safetensors");
    (void)fuzz_put(kinds[kind].file, data + start, size - start);
    error_clear(&e);
    enum status s = model_file_open(&file, fuzz_folder(), &e);
    if (s == STATUS_OK) {
        model_oracle(file);
        s = model_oracle_tokenizer(file, &e);
        model_oracle_inspect(fuzz_folder());
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
    const size_t start = start_of(data, size);
    if (mutate_one_in(&r, 10) || start == size)
        return LLVMFuzzerMutate(data, size, max);
    return start + mutate_json(data + start, size - start, max - start, words, sizeof words / sizeof *words, &r);
}
