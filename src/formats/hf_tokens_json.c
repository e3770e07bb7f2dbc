/* hf_tokens_json.c - tokenizer.json; see hf_tokens.h.
 *
 *   normalizer -> pre_tokenizer -> model, added tokens cut out before, post_processor behind
 *
 * Each of the first two is one step or a sequence of them, from a library of dozens. What models of our architectures use
 * is a short list of combinations, recognised here as a whole; anything else is refused in words that name the step,
 * since a step left out gives other ids without a sign. Regular expressions are recognised too, never run: an expression
 * from a file can take for ever.
 */
#include "hf_tokens.h"

#include <stdio.h>
#include <string.h>

#include "hf_json.h"

#define KEY(name) "tokenizer.ggml." name
#define MOST_STEPS 8
#define SPACE "\xE2\x96\x81" /* U+2581 */

/* Steps of a sequence. */
struct steps {
    struct json_value step[MOST_STEPS];
    size_t count;
    bool overflow;
};

/* While one file is read. */
struct reading {
    const struct mapping *map;
    struct json_value root, model;
    struct hf_tokens *t;
    struct made_keys *k;
    struct error *e;
    bool bytes; /* byte level, else spaces are U+2581 */
};

/* Expressions that cut words, as JSON decodes them, and the rule that a GGUF names for them. */
#define CONTRACTIONS "(?i:'s|'t|'re|'ve|'m|'ll|'d)"
#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define SPACES "\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
#define HEAD "[^\\r\\n\\p{L}\\p{N}]?"
static const char *const expressions[][2] = {
    {CONTRACTIONS "|" HEAD "\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" SPACES, "dbrx"},
    {CONTRACTIONS "|" HEAD "\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|" SPACES, "qwen2"},
    {HEAD UPPER "*" LOWER "+" CONTRACTIONS "?|" HEAD UPPER "+" LOWER "*" CONTRACTIONS "?|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" SPACES,
     "o200k"},
    {HEAD UPPER "*" LOWER "+|" HEAD UPPER "+" LOWER "*|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|" SPACES, "tekken-cased"},
};

static bool is_type(struct json_value step, const char *type)
{
    struct json_value value;
    return hf_json_member(step, "type", JSON_STRING, &value) && json_is(value, type);
}

static bool flag(struct json_value step, const char *name, bool preset)
{
    struct json_value value;
    bool on;
    return json_find(step, name, &value) && hf_json_bool(value, &on) ? on : preset;
}

static bool text_is(struct json_value step, const char *name, const char *text)
{
    struct json_value value;
    char decoded[512];
    if (!hf_json_member(step, name, JSON_STRING, &value) || value.length > sizeof decoded)
        return false;
    const size_t length = json_decode(value, decoded);
    return length == strlen(text) && memcmp(decoded, text, length) == 0;
}

static void add_steps(struct steps *s, struct json_value value, const char *list)
{
    struct json_value inner, step;
    if (json_kind(value) != JSON_OBJECT)
        return;
    if (!is_type(value, "Sequence") || !hf_json_member(value, list, JSON_ARRAY, &inner)) {
        s->overflow |= s->count == MOST_STEPS;
        if (s->count < MOST_STEPS)
            s->step[s->count++] = value;
        return;
    }
    struct json_walk walk = json_begin(inner);
    while (json_next(&walk, NULL, &step)) {
        s->overflow |= s->count == MOST_STEPS;
        if (s->count < MOST_STEPS)
            s->step[s->count++] = step;
    }
}

static struct steps steps_of(struct json_value root, const char *name, const char *list)
{
    struct steps s = {.count = 0};
    struct json_value value;
    if (json_find(root, name, &value))
        add_steps(&s, value, list);
    return s;
}

