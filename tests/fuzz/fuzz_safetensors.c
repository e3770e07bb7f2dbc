/* fuzz_safetensors.c - a folder's model.safetensors, beside a config.json of the model that the seeds are. */
#include <string.h>

#include "fuzz.h"
#include "hf_tiny.h"
#include "model/weights.h"
#include "model_oracle.h"
#include "mutate.h"

static const char *const words[] = {
    "dtype", "shape", "data_offsets", "__metadata__", "F32", "F16", "BF16", "F64", "I8", "I16", "I32", "I64", "U8", "BOOL", "F8_E4M3", "F8_E5M2",
    "model.embed_tokens.weight", "model.norm.weight", "lm_head.weight", "model.layers.0.input_layernorm.weight",
    "model.layers.0.self_attn.q_proj.weight", "model.layers.0.self_attn.k_proj.weight", "model.layers.0.self_attn.q_proj.bias",
    "model.layers.0.self_attn.q_norm.weight", "model.layers.1.mlp.up_proj.weight", "model.layers.0.mlp.up_proj.weight",
    "model.layers.0.mlp.up_proj.weight_scale_inv", "model.layers.0.self_attn.qkv_proj.weight", "model.layers.18446744073709551615.mlp.up_proj.weight"};

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
    struct config config;
    struct weights weights;
    struct error e;
    fuzz_begin(data, size);
    (void)fuzz_put("model.safetensors", data, size);
    error_clear(&e);
    if (model_file_open(&file, fuzz_folder(), &e) != STATUS_OK) {
        fuzz_refused(&e);
        return fuzz_end();
    }
    model_oracle(file);
    fuzz_accepted();
    enum status s = config_read(&config, file, &e);
    if (s == STATUS_OK)
        s = weights_open(&weights, &config, file, &e);
    if (s == STATUS_OK)
        weights_free(&weights);
    model_oracle_inspect(fuzz_folder());
    model_file_close(file);
    return fuzz_end();
}

/* The header is changed as JSON, its length told anew, and kept a multiple of 8 by spaces, as writers do. */
static size_t change_header(uint8_t *data, size_t size, size_t max, size_t length, struct mutate_random *r)
{
    static uint8_t header[1 << 18];
    if (length > sizeof header / 2)
        return LLVMFuzzerMutate(data, size, max);
    memcpy(header, data + 8, length);
    size_t changed = mutate_json(header, length, sizeof header - 8, words, sizeof words / sizeof *words, r);
    while (changed % 8)
        header[changed++] = ' ';
    const size_t whole = mutate_replace(data, size, max, 8, length, header, changed);
    if (whole == size && changed != length)
        return size; /* no room */
    mutate_store(data, 8, false, changed);
    return whole;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    struct mutate_random r = mutate_random(seed);
    const uint64_t length = size < 8 ? 0 : mutate_load(data, 8, false);
    if (length == 0 || length > size - 8 || mutate_one_in(&r, 8))
        return LLVMFuzzerMutate(data, size, max);
    if (mutate_one_in(&r, 12)) {
        mutate_store(data, 8, false, mutate_number(length, size, &r));
        return size;
    }
    return change_header(data, size, max, (size_t)length, &r);
}
