/* prompts.c - `phi3sat prompts`: the prompts that profile makes when it is given none.
 *
 * The same seed, model and number give the same texts there and here, so that people can read them,
 * change them, and run them with --prompts. The model file may be a vocabulary without tensors.
 */
#include "prompts.h"

#include "../base/log.h"
#include "../formats/model_file.h"
#include "../model/config.h"
#include "../report/prompt_lines.h"
#include "../report/token_lines.h"
#include "../text/prompt_maker.h"

struct settings {
    const char *model;
    uint64_t num_prompts, seed, context;
    bool json;
};

static const struct options_row rows[] = {
    {.name = "model", .kind = OPTIONS_TEXT, .offset = offsetof(struct settings, model), .argument = "FILE",
     .help = "model file, or a vocabulary without tensors"},
    {.name = "knot", .kind = OPTIONS_TEXT, .offset = offsetof(struct settings, model), .argument = "FILE",
     .help = "the same"},
    {.name = "num-prompts", .kind = OPTIONS_UINT, .offset = offsetof(struct settings, num_prompts), .argument = "N",
     .help = "how many", .default_text = "100", .min = 1, .max = 1e9},
    {.name = "seed", .kind = OPTIONS_UINT, .offset = offsetof(struct settings, seed), .argument = "S",
     .help = "other prompts for each seed", .default_text = "1", .min = 0, .max = 9007199254740992.0},
    {.name = "context", .kind = OPTIONS_UINT, .offset = offsetof(struct settings, context), .argument = "N",
     .help = "longest prompt in tokens, 512 at most", .default_text = "the model's", .min = 1, .max = 16777216},
    {.name = "json", .kind = OPTIONS_FLAG, .offset = offsetof(struct settings, json),
     .help = "JSON Lines: text, domain, and tokens with BOS"},
};

const struct options_table prompts_options = {
    .command = "phi3sat prompts",
    .usage = "--model FILE [OPTION]...",
    .purpose = "Print prompts of phi3sat's own making, one a line: factual, narrative and mathematical texts in\n"
               "English, each 10 to 512 tokens of the model. profile runs them when it is given no prompts.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .ending = "The same seed and tokenizer give the same prompts on every machine, and no two are alike.\n\n"
              "Example: phi3sat prompts --model m.gguf --num-prompts 20 --seed 7\n",
};

/* What the file says of its context; 512 for one that says nothing (a vocabulary alone). */
static size_t context_of(const struct model_file *model)
{
    struct config config;
    struct error ignored;
    return config_read(&config, model, &ignored) == STATUS_OK ? config.context : PROMPT_MAKER_LONGEST;
}

static enum status print_all(struct prompt_maker *maker, const struct settings *settings, struct error *e)
{
    enum status s = STATUS_OK;
    for (uint64_t i = 0; i < settings->num_prompts && s == STATUS_OK; i++) {
        struct prompt_maker_prompt p;
        s = prompt_maker_next(maker, &p, e);
        if (s == STATUS_OK && settings->json)
            s = prompt_lines_json(p.text, p.length, p.domain, p.tokens, e);
        else if (s == STATUS_OK)
            s = prompt_lines_text(p.text, p.length, e);
    }
    return s == STATUS_OK ? token_lines_finish(e) : s;
}

static enum status run(const struct settings *settings, struct error *e)
{
    struct model_file *model = NULL;
    struct tokenizer *tokenizer = NULL;
    struct prompt_maker *maker = NULL;
    enum status s = model_file_open(&model, settings->model, e);
    if (s == STATUS_OK)
        s = tokenizer_open(&tokenizer, model, e);
    if (s == STATUS_OK)
        s = prompt_maker_open(&maker, tokenizer, settings->context ? (size_t)settings->context : context_of(model),
                              settings->seed, e);
    if (s == STATUS_OK) {
        log_release();
        s = print_all(maker, settings, e);
    }
    prompt_maker_close(maker);
    tokenizer_close(tokenizer);
    model_file_close(model);
    return s;
}

enum status prompts_command(int argc, char **argv, struct error *e)
{
    struct settings settings = {.num_prompts = PROMPT_MAKER_COUNT, .seed = PROMPT_MAKER_SEED};
    struct options_result result;
    const enum status status = options_parse(&prompts_options, argc, argv, &settings, &result, e);
    if (status != STATUS_OK)
        return status;
    if (result.help)
        return token_lines_help(&prompts_options, e);
    if (settings.model == NULL) {
        error_set(e, STATUS_USAGE, "no model is given");
        return error_advice(e, "give one with --model FILE");
    }
    return run(&settings, e);
}
