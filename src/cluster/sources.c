/* sources.c - see sources.h.
 *
 * The temporary file of a host is opened by the others through /proc, as it has no name: that way
 * nothing is left behind however the job ends.
 */
#include "sources.h"

#include <unistd.h>

#include "../base/memory.h"

#define CHUNK ((size_t)4 << 20)

/* The index, from rank 0 to the others. Collective. */
static enum status send_index(struct prompt_source *source, const struct ranks *r, struct error *e)
{
    char *packed = NULL;
    uint64_t size = 0;
    size_t bytes = 0;
    enum status s = r->rank == 0 ? prompts_pack(source, &packed, &bytes, e) : STATUS_OK;
    s = ranks_agree(r, s, e);
    if (s == STATUS_OK) {
        size = bytes;
        ranks_broadcast(&size, sizeof size);
        if (r->rank != 0)
            s = memory_array(&packed, (size_t)size, 1, "index of the prompts", e);
        s = ranks_agree(r, s, e);
    }
    if (s == STATUS_OK) {
        ranks_broadcast(packed, (size_t)size);
        if (r->rank != 0)
            s = prompts_unpack(source, packed, (size_t)size, e);
        s = ranks_agree(r, s, e);
    }
    memory_free(packed);
    return s;
}

/* The bytes, chunk by chunk; who `keeps` them appends them. Nobody leaves early: faults are agreed on
 * at the end. Collective. */
static enum status send_bytes(struct prompt_source *source, const struct ranks *r, size_t size, bool keeps,
                              struct error *e)
{
    char *chunk;
    enum status s = ranks_agree(r, memory_uninitialised(&chunk, CHUNK, 1, "the prompts", e), e);
    for (size_t at = 0; at < size && s == STATUS_OK; at += CHUNK) {
        const size_t count = size - at < CHUNK ? size - at : CHUNK;
        if (r->rank == 0)
            s = spool_read(&source->spool, at, chunk, count, e);
        s = ranks_agree(r, s, e);
        if (s != STATUS_OK)
            break;
        ranks_broadcast(chunk, count);
        if (keeps && r->rank != 0)
            s = spool_append(&source->spool, chunk, count, e);
        s = ranks_agree(r, s, e);
    }
    memory_free(chunk);
    return s;
}

/* Where a host keeps the bytes. By its number: names may be those of other hosts too. */
struct keeper {
    int64_t node, process, fd;
};

static enum status attach(struct prompt_source *source, const struct ranks *r, const struct keeper *all, size_t count,
                          size_t size, struct error *e)
{
    for (size_t i = 0; i < count; i++)
        if (all[i].node == r->node)
            return spool_attach(&source->spool, (long)all[i].process, (int)all[i].fd, size, e);
    return error_set(e, STATUS_FAILED, "no rank of host %s keeps the prompts", r->host);
}

static enum status share_bytes(struct prompt_source *source, const struct ranks *r, size_t size, struct error *e)
{
    const bool small = size <= SPOOL_MEMORY, keeps = small || r->rank == 0 || r->node_rank == 0;
    struct keeper own = {.node = r->node, .process = (int64_t)getpid()}, *all = NULL;
    size_t count = 0;
    enum status s = send_bytes(source, r, size, keeps, e);
    if (s != STATUS_OK || small)
        return s;
    own.fd = source->spool.fd;
    s = ranks_gather(r, &own, keeps ? 1 : 0, sizeof own, &all, &count, e);
    if (s == STATUS_OK)
        s = ranks_agree(r, keeps ? STATUS_OK : attach(source, r, all, count, size, e), e);
    memory_free(all);
    return s;
}

/* What rank 0 has opened, `s` being how that went, to all ranks. Collective. */
static enum status share(struct prompt_source *source, const struct ranks *r, const char *path, enum status s,
                         struct error *e)
{
    s = ranks_agree(r, s, e);
    if (s != STATUS_OK || r->size == 1)
        return s;
    s = send_index(source, r, e);
    uint64_t size = source->spool.size;
    if (s == STATUS_OK) {
        ranks_broadcast(&size, sizeof size);
        if (source->plain_file)
            s = ranks_agree(r, r->rank == 0 ? STATUS_OK : prompts_attach_file(source, path, (size_t)size, e), e);
        else
            s = share_bytes(source, r, (size_t)size, e);
    }
    if (s != STATUS_OK)
        prompts_close(source);
    return s;
}

enum status sources_open(struct prompt_source *source, const struct ranks *r, const char *path,
                         const struct prompts_options *options, struct error *e)
{
    *source = (struct prompt_source){0};
    return share(source, r, path, r->rank == 0 ? prompts_open(source, path, options, e) : STATUS_OK, e);
}

enum status sources_open_bytes(struct prompt_source *source, const struct ranks *r, const char *bytes, size_t size,
                               const char *name, const struct prompts_options *options, struct error *e)
{
    *source = (struct prompt_source){0};
    return share(source, r, name,
                 r->rank == 0 ? prompts_open_copy(source, bytes, size, name, options, e) : STATUS_OK, e);
}
