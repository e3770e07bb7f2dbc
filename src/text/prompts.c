/* prompts.c - the index of a source, and reading by it; see prompts.h.
 *
 * Opening and reading take the same steps (next_prompt), so that both agree on what prompt i
 * is: a record that opening skipped is skipped in reading too, by the same judgement. Records
 * are judged while the source is opened: a wrong id or broken JSON on line 900,000 must
 * not be found out after hours.
 *
 * Rejected: mapping the file (its pages count as the process's memory and a file that shrinks kills it);
 * an index of all prompts (1.2 GB for 5 GB of short lines).
 */
#include "prompts.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#include "../base/log.h"
#include "../base/memory.h"
#include "token_line.h"

#define INDEX_LIMIT ((size_t)1 << 20)

struct prompts_options prompts_defaults(void)
{
    return (struct prompts_options){.limit = PROMPTS_ALL, .broken_limit = PROMPTS_BROKEN_LIMIT};
}

void prompts_close(struct prompt_source *source)
{
    for (size_t i = 0; i < source->segment_count; i++)
        memory_free(source->segments[i].name);
    memory_free(source->segments);
    memory_free(source->index);
    spool_close(&source->spool);
    *source = (struct prompt_source){0};
}

struct prompts_reader prompts_reader_begin(const struct prompt_source *source)
{
    struct prompts_reader reader = {.source = source};
    reader.scan = scan_begin(&source->spool, source->segments, source->segment_count);
    return reader;
}

void prompts_reader_close(struct prompts_reader *reader)
{
    scan_close(&reader->scan);
    conversation_free(&reader->conversation);
    *reader = (struct prompts_reader){0};
}

/* Is the record a prompt? Its conversation is then in the reader. */
static enum status judge(struct prompts_reader *reader, enum conversation_fault *fault, bool *blank, char *why,
                         size_t size, struct error *e)
{
    const struct scan_record *record = &reader->record;
    const enum recognise_format format = reader->source->segments[record->segment].format;
    enum status status = STATUS_OK;
    *fault = CONVERSATION_FINE;
    *blank = false;
    if (format == RECOGNISE_TOKENS)
        return STATUS_OK;
    if (format == RECOGNISE_TEXT)
        return conversation_of_text(&reader->conversation, record->bytes, record->length, e);
    status = conversation_of_json(&reader->conversation, record->bytes, record->length, fault, why, size, e);
    *blank = status == STATUS_OK && *fault == CONVERSATION_FINE && conversation_blank(&reader->conversation);
    return status;
}

/* Goes on to prompt reader->next, past what is none. *found is false at the end. */
static enum status next_prompt(struct prompts_reader *reader, bool *found, struct error *e)
{
    enum conversation_fault fault = CONVERSATION_FINE;
    bool blank = false;
    char why[256];
    do {
        enum status status = scan_next(&reader->scan, &reader->record, found, e);
        if (status != STATUS_OK || !*found)
            return status;
        status = judge(reader, &fault, &blank, why, sizeof why, e);
        if (status != STATUS_OK)
            return status;
    } while (blank || fault != CONVERSATION_FINE);
    reader->next++;
    return STATUS_OK;
}

enum status prompts_reader_go(struct prompts_reader *reader, size_t i, struct error *e)
{
    const struct prompt_source *source = reader->source;
    const size_t entry = i / source->stride;
    bool found = true;
    if (i < reader->next || entry * source->stride > reader->next) {
        scan_seek(&reader->scan, (size_t)source->index[entry].offset, (size_t)source->index[entry].line);
        reader->next = entry * source->stride;
    }
    while (reader->next <= i) {
        const enum status status = next_prompt(reader, &found, e);
        if (status != STATUS_OK)
            return status;
        if (!found) {
            error_set(e, STATUS_INPUT, "prompt %zu is gone: the file has changed since it was opened", i);
            return error_file(e, source->segments[0].name);
        }
    }
    return STATUS_OK;
}

