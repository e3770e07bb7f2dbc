/* pretokenize.c - the table of pre-tokenisers, and cutting with PCRE2.
 *
 * A rule is a list of expressions. Each in turn cuts what the ones before it
 * left: its matches become pieces of their own, what lies between two matches is a piece
 * too. That is how Hugging Face's Sequence of isolating Splits and llama.cpp's list work.
 *
 * Facts of the formats, in the wording of PCRE2:
 *  - white space is Unicode's property White_Space, as in Rust and llama.cpp; PCRE2's own \s adds
 *    U+180E, so the set is written out;
 *  - "gpt-4o" and "tekken" in the tokenizer.json of their models tell upper from lower
 *    case in all scripts and keep marks with their letters; llama.cpp only tells ASCII cases
 *    apart and cuts at marks. Token ids here are llama.cpp's; docs/tokenizers.md has an example;
 *  - expressions that begin or end in a run of white space are worded so that no
 *    start within the run is tried: cutting stays linear in the text.
 *
 * PCRE2 runs compiled code where it can. If that runs out of its stack the same
 * match is interpreted, on the heap. Match limits are lifted: no expression here
 * backtracks over more than one run of like characters.
 */
#define PCRE2_CODE_UNIT_WIDTH 8
#include "pretokenize.h"

#include <pcre2.h>
#include <stdio.h>
#include <string.h>

#include "../base/memory.h"

/* Inside brackets: White_Space. */
#define WHITE "\\t-\\r \\x{85}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}"
#define SPACES "[" WHITE "]+(?![^" WHITE "])|[" WHITE "]+"
#define CONTRACTIONS "'(?:[sStTmMdD]|[rR][eE]|[vV][eE]|[lL][lL])"
#define ONE_DIGIT "\\p{N}"

#define GPT2 "'(?:[stmd]|re|ve|ll)| ?\\p{L}+| ?\\p{N}+| ?[^" WHITE "\\p{L}\\p{N}]+|" SPACES

/* Llama 3's, and Qwen's, which differ in how many digits go together. */
#define LLAMA3(digits)                                                                                    \
    CONTRACTIONS "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1," digits "}| ?[^" WHITE "\\p{L}\\p{N}]+[\\r\\n]*|" \
                 "[" WHITE "]*[\\r\\n]+|" SPACES

/* Words that are anything but ASCII lower case and then anything but ASCII
 * upper case. [^\P{L}a-z] is a letter that is not in a-z. */
#define CASED(tail, digits)                                                                               \
    "[^\\r\\n\\p{L}\\p{N}]?(?:[^\\P{L}a-z]*[^\\P{L}A-Z]+|[^\\P{L}a-z]+[^\\P{L}A-Z]*)" tail "|"              \
    "\\p{N}{1," digits "}| ?[^" WHITE "\\p{L}\\p{N}]+[\\r\\n/]*|[" WHITE "]*[\\r\\n]+|" SPACES

/* The same with the cases of all scripts, marks going with either, as tokenizer.json has it. */
#define UPPER "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]"
#define LOWER "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]"
#define ALL_CASES(tail, digits)                                                                           \
    "[^\\r\\n\\p{L}\\p{N}]?(?:" UPPER "*" LOWER "+|" UPPER "+" LOWER "*)" tail "|"                        \
    "\\p{N}{1," digits "}| ?[^" WHITE "\\p{L}\\p{N}]+[\\r\\n/]*|[" WHITE "]*[\\r\\n]+|" SPACES

