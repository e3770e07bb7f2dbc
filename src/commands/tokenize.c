/* tokenize.c - `phi3sat tokenize`: what a model sees of a text.
 *
 * Prints the ids that `profile` would run, prompt by prompt, so that people can
 * check them against the tools they know and give them back with --tokens. The
 * model file may be a vocabulary without tensors.
 */
#include "tokenize.h"

#include <inttypes.h>

#include "../base/log.h"
#include "../formats/model_file.h"
#include "../report/token_lines.h"
#include "../text/chat.h"
#include "../text/prompt_file.h"
#include "../text/prompts.h"
#include "../text/tokenizer.h"

struct settings {
    const char *model;
    uint64_t num_prompts;
    int input_format;
    bool raw;
    bool chat;
    bool no_bos;
    bool no_parse_special;
};

#define AT(member) offsetof(struct settings, member)

/* What a run works with. */
struct work {
    const struct settings *settings;
    const struct tokenizer *tokenizer;
    const struct chat *chat; /* NULL: plain */
    struct token_list ids;
    struct tokenizer_counts counts;
};

static const struct options_row rows[] = {
    {.name = "model", .kind = OPTIONS_TEXT, .offset = AT(model), .argument = "FILE",
     .help = "model file, or a vocabulary without tensors"},
    {.name = "knot", .kind = OPTIONS_TEXT, .offset = AT(model), .argument = "FILE", .help = "the same"},
    {.name = "raw", .kind = OPTIONS_FLAG, .offset = AT(raw), .help = "the whole file, every byte of it, is one prompt"},
    {.name = "num-prompts", .kind = OPTIONS_UINT, .offset = AT(num_prompts), .argument = "N", .min = 1,
     .max = 9007199254740992.0, .help = "only the first N prompts", .default_text = "all"},
    {.name = "chat", .kind = OPTIONS_FLAG, .offset = AT(chat),
     .help = "put texts and messages into the model's chat format"},
    {.name = "input-format", .kind = OPTIONS_CHOICE, .offset = AT(input_format), .argument = "WHAT",
     .choices = recognise_wishes, .help = "what the input is: auto, text or json", .default_text = "auto"},
    {.name = "no-bos", .kind = OPTIONS_FLAG, .offset = AT(no_bos),
     .help = "no BOS token in front (and no EOS behind) where the model asks for one"},
    {.name = "no-parse-special", .kind = OPTIONS_FLAG, .offset = AT(no_parse_special),
     .help = "control tokens written out in the text, such as <|end|>, are plain text"},
};

const struct options_table tokenize_options = {
    .command = "phi3sat tokenize",
    .usage = "--model FILE [OPTION]... FILE|FOLDER|-",
    .purpose = "Print the token ids of prompts, one prompt a line, as profile would run them. Prompts are text, JSON\n"
               "Lines or a JSON array; a folder of such files; gzip and Zstandard are read as they are.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .operands_min = 1,
    .operands_max = 1,
    .ending = "Blank lines are skipped, a BOM and carriage returns at line ends are dropped; with --raw nothing is.\n"
              "A prompt without tokens prints an empty line.\n",
};

/* What was odd, said once at the end. */
static void tell(const struct tokenizer_counts *counts)
{
    if (counts->malformed > 0)
        log_warning("%" PRIu64 " malformed UTF-8 sequences in the text", counts->malformed);
    if (counts->unknown > 0)
        log_warning("%" PRIu64 " bytes of the text have no token", counts->unknown);
    if (counts->double_bos > 0)
        log_warning("%" PRIu64 " prompts begin with the BOS token themselves: it is written once", counts->double_bos);
}

/* Whether a chat format has to write BOS itself. */
static bool chat_bos(const struct work *w)
{
    return !w->settings->no_bos && !tokenizer_adds_bos(w->tokenizer);
}

