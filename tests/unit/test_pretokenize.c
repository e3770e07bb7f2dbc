/* test_pretokenize.c - where each pre-tokeniser cuts.
 *
 * The words of each text, joined by `|`, were derived by hand from the rules'
 * expressions; that the ids which come of them are llama.cpp's is test_tokenizer_goldens'.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "text/pretokenize.h"
#include "tap.h"

static const struct {
    const char *rule, *text, *words;
} cases[] = {
    {"gpt-2", "Hello world", "Hello| world"},
    {"gpt-2", "we'll say it's 12,345!", "we|'ll| say| it|'s| 12|,|345|!"},
    {"gpt-2", "IT'S", "IT|'|S"},
    {"gpt-2", "a  b   ", "a| | b|   "},
    {"gpt-2", "x\n\n y", "x|\n\n| y"},
    {"gpt-2", "e\xCC\x81x", "e|\xCC\x81|x"},
    {"gpt-2", "\xE3\x80\x80\xE3\x80\x80z", "\xE3\x80\x80|\xE3\x80\x80|z"},
    {"phi-2", "it's", "it|'s"},
    {"smollm", "a 123", "a| |1|2|3"},
    {"smollm", "v10.5", "v|1|0|.|5"},
    {"starcoder", "x 42  y", "x| |4|2| | y"},
    {"llama-bpe", "we'LL go", "we|'LL| go"},
    {"llama-bpe", "1234567", "123|456|7"},
    {"llama-bpe", "a (b)\n\n c", "a| (|b|)\n\n| c"},
    {"llama-bpe", "a \r\n \n  b", "a| \r\n \n| | b"},
    {"llama-bpe", "#tag\tx", "#tag|\tx"},
    {"llama3", "x", "x"},
    {"dbrx", "12 34", "12| |34"},
    {"qwen2", "123 x", "1|2|3| x"},
    {"gpt-4o", "camelCase HTTPServer", "camel|Case| HTTPServer"},
    {"gpt-4o", "it's MY'S 1234", "it's| MY'S| |123|4"},
    {"gpt-4o", "a//\n b", "a|//\n| b"},
    {"gpt-4o", "\xC3\xA9t\xC3\x89T", "\xC3\xA9t\xC3\x89|T"}, /* only ASCII letters have a case */
    {"default", "a=b 12345", "a|=|b| |123|45"},
    {"default", "don't", "don|'|t"},
    {"deepseek-llm", "Hi, x1\r\n", "Hi|,| x|1|\r|\n"},
    {"deepseek-llm", "a  b  ", "a| | b|  "},
    {"deepseek-llm", "\xE4\xBD\xA0\xE5\xA5\xBD\xEF\xBC\x8C world", "\xE4\xBD\xA0\xE5\xA5\xBD|\xEF\xBC\x8C| world"},
    {"deepseek-llm", "1234", "1234"},
    {"gpt-2", "", ""},
};

static void check(size_t i)
{
    struct pretokenize *p = NULL;
    struct pretokenize_facts facts;
    struct pretokenize_words words = {0};
    struct error e;
    char got[512] = "";
    const char *text = cases[i].text;
    if (pretokenize_open(&p, cases[i].rule, strlen(cases[i].rule), &facts, &e) != STATUS_OK ||
        pretokenize_cut(p, text, strlen(text), &words, &e) != STATUS_OK)
        bail("%s", e.sentence);
    for (size_t w = 0, start = 0; w < words.count; start = words.ends[w++]) {
        const size_t used = strlen(got);
        snprintf(got + used, sizeof got - used, "%s%.*s", w > 0 ? "|" : "", (int)(words.ends[w] - start), text + start);
    }
    is_string(got, cases[i].words, "%s, case %zu", cases[i].rule, i);
    pretokenize_words_free(&words);
    pretokenize_free(p);
}

/* A text of one kind of byte goes through every rule in time that grows with it, not with its square. */
static void long_runs(void)
{
    static const char *const rules[] = {"default", "gpt-2", "smollm", "falcon", "llama-bpe", "qwen2", "gpt-4o",
                                        "tekken", "deepseek-llm", "deepseek-coder"};
    static const char *const units[] = {" ", "x", "X", "1", "'", "\n", " \n", "\xE0\xB8\x81 ", "!", "xX"};
    enum { LENGTH = 1 << 20 };
    char *text = NULL;
    struct error e;
    size_t failures = 0;
    if (memory_array(&text, LENGTH + 3, 1, "text", &e) != STATUS_OK)
        bail("no memory");
    for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
        const size_t n = strlen(units[u]), length = LENGTH / n * n;
        for (size_t i = 0; i < length; i++)
            text[i] = units[u][i % n];
        memcpy(text + length, "\xE0\xB8\x81", 3); /* a letter that few rules know, behind the run */
        for (size_t r = 0; r < sizeof rules / sizeof *rules; r++) {
            struct pretokenize *p = NULL;
            struct pretokenize_facts facts;
            struct pretokenize_words words = {0};
            failures += pretokenize_open(&p, rules[r], strlen(rules[r]), &facts, &e) != STATUS_OK ||
                        pretokenize_cut(p, text, length + 3, &words, &e) != STATUS_OK || words.count == 0 ||
                        words.ends[words.count - 1] != length + 3;
            pretokenize_words_free(&words);
            pretokenize_free(p);
        }
    }
    is_uint(failures, 0, "runs of a million bytes are cut by every rule");
    memory_free(text);
}

int main(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        check(i);
    long_runs();

    struct pretokenize *p = NULL;
    struct pretokenize_facts facts;
    struct error e;
    is_int(pretokenize_open(&p, "nonsense", 8, &facts, &e), STATUS_INPUT, "an unknown rule is refused");
    ok(p == NULL && strstr(e.sentence, "'nonsense'") != NULL, "by name");
    ok(strstr(e.advice, "smollm") != NULL && strstr(e.advice, "deepseek-coder") != NULL, "and the known ones are told");
    is_int(pretokenize_open(&p, "gpt", 3, &facts, &e), STATUS_INPUT, "a part of a name is no name");
    is_int(pretokenize_open(&p, "llama-v3", 8, &facts, &e), STATUS_OK, "an alias is known");
    ok(facts.whole_words && facts.add_bos, "and has its rule's facts");
    pretokenize_free(p);
    return tap_done();
}
