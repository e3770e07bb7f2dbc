/* inflow.c - reads through zlib and libzstd; see inflow.h.
 *
 * Both formats are concatenations. Readers that stop behind the first member lose
 * text without a word, so the loop goes on until the descriptor ends, and what is no
 * member is counted. Tools that write in blocks (tape, some object stores) pad with
 * zeros; that is no garbage.
 */
#include "inflow.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "../base/memory.h"

#define INPUT_SIZE ((size_t)1 << 18)
/* A few bytes can stand for gigabytes, which would fill the folder for temporary files. What unpacks to more than this, and
 * to more than so many times its size, is no text that anyone wrote: text shrinks to a fifth, one line repeated for ever to a
 * thousandth. */
#define BOMB_SIZE ((uint64_t)64 << 20)
#define BOMB_TIMES 250

struct inflow {
    int fd;
    const char *name;
    enum inflow_kind kind;
    uint8_t *input;         /* [INPUT_SIZE]                                     */
    size_t at, fill;        /* input[at..fill) is not used yet                    */
    uint64_t consumed;      /* bytes of the descriptor in front of input[at]      */
    bool ended;             /* the descriptor has no more                       */
    bool inside;            /* within a member                                  */
    bool finished;          /* nothing more will come                           */
    uint64_t members;       /* begun                                            */
    uint64_t produced;      /* bytes                                            */
    uint64_t garbage;
    z_stream gzip;
    bool gzip_ready;
    ZSTD_DStream *zstd;
};

enum inflow_kind inflow_recognise(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    if (size >= 2 && b[0] == 0x1F && b[1] == 0x8B)
        return INFLOW_GZIP;
    if (size >= 4 && b[0] == 0x28 && b[1] == 0xB5 && b[2] == 0x2F && b[3] == 0xFD)
        return INFLOW_ZSTD;
    if (size >= 4 && (b[0] & 0xF0) == 0x50 && b[1] == 0x2A && b[2] == 0x4D && b[3] == 0x18)
        return INFLOW_ZSTD; /* a skippable frame */
    return INFLOW_PLAIN;
}

/* Moves what is left to the front and reads on until `wanted` bytes are there or the end. */
static enum status refill(struct inflow *in, size_t wanted, struct error *e)
{
    if (in->fill - in->at >= wanted || in->ended)
        return STATUS_OK;
    memmove(in->input, in->input + in->at, in->fill - in->at);
    in->fill -= in->at;
    in->at = 0;
    while (in->fill < wanted && !in->ended) {
        const ssize_t got = read(in->fd, in->input + in->fill, INPUT_SIZE - in->fill);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            error_set(e, STATUS_INPUT, "can't be read: %s", strerror(errno));
            return error_file(e, in->name);
        }
        in->ended = got == 0;
        in->fill += (size_t)got;
    }
    return STATUS_OK;
}

static void use(struct inflow *in, size_t count)
{
    in->at += count;
    in->consumed += count;
}

static enum status damaged(const struct inflow *in, const char *how, struct error *e)
{
    const char *part = in->kind == INFLOW_GZIP ? "gzip member" : "Zstandard frame";
    error_set(e, STATUS_INPUT, "%s %llu %s", part, (unsigned long long)in->members, how);
    error_position(e, (int64_t)in->consumed);
    error_advice(e, "get the file again; '%s -t' tests it", in->kind == INFLOW_GZIP ? "gzip" : "zstd");
    return error_file(e, in->name);
}

static enum status check_bomb(const struct inflow *in, struct error *e)
{
    if (in->produced <= BOMB_SIZE || in->produced / BOMB_TIMES <= in->consumed)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "unpacks to more than %d times its size", BOMB_TIMES);
    error_position(e, (int64_t)in->consumed);
    error_advice(e, "unpack it yourself if that is meant, and give what is in it");
    return error_file(e, in->name);
}

/* Counts what follows the last member, up to the end. */
static enum status drain(struct inflow *in, struct error *e)
{
    enum status status = STATUS_OK;
    uint64_t count = 0;
    bool zeros = true;
    while (status == STATUS_OK && in->fill > in->at) {
        for (size_t i = in->at; i < in->fill; i++)
            zeros = zeros && in->input[i] == 0;
        count += in->fill - in->at;
        use(in, in->fill - in->at);
        status = refill(in, 1, e);
    }
    in->garbage = zeros ? 0 : count;
    in->finished = true;
    return status;
}

/* Between members: begins the next one, or finishes. */
static enum status next_member(struct inflow *in, struct error *e)
{
    enum status status = refill(in, 4, e);
    if (status != STATUS_OK)
        return status;
    if (inflow_recognise(in->input + in->at, in->fill - in->at) != in->kind)
        return drain(in, e);
    in->members++;
    in->inside = true;
    if (in->kind == INFLOW_GZIP)
        inflateReset(&in->gzip);
    return STATUS_OK;
}

