/* test_tokenizer.c - both tokenizers on vocabularies small enough to merge by hand.
 *
 * Files are put together here, key by key, so that each can be wrong in one way.
 * What real vocabularies give is test_tokenizer_goldens'.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/tokenizer.h"
#include "tap.h"

static struct error fault;

/* ---- a GGUF of keys only ------------------------------------------------------- */

static struct {
    unsigned char bytes[65536];
    size_t size;
    uint64_t keys;
} file;

static void put(const void *bytes, size_t size)
{
    if (size > sizeof file.bytes - file.size)
        bail("the test's file is too large");
    memcpy(file.bytes + file.size, bytes, size);
    file.size += size;
}

static void put_u32(uint32_t v) { put(&v, sizeof v); }
static void put_u64(uint64_t v) { put(&v, sizeof v); }

static void put_text(const char *text)
{
    put_u64(strlen(text));
    put(text, strlen(text));
}

static void start(void)
{
    file.size = 0;
    file.keys = 0;
    put("GGUF\3\0\0\0", 8);
    put_u64(0);
    put_u64(0);
}

static void key(const char *name, uint32_t type)
{
    put_text(name);
    put_u32(type);
    file.keys++;
}

static void key_text(const char *name, const char *value)
{
    key(name, 8);
    put_text(value);
}

static void key_u32(const char *name, uint32_t value)
{
    key(name, 4);
    put_u32(value);
}

static void key_bool(const char *name, bool value)
{
    key(name, 7);
    put(&(unsigned char){value}, 1);
}

static void key_array(const char *name, uint32_t type, uint64_t count)
{
    key(name, 9);
    put_u32(type);
    put_u64(count);
}

/* Opens what was put together; NULL and `fault` when refused. */
static struct tokenizer *opened(void)
{
    char path[4096];
    struct model_file *model = NULL;
    struct tokenizer *tokenizer = NULL;
    memcpy(file.bytes + 16, &file.keys, sizeof file.keys);
    snprintf(path, sizeof path, "%s/model.gguf", tap_folder());
    FILE *out = fopen(path, "wb");
    if (out == NULL || fwrite(file.bytes, 1, file.size, out) != file.size || fclose(out) != 0)
        bail("the test's file can't be written");
    error_clear(&fault);
    if (model_file_open(&model, path, &fault) != STATUS_OK)
        bail("the test's file is no GGUF: %s", fault.sentence);
    const enum status status = tokenizer_open(&tokenizer, model, &fault);
    model_file_close(model);
    if ((status == STATUS_OK) != (tokenizer != NULL))
        bail("status and tokenizer disagree");
    return tokenizer;
}

/* The ids of text[length], separated by spaces. */
static const char *ids_of(const struct tokenizer *t, const char *text, size_t length, unsigned flags,
                          struct tokenizer_counts *counts)
{
    static char got[1024];
    struct token_list ids = {0};
    size_t used = 0;
    got[0] = '\0';
    if (tokenizer_encode(t, text, length, flags, &ids, counts, &fault) != STATUS_OK)
        bail("%s", fault.sentence);
    for (size_t i = 0; i < ids.count && used < sizeof got; i++)
        used += (size_t)snprintf(got + used, sizeof got - used, "%s%d", i > 0 ? " " : "", (int)ids.ids[i]);
    token_list_free(&ids);
    return got;
}

static const char *ids(const struct tokenizer *t, const char *text, unsigned flags)
{
    return ids_of(t, text, strlen(text), flags, NULL);
}

/* ---- SentencePiece --------------------------------------------------------------- */

enum { UNK, BOS, EOS, BYTE0, SPACE = BYTE0 + 256, A, B, AB, SPACE_A, SPACE_AB, BB, CONTROL, USER, END, SPM_TOKENS };

static const struct {
    const char *text;
    float score;
    int32_t type;
} spm_tokens[] = {
    {"\xE2\x96\x81", -20, 1}, {"a", -20, 1}, {"b", -20, 1}, {"ab", -1, 1}, {"\xE2\x96\x81" "a", -2, 1},
    {"\xE2\x96\x81" "ab", -3, 1}, {"bb", -0.5f, 1}, {"<|x|>", 0, 3}, {"<u>", 0, 4}, {"<|endoftext|>", 0, 4},
};