enum status prompts_read(struct prompts_reader *reader, size_t i, const struct chat *chat, bool bos,
                         struct text_buffer *out, struct error *e)
{
    out->count = 0;
    const enum status status = prompts_reader_go(reader, i, e);
    if (status != STATUS_OK)
        return status;
    struct conversation *c = &reader->conversation;
    if (chat != NULL)
        return chat_render(chat, c, bos, out, e);
    if (c->count != 1 || c->messages[0].length != c->text.count)
        return conversation_plain(c, out, e);
    /* A text alone, perhaps a huge one, changes hands instead of being copied. */
    const struct text_buffer text = c->text;
    c->text = *out;
    *out = text;
    return STATUS_OK;
}

enum status prompts_blame(const struct prompts_reader *reader, struct error *e)
{
    error_where(e, "line %zu", reader->record.line);
    return error_file(e, reader->source->segments[reader->record.segment].name);
}

enum status prompts_read_tokens(struct prompts_reader *reader, size_t i, struct token_list *out, struct error *e)
{
    enum status status = prompts_reader_go(reader, i, e);
    if (status == STATUS_OK)
        status = token_line_read(reader->record.bytes, reader->record.length, SIZE_MAX, out, e);
    return status == STATUS_INPUT ? prompts_blame(reader, e) : status;
}

/* The place of the prompt that was found last, in an index that never outgrows its limit. */
static enum status note_place(struct prompt_source *source, const struct scan_record *record, struct error *e)
{
    const size_t limit = source->options.index_limit ? source->options.index_limit : INDEX_LIMIT;
    if (source->count++ % source->stride != 0)
        return STATUS_OK;
    if (source->index_count == limit) {
        for (size_t i = 0; i < (limit + 1) / 2; i++)
            source->index[i] = source->index[2 * i];
        source->index_count = (limit + 1) / 2;
        source->stride *= 2;
        if ((source->count - 1) % source->stride != 0)
            return STATUS_OK;
    }
    const enum status status = memory_grow(&source->index, &source->index_capacity, source->index_count + 1,
                                           sizeof *source->index, "index of the prompts", e);
    if (status == STATUS_OK)
        source->index[source->index_count++] = (struct prompts_place){record->offset, record->line};
    return status;
}

/* Counts a faulty record; an error when there are too many. */
static enum status note_fault(struct prompt_source *source, const struct prompts_reader *reader,
                              enum conversation_fault fault, const char *why, struct error *e)
{
    const struct scan_segment *segment = &source->segments[reader->record.segment];
    char where[64];
    if (segment->format == RECOGNISE_JSON_LINES)
        snprintf(where, sizeof where, "line %zu", reader->record.line);
    else /* often all on one line */
        snprintf(where, sizeof where, "line %zu, byte %zu", reader->record.line, reader->record.offset - segment->start);
    source->counts.broken += fault == CONVERSATION_BROKEN;
    source->counts.missing += fault == CONVERSATION_MISSING;
    if (source->first_fault[0] == '\0' && source->segment_count > 1)
        snprintf(source->first_fault, sizeof source->first_fault, "%.100s, %s: %.120s", segment->name, where, why);
    else if (source->first_fault[0] == '\0')
        snprintf(source->first_fault, sizeof source->first_fault, "%s: %.200s", where, why);
    if (source->counts.broken + source->counts.missing <= source->options.broken_limit)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "more than %zu records are no prompts; this one: %s", source->options.broken_limit, why);
    error_advice(e, "mend the file; or, if it is no JSON, say --input-format text");
    return prompts_blame(reader, e);
}

static enum status take(struct prompt_source *source, struct prompts_reader *reader,
                        struct recognise_encoding *encoding, struct error *e)
{
    const struct scan_record *record = &reader->record;
    enum conversation_fault fault;
    bool blank;
    char why[256];
    enum status status = judge(reader, &fault, &blank, why, sizeof why, e);
    if (status != STATUS_OK)
        return status;
    if (fault != CONVERSATION_FINE)
        return note_fault(source, reader, fault, why, e);
    source->counts.blank += blank;
    if (blank)
        return STATUS_OK;
    if (source->kind == PROMPTS_TOKENS) {
        status = token_line_read(record->bytes, record->length, source->options.vocabulary, NULL, e);
        if (status != STATUS_OK)
            return prompts_blame(reader, e);
    } else {
        recognise_look(encoding, record->bytes, record->length);
        source->counts.nul += memchr(reader->conversation.text.bytes, 0, reader->conversation.text.count) != NULL;
        source->counts.talks += reader->conversation.count > 1;
    }
    return note_place(source, record, e);
}