static enum status step_gzip(struct inflow *in, uint8_t *bytes, size_t size, size_t *got, struct error *e)
{
    in->gzip.next_in = in->input + in->at;
    in->gzip.avail_in = (uInt)(in->fill - in->at);
    in->gzip.next_out = bytes;
    in->gzip.avail_out = size > UINT32_MAX / 2 ? UINT32_MAX / 2 : (uInt)size;
    const uInt room = in->gzip.avail_out;
    const int result = inflate(&in->gzip, Z_NO_FLUSH);
    use(in, (size_t)(in->fill - in->at - in->gzip.avail_in));
    *got = room - in->gzip.avail_out;
    if (result == Z_STREAM_END)
        in->inside = false;
    else if (result == Z_MEM_ERROR)
        return error_set(e, STATUS_FAILED, "no memory to decompress");
    else if (result != Z_OK && result != Z_BUF_ERROR)
        return damaged(in, result == Z_DATA_ERROR && in->gzip.msg != NULL && strstr(in->gzip.msg, "check") != NULL
                               ? "is damaged: its checksum is wrong"
                               : "is damaged",
                       e);
    return STATUS_OK;
}

static enum status step_zstd(struct inflow *in, uint8_t *bytes, size_t size, size_t *got, struct error *e)
{
    ZSTD_inBuffer from = {in->input + in->at, in->fill - in->at, 0};
    ZSTD_outBuffer to = {bytes, size, 0};
    const size_t result = ZSTD_decompressStream(in->zstd, &to, &from);
    use(in, from.pos);
    *got = to.pos;
    if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge) {
        damaged(in, "needs more memory than phi3sat gives it (made with --ultra or --long)", e);
        return error_advice(e, "compress the text again without these options, or unpack it yourself, and give what is in it");
    }
    if (ZSTD_isError(result)) {
        char how[128] = "is damaged: ";
        strncat(how, ZSTD_getErrorName(result), sizeof how - strlen(how) - 1);
        return damaged(in, how, e);
    }
    in->inside = result != 0;
    return STATUS_OK;
}

static enum status read_plain(struct inflow *in, uint8_t *bytes, size_t size, size_t *got, struct error *e)
{
    const enum status status = refill(in, 1, e);
    const size_t there = in->fill - in->at;
    *got = there < size ? there : size;
    memcpy(bytes, in->input + in->at, *got);
    use(in, *got);
    in->finished = there == 0;
    return status;
}

enum status inflow_read(struct inflow *in, void *bytes, size_t size, size_t *got, struct error *e)
{
    uint8_t *out = bytes;
    enum status status = STATUS_OK;
    *got = 0;
    while (*got < size && !in->finished && status == STATUS_OK) {
        size_t more = 0;
        if (in->kind == INFLOW_PLAIN) {
            status = read_plain(in, out + *got, size - *got, &more, e);
        } else if (!in->inside) {
            status = next_member(in, e);
        } else {
            const uint64_t before = in->consumed;
            status = refill(in, 1, e);
            if (status == STATUS_OK)
                status = in->kind == INFLOW_GZIP ? step_gzip(in, out + *got, size - *got, &more, e)
                                                 : step_zstd(in, out + *got, size - *got, &more, e);
            if (status == STATUS_OK && in->inside && more == 0 && in->consumed == before && in->ended)
                status = damaged(in, "is cut short", e);
            in->produced += more;
            if (status == STATUS_OK)
                status = check_bomb(in, e);
        }
        *got += more;
    }
    return status;
}

static enum status prepare(struct inflow *in, struct error *e)
{
    enum status status = memory_uninitialised(&in->input, INPUT_SIZE, 1, "reading", e);
    if (status == STATUS_OK)
        status = refill(in, 4, e);
    if (status != STATUS_OK)
        return status;
    in->kind = inflow_recognise(in->input, in->fill);
    if (in->kind == INFLOW_GZIP) {
        in->gzip_ready = inflateInit2(&in->gzip, 15 + 16) == Z_OK; /* windows of any size, gzip headers only */
        if (!in->gzip_ready)
            status = error_set(e, STATUS_FAILED, "no memory to decompress");
    } else if (in->kind == INFLOW_ZSTD) {
        in->zstd = ZSTD_createDStream();
        if (in->zstd == NULL)
            status = error_set(e, STATUS_FAILED, "no memory to decompress");
    }
    return status;
}

enum status inflow_open(struct inflow **in, int fd, const char *name, struct error *e)
{
    enum status status = memory_array(in, 1, sizeof **in, "reading", e);
    if (status != STATUS_OK)
        return status;
    (*in)->fd = fd;
    (*in)->name = name;
    status = prepare(*in, e);
    if (status != STATUS_OK) {
        inflow_close(*in);
        *in = NULL;
    }
    return status;
}

void inflow_close(struct inflow *in)
{
    if (in == NULL)
        return;
    if (in->gzip_ready)
        inflateEnd(&in->gzip);
    ZSTD_freeDStream(in->zstd);
    memory_free(in->input);
    memory_free(in);
}

enum inflow_kind inflow_kind(const struct inflow *in)
{
    return in->kind;
}

uint64_t inflow_garbage(const struct inflow *in)
{
    return in->garbage;
}
