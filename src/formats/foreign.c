/* foreign.c - recognises the files that people take for GGUF; see foreign.h.
 *
 * A table of leading bytes, then three looks that leading bytes can't tell: nothing
 * but zeros (a download that reserved its space and never filled it), HTML after
 * white space, tar. Only the first 64 KiB are looked at. Guessing stops here: no reader is chosen by it.
 */
#include "foreign.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#define LOOK (64 * 1024)

#define CONVERT "convert the model to GGUF first (llama.cpp's convert_hf_to_gguf.py)"
#define OLD_GGML "download a GGUF of this model, or convert the original weights again"
#define UNPACK "unpack it and give the GGUF file inside"
#define AGAIN "download the file again"

static const struct {
    size_t at, length;
    const char *bytes;
    const char *what;
    const char *advice;
} kinds[] = {
    {0, 4, "PK\3\4", "is a zip archive, as PyTorch writes its checkpoints (.pt, .pth, .bin)", CONVERT},
    {0, 2, "\x80\2", "is a Python pickle, as old PyTorch wrote its checkpoints", CONVERT},
    {0, 4, "lmgg", "is an old ggml model (magic 'ggml', 2023)", OLD_GGML},
    {0, 4, "fmgg", "is an old ggml model (magic 'ggmf', 2023)", OLD_GGML},
    {0, 4, "tjgg", "is an old ggml model (magic 'ggjt', 2023)", OLD_GGML},
    {0, 4, "algg", "is an old ggml adapter (magic 'ggla', 2023)", "give the base model as GGUF"},
    {0, 2, "\x1f\x8b", "is compressed with gzip", UNPACK},
    {0, 6, "\3757zXZ\0", "is compressed with xz", UNPACK},
    {0, 4, "\x28\xb5\x2f\xfd", "is compressed with zstd", UNPACK},
    {0, 3, "BZh", "is compressed with bzip2", UNPACK},
    {0, 8, "\x89HDF\r\n\x1a\n", "is an HDF5 file, such as phi3sat's own archive, not a model",
     "give the model file here; archives go to phi3sat report"},
    {0, 42, "version https://git-lfs.github.com/spec/v1", "is a git LFS pointer, not the file it stands for",
     "fetch the file itself: git lfs pull"},
    {257, 5, "ustar", "is a tar archive", UNPACK},
};

static bool only_zeros(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

/* The first bytes that are not white space; *left is how many follow. */
static const char *text_start(const uint8_t *bytes, size_t size, size_t *left)
{
    size_t i = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (i < size && strchr(" \t\r\n", bytes[i]) && bytes[i])
        i++;
    *left = size - i;
    return (const char *)bytes + i;
}

static bool starts(const char *text, size_t size, const char *with)
{
    size_t length = strlen(with);
    return size >= length && strncasecmp(text, with, length) == 0;
}

static enum status refuse(struct error *e, const char *what, const char *advice)
{
    error_set(e, STATUS_INPUT, "%s", what);
    error_advice(e, "%s", advice);
    return error_position(e, 0);
}

/* Eight leading bytes in hexadecimal: what a bug report needs. */
static enum status refuse_unknown(const uint8_t *bytes, size_t size, struct error *e)
{
    static const char digits[] = "0123456789abcdef";
    char shown[3 * 8 + 1] = "";
    for (size_t i = 0; i < size && i < 8; i++) {
        shown[3 * i] = digits[bytes[i] >> 4];
        shown[3 * i + 1] = digits[bytes[i] & 15];
        shown[3 * i + 2] = ' ';
        shown[3 * i + 3] = 0;
    }
    shown[strlen(shown) - 1] = 0;
    error_set(e, STATUS_INPUT, "is not a GGUF file (it begins with the bytes %s)", shown);
    error_advice(e, "give a model in GGUF form");
    return error_position(e, 0);
}

enum status foreign_refuse(const struct mapping *mapping, struct error *e)
{
    const uint8_t *bytes = mapping->bytes;
    size_t size = mapping->size < LOOK ? mapping->size : LOOK, left;
    if (mapping->size == 0)
        return refuse(e, "is empty", AGAIN);
    if (only_zeros(bytes, size))
        return refuse(e, "begins with nothing but zero bytes: a download that was never filled", AGAIN);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (size >= kinds[i].at + kinds[i].length &&
            memcmp(bytes + kinds[i].at, kinds[i].bytes, kinds[i].length) == 0)
            return refuse(e, kinds[i].what, kinds[i].advice);
    const char *text = text_start(bytes, size, &left);
    if (starts(text, left, "<!doctype") || starts(text, left, "<html") || starts(text, left, "<?xml"))
        return refuse(e, "is a web page, not a model: the download link led to an error or log-in page", AGAIN);
    if (left && (*text == '{' || *text == '['))
        return refuse(e, "is JSON text, not a model", "give the model's folder, its config.json or a model in GGUF form");
    if (size < 4 && memcmp(bytes, "GGUF", size) == 0)
        return refuse(e, "is a GGUF file cut off inside its first four bytes", AGAIN);
    return refuse_unknown(bytes, size, e);
}
