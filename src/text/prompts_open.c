/* prompts_open.c - opens what a path names: a file, a folder, a pipe; see prompts.h.
 *
 * A plain file is read where it lies. Everything else is copied to a spool first: pipes and
 * compressed files can't be read twice or from the middle, and files of a folder become one run
 * of bytes, so that a place in a source is one number.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/memory.h"
#include "inflow.h"
#include "prompts.h"

static enum status cannot(const char *path, const char *verb, struct error *e)
{
    const int reason = errno;
    error_set(e, STATUS_INPUT, "can't be %s: %s", verb, strerror(reason));
    error_advice(e, reason == ENOENT ? "check the path" : "check the file and its permissions");
    return error_file(e, path);
}

/* Bytes [start, size) of the spool are a file: judges it and makes it a segment. */
static enum status add_segment(struct prompt_source *source, size_t start, const char *name, struct error *e)
{
    char head[RECOGNISE_HEAD];
    size_t length = source->spool.size - start, skip = 0;
    struct scan_segment segment = {.start = start, .end = source->spool.size};
    length = length < sizeof head ? length : sizeof head;
    enum status status = spool_read(&source->spool, start, head, length, e);
    if (status == STATUS_OK)
        status = recognise_format(head, length, name, source->options.wish, &segment.format, &skip, e);
    if (status != STATUS_OK)
        return error_file(e, name);
    source->counts.boms += skip > 0;
    source->counts.files++;
    segment.start += skip;
    if (segment.format == RECOGNISE_JSON_ARRAY) {
        const char *bracket = memchr(head + skip, '[', length - skip);
        segment.start = start + (size_t)(bracket - head) + 1;
    }
    status = memory_grow(&source->segments, &source->segment_capacity, source->segment_count + 1,
                         sizeof *source->segments, "names of the files", e);
    if (status == STATUS_OK)
        status = memory_string(&segment.name, name, e);
    if (status == STATUS_OK)
        source->segments[source->segment_count++] = segment;
    return status;
}

static void note_form(struct prompt_source *source, enum inflow_kind kind)
{
    static const char *const packed[] = {"", ", gzip", ", Zstandard"};
    if (source->segment_count == 1)
        snprintf(source->form, sizeof source->form, "%s%s", recognise_name(source->segments[0].format), packed[kind]);
    else
        snprintf(source->form, sizeof source->form, "%llu files", (unsigned long long)source->counts.files);
}

/* Copies what `fd` gives, decompressed, to the end of the spool. */
static enum status copy_in(struct prompt_source *source, int fd, const char *name, enum inflow_kind *kind,
                           struct error *e)
{
    const size_t room = (size_t)1 << 18;
    struct inflow *in = NULL;
    char *block = NULL;
    size_t got = room;
    enum status status = inflow_open(&in, fd, name, e);
    if (status == STATUS_OK)
        status = memory_uninitialised(&block, room, 1, "reading", e);
    while (status == STATUS_OK && got == room) {
        status = inflow_read(in, block, room, &got, e);
        if (status == STATUS_OK)
            status = spool_append(&source->spool, block, got, e);
    }
    if (in != NULL) {
        *kind = inflow_kind(in);
        source->counts.garbage += inflow_garbage(in);
    }
    inflow_close(in);
    memory_free(block);
    return status;
}

static enum status open_stream(struct prompt_source *source, int fd, const char *name, struct error *e)
{
    enum inflow_kind kind = INFLOW_PLAIN;
    enum status status = copy_in(source, fd, name, &kind, e);
    if (status == STATUS_OK)
        status = add_segment(source, 0, name, e);
    note_form(source, kind);
    return status;
}

/* A file's first bytes decide whether it is read in place. Takes over `fd`. */
static enum status open_file(struct prompt_source *source, int fd, size_t size, const char *name, struct error *e)
{
    char head[4];
    const ssize_t got = pread(fd, head, sizeof head, 0);
    enum status status;
    if (got >= 0 && inflow_recognise(head, (size_t)got) == INFLOW_PLAIN) {
        source->spool = spool_of_file(fd, size);
        source->plain_file = true;
        status = add_segment(source, 0, name, e);
        note_form(source, INFLOW_PLAIN);
        return status;
    }
    status = got < 0 ? cannot(name, "read", e) : open_stream(source, fd, name, e);
    close(fd);
    return status;
}