/* DeepSeek's letters: those with case, of the Unicode version it was made with. */
#define DEEPSEEK_LETTERS                                                                                  \
    "A-Za-z"                                                                                              \
    "\\x{b5}\\x{c0}-\\x{d6}\\x{d8}-\\x{f6}\\x{f8}-\\x{1ba}\\x{1bc}-\\x{1bf}\\x{1c4}-\\x{293}" \
    "\\x{295}-\\x{2af}\\x{370}-\\x{373}\\x{376}\\x{377}\\x{37b}-\\x{37d}\\x{37f}\\x{386}\\x{388}-\\x{38a}" \
    "\\x{38c}\\x{38e}-\\x{3a1}\\x{3a3}-\\x{3f5}\\x{3f7}-\\x{481}\\x{48a}-\\x{52f}\\x{531}-\\x{556}" \
    "\\x{10a0}-\\x{10c5}\\x{13a0}-\\x{13f5}\\x{13f8}-\\x{13fd}\\x{1c90}-\\x{1cba}\\x{1cbd}-\\x{1cbf}" \
    "\\x{1d00}-\\x{1d2b}\\x{1d6b}-\\x{1d77}\\x{1d79}-\\x{1d9a}\\x{1e00}-\\x{1f15}\\x{1f18}-\\x{1f1d}" \
    "\\x{1f20}-\\x{1f45}\\x{1f48}-\\x{1f4d}\\x{1f50}-\\x{1f57}\\x{1f59}\\x{1f5b}\\x{1f5d}" \
    "\\x{1f5f}-\\x{1f7d}\\x{1f80}-\\x{1fb4}\\x{1fb6}-\\x{1fbc}\\x{1fbe}\\x{1fc2}-\\x{1fc4}" \
    "\\x{1fc6}-\\x{1fcc}\\x{1fd0}-\\x{1fd3}\\x{1fd6}-\\x{1fdb}\\x{1fe0}-\\x{1fec}\\x{1ff2}-\\x{1ff4}" \
    "\\x{1ff6}-\\x{1ffc}\\x{2102}\\x{2107}\\x{210a}-\\x{2113}\\x{2115}\\x{2119}-\\x{211d}\\x{2124}" \
    "\\x{2126}\\x{2128}\\x{212a}-\\x{212d}\\x{212f}-\\x{2134}\\x{2139}\\x{213c}-\\x{213f}" \
    "\\x{2145}-\\x{2149}\\x{214e}\\x{2183}\\x{2184}\\x{2c00}-\\x{2c7b}\\x{2c7e}-\\x{2ce4}" \
    "\\x{2ceb}-\\x{2cee}\\x{2cf2}\\x{2cf3}\\x{a640}-\\x{a66d}\\x{a680}-\\x{a69b}\\x{a722}-\\x{a76f}" \
    "\\x{a771}-\\x{a787}\\x{a78b}-\\x{a78e}\\x{ab70}-\\x{abbf}\\x{fb00}-\\x{fb06}\\x{fb13}-\\x{fb17}" \
    "\\x{ff21}-\\x{ff3a}\\x{ff41}-\\x{ff5a}\\x{10400}-\\x{1044f}\\x{104b0}-\\x{104d3}" \
    "\\x{104d8}-\\x{104fb}\\x{10c80}-\\x{10cb2}\\x{10cc0}-\\x{10cf2}\\x{118a0}-\\x{118df}" \
    "\\x{1e900}-\\x{1e943}"

/* Japanese, Chinese and whatever lies between U+0800 and U+4E00, but for white
 * space, which llama.cpp keeps apart; Hangul. */
#define DEEPSEEK_CJK                                                                                     \
    "[\\x{800}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}\\x{2030}-\\x{205e}"      \
    "\\x{2060}-\\x{2fff}\\x{3001}-\\x{9fa5}\\x{ac00}-\\x{d7ff}]+"
#define DEEPSEEK_MARKS "!-/:-~\\x{ff01}-\\x{ff0f}\\x{ff1a}-\\x{ff5e}\\x{2018}-\\x{201f}\\x{3001}\\x{3002}"
#define LAST_SPACES "(?<![" WHITE "])[" WHITE "]++\\z"

enum { EXPRESSIONS = 6 };