/* "the pre-tokeniser Split, ByteLevel of tokenizer.json is none that phi3sat knows" */
static void refuse_steps(struct reading *r, const char *what, const struct steps *s, const char *why)
{
    char names[160] = "", sentence[256];
    size_t used = 0;
    struct json_value type;
    for (size_t i = 0; i < s->count && used < sizeof names; i++)
        if (hf_json_member(s->step[i], "type", JSON_STRING, &type))
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%.*s", used ? ", " : "",
                                     (int)(type.length - 2 < 30 ? type.length - 2 : 30), type.bytes + 1);
    if (why)
        snprintf(sentence, sizeof sentence, "the %s %s of tokenizer.json %s", what, names[0] ? names : "(none)", why);
    else
        snprintf(sentence, sizeof sentence, "the %s %s of tokenizer.json is none that phi3sat knows", what, names[0] ? names : "(none)");
    hf_tokens_refuse(r->t, r->k, sentence);
}

/* What the normaliser does: spaces to U+2581, one in front, NFC. */
struct normal {
    bool prefix, escape, nfc;
};

static bool read_normalizer(struct reading *r, struct normal *n)
{
    const struct steps s = steps_of(r->root, "normalizer", "normalizers");
    struct json_value pattern;
    bool fine = !s.overflow;
    *n = (struct normal){false, false, false};
    for (size_t i = 0; i < s.count && fine; i++) {
        const struct json_value step = s.step[i];
        if (is_type(step, "NFC") && s.count == 1)
            n->nfc = true;
        else if (is_type(step, "Prepend") && i == 0 && text_is(step, "prepend", SPACE))
            n->prefix = true;
        else if (is_type(step, "Replace") && json_find(step, "pattern", &pattern) && text_is(pattern, "String", " ") &&
                 text_is(step, "content", SPACE) && !n->escape)
            n->escape = true;
        else
            fine = false;
    }
    fine = fine && (n->escape || !n->prefix);
    if (!fine)
        refuse_steps(r, "normaliser", &s, NULL);
    return fine;
}

/* The rule for words behind the step ByteLevel; NULL: none that we know. */
static const char *word_rule(const struct steps *s)
{
    const struct json_value last = s->step[s->count - 1];
    const bool expression = flag(last, "use_regex", true);
    struct json_value pattern;
    if (flag(last, "add_prefix_space", true))
        return NULL;
    if (s->count == 1)
        return expression ? "gpt-2" : NULL;
    if (s->count != 2)
        return NULL;
    if (is_type(s->step[0], "Digits"))
        return expression && flag(s->step[0], "individual_digits", false) ? "smollm" : NULL;
    /* Cutting out the matches, and throwing away what lies between them, of which there is nothing. */
    const bool isolated = text_is(s->step[0], "behavior", "Isolated") && !flag(s->step[0], "invert", false);
    const bool removed = text_is(s->step[0], "behavior", "Removed") && flag(s->step[0], "invert", false);
    if (!is_type(s->step[0], "Split") || expression || !(isolated || removed) || !json_find(s->step[0], "pattern", &pattern))
        return NULL;
    for (size_t i = 0; i < sizeof expressions / sizeof *expressions; i++)
        if (text_is(pattern, "Regex", expressions[i][0]))
            return expressions[i][1];
    return NULL;
}

/* Metaspace: spaces to U+2581, one in front, words apart. */
static bool read_metaspace(struct reading *r, struct json_value step)
{
    struct json_value scheme;
    const bool first = text_is(step, "prepend_scheme", "first"), never = text_is(step, "prepend_scheme", "never");
    const bool named = hf_json_member(step, "prepend_scheme", JSON_STRING, &scheme);
    const bool prefix = named ? !never : flag(step, "add_prefix_space", true);
    if (!text_is(step, "replacement", SPACE))
        return false;
    made_keys_bool(r->k, KEY("add_space_prefix"), prefix);
    if (prefix)
        made_keys_text(r->k, "phi3sat.space_prefix", first ? "first" : "metaspace", first ? 5 : 9);
    made_keys_bool(r->k, "phi3sat.split_words", flag(step, "split", true));
    return true;
}

