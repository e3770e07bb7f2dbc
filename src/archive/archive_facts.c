/* archive_facts.c - the tables of an archive's attributes; see archive_facts.h.
 *
 * A new fact is a field of the struct and a row here: writer, reader, comparison
 * and docs/archive.md's test follow the table. Rows of archive_facts_table must be
 * the same for one model, set of prompts and options on any machine; what may differ
 * belongs to archive_facts_run_table.
 */
#include "archive_facts.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROW(type, kind, field, meaning) \
    {#field, ARCHIVE_FACTS_##kind, offsetof(struct type, field), sizeof((struct type *)0)->field, meaning}
#define FACT(kind, field, meaning) ROW(archive_facts, kind, field, meaning)
#define RUN(kind, field, meaning) ROW(archive_run, kind, field, meaning)

const struct archive_facts_row archive_facts_table[] = {
    FACT(HASH, model_fingerprint, "hash of the model's decoded weights, whatever file held them"),
    FACT(HASH, globals_fingerprint, "... of those outside the layers"),
    FACT(TEXT, architecture, "architecture"),
    FACT(COUNT, layers, "layers"),
    FACT(COUNT, hidden_size, "width of the residual stream"),
    FACT(COUNT, intermediate_size, "neurons a layer"),
    FACT(COUNT, heads, "attention heads"),
    FACT(COUNT, kv_heads, "heads of keys and values"),
    FACT(COUNT, head_dimension, "width of a head"),
    FACT(COUNT, rotary_dimension, "rotated part of it"),
    FACT(COUNT, vocabulary, "tokens of the vocabulary"),
    FACT(COUNT, context, "context of the model, in tokens"),
    FACT(REAL, rms_epsilon, "epsilon of the RMS norms"),
    FACT(REAL, rope_base, "base of the rotary embedding"),
    FACT(COUNT, context_used, "longest prompt allowed, in tokens"),
    FACT(COUNT, window, "sliding window, in tokens; 0: none"),
    FACT(TEXT, rotary, "rotary scaling used"),
    FACT(TEXT, precision, "arithmetic of the forward pass"),
    FACT(HASH, prompts_fingerprint, "hash of the multiset of prompts"),
    FACT(COUNT, prompts, "prompts run, repetitions counted"),
    FACT(COUNT, tokens, "positions run, skipped ones included"),
    FACT(COUNT, prompts_cut, "prompts cut to the context"),
    FACT(COUNT, prompts_repeated, "prompts beyond the first of their hash"),
    FACT(COUNT, skip_first, "positions of each prompt left out of the statistics"),
    {NULL, ARCHIVE_FACTS_TEXT, 0, 0, NULL},
};

const struct archive_facts_row archive_facts_run_table[] = {
    RUN(POINTER, program_version, "version of phi3sat"),
    RUN(POINTER, build, "its build"),
    RUN(POINTER, started, "UTC"),
    RUN(POINTER, finished, "UTC"),
    RUN(POINTER, command_line, "command line"),
    RUN(POINTER, model_file, "model file"),
    RUN(POINTER, model_kind, "kind of the model file"),
    RUN(POINTER, weight_types, "types of the weights and the number of tensors of each"),
    RUN(POINTER, prompts_source, "where the prompts came from"),
    RUN(POINTER, prompts_form, "what they were read as"),
    RUN(POINTER, chat_format, "chat format they were put into"),
    RUN(POINTER, hosts, "hosts"),
    RUN(POINTER, grid, "prompt groups x layer stages"),
    RUN(POINTER, stage_layers, "the layers of each stage"),
    RUN(POINTER, kernels, "instruction set of the kernels"),
    RUN(POINTER, partial, "how much of a run that goes on this archive has; of a whole one there is no such attribute"),
    RUN(POINTER, resumed_from, "checkpoint that the run went on from"),
    RUN(POINTER, merged_from, "archives merged; the other facts here are then theirs together"),
    RUN(COUNT, own_memory, "bytes of memory of its own, of the rank with the most"),
    RUN(COUNT, mapped_memory, "bytes of files that a rank had mapped in, the model's above all, likewise"),
    RUN(COUNT, ranks, "ranks"),
    RUN(COUNT, threads, "threads a rank"),
    RUN(COUNT, batch_tokens, "tokens that go through a layer together at most"),
    RUN(COUNT, blank_lines, "blank lines of the source, skipped"),
    RUN(COUNT, empty_prompts, "prompts without tokens, skipped"),
    RUN(COUNT, overlong_skipped, "prompts too long for the context, skipped"),
    RUN(COUNT, malformed_prompts, "prompts with malformed UTF-8"),
    RUN(COUNT, broken_records, "records that are no JSON, skipped"),
    RUN(COUNT, unusable_records, "records without a field that phi3sat knows, skipped"),
    RUN(COUNT, nul_prompts, "prompts with NUL bytes"),
    RUN(COUNT, unknown_bytes, "bytes without a token in the vocabulary"),
    RUN(COUNT, double_bos_prompts, "prompts that begin with BOS themselves, one kept"),
    RUN(COUNT, carriage_returns, "carriage returns at line ends, dropped"),
    RUN(COUNT, byte_order_marks, "byte order marks, dropped"),
    RUN(COUNT, garbage_bytes, "bytes behind compressed data, not used"),
    RUN(COUNT, ignored_entries, "entries of the folder that are hidden or no files, not read"),
    RUN(COUNT, latin1_sources, "sources that look like Latin-1, not UTF-8; run as they are"),
    RUN(REAL, seconds, "seconds"),
    RUN(REAL, tokens_per_second, "tokens a second"),
    {NULL, ARCHIVE_FACTS_TEXT, 0, 0, NULL},
};

const struct archive_facts_row archive_facts_checkpoint_table[] = {
    ROW(archive_checkpoint, HASH, planned_fingerprint, "hash of the multiset of all prompts of the run"),
    ROW(archive_checkpoint, COUNT, planned_prompts, "all prompts of the run"),
    ROW(archive_checkpoint, COUNT, nonfinite_layer, "layer of the first value left out"),
    ROW(archive_checkpoint, COUNT, nonfinite_prompt, "its prompt, from 0"),
    ROW(archive_checkpoint, COUNT, nonfinite_position, "its token"),
    ROW(archive_checkpoint, COUNT, nonfinite_series, "its series"),
    ROW(archive_checkpoint, COUNT, nonfinite_neuron, "its neuron"),
    ROW(archive_checkpoint, COUNT, nonfinite_seen, "0: there was none"),
    {NULL, ARCHIVE_FACTS_TEXT, 0, 0, NULL},
};

void archive_facts_hash_text(const uint64_t hash[2], char text[ARCHIVE_FACTS_HEX])
{
    snprintf(text, ARCHIVE_FACTS_HEX, "%016" PRIx64 "%016" PRIx64, hash[1], hash[0]);
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool archive_facts_hash_parse(const char *text, uint64_t hash[2])
{
    uint64_t parsed[2] = {0, 0};
    if (strlen(text) != ARCHIVE_FACTS_HEX - 1)
        return false;
    for (int i = 0; i < ARCHIVE_FACTS_HEX - 1; i++) {
        int value = digit(text[i]);
        if (value < 0)
            return false;
        uint64_t *half = &parsed[i < 16];
        *half = *half << 4 | (uint64_t)value;
    }
    memcpy(hash, parsed, sizeof parsed);
    return true;
}