static void spm_arrays(size_t types, size_t scores, float odd_score)
{
    char name[8];
    key_array("tokenizer.ggml.tokens", 8, SPM_TOKENS);
    put_text("<unk>");
    put_text("<s>");
    put_text("</s>");
    for (unsigned b = 0; b < 256; b++) {
        snprintf(name, sizeof name, "<0x%02X>", b);
        put_text(name);
    }
    for (size_t i = 0; i < sizeof spm_tokens / sizeof *spm_tokens; i++)
        put_text(spm_tokens[i].text);
    key_array("tokenizer.ggml.token_type", 5, types);
    for (size_t i = 0; i < types; i++)
        put_u32((uint32_t)(i == UNK ? 2 : i < BYTE0 ? 3 : i < SPACE ? 6 : spm_tokens[(i - SPACE) % 10].type));
    key_array("tokenizer.ggml.scores", 6, scores);
    for (size_t i = 0; i < scores; i++) {
        const float score = i < SPACE ? odd_score : spm_tokens[(i - SPACE) % 10].score;
        put(&score, sizeof score);
    }
}

static void spm_start(const char *name)
{
    start();
    key_text("general.architecture", "llama");
    if (name != NULL)
        key_text("general.name", name);
    key_text("tokenizer.ggml.model", "llama");
}

static void spm_merging(const struct tokenizer *t)
{
    is_string(ids(t, "ab", 0), "264", "ab: 'ab' is joined first, the space in front last");
    is_string(ids(t, "abb", 0), "263 265", "abb: 'bb' scores highest and leaves ' a'");
    is_string(ids(t, "bbb", 0), "259 265 261", "bbb: the leftmost of equal pairs");
    is_string(ids(t, "a  b", 0), "263 259 259 261", "spaces are kept, each one");
    is_string(ids(t, "", 0), "", "nothing gives nothing");
    is_string(ids(t, "", 1), "1", "nothing with BOS gives BOS");
    is_string(ids(t, "a", 1), "1 263", "BOS is added by default");
    is_string(ids(t, "\xC3\xA9", 0), "259 198 172", "what has no token is written as bytes");
    is_string(ids_of(t, "a\0b", 3, 0, NULL), "263 3 261", "NUL is a byte like others");
}

static void spm_special(const struct tokenizer *t)
{
    struct tokenizer_counts counts = {0};
    is_string(ids(t, "a<|x|>b", 2), "263 266 259 261", "a control token cuts, and a space is put behind it");
    is_string(ids(t, "a<u>b", 0), "263 267 259 261", "user-defined tokens count in plain text too");
    ok(strchr(ids(t, "<|x|>", 0), '6') != NULL && strstr(ids(t, "<|x|>", 0), "266") == NULL,
       "control tokens do not");
    is_string(ids(t, "<|x|> a", 2), "266 259 263", "white space behind a special token is kept");
    ok(strstr(ids(t, "<|endoftext|>", 0), "268") == NULL, "<|endoftext|> is control whatever its type");
    is_string(ids_of(t, "<s>a", 4, 3, &counts), "1 263", "BOS is not written twice");
    is_uint(counts.double_bos, 1, "and that is counted");
    is_string(ids(t, "<s><s>a", 3), "1 1 263", "but what else the text holds stays");
    is_string(ids(t, "<s>a", 2), "1 263", "nor lost where none is added");
    is_string(ids_of(t, "a\xFF\xC3", 3, 0, &counts), "263 258 198", "malformed bytes are bytes");
    is_uint(counts.malformed, 2, "and counted");
    is_uint(counts.unknown, 0, "none of them lacks a token");
}

static void pieces(const struct tokenizer *t)
{
    static const struct {
        int32_t id;
        const char *piece;
    } cases[] = {{SPACE_AB, " ab"}, {BYTE0 + 'x', "x"}, {CONTROL, "<|x|>"}, {BB, "bb"}, {UNK, "<unk>"}};
    char *piece;
    size_t length;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (tokenizer_piece(t, cases[i].id, &piece, &length, &fault) != STATUS_OK)
            bail("%s", fault.sentence);
        is_string(piece, cases[i].piece, "token %d stands for '%s'", (int)cases[i].id, cases[i].piece);
        memory_free(piece);
    }
    is_int(tokenizer_piece(t, SPM_TOKENS, &piece, &length, &fault), STATUS_USAGE, "an id past the end stands for nothing");
    is_int(tokenizer_find(t, "bb", 2), BB, "a token is found by its text");
    is_int(tokenizer_find(t, "zz", 2), TOKENIZER_NO_TOKEN, "what is none is not");
    is_string(tokenizer_description(t), "SentencePiece, 269 tokens", "it says what it is");
}