/* Normaliser and pre-tokeniser: which kind it is, and how it is cut. */
static void read_cutting(struct reading *r)
{
    const struct steps s = steps_of(r->root, "pre_tokenizer", "pretokenizers");
    struct normal n;
    if (!read_normalizer(r, &n))
        return;
    r->bytes = s.count && is_type(s.step[s.count - 1], "ByteLevel");
    const char *rule = r->bytes && !s.overflow && !n.escape ? word_rule(&s) : NULL;
    const bool metaspace = s.count == 1 && is_type(s.step[0], "Metaspace") && !n.escape && !n.nfc;
    if (rule) {
        made_keys_text(r->k, KEY("pre"), rule, strlen(rule));
        made_keys_bool(r->k, "phi3sat.whole_words", flag(r->model, "ignore_merges", false));
        if (n.nfc)
            made_keys_text(r->k, "phi3sat.normalizer", "nfc", 3);
    } else if (n.escape && s.count == 0) {
        made_keys_bool(r->k, KEY("add_space_prefix"), n.prefix);
    } else if (!metaspace || !read_metaspace(r, s.step[0])) {
        refuse_steps(r, "pre-tokeniser", &s, NULL);
    }
}

static enum status bad(const struct reading *r, struct json_value at, const char *where, const char *sentence)
{
    hf_json_refuse(r->map, at, where, sentence, r->e);
    return error_advice(r->e, "the file is damaged; download it again");
}

/* {"token": id} */
static enum status read_vocabulary(struct reading *r, struct json_value vocabulary, uint64_t most)
{
    struct json_value key, value;
    struct hf_token *token;
    uint64_t id;
    enum status s = STATUS_OK;
    struct json_walk walk = json_begin(vocabulary);
    while (s == STATUS_OK && json_next(&walk, &key, &value)) {
        if (!hf_json_uint(value, &id))
            return bad(r, value, "vocab", "the id of a token is no whole number");
        s = hf_tokens_place(r->t, id, most, r->map, value, &token, r->e);
        if (s == STATUS_OK && token->bytes)
            return bad(r, value, "vocab", "two tokens have one id");
        if (s == STATUS_OK)
            *token = (struct hf_token){.bytes = key.bytes, .length = key.length, .json = true, .type = HF_NORMAL};
    }
    return s;
}

/* [["token", score]] */
static enum status read_scored(struct reading *r, struct json_value vocabulary, uint64_t most)
{
    struct json_value pair, text, score;
    struct hf_token *token;
    enum status s = STATUS_OK;
    struct json_walk walk = json_begin(vocabulary);
    for (uint64_t id = 0; s == STATUS_OK && json_next(&walk, NULL, &pair); id++) {
        double number = 0.0;
        struct json_walk inside = json_begin(pair);
        if (json_kind(pair) != JSON_ARRAY || !json_next(&inside, NULL, &text) || json_kind(text) != JSON_STRING ||
            !json_next(&inside, NULL, &score) || !hf_json_real(score, &number))
            return bad(r, pair, "vocab", "a token is no text with a score");
        s = hf_tokens_place(r->t, id, most, r->map, pair, &token, r->e);
        if (s == STATUS_OK)
            *token = (struct hf_token){.bytes = text.bytes, .length = text.length, .json = true, .type = HF_NORMAL, .score = number};
    }
    r->t->scored = true;
    return s;
}

/* "left right", or ["left", "right"] in newer files. */
static enum status read_merges(struct reading *r)
{
    struct json_value list, merge, part[2];
    if (!hf_json_member(r->model, "merges", JSON_ARRAY, &list))
        return bad(r, r->model, "merges", "there are no merges");
    made_keys_array(r->k, r->bytes ? KEY("merges") : "phi3sat.merges", MODEL_FILE_STRING);
    struct json_walk walk = json_begin(list);
    while (json_next(&walk, NULL, &merge)) {
        if (json_kind(merge) == JSON_STRING) {
            made_keys_add_json(r->k, merge);
            continue;
        }
        struct json_walk inside = json_begin(merge);
        if (json_kind(merge) != JSON_ARRAY || !json_next(&inside, NULL, &part[0]) || !json_next(&inside, NULL, &part[1]) ||
            json_kind(part[0]) != JSON_STRING || json_kind(part[1]) != JSON_STRING)
            return bad(r, merge, "merges", "a merge is not two texts");
        made_keys_add_joined(r->k, part[0], ' ', part[1]);
    }
    made_keys_array_end(r->k);
    return STATUS_OK;
}

