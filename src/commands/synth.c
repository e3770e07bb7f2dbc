/* synth.c - `phi3sat synth`: writes a model whose neurons are known.
 *
 * For tests of the profiler, of tools and of clusters without a download: a valid GGUF of a few architectures with random
 * weights, a vocabulary of its own, and neurons planted to be frozen, dead, rarely active, copies or super, each of
 * them listed in a manifest. The file is written front to back, a few rows at a time: memory is some tens of
 * megabytes whatever the model's size. Threads make and encode rows; what they make doesn't depend on their number.
 */
#include "synth.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../base/threads.h"
#include "../quants/encode.h"
#include "../report/token_lines.h"
#include "synth_rows.h"

#define CHUNK_WEIGHTS (4u << 20) /* made and encoded between two writes */

struct settings {
    const char *output, *manifest, *type;
    int arch;
    uint64_t layers, hidden, intermediate, heads, kv_heads, head_dim, vocab, context, seed, threads;
    uint64_t plant[SYNTH_CLASSES];
    bool tied, quiet;
};

#define AT(member) offsetof(struct settings, member)
#define SIZE_ROW(NAME, MEMBER, MIN, MAX, DEFAULT, HELP)                                                              \
    {.name = NAME, .kind = OPTIONS_UINT, .offset = AT(MEMBER), .argument = "N", .min = (MIN), .max = (MAX),          \
     .default_text = (DEFAULT), .help = (HELP)}
#define PLANT_ROW(NAME, CLASS, HELP) SIZE_ROW(NAME, plant[CLASS], 0, 1048576, "0", HELP)

