/* compare.c - see compare.h.
 *
 * The first archive is A, each further one a B of its own. Two layers are in memory at a time. All is read before
 * anything is written, so that a damaged archive leaves no half of an answer.
 */
#include "compare.h"

#include <string.h>

#include "../archive/archive_match.h"
#include "../archive/archive_reader.h"
#include "../base/log.h"
#include "../base/memory.h"
#include "../cluster/ranks.h"
#include "../report/compare_page.h"
#include "../report/token_lines.h"
#include "criteria_options.h"
#include "profile_outputs.h"

struct settings {
    const char *output, *html;
    double level;
    bool quiet;
    struct criteria_choice choice;
};

#define AT(member) offsetof(struct settings, member)

static const struct options_row own_rows[] = {
    {.name = "output", .kind = OPTIONS_TEXT, .offset = AT(output), .argument = "FILE",
     .help = "CSV of all layers as well", .letter = 'o'},
    {.name = "html", .kind = OPTIONS_TEXT, .offset = AT(html), .argument = "FILE",
     .help = "a page for people as well: verdict, plots, tables"},
    {.name = "level", .kind = OPTIONS_DOUBLE, .offset = AT(level), .argument = "P", .min = 1e-12, .max = 0.5,
     .help = "how often sampling alone may be called a difference", .default_text = "0.05"},
    {.name = "quiet", .kind = OPTIONS_FLAG, .offset = AT(quiet), .help = "print errors and the comparison only"},
};

#define OWN_COUNT (sizeof own_rows / sizeof *own_rows)

const struct options_table *compare_options_table(void)
{
    static struct options_row rows[OWN_COUNT + CRITERIA_OPTIONS_COUNT];
    static const struct options_table table = {
        .command = "phi3sat compare",
        .usage = "[OPTION]... A B...",
        .purpose = "Compares archives with the first: what changes by layer, which neurons change class, how far the\n"
                   "saturated sets agree, and whether the difference exceeds what other prompts would make.",
        .rows = rows,
        .count = OWN_COUNT + CRITERIA_OPTIONS_COUNT,
        .operands_min = 2,
        .operands_max = SIZE_MAX,
        .ending = "Thresholds given here judge all archives; else each is judged by its own.\n\n"
                  "Exit status: 0 done, 2 wrong usage, 3 an archive can't be read or has another shape,\n"
                  "4 output could not be written.\n\n"
                  "Example: phi3sat compare f32.h5 q4_k.h5 --output change.csv"};
    memcpy(rows, own_rows, sizeof own_rows);
    criteria_options_rows(rows + OWN_COUNT, AT(choice), "the archive's");
    return &table;
}

/* An archive, open. */
struct side {
    const char *path;
    struct archive_reader *reader;
    const struct archive_facts *facts;
    struct criteria criteria;       /* that it is judged by                           */
    struct contrast_sample sample;  /* what its standard errors are worth             */
    struct metrics metrics;         /* of one layer                                   */
    struct summary_row *rows;       /* [layers]                                       */
};

/* Side 0 with side i, i >= 1; also one that is read. */
struct pair {
    struct contrast *contrast;      /* [layers]                                       */
    struct contrast total;
    uint64_t shared_prompts;
    char difference[ARCHIVE_MATCH_WORDS]; /* "" none                                  */
};

struct comparison {
    const struct settings *settings;
    struct side *side;              /* [count]                                        */
    struct pair *pair;              /* [count]; pair[0] is not used                   */
    size_t count, layers;
};