/* <0x00> to <0xFF> are bytes where the model falls back to them; the unknown token is typed as such. */
static void type_tokens(struct reading *r, bool fallback)
{
    struct json_value unknown;
    uint64_t id;
    const bool named = hf_json_member(r->model, "unk_token", JSON_STRING, &unknown);
    for (size_t i = 0; i < r->t->count; i++) {
        struct hf_token *t = &r->t->tokens[i];
        if (!t->bytes)
            continue;
        if (fallback && t->length == 8 && memcmp(t->bytes, "\"<0x", 4) == 0 && t->bytes[6] == '>')
            t->type = HF_BYTE;
        if (named && t->length == unknown.length && memcmp(t->bytes, unknown.bytes, t->length) == 0) {
            r->t->unknown = (int64_t)i;
            t->type = r->bytes ? t->type : HF_UNKNOWN;
        }
    }
    if (hf_json_member(r->model, "unk_id", JSON_NUMBER, &unknown) && hf_json_uint(unknown, &id) && id < r->t->count) {
        r->t->unknown = (int64_t)id;
        r->t->tokens[id].type = HF_UNKNOWN;
    }
}

static enum status read_added(struct reading *r, uint64_t most)
{
    struct json_value list, entry, number;
    uint64_t id;
    enum status s = STATUS_OK;
    if (!hf_json_member(r->root, "added_tokens", JSON_ARRAY, &list))
        return STATUS_OK;
    struct json_walk walk = json_begin(list);
    while (s == STATUS_OK && json_next(&walk, NULL, &entry)) {
        if (!json_find(entry, "id", &number) || !hf_json_uint(number, &id))
            return bad(r, entry, "added_tokens", "an added token has no id");
        if (flag(entry, "single_word", false))
            hf_tokens_refuse(r->t, r->k, "a token of tokenizer.json counts between word boundaries only (single_word), which phi3sat doesn't do");
        s = hf_tokens_add(r->t, id, most, r->map, entry, r->e);
    }
    return s;
}

/* A model's field that would change ids, unless it is missing, null, false, 0 or "". */
static bool is_neutral(struct json_value model, const char *name)
{
    struct json_value value;
    double number;
    if (!json_find(model, name, &value) || json_kind(value) == JSON_NULL)
        return true;
    return (json_kind(value) == JSON_STRING && value.length == 2) || (hf_json_real(value, &number) && number == 0.0) ||
           (json_kind(value) == JSON_BOOL && value.bytes[0] == 'f');
}