static const struct options_row rows[] = {
    {.name = "Output", .kind = OPTIONS_HEADING},
    {.name = "output", .kind = OPTIONS_TEXT, .offset = AT(output), .argument = "FILE", .letter = 'o',
     .help = "the model file (GGUF)"},
    {.name = "manifest", .kind = OPTIONS_TEXT, .offset = AT(manifest), .argument = "FILE",
     .help = "list the planted neurons there (JSON)"},
    {.name = "quiet", .kind = OPTIONS_FLAG, .offset = AT(quiet), .help = "print errors only"},
    {.name = "threads", .kind = OPTIONS_UINT, .offset = AT(threads), .argument = "N", .min = 1, .max = 4096,
     .help = "threads that make and encode rows", .default_text = "OMP_NUM_THREADS, else the cores"},
    {.name = "Shape", .kind = OPTIONS_HEADING},
    {.name = "arch", .kind = OPTIONS_CHOICE, .offset = AT(arch), .argument = "NAME", .choices = synth_shape_archs,
     .help = "phi3, llama, qwen2 or qwen3", .default_text = "phi3"},
    SIZE_ROW("layers", layers, 1, 1024, "4", "layers"),
    SIZE_ROW("hidden", hidden, 16, 65536, "256", "width of the hidden state"),
    SIZE_ROW("intermediate", intermediate, 16, 1048576, "768", "neurons of a layer's FFN"),
    SIZE_ROW("heads", heads, 1, 4096, "4", "attention heads"),
    SIZE_ROW("kv-heads", kv_heads, 1, 4096, "heads", "heads of keys and values"),
    SIZE_ROW("head-dim", head_dim, 2, 65536, "hidden / heads", "channels of a head"),
    SIZE_ROW("vocab", vocab, SYNTH_VOCABULARY_LEAST, 1048576, "2048", "tokens of the vocabulary"),
    SIZE_ROW("context", context, 1, 16777216, "4096", "longest prompt in tokens"),
    {.name = "tied", .kind = OPTIONS_FLAG, .offset = AT(tied), .help = "no output.weight: the embedding serves"},
    {.name = "type", .kind = OPTIONS_TEXT, .offset = AT(type), .argument = "TYPE",
     .choices = (const char *const[]){"F32", "F16", "BF16", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q8_0",
                                      "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "q4_k_m", "q5_k_m", NULL},
     .help = "F32, F16, BF16, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q2_K to Q6_K, or a mix: q4_k_m, q5_k_m",
     .default_text = "q4_k_m"},
    {.name = "seed", .kind = OPTIONS_UINT, .offset = AT(seed), .argument = "N", .max = 18446744073709551615.0,
     .help = "another number is another model", .default_text = "1"},
    {.name = "Planted neurons, in each layer", .kind = OPTIONS_HEADING},
    PLANT_ROW("plant-frozen", SYNTH_FROZEN, "nearly constant, not 0"),
    PLANT_ROW("plant-dead", SYNTH_DEAD, "0 whatever comes in"),
    PLANT_ROW("plant-low", SYNTH_LOW, "active at ends of sentences only"),
    PLANT_ROW("plant-duplicate", SYNTH_DUPLICATE, "equal to another neuron"),
    PLANT_ROW("plant-noisy-duplicate", SYNTH_NOISY_DUPLICATE, "equal to another one but for some noise"),
    PLANT_ROW("plant-super", SYNTH_SUPER, "huge on the first token (BOS), quiet on all others"),
};

const struct options_table synth_options = {
    .command = "phi3sat synth",
    .usage = "-o FILE [OPTION]...",
    .purpose = "Write a model file with random weights, a vocabulary of its own, and neurons planted to be found.",
    .rows = rows,
    .count = sizeof rows / sizeof *rows,
    .ending = "A row that is no whole number of a type's blocks gets the type that llama.cpp gives it (Q4_K:\n"
              "Q5_0, ...).\n\n"
              "Example: phi3sat synth -o m.gguf --plant-dead 20 --plant-frozen 20 --manifest m.json",
};

/* A model under way. */
struct job {
    struct synth_shape shape;
    struct synth_plants plants;
    struct synth_vocabulary vocabulary;
    struct synth_rows source;
    struct gguf_writer *writer;
    const struct synth_tensor *tensor;
    encode_function *encode;
    size_t first;       /* row of the tensor that the chunk begins with                */
    size_t row_bytes;
    float *floats;      /* [threads, widest row]                                       */
    size_t widest;
    uint8_t *encoded;   /* [rows of a chunk, row_bytes]                                */
    uint64_t written;   /* bytes                                                       */
    double started;
    bool quiet;
};

static enum status usage(struct error *e)
{
    error_advice(e, "see 'phi3sat synth --help'");
    return STATUS_USAGE;
}

/* The work of a thread: one row. */
static void make_row(void *context, size_t i, int thread)
{
    const struct job *job = context;
    const struct synth_tensor *t = job->tensor;
    float *row = job->floats + (size_t)thread * job->widest;
    synth_rows_make(&job->source, t, job->first + i, row);
    job->encode(row, t->columns / t->format->block_elements, job->encoded + i * job->row_bytes);
}

static enum status write_tensor(struct job *job, const struct synth_tensor *t, struct error *e)
{
    uint64_t total = gguf_writer_size(job->writer);
    size_t chunk = CHUNK_WEIGHTS / t->columns ? CHUNK_WEIGHTS / t->columns : 1;
    job->tensor = t;
    job->encode = encode_find(t->format);
    job->row_bytes = t->columns / t->format->block_elements * t->format->block_bytes;
    enum status s = STATUS_OK;
    for (job->first = 0; job->first < t->rows && s == STATUS_OK; job->first += chunk) {
        size_t count = t->rows - job->first < chunk ? t->rows - job->first : chunk;
        threads_run(count, make_row, job);
        s = gguf_writer_data(job->writer, job->encoded, count * job->row_bytes, e);
        job->written += count * job->row_bytes;
        double seconds = clock_seconds() - job->started, left = (double)(total - job->written) / (double)job->written;
        if (!job->quiet && s == STATUS_OK)
            log_progress_line(false, "%s: %.0f of %.0f MB, %.0f s left", t->name, 1e-6 * (double)job->written,
                              1e-6 * (double)total, seconds * left);
    }
    return s;
}

static enum status make_buffers(struct job *job, struct error *e)
{
    size_t wide = synth_shape_widest(&job->shape);
    size_t weights = CHUNK_WEIGHTS > wide ? CHUNK_WEIGHTS : wide;
    job->widest = wide;
    enum status s = memory_uninitialised(&job->floats, (size_t)threads_count() * wide, sizeof *job->floats, "rows", e);
    if (s == STATUS_OK)
        s = memory_uninitialised(&job->encoded, weights, sizeof(float), "encoded rows", e);
    return s;
}

static enum status write_model(struct job *job, const char *path, struct error *e)
{
    size_t tensors = synth_shape_tensors(&job->shape);
    struct synth_tensor t;
    enum status s = gguf_writer_open(&job->writer, path, e);
    if (s != STATUS_OK)
        return s;
    synth_shape_write(&job->shape, job->writer);
    synth_vocabulary_write(&job->vocabulary, job->writer);
    for (size_t i = 0; i < tensors; i++) {
        synth_shape_tensor(&job->shape, i, &t);
        gguf_writer_tensor(job->writer, t.name, t.columns, t.vector ? 0 : t.rows, t.format);
    }
    s = gguf_writer_start(job->writer, e);
    for (size_t i = 0; i < tensors && s == STATUS_OK; i++) {
        synth_shape_tensor(&job->shape, i, &t);
        s = write_tensor(job, &t, e);
    }
    if (s == STATUS_OK)
        return gguf_writer_commit(job->writer, e);
    gguf_writer_abandon(job->writer);
    return s;
}

/* The manifest is begun before the model, so that a name which can't be written costs no hours,
 * and takes its place after it. */
static enum status write_files(struct job *job, const struct settings *o, struct error *e)
{
    struct outfile manifest = {0};
    enum status s = STATUS_OK;
    if (o->manifest)
        s = outfile_open(&manifest, o->manifest, e);
    if (s == STATUS_OK && o->manifest)
        synth_plants_write(&job->plants, &job->shape, o->seed, o->output, &manifest);
    if (s == STATUS_OK)
        s = write_model(job, o->output, e);
    if (s == STATUS_OK && o->manifest)
        return outfile_commit(&manifest, e);
    outfile_abandon(&manifest);
    return s;
}

static enum status run(const struct settings *o, struct job *job, struct error *e)
{
    size_t counts[SYNTH_CLASSES];
    for (int c = 0; c < SYNTH_CLASSES; c++)
        counts[c] = (size_t)o->plant[c];
    enum status s = synth_plants_init(&job->plants, &job->shape, o->seed, counts, e);
    if (s == STATUS_OK)
        s = synth_vocabulary_init(&job->vocabulary, job->shape.vocabulary, e);
    if (s == STATUS_OK)
        s = make_buffers(job, e);
    if (s == STATUS_OK) {
        job->source = (struct synth_rows){&job->shape, &job->plants, &job->vocabulary, o->seed};
        log_release();
        s = write_files(job, o, e);
    }
    if (s == STATUS_OK)
        log_line("%s: %.1f MB in %.1f s", o->output, 1e-6 * (double)job->written, clock_seconds() - job->started);
    return s;
}

static enum status check(const struct settings *o, struct job *job, struct error *e)
{
    if (!o->output) {
        error_set(e, STATUS_USAGE, "no output: give -o FILE");
        return usage(e);
    }
    if (o->manifest && strcmp(o->manifest, o->output) == 0) {
        error_set(e, STATUS_USAGE, "--output and --manifest name the same file '%s'", o->output);
        return usage(e);
    }
    if (!synth_shape_mix(o->type, &job->shape.mix)) {
        error_set(e, STATUS_USAGE, "--type '%s' is unknown", o->type);
        return usage(e);
    }
    return synth_shape_check(&job->shape, e);
}

static void choose_threads(const struct settings *o)
{
    const char *variable = getenv("OMP_NUM_THREADS");
    long asked = variable ? strtol(variable, NULL, 10) : 0;
    int wanted = asked > 0 && asked <= 4096 ? (int)asked : threads_available();
    threads_set(o->threads ? (int)o->threads : wanted);
}

enum status synth_command(int argc, char **argv, struct error *e)
{
    struct settings o = {.layers = 4, .hidden = 256, .intermediate = 768, .heads = 4, .vocab = 2048, .context = 4096,
                         .seed = 1, .type = "q4_k_m"};
    struct job job = {.started = clock_seconds()};
    struct options_result result;
    enum status s = options_parse(&synth_options, argc, argv, &o, &result, e);
    if (s != STATUS_OK)
        return s;
    if (result.help)
        return token_lines_help(&synth_options, e);
    job.quiet = o.quiet;
    job.shape = (struct synth_shape){
        .arch = (enum synth_arch)o.arch, .layers = (size_t)o.layers, .hidden = (size_t)o.hidden,
        .intermediate = (size_t)o.intermediate, .heads = (size_t)o.heads,
        .kv_heads = (size_t)(o.kv_heads ? o.kv_heads : o.heads), .head_dim = (size_t)o.head_dim, .vocabulary = (size_t)o.vocab,
        .context = (size_t)o.context, .tied = o.tied};
    log_open(true, o.quiet ? LOG_QUIET : LOG_NORMAL, LOG_PROGRESS_AUTO);
    choose_threads(&o);
    s = check(&o, &job, e);
    if (s == STATUS_OK)
        s = run(&o, &job, e);
    synth_plants_free(&job.plants);
    synth_vocabulary_free(&job.vocabulary);
    memory_free(job.floats);
    memory_free(job.encoded);
    return s;
}
