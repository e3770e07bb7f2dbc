/* perplexity.c - `phi3sat perplexity`: how well a model foretells a text.
 *
 * The text is one stream of tokens, cut into chunks as llama.cpp's perplexity tool does, so that figures compare: that
 * tool's are everywhere. A row a chunk with the value so far; the last one is the estimate.
 */
#include "perplexity.h"

#include <math.h>

#include "../base/log.h"
#include "../model/perplexity.h"
#include "../report/figures.h"
#include "../text/prompt_file.h"
#include "generator.h"

#define LOGIT_ROWS 64 /* made at a time: few enough for memory, enough to share the head's decoding */

struct settings {
    const char *model, *prompts;
    uint64_t context, chunks, threads;
    int precision;
    bool json, csv;
};

#define AT(member) offsetof(struct settings, member)

static const struct options_row rows[] = {
    {.name = "model", .kind = OPTIONS_TEXT, .offset = AT(model), .argument = "FILE", .help = "model file, with its tokenizer"},
    {.name = "knot", .kind = OPTIONS_TEXT, .offset = AT(model), .argument = "FILE", .help = "the same"},
    {.name = "prompts", .kind = OPTIONS_TEXT, .offset = AT(prompts), .argument = "FILE",
     .help = "plain text, taken as a whole; - is standard input"},
    {.name = "context", .kind = OPTIONS_UINT, .offset = AT(context), .argument = "N", .min = PERPLEXITY_LEAST, .max = 1 << 24,
     .help = "tokens of a chunk, its second half is scored", .default_text = "512"},
    {.name = "chunks", .kind = OPTIONS_UINT, .offset = AT(chunks), .argument = "N", .min = 1, .max = 9007199254740992.0,
     .help = "only the first N chunks", .default_text = "all"},
    {.name = "threads", .kind = OPTIONS_UINT, .offset = AT(threads), .argument = "N", .min = 1, .max = 4096,
     .help = "threads", .default_text = "OMP_NUM_THREADS, else all cores"},
    {.name = "precision", .kind = OPTIONS_CHOICE, .offset = AT(precision), .argument = "NAME", .choices = generator_precisions,
     .help = "f32: exact weights, float32 arithmetic; int16, int8: faster, activations rounded to 16 or 8 bits",
     .default_text = "f32"},
    {.name = "json", .kind = OPTIONS_FLAG, .offset = AT(json), .help = "an array of objects instead of a table"},
    {.name = "csv", .kind = OPTIONS_FLAG, .offset = AT(csv), .help = "comma-separated values instead of a table"},
};

const struct options_table perplexity_options = {
    .command = "phi3sat perplexity",
    .usage = "--model FILE --prompts FILE [OPTION]...",
    .purpose = "Measure how well a model foretells a text: the perplexity of its tokens, in chunks as llama.cpp's perplexity tool\n"
               "takes them.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .ending = "The text is tokenised as a whole (control tokens written out in it are plain text; its last newline is dropped) and\n"
              "cut into chunks; what is left over is not used. Where the model asks for a BOS token, it stands in each chunk's\n"
              "first place. Only the second half of a chunk is scored. Each line has the value so far; the last one is the\n"
              "estimate. The standard error takes tokens as independent.\n\n"
              "Exit status: 0 done, 2 wrong usage, 3 bad input, 4 output could not be written, 5 the value is no number.",
};

static const struct figures_column columns[] = {
    {"chunk", "Chunk", FIGURES_COUNT, 6, 0},
    {"tokens", "Tokens", FIGURES_COUNT, 9, 0},
    {"perplexity", "Perplexity", FIGURES_REAL, 12, 4},
    {"standard_error", "Std. error", FIGURES_REAL, 10, 4},
};

/* The text's tokens, and how many chunks of them are to be measured. */
struct stream {
    struct token_list ids;
    size_t chunks;
};

static enum status read_stream(struct stream *stream, const struct generator *g, const struct settings *settings,
                               struct error *e)
{
    struct prompt_file file;
    struct tokenizer_counts counts = {0};
    enum status s = prompt_file_open(&file, settings->prompts, e);
    if (s != STATUS_OK)
        return s;
    const size_t size = file.size > 0 && file.bytes[file.size - 1] == '\n' ? file.size - 1 : file.size;
    const size_t context = (size_t)settings->context;
    s = tokenizer_encode(g->tokenizer, file.bytes, size, TOKENIZER_ADD_SPECIAL, &stream->ids, &counts, e);
    if (s == STATUS_OK && tokenizer_adds_eos(g->tokenizer) && stream->ids.count > 0)
        stream->ids.count--; /* nothing in the text says that it ends */
    stream->chunks = stream->ids.count / context;
    if (s == STATUS_OK && stream->chunks < 2) {
        error_set(e, STATUS_INPUT, "the text has %zu tokens, and two chunks of %zu need %zu", stream->ids.count, context,
                  2 * context);
        error_advice(e, "use a longer text or a smaller --context");
        s = error_file(e, file.name);
    }
    if (stream->chunks > settings->chunks)
        stream->chunks = (size_t)settings->chunks;
    if (counts.malformed > 0)
        log_warning("%llu malformed UTF-8 sequences in the text", (unsigned long long)counts.malformed);
    prompt_file_close(&file);
    return s;
}