/* One row a rule. `names`: of files, separated by spaces, the rule's own first. */
static const struct rule {
    const char *names;
    bool whole_words;
    bool add_bos;
    const char *expressions[EXPRESSIONS];
} rules[] = {
    {"default", false, false, {"[\\p{P}$+<=>^~|]+", GPT2, "\\p{N}+", "[0-9][0-9][0-9]"}},
    {"gpt-2 phi-2 mpt olmo jais trillion granite-docling exaone4 gigachat a.x-4.0 mellum", false, false, {GPT2}},
    {"smollm", false, false, {ONE_DIGIT, GPT2}},
    {"starcoder refact command-r codeshell exaone minerva-7b", false, false, {ONE_DIGIT, GPT2}},
    {"falcon", false, false, {"[\\p{P}$+<=>^~|`]+", GPT2, "[0-9][0-9][0-9]"}},
    {"llama-bpe llama3 llama-v3 falcon3 falcon-h1 pixtral midm-2.0 lfm2", true, true, {LLAMA3("3")}},
    {"dbrx smaug-bpe", false, false, {LLAMA3("3")}},
    {"qwen2 stablelm2 megrez deepseek-r1-qwen hunyuan", false, false, {LLAMA3("1")}},
    {"gpt-4o llama4 kanana2", false, false, {CASED("(?:" CONTRACTIONS ")?", "3")}},
    {"tekken", true, true, {CASED("", "1")}},
    {"o200k", false, false, {ALL_CASES("(?:" CONTRACTIONS ")?", "3")}},
    {"tekken-cased", true, false, {ALL_CASES("", "1")}},
    {"deepseek-llm", false, false,
     {"[\\r\\n]", "[" WHITE "]?[" DEEPSEEK_LETTERS "]+", "[" WHITE "]?[" DEEPSEEK_MARKS "]+", LAST_SPACES,
      DEEPSEEK_CJK, "\\p{N}+"}},
    {"deepseek-coder", false, false,
     {"[\\r\\n]", "[" WHITE "]?\\p{L}+", "[" WHITE "]?\\p{P}+", DEEPSEEK_CJK, ONE_DIGIT}},
};

enum { RULES = sizeof rules / sizeof *rules };

struct pretokenize {
    size_t count;
    pcre2_code *codes[EXPRESSIONS];
    pcre2_match_context *context;
};

void pretokenize_words_free(struct pretokenize_words *words)
{
    memory_free(words->ends);
    memset(words, 0, sizeof *words);
}

void pretokenize_free(struct pretokenize *p)
{
    if (p == NULL)
        return;
    for (size_t i = 0; i < p->count; i++)
        pcre2_code_free(p->codes[i]);
    pcre2_match_context_free(p->context);
    memory_free(p);
}

/* Whether one of the space-separated `names` is name[length]. */
static bool listed(const char *names, const char *name, size_t length)
{
    while (*names != '\0') {
        const size_t n = strcspn(names, " ");
        if (n == length && memcmp(names, name, n) == 0)
            return true;
        names += n;
        names += *names == ' ';
    }
    return false;
}

static enum status refuse(const char *name, size_t length, struct error *e)
{
    char known[256] = "";
    size_t used = 0;
    for (size_t i = 0; i < RULES && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%.*s", i > 0 ? ", " : "",
                                 (int)strcspn(rules[i].names, " "), rules[i].names);
    const enum status status = error_set(e, STATUS_INPUT, "pre-tokeniser '%.*s' is not known",
                                         length > 60 ? 60 : (int)length, name);
    error_where(e, "key tokenizer.ggml.pre");
    error_advice(e, "known are %s; else give token ids with --tokens FILE", known);
    return status;
}

static enum status compile(struct pretokenize *p, const char *expression, struct error *e)
{
    int code;
    PCRE2_SIZE offset;
    pcre2_code *compiled = pcre2_compile((PCRE2_SPTR)expression, PCRE2_ZERO_TERMINATED,
                                         PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &code, &offset, NULL);
    if (compiled == NULL)
        return error_set(e, STATUS_FAILED, "PCRE2 refuses an expression of ours (error %d at %zu)", code,
                         (size_t)offset);
    /* Without a just-in-time compiler it is interpreted: slower, the same words. */
    (void)pcre2_jit_compile(compiled, PCRE2_JIT_COMPLETE);
    p->codes[p->count++] = compiled;
    return STATUS_OK;
}

enum status pretokenize_open(struct pretokenize **p, const char *name, size_t length,
                             struct pretokenize_facts *facts, struct error *e)
{
    const struct rule *rule = NULL;
    *p = NULL;
    for (size_t i = 0; i < RULES && rule == NULL; i++)
        if (listed(rules[i].names, name, length))
            rule = &rules[i];
    if (rule == NULL)
        return refuse(name, length, e);
    *facts = (struct pretokenize_facts){rule->names, rule->whole_words, rule->add_bos};