static enum status nothing_left(const struct prompt_source *source, const char *name, struct error *e)
{
    const struct prompts_counts *c = &source->counts;
    const char *what = c->files + c->ignored > 1 ? "folder" : "file";
    error_set(e, STATUS_INPUT, "the %s holds no prompts", what);
    if (c->broken + c->missing > 0)
        error_set(e, STATUS_INPUT, "the %s holds no prompts: of %llu records %llu are blank, %llu no JSON, %llu without a known field; "
                  "the first of these: %s", what, (unsigned long long)c->lines, (unsigned long long)c->blank,
                  (unsigned long long)c->broken, (unsigned long long)c->missing, source->first_fault);
    else if (c->lines > 0)
        error_where(e, "%llu lines, all blank", (unsigned long long)c->lines);
    error_advice(e, "write one prompt a line");
    return name != NULL ? error_file(e, name) : STATUS_INPUT;
}

enum status prompts_index(struct prompt_source *source, const char *name, struct error *e)
{
    struct prompts_reader reader = prompts_reader_begin(source);
    struct recognise_encoding encoding = {0};
    bool found = true;
    enum status status = STATUS_OK;
    source->stride = 1;
    while (found && status == STATUS_OK && source->count < source->options.limit) {
        status = scan_next(&reader.scan, &reader.record, &found, e);
        if (status == STATUS_OK && found)
            status = take(source, &reader, &encoding, e);
    }
    source->counts.lines = reader.scan.counts.lines;
    source->counts.returns = reader.scan.counts.returns;
    source->counts.boms += reader.scan.counts.boms;
    source->counts.blank += reader.scan.counts.blank;
    source->counts.latin1 = recognise_latin1(&encoding);
    prompts_reader_close(&reader);
    return status == STATUS_OK && source->count == 0 ? nothing_left(source, name, e) : status;
}

/* The bytes of a packed source: this, the segments with the lengths of their names, the index,
 * the names. One machine's layout: ranks of a run are the same program. */
struct packed {
    struct prompt_source source; /* pointers of no meaning */
    size_t names;                /* bytes of all names      */
};

enum status prompts_pack(const struct prompt_source *source, char **bytes, size_t *size, struct error *e)
{
    struct packed head = {.source = *source, .names = 0};
    for (size_t i = 0; i < source->segment_count; i++)
        head.names += strlen(source->segments[i].name) + 1;
    const size_t segments = source->segment_count * sizeof *source->segments;
    const size_t index = source->index_count * sizeof *source->index;
    *size = sizeof head + segments + index + head.names;
    const enum status status = memory_array(bytes, *size, 1, "index of the prompts", e);
    if (status != STATUS_OK)
        return status;
    char *at = *bytes;
    memcpy(at, &head, sizeof head);
    memcpy(at += sizeof head, source->segments, segments);
    memcpy(at += segments, source->index, index);
    at += index;
    for (size_t i = 0; i < source->segment_count; i++) {
        const size_t length = strlen(source->segments[i].name) + 1;
        memcpy(at, source->segments[i].name, length);
        at += length;
    }
    return STATUS_OK;
}