static void sentencepiece(void)
{
    spm_start(NULL);
    spm_arrays(SPM_TOKENS, SPM_TOKENS, 0);
    struct tokenizer *t = opened();
    if (t == NULL)
        bail("%s", fault.sentence);
    is_int(tokenizer_bos(t), 1, "BOS is 1 where the file does not say");
    is_int(tokenizer_eos(t), 2, "EOS is 2");
    int32_t ends[TOKENIZER_ENDS];
    ok(tokenizer_ends(t, ends) == 2 && ends[0] == 2 && ends[1] == 268, "it ends an answer, and so does <|endoftext|>");
    ok(tokenizer_adds_bos(t) && !tokenizer_adds_eos(t), "BOS is added, EOS is not");
    spm_merging(t);
    spm_special(t);
    pieces(t);
    tokenizer_close(t);

    spm_start("A Tiny PHI-3 of ours");
    spm_arrays(SPM_TOKENS, SPM_TOKENS, 0);
    key_bool("tokenizer.ggml.add_bos_token", false);
    key_bool("tokenizer.ggml.add_eos_token", true);
    t = opened();
    is_string(ids(t, "<|x|> \n\t a", 3), "266 263 2", "Phi-3's special tokens eat the white space behind; EOS as asked");
    is_string(ids(t, "<s> a", 2), "1 259 263", "but <s> does not");
    is_string(ids(t, "<u>  <u> ", 0), "267 267", "user-defined ones do, to the end");
    tokenizer_close(t);

    spm_start(NULL);
    spm_arrays(SPM_TOKENS, SPM_TOKENS, 0);
    key_bool("tokenizer.ggml.add_space_prefix", false);
    key_u32("tokenizer.ggml.bos_token_id", UINT32_MAX);
    t = opened();
    is_string(ids(t, "ab<|x|>a", 3), "1 262 266 260", "no space in front where the file says so; a BOS id of -1 is none given");
    tokenizer_close(t);
}

/* ---- byte-level BPE -------------------------------------------------------------- */

static void bpe_start(const char *pre)
{
    start();
    key_text("general.architecture", "llama");
    key_text("tokenizer.ggml.model", "gpt2");
    if (pre != NULL)
        key_text("tokenizer.ggml.pre", pre);
}

/* Tokens 0-2 are letters, then what merging makes, one not reached by merging, one control. */
static void bpe_tokens(void)
{
    static const char *const texts[] = {"a", "b", "\xC4\xA0", "ab", "\xC4\xA0" "a", "abab", "\xC4\xA0" "b", "bab", "<e>",
                                        "\xC3\x83"}; /* U+00C3 is the letter of byte C3 */
    key_array("tokenizer.ggml.tokens", 8, 10);
    for (size_t i = 0; i < 10; i++)
        put_text(texts[i]);
    key_array("tokenizer.ggml.token_type", 5, 10);
    for (size_t i = 0; i < 10; i++)
        put_u32(i == 8 ? 3 : 1);
}

static void bpe_merges(const char *const *merges, size_t count)
{
    key_array("tokenizer.ggml.merges", 8, count);
    for (size_t i = 0; i < count; i++)
        put_text(merges[i]);
}

static const char *const merges[] = {"a b", "\xC4\xA0 a", "ab ab", "a b"};

static void byte_level(void)
{
    struct tokenizer_counts counts = {0};
    bpe_start("gpt-2");
    bpe_tokens();
    bpe_merges(merges, 4);
    struct tokenizer *t = opened();
    if (t == NULL)
        bail("%s", fault.sentence);
    is_string(ids(t, "abab", 0), "5", "abab is merged by the list, twice");
    is_string(ids(t, " ab", 0), "2 3", "the first merge of the list comes first: no ' a' is left");
    is_string(ids(t, " aab", 0), "4 3", "here one is");
    is_string(ids(t, " b", 0), "2 1", "a token that no merge makes is not found");
    is_string(ids(t, "a<e>b", 2), "0 8 1", "a control token cuts");
    ok(!tokenizer_adds_bos(t), "no BOS where the file does not say");
    is_string(ids_of(t, "a\xC3\xA9", 3, 0, &counts), "0 9", "a byte without a token is left out");
    is_uint(counts.unknown, 1, "and counted");
    ok(tokenizer_note(t) == NULL, "there is nothing to note");
    char *piece;
    size_t length;
    if (tokenizer_piece(t, 4, &piece, &length, &fault) != STATUS_OK)
        bail("%s", fault.sentence);
    is_string(piece, " a", "a token's letters are turned back into bytes");
    memory_free(piece);
    tokenizer_close(t);

    bpe_start("llama-bpe");
    bpe_tokens();
    bpe_merges(merges, 4);
    key_u32("tokenizer.ggml.bos_token_id", 8);
    t = opened();
    is_string(ids(t, " b", 1), "8 6", "llama-bpe takes a whole word that is a token, and adds BOS");
    tokenizer_close(t);

    bpe_start(NULL);
    bpe_tokens();
    bpe_merges(merges, 4);
    t = opened();
    ok(t != NULL && tokenizer_note(t) != NULL, "a file without a pre-tokeniser is taken, with a note");
    tokenizer_close(t);
}

