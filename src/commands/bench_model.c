/* bench_model.c - `phi3sat bench model`: a whole model, prompt by prompt and token by token, with each form of the FFN.
 *
 * The layer's benchmark says what a form of the FFN gains there; this one says what is left of it in a token that also has
 * attention and a head. Half of the neurons are the first half, whatever they do: it is a model of that size, for its time.
 */
#include "bench_model.h"

#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/random.h"
#include "../base/threads.h"
#include "../bench/generation.h"
#include "../report/figures.h"
#include "bench_lines.h"
#include "bench_lists.h"
#include "bench_model_text.h"
#include "generator.h"

#define MOST_TOKENS (1 << 24)

/* The forms of the FFN. */
static const struct {
    const char *name, *title;
    bool separate, half;
} forms[] = {
    {"baseline", "Baseline", true, false},
    {"fused", "Fused gate+up", false, false},
    {"low-rank", "50% Low-rank", true, true},
    {"both", "Fused + 50% LR", false, true},
};

#define FORMS (sizeof forms / sizeof *forms)

struct settings {
    const char *model, *lengths, *ffn, *text;
    uint64_t threads, iterations, warmup, seed, max_tokens;
    double seconds;
    int precision;
    bool json, chat, no_bos;
};

#define AT(member) offsetof(struct settings, member)

static const struct options_row rows[] = {
    {.name = "model", .kind = OPTIONS_TEXT, .offset = AT(model), .argument = "FILE", .help = "model file"},
    {.name = "knot", .kind = OPTIONS_TEXT, .offset = AT(model), .argument = "FILE", .help = "the same"},
    {.name = "prompt-lengths", .kind = OPTIONS_TEXT, .offset = AT(lengths), .argument = "LIST",
     .help = "tokens of the prompts, at whose end steps are timed", .default_text = "16,128,512"},
    {.name = "ffn", .kind = OPTIONS_TEXT, .offset = AT(ffn), .argument = "LIST",
     .choices = (const char *const[]){"baseline", "fused", "low-rank", "both", NULL},
     .help = "forms of the FFN: baseline, fused, low-rank, both", .default_text = "all of them"},
    {.name = "threads", .kind = OPTIONS_UINT, .offset = AT(threads), .argument = "N", .min = 1, .max = 4096,
     .help = "threads", .default_text = "OMP_NUM_THREADS, else all cores"},
    {.name = "precision", .kind = OPTIONS_CHOICE, .offset = AT(precision), .argument = "NAME", .choices = generator_precisions,
     .help = "f32, int16, int8", .default_text = "f32"},
    {.name = "iterations", .kind = OPTIONS_UINT, .offset = AT(iterations), .argument = "N", .min = 0, .max = TIMING_MOST,
     .help = "samples of each; 0: as many as --seconds takes, at least 5", .default_text = "0"},
    {.name = "seconds", .kind = OPTIONS_DOUBLE, .offset = AT(seconds), .argument = "S", .min = 0, .max = 3600,
     .help = "time for each prompt length's prompts, and for its steps", .default_text = "2"},
    {.name = "warmup", .kind = OPTIONS_UINT, .offset = AT(warmup), .argument = "N", .min = 0, .max = 1000,
     .help = "runs before the clock counts", .default_text = "1"},
    {.name = "seed", .kind = OPTIONS_UINT, .offset = AT(seed), .argument = "S", .min = 0, .max = 9007199254740992.0,
     .help = "other prompts for each S", .default_text = "1"},
    {.name = "json", .kind = OPTIONS_FLAG, .offset = AT(json), .help = "an array of objects instead of a table"},
    {.name = "text", .kind = OPTIONS_TEXT, .offset = AT(text), .argument = "TEXT",
     .help = "time nothing: print what the model answers, the likeliest token each time"},
    {.name = "chat", .kind = OPTIONS_FLAG, .offset = AT(chat), .help = "with --text: put it into the model's chat format"},
    {.name = "no-bos", .kind = OPTIONS_FLAG, .offset = AT(no_bos), .help = "with --text: no BOS token in front"},
    {.name = "max-tokens", .kind = OPTIONS_UINT, .offset = AT(max_tokens), .argument = "N", .min = 1, .max = MOST_TOKENS,
     .help = "with --text: tokens of the answer at most", .default_text = "64"},
};