static enum status print_one(struct work *w, const char *text, size_t length, struct error *e)
{
    const unsigned flags = (w->settings->no_bos ? 0u : (unsigned)TOKENIZER_ADD_SPECIAL) |
                           (w->settings->no_parse_special ? 0u : (unsigned)TOKENIZER_PARSE_SPECIAL);
    w->ids.count = 0;
    const enum status status = tokenizer_encode(w->tokenizer, text, length, flags, &w->ids, &w->counts, e);
    return status == STATUS_OK ? token_lines_print(w->ids.ids, w->ids.count, e) : status;
}

static enum status print_prompts(struct work *w, const char *path, struct error *e)
{
    struct prompt_source source;
    struct text_buffer text = {0};
    struct prompts_options options = prompts_defaults();
    options.limit = (size_t)w->settings->num_prompts;
    options.wish = (enum recognise_wish)w->settings->input_format;
    enum status status = prompts_open(&source, path, &options, e);
    if (status != STATUS_OK)
        return status;
    log_release();
    struct prompts_reader reader = prompts_reader_begin(&source);
    for (size_t i = 0; i < source.count && status == STATUS_OK; i++) {
        status = prompts_read(&reader, i, w->chat, chat_bos(w), &text, e);
        if (status == STATUS_OK)
            status = print_one(w, text.bytes, text.count, e);
    }
    if (status == STATUS_OK)
        prompts_tell(&source, w->chat != NULL);
    prompts_reader_close(&reader);
    text_buffer_free(&text);
    prompts_close(&source);
    return status;
}

/* The whole file as one prompt. */
static enum status print_raw(struct work *w, const char *path, struct error *e)
{
    struct prompt_file file;
    struct conversation conversation = {0};
    struct text_buffer text = {0};
    enum status status = prompt_file_open(&file, path, e);
    if (status != STATUS_OK)
        return status;
    log_release();
    if (w->chat == NULL) {
        status = print_one(w, file.bytes, file.size, e);
    } else {
        status = conversation_of_text(&conversation, file.bytes, file.size, e);
        if (status == STATUS_OK)
            status = chat_render(w->chat, &conversation, chat_bos(w), &text, e);
        if (status == STATUS_OK)
            status = print_one(w, text.bytes, text.count, e);
    }
    conversation_free(&conversation);
    text_buffer_free(&text);
    prompt_file_close(&file);
    return status;
}

/* The work, once the command line is understood. */
static enum status run(const struct settings *settings, const char *path, struct error *e)
{
    struct model_file *model = NULL;
    struct tokenizer *tokenizer = NULL;
    struct chat chat;
    struct work work = {.settings = settings};
    enum status status = model_file_open(&model, settings->model, e);
    if (status == STATUS_OK)
        status = tokenizer_open(&tokenizer, model, e);
    if (status == STATUS_OK && settings->chat)
        status = chat_open(&chat, model, tokenizer, e);
    if (status == STATUS_OK) {
        work.tokenizer = tokenizer;
        work.chat = settings->chat ? &chat : NULL;
        if (tokenizer_note(tokenizer) != NULL)
            log_warning("%s", tokenizer_note(tokenizer));
        if (settings->chat)
            log_line("chat format: %s", chat.name);
        status = settings->raw ? print_raw(&work, path, e) : print_prompts(&work, path, e);
    }
    if (status == STATUS_OK)
        status = token_lines_finish(e);
    if (status == STATUS_OK)
        tell(&work.counts);
    token_list_free(&work.ids);
    tokenizer_close(tokenizer);
    model_file_close(model);
    return status;
}

enum status tokenize_command(int argc, char **argv, struct error *e)
{
    struct settings settings = {.num_prompts = SIZE_MAX};
    struct options_result result;
    const enum status status = options_parse(&tokenize_options, argc, argv, &settings, &result, e);
    if (status != STATUS_OK)
        return status;
    if (result.help)
        return token_lines_help(&tokenize_options, e);
    if (settings.model == NULL) {
        error_set(e, STATUS_USAGE, "no model is given");
        return error_advice(e, "give one with --model FILE");
    }
    if (settings.raw && settings.input_format != RECOGNISE_AUTO) {
        error_set(e, STATUS_USAGE, "--raw and --input-format exclude each other");
        return error_advice(e, "raw bytes have no format");
    }
    return run(&settings, result.operand[0], e);
}