/* ---- files that are wrong ---------------------------------------------------------- */

static void refused(const char *sentence, const char *claim)
{
    struct tokenizer *t = opened();
    ok(t == NULL && fault.status == STATUS_INPUT && strstr(fault.sentence, sentence) != NULL, "%s is refused: %s", claim,
       t == NULL ? fault.sentence : "it is not");
    tokenizer_close(t);
}

static void wrong_pieces(void)
{
    start();
    key_text("general.architecture", "llama");
    refused("holds no tokenizer", "a file without a tokenizer");
    ok(strstr(fault.advice, "--tokens") != NULL, "and --tokens is named as the way out");
    key_text("tokenizer.ggml.model", "bert");
    refused("tokenizer 'bert'", "another kind of tokenizer");
    spm_start(NULL);
    refused("tokenizer.ggml.tokens", "a tokenizer without tokens");
    spm_start(NULL);
    spm_arrays(SPM_TOKENS - 1, SPM_TOKENS, 0);
    refused("268 token types for 269 tokens", "a short array of types");
    spm_start(NULL);
    spm_arrays(SPM_TOKENS, SPM_TOKENS + 1, 0);
    refused("270 scores for 269 tokens", "a long array of scores");
    spm_start(NULL);
    spm_arrays(SPM_TOKENS, SPM_TOKENS, NAN);
    refused("score of token 0 is no finite number", "a score that is no number");
    spm_start(NULL);
    spm_arrays(SPM_TOKENS, SPM_TOKENS, INFINITY);
    refused("score of token 0 is no finite number", "an infinite score");
    spm_start(NULL);
    key_array("tokenizer.ggml.tokens", 8, 0);
    refused("vocabulary is not an array of", "an empty vocabulary");
    spm_start(NULL);
    key_array("tokenizer.ggml.tokens", 4, 1);
    put_u32(7);
    refused("vocabulary is not an array of", "a vocabulary of numbers");
    spm_start(NULL);
    key_array("tokenizer.ggml.tokens", 8, 3);
    put_text("x");
    put_text("y");
    put_text("x");
    refused("token 2 is the same as token 0", "a token that stands there twice");
    spm_start(NULL);
    key_array("tokenizer.ggml.tokens", 8, 1);
    put_text("x");
    key_bool("tokenizer.ggml.add_bos_token", true);
    refused("asks for a BOS token and names none", "BOS without an id");
    static const char *const ids[] = {"tokenizer.ggml.bos_token_id", "tokenizer.ggml.eos_token_id", "tokenizer.ggml.unknown_token_id"};
    for (size_t i = 0; i < 3; i++) {
        spm_start(NULL);
        key_array("tokenizer.ggml.tokens", 8, 1);
        put_text("x");
        key_u32(ids[i], 1);
        refused("token 1 is outside the vocabulary of 1", ids[i]);
    }
}

static void wrong_merges(void)
{
    static const char *const wrong[] = {"ab", "a ", " b", ""};
    bpe_start("gpt-9");
    bpe_tokens();
    bpe_merges(merges, 4);
    refused("'gpt-9'", "an unknown pre-tokeniser");
    bpe_start("gpt-2");
    bpe_tokens();
    refused("tokenizer.ggml.merges", "a file without merges");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        bpe_start("gpt-2");
        bpe_tokens();
        bpe_merges(&wrong[i], 1);
        refused("merge 0 is not two parts", "a merge that is not two parts");
    }
}

static void odd_but_taken(void)
{
    spm_start(NULL);
    key_array("tokenizer.ggml.tokens", 8, 3);
    put_text("");
    put_text("x");
    put_text("");
    struct tokenizer *t = opened();
    ok(t != NULL && tokenizer_vocabulary_size(t) == 3, "empty tokens keep their ids");
    is_string(ids(t, "x", 0), "0 0 0 1", "and are never found; a byte without a token is the unknown one");
    tokenizer_close(t);

    bpe_start("gpt-2");
    bpe_tokens();
    static const char *const chain[] = {"b b", "bb bb", "x y", "a bbbb"};
    bpe_merges(chain, 4);
    t = opened();
    is_string(ids(t, "bbbba", 0), "1 1 1 1 0", "merges to what is no token fall back to bytes");
    tokenizer_close(t);
}

int main(void)
{
    sentencepiece();
    byte_level();
    wrong_pieces();
    wrong_merges();
    odd_but_taken();
    return tap_done();
}
