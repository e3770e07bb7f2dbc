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
#include "../text/prompt_file.h"
#include "../text/prompts.h"
#include "../text/tokenizer.h"

struct settings {
    const char *model;
    uint64_t num_prompts;
    bool raw;
    bool no_bos;
    bool no_parse_special;
};

#define AT(member) offsetof(struct settings, member)

static const struct options_row rows[] = {
    {.name = "model", .kind = OPTIONS_TEXT, .offset = AT(model), .argument = "FILE",
     .help = "model file, or a vocabulary without tensors"},
    {.name = "knot", .kind = OPTIONS_TEXT, .offset = AT(model), .argument = "FILE", .help = "the same"},
    {.name = "raw", .kind = OPTIONS_FLAG, .offset = AT(raw), .help = "the whole file, every byte of it, is one prompt"},
    {.name = "num-prompts", .kind = OPTIONS_UINT, .offset = AT(num_prompts), .argument = "N", .min = 1,
     .max = 9007199254740992.0, .help = "only the first N prompts", .default_text = "all"},
    {.name = "no-bos", .kind = OPTIONS_FLAG, .offset = AT(no_bos),
     .help = "no BOS token in front (and no EOS behind) where the model asks for one"},
    {.name = "no-parse-special", .kind = OPTIONS_FLAG, .offset = AT(no_parse_special),
     .help = "control tokens written out in the text, such as <|end|>, are plain text"},
};

const struct options_table tokenize_options = {
    .command = "phi3sat tokenize",
    .usage = "--model FILE [OPTION]... TEXT|-",
    .purpose = "Print the token ids of a text file (or of standard input), one prompt a line, as profile would run "
               "them.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .operands_min = 1,
    .operands_max = 1,
    .ending = "Blank lines are skipped, a BOM and carriage returns at line ends are dropped; with --raw nothing is.\n"
              "A prompt without tokens prints an empty line.\n",
};

/* What was odd, said once at the end. */
static void tell(const struct prompt_source *source, const struct tokenizer_counts *counts)
{
    if (source->blank > 0)
        log_line("%zu blank lines skipped", source->blank);
    if (counts->malformed > 0)
        log_warning("%" PRIu64 " malformed UTF-8 sequences in the text", counts->malformed);
    if (counts->unknown > 0)
        log_warning("%" PRIu64 " bytes of the text have no token", counts->unknown);
    if (counts->double_bos > 0)
        log_warning("%" PRIu64 " prompts begin with the BOS token themselves: it is written once", counts->double_bos);
}

static enum status print_all(const struct tokenizer *tokenizer, const struct prompt_source *source,
                             const struct settings *settings, struct error *e)
{
    const unsigned flags = (settings->no_bos ? 0u : TOKENIZER_ADD_SPECIAL) |
                           (settings->no_parse_special ? 0u : TOKENIZER_PARSE_SPECIAL);
    struct token_list ids = {0};
    struct tokenizer_counts counts = {0};
    enum status status = STATUS_OK;
    for (size_t i = 0; i < source->count && status == STATUS_OK; i++) {
        size_t length;
        const char *text = prompts_text(source, i, &length);
        ids.count = 0;
        status = tokenizer_encode(tokenizer, text, length, flags, &ids, &counts, e);
        if (status == STATUS_OK)
            status = token_lines_print(ids.ids, ids.count, e);
    }
    if (status == STATUS_OK)
        status = token_lines_finish(e);
    if (status == STATUS_OK)
        tell(source, &counts);
    token_list_free(&ids);
    return status;
}

static enum status open_prompts(struct prompt_source *source, const struct prompt_file *file,
                                const struct settings *settings, struct error *e)
{
    if (settings->raw)
        return prompts_open_raw(source, file->bytes, file->size, e);
    return prompts_open_text(source, file->bytes, file->size, (size_t)settings->num_prompts, file->name, e);
}

/* The work, once the command line is understood. */
static enum status run(const struct settings *settings, const char *path, struct error *e)
{
    struct model_file *model = NULL;
    struct tokenizer *tokenizer = NULL;
    struct prompt_file file = {0};
    struct prompt_source source = {0};
    enum status status = model_file_open(&model, settings->model, e);
    if (status == STATUS_OK)
        status = tokenizer_open(&tokenizer, model, e);
    if (status == STATUS_OK)
        status = prompt_file_open(&file, path, e);
    if (status == STATUS_OK)
        status = open_prompts(&source, &file, settings, e);
    if (status == STATUS_OK) {
        log_release();
        if (tokenizer_note(tokenizer) != NULL)
            log_warning("%s", tokenizer_note(tokenizer));
        status = print_all(tokenizer, &source, settings, e);
    }
    prompts_close(&source);
    prompt_file_close(&file);
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
    return run(&settings, result.operand[0], e);
}
