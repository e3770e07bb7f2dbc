/* hf_tokenizer.c - see hf_tokenizer.h.
 *
 * tokenizer.json says everything; tokenizer.model lacks the tokens that were added later, which tokenizer_config.json has.
 * Which of BOS and EOS are added is told by Llama's classes in tokenizer_config.json, else by tokenizer.json's
 * post-processor, as the transformers library has it.
 */
#include "hf_tokenizer.h"

#include <string.h>

#include "hf_json.h"
#include "hf_shards.h"
#include "hf_tokens.h"

#define KEY(name) "tokenizer.ggml." name

/* Maps folder/name and checks it as JSON; `root` has a NULL start where there is no such file. */
static enum status open_json(struct model_file *file, const char *folder, const char *name, struct mapping *map,
                             struct json_value *root, struct error *e)
{
    const struct mapping *opened;
    *root = (struct json_value){NULL, 0};
    enum status s = hf_shards_open(file, folder, name, false, &opened, e);
    if (s != STATUS_OK || !opened)
        return s;
    *map = *opened; /* the list of maps moves as it grows, the bytes don't */
    return hf_json_object(map->path, map->bytes, map->size, 0, root, e);
}

/* A token as tokenizer_config.json names it: a text, or an object with a "content". */
static bool named_token(struct json_value config, const char *name, struct json_value *text)
{
    struct json_value value;
    if (!config.bytes || !json_find(config, name, &value))
        return false;
    if (json_kind(value) == JSON_OBJECT && !json_find(value, "content", &value))
        return false;
    *text = value;
    return json_kind(value) == JSON_STRING;
}

/* "bos_token_id" of config.json; a list's first one. */
static bool numbered_token(struct json_value config, const char *name, uint64_t *id)
{
    struct json_value value;
    if (!config.bytes || !json_find(config, name, &value))
        return false;
    if (json_kind(value) == JSON_ARRAY) {
        struct json_walk walk = json_begin(value);
        if (!json_next(&walk, NULL, &value))
            return false;
    }
    return hf_json_uint(value, id);
}

static enum status find_special(struct hf_tokens *t, struct json_value config, struct json_value tokenizer_config,
                                struct error *e)
{
    static const char *const names[][2] = {{"bos_token", "bos_token_id"}, {"eos_token", "eos_token_id"}, {"unk_token", NULL}};
    int64_t *const ids[] = {&t->bos, &t->eos, &t->unknown};
    struct json_value text;
    uint64_t id;
    enum status s = STATUS_OK;
    for (size_t i = 0; i < 3 && s == STATUS_OK; i++) {
        int64_t found = -1;
        if (named_token(tokenizer_config, names[i][0], &text))
            s = hf_tokens_find(t, text, &found, e);
        if (found < 0 && names[i][1] && numbered_token(config, names[i][1], &id) && id < t->count)
            found = (int64_t)id;
        if (found >= 0)
            *ids[i] = found;
    }
    return s;
}

static bool is_llama_class(struct json_value config)
{
    static const char *const classes[] = {"LlamaTokenizer", "LlamaTokenizerFast", "CodeLlamaTokenizer", "CodeLlamaTokenizerFast"};
    struct json_value name;
    if (!config.bytes || !hf_json_member(config, "tokenizer_class", JSON_STRING, &name))
        return false;
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
        if (json_is(name, classes[i]))
            return true;
    return false;
}

static void read_switches(struct hf_tokens *t, struct json_value config, bool model)
{
    struct json_value value;
    bool on;
    if (!is_llama_class(config) && !model)
        return;
    t->add_bos = true; /* the class's preset */
    t->add_eos = false;
    if (json_find(config, "add_bos_token", &value) && hf_json_bool(value, &on))
        t->add_bos = on;
    if (json_find(config, "add_eos_token", &value) && hf_json_bool(value, &on))
        t->add_eos = on;
}

/* "chat_template": a text, or a list of named ones. */
static void read_template(struct made_keys *k, struct json_value config)
{
    struct json_value value, entry, name;
    if (!config.bytes || !json_find(config, "chat_template", &value))
        return;
    if (json_kind(value) == JSON_ARRAY) {
        struct json_walk walk = json_begin(value);
        while (json_next(&walk, NULL, &entry))
            if (hf_json_member(entry, "name", JSON_STRING, &name) && json_is(name, "default") && json_find(entry, "template", &value))
                break;
    }
    if (json_kind(value) == JSON_STRING)
        made_keys_json(k, "tokenizer.chat_template", value);
}

static enum status read_templates(struct model_file *file, const char *folder, struct made_keys *k, struct json_value config,
                                  struct error *e)
{
    const struct mapping *map;
    enum status s = hf_shards_open(file, folder, "chat_template.jinja", false, &map, e);
    if (s == STATUS_OK && map)
        made_keys_text(k, "tokenizer.chat_template", (const char *)map->bytes, map->size);
    else if (s == STATUS_OK)
        read_template(k, config);
    return s;
}

enum status hf_tokenizer_read(struct model_file *file, const char *folder, struct made_keys *k, struct error *e)
{
    struct mapping config_map, map = {0}, model_map = {0};
    struct json_value config, tokenizer_config, tokenizer = {NULL, 0}, added = {NULL, 0};
    struct hf_tokens t = {.bos = -1, .eos = -1, .unknown = -1};
    const struct mapping *model = NULL;
    enum status s = hf_json_object(file->mapping.path, file->mapping.bytes, file->mapping.size, 0, &config, e);
    if (s == STATUS_OK)
        s = open_json(file, folder, "tokenizer_config.json", &config_map, &tokenizer_config, e);
    if (s == STATUS_OK)
        s = open_json(file, folder, "tokenizer.json", &map, &tokenizer, e);
    if (s == STATUS_OK && !tokenizer.bytes)
        s = hf_shards_open(file, folder, "tokenizer.model", false, &model, e);
    if (s != STATUS_OK || (!tokenizer.bytes && !model))
        return s;
    if (model) {
        model_map = *model;
        if (tokenizer_config.bytes)
            (void)hf_json_member(tokenizer_config, "added_tokens_decoder", JSON_OBJECT, &added);
    }
    s = model ? hf_tokens_read_model(&t, &model_map, added, &config_map, k, e) : hf_tokens_read_json(&t, &map, tokenizer, k, e);
    if (s == STATUS_OK)
        s = find_special(&t, config, tokenizer_config, e);
    if (s == STATUS_OK) {
        if (tokenizer_config.bytes)
            read_switches(&t, tokenizer_config, model != NULL);
        hf_tokens_write(&t, k);
        s = read_templates(file, folder, k, tokenizer_config, e);
    }
    hf_tokens_free(&t);
    return s;
}