static int by_name(const void *a, const void *b)
{
    char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* The names in a folder, sorted by their bytes; hidden ones are counted and left out. */
static enum status list_folder(struct prompt_source *source, const char *path, char ***names, size_t *count,
                               struct error *e)
{
    DIR *folder = opendir(path);
    size_t capacity = 0;
    enum status status = folder == NULL ? cannot(path, "opened", e) : STATUS_OK;
    *names = NULL;
    *count = 0;
    while (status == STATUS_OK) {
        errno = 0;
        const struct dirent *entry = readdir(folder);
        if (entry == NULL) {
            status = errno != 0 ? cannot(path, "read", e) : STATUS_OK;
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (entry->d_name[0] == '.') {
            source->counts.ignored++;
            continue;
        }
        status = memory_grow(names, &capacity, *count + 1, sizeof **names, "names of the files", e);
        if (status == STATUS_OK)
            status = memory_string(&(*names)[*count], entry->d_name, e);
        *count += status == STATUS_OK;
    }
    if (folder != NULL)
        closedir(folder);
    if (*count > 0)
        qsort(*names, *count, sizeof **names, by_name);
    return status;
}

static enum status add_file(struct prompt_source *source, const char *path, struct error *e)
{
    struct stat about;
    enum inflow_kind kind;
    const size_t start = source->spool.size;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return cannot(path, "opened", e);
    enum status status = STATUS_OK;
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        source->counts.ignored++;
    else if ((status = copy_in(source, fd, path, &kind, e)) == STATUS_OK)
        status = add_segment(source, start, path, e);
    close(fd);
    return status;
}

static enum status open_folder(struct prompt_source *source, const char *path, struct error *e)
{
    char **names = NULL, *full = NULL;
    size_t count = 0;
    const size_t length = strlen(path);
    const char *slash = length > 0 && path[length - 1] == '/' ? "" : "/";
    enum status status = list_folder(source, path, &names, &count, e);
    for (size_t i = 0; i < count && status == STATUS_OK; i++) {
        const size_t room = length + strlen(names[i]) + 2;
        status = memory_array(&full, room, 1, "a name", e);
        if (status == STATUS_OK) {
            snprintf(full, room, "%s%s%s", path, slash, names[i]);
            status = add_file(source, full, e);
        }
        memory_free(full);
    }
    note_form(source, INFLOW_PLAIN);
    if (status == STATUS_OK && source->segment_count == 0) {
        error_set(e, STATUS_INPUT, "the folder holds no files");
        error_advice(e, "give a folder of text or JSON files");
        status = error_file(e, path);
    }
    for (size_t i = 0; i < count; i++)
        memory_free(names[i]);
    memory_free(names);
    return status;
}

static enum status finish(struct prompt_source *source, const char *name, enum status status, struct error *e)
{
    source->kind = source->options.wish == RECOGNISE_AS_TOKENS ? PROMPTS_TOKENS : PROMPTS_TEXT;
    if (status == STATUS_OK)
        status = prompts_index(source, name, e);
    if (status != STATUS_OK)
        prompts_close(source);
    return status;
}

enum status prompts_open(struct prompt_source *source, const char *path, const struct prompts_options *options,
                         struct error *e)
{
    struct stat about;
    const bool standard = strcmp(path, "-") == 0;
    const char *name = standard ? "standard input" : path;
    *source = (struct prompt_source){0};
    source->options = *options;
    enum status status = STATUS_OK;
    const int fd = standard ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        status = cannot(name, "opened", e);
    } else if (fstat(fd, &about) != 0) {
        status = cannot(name, "examined", e);
        close(fd);
    } else if (S_ISREG(about.st_mode) && lseek(fd, 0, SEEK_CUR) == 0) {
        status = open_file(source, fd, (size_t)about.st_size, name, e);
        source->plain_file = source->plain_file && !standard && strncmp(path, "/dev/", 5) != 0;
    } else if (S_ISDIR(about.st_mode)) {
        close(fd);
        status = open_folder(source, path, e);
    } else {
        status = open_stream(source, fd, name, e);
        close(fd);
    }
    return finish(source, name, status, e);
}

enum status prompts_open_bytes(struct prompt_source *source, const char *bytes, size_t size, const char *name,
                               const struct prompts_options *options, struct error *e)
{
    *source = (struct prompt_source){0};
    source->options = *options;
    source->spool = spool_over(bytes, size);
    const enum status status = add_segment(source, 0, name, e);
    note_form(source, INFLOW_PLAIN);
    return finish(source, name, status, e);
}

enum status prompts_open_copy(struct prompt_source *source, const char *bytes, size_t size, const char *name,
                              const struct prompts_options *options, struct error *e)
{
    *source = (struct prompt_source){0};
    source->options = *options;
    enum status status = spool_append(&source->spool, bytes, size, e);
    if (status == STATUS_OK)
        status = add_segment(source, 0, name, e);
    if (status == STATUS_OK)
        note_form(source, INFLOW_PLAIN);
    return finish(source, name, status, e);
}

enum status prompts_open_text(struct prompt_source *source, const char *bytes, size_t size, size_t limit,
                              const char *name, struct error *e)
{
    struct prompts_options options = prompts_defaults();
    options.wish = RECOGNISE_AS_TEXT;
    options.limit = limit;
    return prompts_open_bytes(source, bytes, size, name, &options, e);
}

enum status prompts_open_tokens(struct prompt_source *source, const char *bytes, size_t size, size_t limit,
                                size_t vocabulary, const char *name, struct error *e)
{
    struct prompts_options options = prompts_defaults();
    options.wish = RECOGNISE_AS_TOKENS;
    options.limit = limit;
    options.vocabulary = vocabulary;
    return prompts_open_bytes(source, bytes, size, name, &options, e);
}