static enum status open_side(struct comparison *c, size_t i, const char *path, const struct options_result *given,
                             struct error *e)
{
    struct side *side = &c->side[i];
    struct criteria_choice choice = c->settings->choice;
    side->path = path;
    enum status s = archive_reader_open(&side->reader, path, e);
    if (s != STATUS_OK)
        return s;
    side->facts = archive_reader_facts(side->reader);
    s = criteria_options_inherit(&choice, compare_options_table(), given, &side->facts->criteria, path, e);
    if (s != STATUS_OK)
        return s;
    side->criteria = choice.criteria;
    const struct archive_facts *first = c->side[0].facts;
    if (side->facts->layers != first->layers || side->facts->intermediate_size != first->intermediate_size) {
        error_set(e, STATUS_INPUT, "has %llu layers of %llu neurons, but '%s' %llu of %llu: they can't be compared",
                  (unsigned long long)side->facts->layers, (unsigned long long)side->facts->intermediate_size,
                  c->side[0].path, (unsigned long long)first->layers, (unsigned long long)first->intermediate_size);
        error_advice(e, "compare archives of models of one shape");
        return error_file(e, path);
    }
    s = metrics_init(&side->metrics, (size_t)first->intermediate_size, e);
    return s == STATUS_OK ? memory_array(&side->rows, (size_t)first->layers, sizeof *side->rows, "the summary", e) : s;
}

static enum status open_all(struct comparison *c, const struct options_result *given, struct error *e)
{
    enum status s = memory_array(&c->side, given->operands, sizeof *c->side, "archives", e);
    if (s == STATUS_OK)
        s = memory_array(&c->pair, given->operands, sizeof *c->pair, "archives", e);
    for (size_t i = 0; i < given->operands && s == STATUS_OK; i++) {
        c->count = i + 1;
        s = open_side(c, i, given->operand[i], given, e);
        if (s == STATUS_OK && i > 0)
            s = memory_array(&c->pair[i].contrast, (size_t)c->side[0].facts->layers, sizeof *c->pair[i].contrast,
                             "a comparison", e);
    }
    if (s == STATUS_OK)
        c->layers = (size_t)c->side[0].facts->layers;
    return s;
}

static void close_all(struct comparison *c)
{
    for (size_t i = 0; i < c->count; i++) {
        archive_reader_close(c->side[i].reader);
        metrics_free(&c->side[i].metrics);
        memory_free(c->side[i].rows);
        memory_free(c->pair[i].contrast);
    }
    memory_free(c->side);
    memory_free(c->pair);
}

static enum status read_layer(struct side *side, size_t layer, struct error *e)
{
    enum status s = archive_reader_metrics(side->reader, layer, &side->metrics, e);
    if (s == STATUS_OK)
        s = criteria_apply(&side->criteria, &side->metrics, e);
    if (s == STATUS_OK)
        summary_of_layer(&side->rows[layer], &side->metrics);
    return s;
}

static struct contrast_sample sample_of(const struct prompt_set *set)
{
    struct contrast_lengths lengths = {.prompts = 0.0};
    for (size_t i = 0; i < set->count; i++)
        contrast_lengths_add(&lengths, set->entry[i].tokens, set->entry[i].multiplicity);
    return contrast_sample(&lengths);
}

/* Both sets are sorted by hash. */
static uint64_t count_shared(const struct prompt_set *a, const struct prompt_set *b)
{
    uint64_t shared = 0;
    for (size_t i = 0; i < a->count; i++) {
        uint64_t other = prompt_set_find(b, a->entry[i].hash);
        shared += other < a->entry[i].multiplicity ? other : a->entry[i].multiplicity;
    }
    return shared;
}

/* What the sets of prompts tell: how much errors are worth, and which prompts two archives share. */
static enum status share_prompts(struct comparison *c, struct error *e)
{
    struct prompt_set first = {.entry = NULL}, other = {.entry = NULL};
    enum status s = archive_reader_prompts(c->side[0].reader, &first, e);
    if (s == STATUS_OK)
        c->side[0].sample = sample_of(&first);
    for (size_t i = 1; i < c->count && s == STATUS_OK; i++) {
        s = archive_reader_prompts(c->side[i].reader, &other, e);
        if (s != STATUS_OK)
            break;
        c->side[i].sample = sample_of(&other);
        c->pair[i].shared_prompts = count_shared(&first, &other);
    }
    prompt_set_free(&first);
    prompt_set_free(&other);
    return s;
}