    struct pretokenize *made = NULL;
    enum status status = memory_array(&made, 1, sizeof *made, "pre-tokeniser", e);
    if (status != STATUS_OK)
        return status;
    made->context = pcre2_match_context_create(NULL);
    if (made->context == NULL)
        status = error_set(e, STATUS_FAILED, "not enough memory for the pre-tokeniser");
    else
        pcre2_set_match_limit(made->context, UINT32_MAX);
    for (size_t i = 0; i < EXPRESSIONS && status == STATUS_OK && rule->expressions[i] != NULL; i++)
        status = compile(made, rule->expressions[i], e);
    if (status == STATUS_OK)
        *p = made;
    else
        pretokenize_free(made);
    return status;
}

static enum status add_end(struct pretokenize_words *words, size_t end, struct error *e)
{
    if (words->count == words->capacity) {
        const enum status status = memory_grow_uninitialised(&words->ends, &words->capacity,
                                               words->count < 64 ? 64 : words->count + 1, sizeof *words->ends,
                                               "words of a text", e);
        if (status != STATUS_OK)
            return status;
    }
    words->ends[words->count++] = end;
    return STATUS_OK;
}

/* The next match in piece[length] at or behind `from`: 1 found, 0 none, -1 error. */
static int match(const struct pretokenize *p, const pcre2_code *code, const char *piece, size_t length, size_t from,
                 pcre2_match_data *data, struct error *e)
{
    int rc = pcre2_match(code, (PCRE2_SPTR)piece, length, from, PCRE2_NO_UTF_CHECK, data, p->context);
    if (rc == PCRE2_ERROR_JIT_STACKLIMIT)
        rc = pcre2_match(code, (PCRE2_SPTR)piece, length, from, PCRE2_NO_UTF_CHECK | PCRE2_NO_JIT, data, p->context);
    if (rc == PCRE2_ERROR_NOMATCH)
        return 0;
    if (rc > 0)
        return 1;
    (void)error_set(e, STATUS_FAILED, "PCRE2 gave up on a text of %zu bytes (error %d)", length, rc);
    return -1;
}

/* Cuts the piece text[start .. end) with one expression, adding ends to `out`. */
static enum status cut_piece(const struct pretokenize *p, const pcre2_code *code, const char *text, size_t start,
                             size_t end, pcre2_match_data *data, struct pretokenize_words *out, struct error *e)
{
    const size_t *found = pcre2_get_ovector_pointer(data);
    const size_t length = end - start;
    enum status status = STATUS_OK;
    size_t at = 0;
    while (at < length && status == STATUS_OK) {
        const int rc = match(p, code, text + start, length, at, data, e);
        if (rc < 0)
            return STATUS_FAILED;
        if (rc == 0 || found[1] <= at)
            break;
        if (found[0] > at)
            status = add_end(out, start + found[0], e);
        if (status == STATUS_OK)
            status = add_end(out, start + found[1], e);
        at = found[1];
    }
    if (at < length && status == STATUS_OK)
        status = add_end(out, end, e);
    return status;
}

enum status pretokenize_cut(const struct pretokenize *p, const char *text, size_t length,
                            struct pretokenize_words *words, struct error *e)
{
    struct pretokenize_words next = {0};
    words->count = 0;
    if (length == 0)
        return STATUS_OK;
    enum status status = add_end(words, length, e);
    for (size_t i = 0; i < p->count && status == STATUS_OK; i++) {
        pcre2_match_data *data = pcre2_match_data_create(1, NULL);
        if (data == NULL)
            status = error_set(e, STATUS_FAILED, "not enough memory to cut a text into words");
        next.count = 0;
        for (size_t w = 0, start = 0; w < words->count && status == STATUS_OK; start = words->ends[w++])
            status = cut_piece(p, p->codes[i], text, start, words->ends[w], data, &next, e);
        pcre2_match_data_free(data);
        const struct pretokenize_words swap = *words;
        *words = next;
        next = swap;
    }
    pretokenize_words_free(&next);
    return status;
}