static enum status read_model(struct reading *r)
{
    static const char *const others[] = {"continuing_subword_prefix", "end_of_word_suffix", "dropout"};
    struct json_value vocabulary, added, type = {"\"?\"", 3};
    char sentence[128];
    (void)hf_json_member(r->model, "type", JSON_STRING, &type);
    const bool unigram = json_is(type, "Unigram");
    if (!unigram && !json_is(type, "BPE")) {
        snprintf(sentence, sizeof sentence, "tokenizer.json has a model of the kind %.*s, which phi3sat doesn't know (BPE and Unigram are)",
                 (int)(type.length < 30 ? type.length : 30), type.bytes);
        hf_tokens_refuse(r->t, r->k, sentence);
        return STATUS_OK;
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (!is_neutral(r->model, others[i])) {
            snprintf(sentence, sizeof sentence, "the model of tokenizer.json has a %s, which phi3sat doesn't know", others[i]);
            hf_tokens_refuse(r->t, r->k, sentence);
        }
    read_cutting(r);
    if (unigram && r->bytes)
        hf_tokens_refuse(r->t, r->k, "tokenizer.json has a Unigram model over bytes, which phi3sat doesn't know");
    if (r->t->refused)
        return STATUS_OK;
    if (!hf_json_member(r->model, "vocab", unigram ? JSON_ARRAY : JSON_OBJECT, &vocabulary))
        return bad(r, r->model, "vocab", "there is no vocabulary");
    const char *kind = unigram ? "unigram" : r->bytes ? "gpt2" : "llama";
    made_keys_text(r->k, KEY("model"), kind, strlen(kind));
    const size_t more = hf_json_member(r->root, "added_tokens", JSON_ARRAY, &added) ? hf_json_count(added) : 0;
    const uint64_t most = hf_json_count(vocabulary) + more + HF_TOKENS_GAP;
    enum status s = unigram ? read_scored(r, vocabulary, most) : read_vocabulary(r, vocabulary, most);
    if (s != STATUS_OK)
        return s;
    type_tokens(r, flag(r->model, "byte_fallback", false));
    s = read_added(r, most);
    return s == STATUS_OK && !unigram && !r->t->refused ? read_merges(r) : s;
}

/* TemplateProcessing's "single": BOS, the text, EOS. NULL, or what is wrong with it. */
static const char *read_frame(struct reading *r, struct json_value step)
{
    struct json_value single, part, special, name, table, ids, id;
    bool behind = false;
    uint64_t number;
    if (!hf_json_member(step, "single", JSON_ARRAY, &single))
        return "has no list \"single\"";
    struct json_walk walk = json_begin(single);
    while (json_next(&walk, NULL, &part)) {
        if (hf_json_member(part, "Sequence", JSON_OBJECT, &special)) {
            behind = true;
            continue;
        }
        bool *adds = behind ? &r->t->add_eos : &r->t->add_bos;
        if (*adds)
            return "adds more than one token before or behind the text";
        if (!hf_json_member(part, "SpecialToken", JSON_OBJECT, &special) || !hf_json_member(special, "id", JSON_STRING, &name) ||
            !hf_json_member(step, "special_tokens", JSON_OBJECT, &table))
            return "has a part that is neither the text nor a special token";
        bool found = false;
        struct json_value key, value;
        struct json_walk entries = json_begin(table);
        while (!found && json_next(&entries, &key, &value))
            found = key.length == name.length && memcmp(key.bytes, name.bytes, key.length) == 0;
        if (!found || !hf_json_member(value, "ids", JSON_ARRAY, &ids))
            return "uses a special token that its \"special_tokens\" don't list";
        struct json_walk list = json_begin(ids);
        if (!json_next(&list, NULL, &id) || !hf_json_uint(id, &number) || number >= r->t->count)
            return "gives a special token an id that the vocabulary lacks";
        *adds = true;
        *(behind ? &r->t->eos : &r->t->bos) = (int64_t)number;
    }
    return NULL;
}

static void read_frames(struct reading *r)
{
    const struct steps s = steps_of(r->root, "post_processor", "processors");
    const char *why = NULL;
    bool fine = !s.overflow;
    for (size_t i = 0; i < s.count && fine && !why; i++) {
        if (is_type(s.step[i], "TemplateProcessing"))
            why = read_frame(r, s.step[i]);
        else
            fine = is_type(s.step[i], "ByteLevel");
    }
    if (!fine || why)
        refuse_steps(r, "post-processor", &s, why);
}

enum status hf_tokens_read_json(struct hf_tokens *t, const struct mapping *map, struct json_value root, struct made_keys *k,
                                struct error *e)
{
    struct reading r = {.map = map, .root = root, .t = t, .k = k, .e = e};
    if (!hf_json_member(root, "model", JSON_OBJECT, &r.model))
        return bad(&r, root, "model", "is no tokenizer.json: a field is missing");
    enum status s = read_model(&r);
    if (s == STATUS_OK && !t->refused)
        read_frames(&r);
    return s;
}
