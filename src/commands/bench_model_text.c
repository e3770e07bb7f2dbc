/* bench_model_text.c - see bench_model_text.h. */
#include "bench_model_text.h"

#include <string.h>

#include "../base/clock.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../report/figures.h"
#include "../text/chat.h"

static const struct figures_column columns[] = {
    {"prompt_tokens", NULL, FIGURES_COUNT, 0, 0},
    {"tokens", NULL, FIGURES_COUNT, 0, 0},
    {"first_token_milliseconds", NULL, FIGURES_REAL, 0, 0},
    {"tokens_per_second", NULL, FIGURES_REAL, 0, 0},
    {"text", NULL, FIGURES_TEXT, 0, 0},
};

/* The prompt's ids. */
static enum status read_prompt(struct token_list *ids, const struct generator *g, const struct bench_model_text *wish,
                               struct error *e)
{
    const unsigned flags = TOKENIZER_PARSE_SPECIAL | (wish->no_bos ? 0u : (unsigned)TOKENIZER_ADD_SPECIAL);
    struct chat chat;
    struct conversation conversation = {0};
    struct text_buffer text = {0};
    enum status s = STATUS_OK;
    if (wish->chat) {
        s = chat_open(&chat, g->file, g->tokenizer, e);
        if (s == STATUS_OK)
            s = conversation_of_text(&conversation, wish->text, strlen(wish->text), e);
        if (s == STATUS_OK)
            s = chat_render(&chat, &conversation, !wish->no_bos && !tokenizer_adds_bos(g->tokenizer), &text, e);
    } else {
        s = text_buffer_add(&text, wish->text, strlen(wish->text), e);
    }
    if (s == STATUS_OK)
        s = tokenizer_encode(g->tokenizer, text.bytes, text.count, flags, ids, NULL, e);
    if (s == STATUS_OK && tokenizer_adds_eos(g->tokenizer) && !wish->no_bos && ids->count > 0)
        ids->count--; /* it is to go on */
    conversation_free(&conversation);
    text_buffer_free(&text);
    return s;
}

static enum status check_room(size_t tokens, const struct generator *g, struct error *e)
{
    if (tokens == 0) {
        error_set(e, STATUS_INPUT, "the prompt has no tokens");
        return error_advice(e, "give some text with --text");
    }
    if (tokens < g->config.context)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "the prompt has %zu tokens, and the model's context is %zu with the answer", tokens,
              g->config.context);
    return error_advice(e, "use a shorter --text");
}

/* The answer as text; control characters but newlines and tabs, which a terminal may obey, become '?'. */
static enum status spell(const struct generator *g, const int32_t *ids, size_t count, struct text_buffer *text, struct error *e)
{
    enum status s = STATUS_OK;
    for (size_t i = 0; i < count && s == STATUS_OK; i++) {
        char *piece;
        size_t length;
        s = tokenizer_piece(g->tokenizer, ids[i], &piece, &length, e);
        if (s != STATUS_OK)
            return s;
        for (size_t k = 0; k < length; k++)
            if (((unsigned char)piece[k] < ' ' && piece[k] != '\n' && piece[k] != '\t') || piece[k] == 127)
                piece[k] = '?';
        s = text_buffer_add(text, piece, length, e);
        memory_free(piece);
    }
    return s == STATUS_OK ? text_buffer_add(text, "", 1, e) : s;
}

/* What generating took. */
struct took {
    size_t prompt, tokens;
    double first, rest; /* seconds to the first token, and for those behind it */
};

static enum status generate(struct decode *d, const struct generator *g, const struct token_list *prompt, size_t most,
                            int32_t *ids, struct took *took, struct error *e)
{
    int32_t ends[TOKENIZER_ENDS];
    struct decode_end end = {ends, tokenizer_ends(g->tokenizer, ends), most};
    const double start = clock_seconds();
    enum status s = decode_feed(d, prompt->ids, prompt->count, NULL, e);
    if (s != STATUS_OK)
        return s;
    decode_logits(d); /* the answer makes them again: 1 of some hundred products */
    const double first = clock_seconds();
    s = decode_answer(d, &end, ids, &took->tokens, e);
    took->prompt = prompt->count;
    took->first = first - start;
    took->rest = clock_seconds() - first;
    return s;
}

static enum status show(const struct took *took, const char *text, bool json, struct error *e)
{
    struct figures f;
    const double rate = took->tokens > 0 ? (double)took->tokens / took->rest : 0;
    const struct figures_cell cells[] = {
        {.count = took->prompt}, {.count = took->tokens}, {.real = 1e3 * took->first}, {.real = rate}, {.text = text}};
    figures_open(&f, NULL, json, columns, sizeof columns / sizeof *columns);
    figures_note(&f, "%s", text);
    const enum status s = json ? figures_row(&f, cells, e) : STATUS_OK;
    log_line("%zu tokens of prompt in %.1f ms, %zu tokens of answer at %.1f tokens/s", took->prompt, 1e3 * took->first,
             took->tokens, rate);
    return s == STATUS_OK ? figures_finish(&f, e) : s;
}

enum status bench_model_text_run(struct generator *g, const struct bench_model_text *wish, struct error *e)
{
    struct token_list prompt = {0};
    struct text_buffer text = {0};
    struct decode *decode = NULL;
    int32_t *ids = NULL;
    struct took took = {0, 0, 0, 0};
    size_t most = 0;
    enum status s = read_prompt(&prompt, g, wish, e);
    if (s == STATUS_OK)
        s = check_room(prompt.count, g, e);
    if (s == STATUS_OK) {
        const size_t room = g->config.context - prompt.count;
        const struct decode_options how = {.mode = wish->mode, .repack = true, .separate = wish->separate, .half = wish->half};
        most = wish->max_tokens < room ? wish->max_tokens : room;
        s = generator_session(g, prompt.count + most, &how, &decode, e);
    }
    if (s == STATUS_OK)
        s = memory_array(&ids, most, sizeof *ids, "an answer", e);
    if (s == STATUS_OK)
        s = generate(decode, g, &prompt, most, ids, &took, e);
    if (s == STATUS_OK)
        s = spell(g, ids, took.tokens, &text, e);
    if (s == STATUS_OK) {
        log_release();
        s = show(&took, text.bytes, wish->json, e);
    }
    memory_free(ids);
    decode_close(decode);
    text_buffer_free(&text);
    token_list_free(&prompt);
    return s;
}