const struct options_table bench_model_options = {
    .command = "phi3sat bench model",
    .usage = "--model FILE [OPTION]...",
    .purpose = "Time a whole model: prompts of given lengths, single tokens behind them, and what share of a token its parts take;\n"
               "with each form of the FFN, so that one sees what is left of a layer's gain. Lists are separated by commas.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .ending = "Prompt: from nothing to the first token (Prompt/s: the prompt's tokens over that time). Token/s: steps of one token\n"
              "at that depth. Speedups are against the baseline, where it is timed. Shares are of a step's time; attention and\n"
              "FFN have their norms, head the final norm. Forms take turns. Given are medians; p10 and p90 enclose four of five.\n"
              "Steps read weights in a repacked form where their type has one (F32, F16, BF16, Q5_0, Q8_0, Q4_K, Q6_K in f32).\n"
              "  baseline   gate, up and down are three products\n"
              "  fused      gate and up in one pass, as profile does it: the same bits\n"
              "  low-rank   baseline with the first half of each layer's neurons, in whole blocks of the down projection: another\n"
              "             model, for its time\n"
              "  both       fused, with that half\n\n"
              "Under mpirun every rank measures at the same time; shown are medians, the least and the most.\n\n"
              "Exit status: 0 done, 1 failed, 2 wrong usage, 3 bad input, 4 output could not be written.\n\n"
              "Example: phi3sat bench model --model m.gguf --text 'The capital of France is'",
};

static const struct figures_column columns[] = {
    {"prompt_tokens", "Prompt", FIGURES_COUNT, 6, 0},
    {"ffn", "FFN", FIGURES_TEXT, 14, 0},
    {"prompt_tokens_per_second", "Prompt/s", FIGURES_REAL, 9, 1},
    {"prompt_tokens_per_second_p10", "p10", FIGURES_REAL, 9, 1},
    {"prompt_tokens_per_second_p90", "p90", FIGURES_REAL, 9, 1},
    {"prompt_speedup", "Speedup", FIGURES_REAL, 7, 2},
    {"first_token_milliseconds", "First ms", FIGURES_REAL, 9, 2},
    {"tokens_per_second", "Token/s", FIGURES_REAL, 8, 1},
    {"tokens_per_second_p10", "p10", FIGURES_REAL, 8, 1},
    {"tokens_per_second_p90", "p90", FIGURES_REAL, 8, 1},
    {"speedup", "Speedup", FIGURES_REAL, 7, 2},
    {"ffn_share", "FFN", FIGURES_SHARE, 6, 1},
    {"attention_share", "Att.", FIGURES_SHARE, 6, 1},
    {"head_share", "Head", FIGURES_SHARE, 6, 1},
    {"rest_share", "Rest", FIGURES_SHARE, 6, 1},
    {"prompt_samples", NULL, FIGURES_COUNT, 0, 0},
    {"samples", NULL, FIGURES_COUNT, 0, 0},
    {"neurons", NULL, FIGURES_COUNT, 0, 0},
    {"weight_bytes", NULL, FIGURES_COUNT, 0, 0},
    {"repacked_bytes", NULL, FIGURES_COUNT, 0, 0},
    {"threads", NULL, FIGURES_COUNT, 0, 0},
    {"precision", NULL, FIGURES_TEXT, 0, 0},
    {"kernels", NULL, FIGURES_TEXT, 0, 0},
};

/* What is timed. */
struct bench {
    const struct settings *settings;
    struct generator model;
    struct bench_lists_numbers lengths, wanted; /* wanted: rows of `forms`           */
    struct decode *session[2];                  /* whole, half; NULL: no form needs it    */
    struct generation_variant variant[FORMS];   /* [wanted.count]                      */
    struct timing_plan timing;
    int32_t *ids;                               /* [longest]                          */
    size_t longest;
};

static int find_form(const char *name)
{
    for (size_t i = 0; i < FORMS; i++)
        if (strcmp(forms[i].name, name) == 0)
            return (int)i;
    return -1;
}

static enum status read_lists(struct bench *b, struct error *e)
{
    const struct settings *s = b->settings;
    enum status status = bench_lists_read_numbers(&b->lengths, "prompt-lengths", s->lengths, MOST_TOKENS, e);
    if (status == STATUS_OK && s->ffn != NULL)
        status = bench_lists_read_names(&b->wanted, "ffn", s->ffn, find_form, "one of baseline, fused, low-rank, both", e);
    for (size_t i = 0; i < FORMS && s->ffn == NULL; i++)
        b->wanted.value[b->wanted.count++] = i;
    if (status == STATUS_OK && b->wanted.count > FORMS)
        status = error_set(e, STATUS_USAGE, "--ffn names a form twice");
    for (size_t i = 0; i < b->lengths.count; i++)
        b->longest = b->lengths.value[i] > b->longest ? b->lengths.value[i] : b->longest;
    if (status != STATUS_OK)
        error_advice(e, "see '%s --help'", bench_model_options.command);
    b->timing = timing_plan();
    b->timing.rounds = (size_t)s->iterations;
    b->timing.warmup = (size_t)s->warmup;
    b->timing.seconds = s->seconds;
    return status;
}

static enum status open_sessions(struct bench *b, struct error *e)
{
    enum status s = STATUS_OK;
    for (size_t i = 0; i < b->wanted.count && s == STATUS_OK; i++) {
        const bool half = forms[b->wanted.value[i]].half;
        const struct decode_options how = {.mode = (enum kernels_mode)b->settings->precision, .repack = true, .separate = true,
                                           .half = half, .like = half ? b->session[0] : NULL};
        if (b->session[half] == NULL)
            s = generator_session(&b->model, b->longest + 1, &how, &b->session[half], e);
        b->variant[i] = (struct generation_variant){b->session[half], forms[b->wanted.value[i]].separate};
    }
    return s;
}

/* Any ids: what they are does not change what they cost. */
static enum status make_prompt(struct bench *b, struct error *e)
{
    struct random_stream random = random_open(b->settings->seed, 0, 0, 0);
    const enum status s = memory_array(&b->ids, b->longest, sizeof *b->ids, "a prompt", e);
    for (size_t i = 0; i < b->longest && s == STATUS_OK; i++)
        b->ids[i] = (int32_t)random_below(&random, b->model.config.vocabulary);
    return s;
}

static double speedup(struct timing_spread base, struct timing_spread own)
{
    return base.count > 0 && own.median > 0 ? base.median / own.median : NAN;
}

/* One form's row; `base` has no samples where the baseline isn't timed. */
static enum status show(struct bench_lines *f, const struct bench *b, size_t i, size_t tokens, const struct generation_result *r,
                        const struct generation_result *base, struct error *e)
{
    const struct timing_spread prompt = timing_rate(r->first, (double)tokens), step = timing_rate(r->step, 1);
    const struct decode *d = b->variant[i].decode;
    const struct decode_bytes bytes = decode_bytes(d);
    const struct figures_cell cells[] = {
        {.count = tokens}, {.text = f->figures.json ? forms[b->wanted.value[i]].name : forms[b->wanted.value[i]].title},
        {.real = prompt.median}, {.real = prompt.low}, {.real = prompt.high}, {.real = speedup(base->first, r->first)},
        {.real = 1e3 * r->first.median}, {.real = step.median}, {.real = step.low}, {.real = step.high},
        {.real = speedup(base->step, r->step)}, {.real = r->ffn}, {.real = r->attention}, {.real = r->head},
        {.real = r->rest}, {.count = r->first.count}, {.count = r->step.count}, {.count = decode_neurons(d)},
        {.count = bytes.all}, {.count = bytes.repacked}, {.count = (uint64_t)threads_count()},
        {.text = generator_precisions[b->settings->precision]}, {.text = b->model.kernels->name}};
    _Static_assert(sizeof cells / sizeof *cells == sizeof columns / sizeof *columns, "a cell for each column");
    return bench_lines_row(f, cells, e);
}

static void head_line(struct bench_lines *f, const struct bench *b)
{
    const struct config *c = &b->model.config;
    const struct decode_bytes bytes = decode_bytes(b->variant[0].decode);
    bench_lines_note(f, "%s, %zu layers, hidden %zu, intermediate %zu, vocabulary %zu; %s, %d thread%s, %s kernels.", c->architecture,
                     c->layers, c->hidden, c->intermediate, c->vocabulary, generator_precisions[b->settings->precision],
                     threads_count(), threads_count() == 1 ? "" : "s", b->model.kernels->name);
    bench_lines_note(f, "A step of the first form reads %.1f MiB of weights, %.0f %% of them repacked.\n",
                     (double)bytes.all / (1 << 20), 100 * (double)bytes.repacked / (double)bytes.all);
}

static enum status time_length(struct bench_lines *f, struct bench *b, size_t tokens, struct error *e)
{
    struct generation_result results[FORMS], base = {.rest = 0};
    enum status s = generation_time(b->variant, b->wanted.count, b->ids, tokens, b->model.config.vocabulary, &b->timing, results, e);
    s = bench_lines_agree(f, s, e);
    for (size_t i = 0; i < b->wanted.count; i++)
        if (b->wanted.value[i] == 0 && s == STATUS_OK)
            base = results[i];
    for (size_t i = 0; i < b->wanted.count && s == STATUS_OK; i++) {
        if (f->rows == 0)
            head_line(f, b);
        s = show(f, b, i, tokens, &results[i], &base, e);
    }
    return s;
}

static enum status time_all(struct bench_lines *f, struct bench *b, struct error *e)
{
    enum status s = open_sessions(b, e);
    if (s == STATUS_OK)
        s = make_prompt(b, e);
    s = bench_lines_agree(f, s, e);
    for (size_t i = 0; i < b->lengths.count && s == STATUS_OK; i++)
        s = time_length(f, b, b->lengths.value[i], e);
    return bench_lines_finish(f, s, e);
}

/* What --text asks for, by the first form that is named, else as profile has it. */
static enum status answer(struct bench *b, struct error *e)
{
    const size_t form = b->settings->ffn != NULL ? b->wanted.value[0] : (size_t)find_form("fused");
    const struct bench_model_text wish = {
        .text = b->settings->text, .chat = b->settings->chat, .no_bos = b->settings->no_bos, .json = b->settings->json,
        .max_tokens = (size_t)b->settings->max_tokens, .mode = (enum kernels_mode)b->settings->precision,
        .separate = forms[form].separate, .half = forms[form].half};
    return bench_model_text_run(&b->model, &wish, e);
}

static enum status run(struct bench_lines *f, struct bench *b, struct error *e)
{
    enum status s = generator_open(&b->model, b->settings->model, b->settings->text != NULL, e);
    if (s == STATUS_OK && b->settings->text == NULL && b->longest + 1 > b->model.config.context) {
        error_set(e, STATUS_USAGE, "--prompt-lengths %zu and a token behind it pass the model's context of %zu tokens", b->longest,
                  b->model.config.context);
        s = error_advice(e, "use shorter prompts");
    }
    generator_threads(b->settings->threads);
    s = bench_lines_agree(f, s, e);
    if (s == STATUS_OK && b->settings->text == NULL)
        s = time_all(f, b, e);
    else if (s == STATUS_OK) /* all would say the same */
        s = bench_lines_agree(f, f->ranks.rank == 0 ? answer(b, e) : STATUS_OK, e);
    decode_close(b->session[1]); /* it uses the other's weights */
    decode_close(b->session[0]);
    memory_free(b->ids);
    generator_close(&b->model);
    return s;
}

enum status bench_model_command(int argc, char **argv, struct error *e)
{
    struct settings settings = {.lengths = "16,128,512", .warmup = 1, .seed = 1, .seconds = 2, .max_tokens = 64};
    struct options_result result = {.help = false};
    struct bench bench = {.settings = &settings};
    struct bench_lines lines;
    enum status s = options_parse(&bench_model_options, argc, argv, &settings, &result, e);
    if (s == STATUS_OK && !result.help && settings.model == NULL) {
        error_set(e, STATUS_USAGE, "no model is given");
        s = error_advice(e, "give one with --model FILE");
    }
    if (s == STATUS_OK && !result.help)
        s = read_lists(&bench, e);
    if (bench_lines_ended(&bench_model_options, result.help, &s, e))
        return s;
    s = bench_lines_open(&lines, argc, argv, settings.json, columns, sizeof columns / sizeof *columns, "tokens_per_second", e);
    return s == STATUS_OK ? run(&lines, &bench, e) : s;
}