static enum status read_all(struct comparison *c, struct error *e)
{
    enum status s = share_prompts(c, e);
    for (size_t layer = 0; layer < c->layers && s == STATUS_OK; layer++)
        for (size_t i = 0; i < c->count && s == STATUS_OK; i++) {
            const struct contrast_sample sample[2] = {c->side[0].sample, c->side[i].sample};
            s = read_layer(&c->side[i], layer, e);
            if (s == STATUS_OK && i > 0)
                s = contrast_layer(&c->pair[i].contrast[layer], &c->side[0].metrics, &c->side[i].metrics, sample, e);
            if (s == STATUS_OK && i > 0)
                contrast_add(&c->pair[i].total, &c->pair[i].contrast[layer]);
        }
    for (size_t i = 1; i < c->count && s == STATUS_OK; i++)
        if (archive_match(c->side[i].facts, c->side[0].facts, c->pair[i].difference))
            *c->pair[i].difference = '\0';
    return s;
}

static struct compare_text text_of(const struct comparison *c, size_t i)
{
    struct compare_text t = {.layers = c->layers, .contrast = c->pair[i].contrast, .total = c->pair[i].total,
                             .shared_prompts = c->pair[i].shared_prompts, .level = c->settings->level,
                             .difference = *c->pair[i].difference ? c->pair[i].difference : NULL};
    const size_t at[2] = {0, i};
    for (int k = 0; k < 2; k++) {
        const struct side *side = &c->side[at[k]];
        t.side[k] = (struct compare_side){side->path, side->facts, archive_reader_run_value(side->reader, "partial"),
                                          side->rows};
    }
    return t;
}

static enum status write_table(const struct comparison *c, struct error *e)
{
    struct outfile out;
    enum status s = outfile_open(&out, c->settings->output, e);
    if (s != STATUS_OK)
        return s;
    compare_text_csv_header(&out);
    for (size_t i = 1; i < c->count; i++) {
        struct compare_text t = text_of(c, i);
        compare_text_csv(&out, &t, i);
    }
    return outfile_commit(&out, e);
}

static enum status write_page(const struct comparison *c, struct error *e)
{
    struct outfile out;
    enum status s = outfile_open(&out, c->settings->html, e);
    if (s != STATUS_OK)
        return s;
    compare_page_begin(&out, c->side[0].path);
    for (size_t i = 1; i < c->count; i++) {
        struct compare_text t = text_of(c, i);
        compare_page_pair(&out, &t, i);
    }
    compare_page_end(&out);
    return outfile_commit(&out, e);
}

static enum status compare(struct comparison *c, const struct options_result *given, struct error *e)
{
    const char *output = c->settings->output, *html = c->settings->html;
    enum status s = profile_outputs_check_table(output, given->operand, given->operands, e);
    if (s == STATUS_OK)
        s = profile_outputs_check_table(html, given->operand, given->operands, e);
    if (s == STATUS_OK && output && html)
        s = profile_outputs_twins(output, html, "--output and --html", e);
    if (s == STATUS_OK)
        s = open_all(c, given, e);
    if (s == STATUS_OK)
        s = read_all(c, e);
    if (s == STATUS_OK && output)
        s = write_table(c, e);
    if (s == STATUS_OK && html)
        s = write_page(c, e);
    for (size_t i = 1; i < c->count && s == STATUS_OK; i++) {
        struct compare_text t = text_of(c, i);
        s = compare_text_print(NULL, &t, i > 1, e);
    }
    log_release();
    if (s == STATUS_OK && output)
        log_line("written: %s", output);
    if (s == STATUS_OK && html)
        log_line("written: %s", html);
    return s;
}

enum status compare_command(int argc, char **argv, struct error *e)
{
    struct settings o = {.level = CONTRAST_LEVEL};
    struct options_result given;
    if (!ranks_speaks())
        return STATUS_OK;
    enum status s = options_parse(compare_options_table(), argc, argv, &o, &given, e);
    if (s != STATUS_OK)
        return s;
    if (given.help)
        return token_lines_help(compare_options_table(), e);
    log_open(true, o.quiet ? LOG_QUIET : LOG_NORMAL, LOG_PROGRESS_AUTO);
    struct comparison c = {.settings = &o};
    s = compare(&c, &given, e);
    close_all(&c);
    return s;
}