enum status prompts_unpack(struct prompt_source *source, const char *bytes, size_t size, struct error *e)
{
    struct packed head;
    *source = (struct prompt_source){0};
    if (size < sizeof head)
        return error_set(e, STATUS_FAILED, "a packed index of prompts is too short");
    memcpy(&head, bytes, sizeof head);
    const size_t segment_count = head.source.segment_count, index_count = head.source.index_count;
    const char *segments = bytes + sizeof head, *index = segments + segment_count * sizeof *source->segments;
    const char *name = index + index_count * sizeof *source->index;
    *source = head.source;
    source->spool = (struct spool){0};
    source->segments = NULL;
    source->index = NULL;
    source->segment_count = source->segment_capacity = source->index_capacity = 0;
    enum status status =
        memory_grow(&source->segments, &source->segment_capacity, segment_count, sizeof *source->segments, "prompts", e);
    if (status == STATUS_OK)
        status = memory_grow(&source->index, &source->index_capacity, index_count, sizeof *source->index, "prompts", e);
    if (status == STATUS_OK && index_count > 0)
        memcpy(source->index, index, index_count * sizeof *source->index);
    for (size_t i = 0; i < segment_count && status == STATUS_OK; i++) {
        struct scan_segment *segment = &source->segments[i];
        memcpy(segment, segments + i * sizeof *segment, sizeof *segment);
        segment->name = NULL;
        status = memory_string(&segment->name, name, e);
        source->segment_count = i + 1;
        name += strlen(name) + 1;
    }
    if (status != STATUS_OK)
        prompts_close(source);
    return status;
}

enum status prompts_attach_file(struct prompt_source *source, const char *path, size_t size, struct error *e)
{
    struct stat about;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        error_set(e, STATUS_INPUT, "can't be opened here: %s", strerror(errno));
        error_advice(e, "all ranks must see the same file");
        return error_file(e, path);
    }
    source->spool = spool_of_file(fd, size);
    const bool known = fstat(fd, &about) == 0;
    if (known && S_ISREG(about.st_mode) && (size_t)about.st_size == size)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "has %lld bytes here and %zu on rank 0", known ? (long long)about.st_size : 0, size);
    error_advice(e, "all ranks must see the same file");
    return error_file(e, path);
}

void prompts_tell(const struct prompt_source *source, bool chat)
{
    const struct prompts_counts *c = &source->counts;
    const unsigned long long faulty = c->broken + c->missing;
    if (strcmp(source->form, "text") != 0 && strcmp(source->form, "token ids") != 0)
        log_line("prompts are read as: %s", source->form);
    if (c->talks > 0 && !chat)
        log_line("%llu prompts are conversations: without --chat the messages alone are run, a newline between them",
                 (unsigned long long)c->talks);
    if (c->blank > 0)
        log_line("%llu blank %s skipped", (unsigned long long)c->blank,
                 strncmp(source->form, "JSON", 4) == 0 || strncmp(source->form, "a JSON", 6) == 0 ? "records or lines"
                                                                                                  : "lines");
    if (faulty > 0)
        log_warning("%llu records were skipped: %llu are no JSON, %llu have no field that phi3sat knows; the first: %s",
                    faulty, (unsigned long long)c->broken, (unsigned long long)c->missing, source->first_fault);
    if (c->boms > 0)
        log_line("%llu byte order marks dropped", (unsigned long long)c->boms);
    if (c->returns > 0)
        log_line("%llu carriage returns dropped at line ends", (unsigned long long)c->returns);
    if (c->nul > 0)
        log_warning("%llu prompts hold NUL bytes; they are kept", (unsigned long long)c->nul);
    if (c->garbage > 0)
        log_warning("%llu bytes behind the compressed data are not compressed data: not used",
                    (unsigned long long)c->garbage);
    if (c->ignored > 0)
        log_warning("%llu entries of the folder are hidden or no files: not read", (unsigned long long)c->ignored);
    if (c->latin1 > 0)
        log_warning("the text looks like Latin-1, not UTF-8: its bytes are run as they are; 'iconv -f LATIN1 -t UTF-8' "
                    "would convert it");
}

void prompts_hash(const int32_t *ids, size_t n, uint64_t hash[2])
{
    XXH128_hash_t h;
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    h = XXH3_128bits(ids, n * sizeof *ids);
#else
    XXH3_state_t *state = XXH3_createState();
    XXH3_128bits_reset(state);
    for (size_t i = 0; i < n; i++) {
        const uint32_t id = (uint32_t)ids[i];
        const unsigned char bytes[4] = {(unsigned char)id, (unsigned char)(id >> 8), (unsigned char)(id >> 16),
                                        (unsigned char)(id >> 24)};
        XXH3_128bits_update(state, bytes, sizeof bytes);
    }
    h = XXH3_128bits_digest(state);
    XXH3_freeState(state);
#endif
    hash[0] = h.low64;
    hash[1] = h.high64;
}