static enum status show(struct figures *f, size_t chunk, const struct perplexity *p, struct error *e)
{
    const struct figures_cell cells[] = {
        {.count = chunk}, {.count = p->tokens}, {.real = perplexity_value(p)}, {.real = perplexity_error(p)}};
    return figures_row(f, cells, e);
}

/* All chunks, told one by one. */
static enum status measure(struct figures *f, struct perplexity *p, struct perplexity_run *run, const struct stream *stream,
                           struct error *e)
{
    enum status s = STATUS_OK;
    for (size_t i = 0; i < stream->chunks && s == STATUS_OK; i++) {
        s = perplexity_add(p, run, stream->ids.ids + i * run->context, e);
        if (s == STATUS_OK)
            s = show(f, i + 1, p, e);
    }
    if (s == STATUS_OK)
        figures_note(f, "\nFinal estimate: perplexity %.4f +/- %.5f over %zu tokens of %zu chunks", perplexity_value(p),
                     perplexity_error(p), p->tokens, stream->chunks);
    return s;
}

static enum status run_chunks(struct generator *g, const struct settings *settings, const struct stream *stream,
                              struct error *e)
{
    struct perplexity total = {0};
    struct figures f;
    struct decode *decode = NULL;
    const struct decode_options how = {.mode = (enum kernels_mode)settings->precision, .logit_rows = LOGIT_ROWS};
    struct perplexity_run run = {.kernels = g->kernels, .context = (size_t)settings->context,
                                 .vocabulary = g->config.vocabulary, .bos = -1};
    if (tokenizer_adds_bos(g->tokenizer))
        run.bos = tokenizer_bos(g->tokenizer);
    enum status s = generator_session(g, run.context, &how, &decode, e);
    run.decode = decode;
    if (s == STATUS_OK)
        s = perplexity_run_init(&run, e);
    if (s == STATUS_OK) {
        log_release();
        if (settings->csv)
            figures_open_csv(&f, NULL, columns, sizeof columns / sizeof *columns);
        else
            figures_open(&f, NULL, settings->json, columns, sizeof columns / sizeof *columns);
        s = measure(&f, &total, &run, stream, e);
        if (s == STATUS_OK)
            s = figures_finish(&f, e);
        else
            figures_stop(&f);
    }
    perplexity_run_free(&run);
    decode_close(decode);
    if (s == STATUS_INPUT && e && e->file[0] == '\0') /* a token that the embedding lacks */
        error_file(e, settings->model);
    if (s == STATUS_OK && !isfinite(perplexity_value(&total))) {
        error_set(e, STATUS_NONFINITE, "the perplexity is no number: a logit is NaN or infinite, or a token can't be");
        error_advice(e, "phi3sat profile names the layer and neuron where NaN arises");
        s = error_file(e, settings->model);
    }
    return s;
}

static enum status check(const struct settings *settings, struct error *e)
{
    if (settings->model == NULL) {
        error_set(e, STATUS_USAGE, "no model is given");
        return error_advice(e, "give one with --model FILE");
    }
    if (settings->prompts == NULL) {
        error_set(e, STATUS_USAGE, "no text is given");
        return error_advice(e, "give one with --prompts FILE");
    }
    if (settings->json && settings->csv) {
        error_set(e, STATUS_USAGE, "--json and --csv exclude each other");
        return error_advice(e, "choose one");
    }
    return STATUS_OK;
}

enum status perplexity_command(int argc, char **argv, struct error *e)
{
    struct settings settings = {.context = 512, .chunks = SIZE_MAX};
    struct options_result result;
    struct generator g = {0};
    struct stream stream = {0};
    enum status s = options_parse(&perplexity_options, argc, argv, &settings, &result, e);
    if (s != STATUS_OK)
        return s;
    if (result.help)
        return figures_help(&perplexity_options, e);
    s = check(&settings, e);
    if (s == STATUS_OK)
        s = generator_open(&g, settings.model, true, e);
    if (s == STATUS_OK && settings.context > g.config.context) {
        error_set(e, STATUS_USAGE, "--context %llu passes the model's context of %zu tokens",
                  (unsigned long long)settings.context, g.config.context);
        s = error_advice(e, "use a smaller one");
    }
    if (s == STATUS_OK)
        s = read_stream(&stream, &g, &settings, e);
    generator_threads(settings.threads);
    if (s == STATUS_OK)
        s = run_chunks(&g, &settings, &stream, e);
    token_list_free(&stream.ids);
    generator_close(&g);
    return s;
}
