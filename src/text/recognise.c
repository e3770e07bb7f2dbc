/* recognise.c - see recognise.h.
 *
 * A text may begin with any character, so brackets alone prove nothing: "[INST] ..." and
 * "[[Link]]" are text. JSON is believed when the bracket is followed by what JSON
 * would have there.
 */
#include "recognise.h"

#include <string.h>
#include <strings.h>

#include "utf8.h"

const char *const recognise_wishes[] = {"auto", "text", "json", NULL};

static const struct {
    size_t at;
    const char *bytes;
    size_t length;
    const char *what, *advice;
} foreign[] = {
    {0, "\xFF\xFE\0\0", 4, "is UTF-32 text", "convert it with 'iconv -t UTF-8'"},
    {0, "\0\0\xFE\xFF", 4, "is UTF-32 text", "convert it with 'iconv -t UTF-8'"},
    {0, "\xFF\xFE", 2, "is UTF-16 text", "convert it with 'iconv -f UTF-16 -t UTF-8'"},
    {0, "\xFE\xFF", 2, "is UTF-16 text", "convert it with 'iconv -f UTF-16 -t UTF-8'"},
    {0, "\x1F\x8B", 2, "is compressed twice", "decompress it once"},
    {0, "\x28\xB5\x2F\xFD", 4, "is compressed twice", "decompress it once"},
    {0, "BZh", 3, "is compressed with bzip2", "decompress it; gzip and Zstandard are read as they are"},
    {0, "\xFD" "7zXZ\0", 6, "is compressed with xz", "decompress it; gzip and Zstandard are read as they are"},
    {0, "PK\3\4", 4, "is a zip archive", "unpack it and give the folder"},
    {257, "ustar", 5, "is a tar archive", "unpack it and give the folder"},
    {0, "PAR1", 4, "is a Parquet table", "export its text as JSON Lines"},
    {0, "ARROW1", 6, "is an Arrow table", "export its text as JSON Lines"},
    {0, "GGUF", 4, "is a model file", "give it with --model, and prompts as text or JSON"},
    {0, "\x89HDF\r\n\x1A\n", 8, "is an HDF5 file", "give prompts as text or JSON"},
    {0, "%PDF-", 5, "is a PDF document", "extract its text, by 'pdftotext' say"},
    {0, "\xD0\xCF\x11\xE0", 4, "is an office document", "save it as plain text"},
    {0, "\x89PNG", 4, "is an image", "give prompts as text or JSON"},
    {0, "\xFF\xD8\xFF", 3, "is an image", "give prompts as text or JSON"},
    {0, "\x7F" "ELF", 4, "is a program", "give prompts as text or JSON"},
    {0, "SQLite format 3\0", 16, "is an SQLite database", "export its text as JSON Lines"},
    {0, "7z\xBC\xAF\x27\x1C", 6, "is a 7-Zip archive", "unpack it and give the folder"},
    {0, "\x04\x22\x4D\x18", 4, "is compressed with LZ4", "decompress it; gzip and Zstandard are read as they are"},
};

/* UTF-16 without a byte order mark: ASCII in it has a NUL in every pair of bytes, always on the same
 * side. Text that has a NUL here and there is text. */
static bool unmarked_utf16(const char *head, size_t size)
{
    size_t nul[2] = {0, 0}, pairs = (size < 4096 ? size : 4096) / 2;
    for (size_t i = 0; i < 2 * pairs; i++)
        nul[i % 2] += head[i] == '\0';
    const size_t more = nul[0] > nul[1] ? nul[0] : nul[1], less = nul[0] + nul[1] - more;
    return pairs >= 4 && 10 * more >= 9 * pairs && 10 * less <= pairs;
}

static enum status refuse_foreign(const char *head, size_t size, struct error *e)
{
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
        if (size < foreign[i].at + foreign[i].length ||
            memcmp(head + foreign[i].at, foreign[i].bytes, foreign[i].length) != 0)
            continue;
        if (memcmp(foreign[i].bytes, "BZh", 3) == 0 && (size < 10 || memcmp(head + 4, "1AY&SY", 6) != 0))
            continue; /* a word may begin so */
        error_set(e, STATUS_INPUT, "%s", foreign[i].what);
        return error_advice(e, "%s", foreign[i].advice);
    }
    if (size >= 512 && head[0] == '\0' && memcmp(head, head + 1, size - 1) == 0) {
        error_set(e, STATUS_INPUT, "begins with %zu NUL bytes, as a copy or download does that was broken off", size);
        return error_advice(e, "copy it again, or give text or JSON");
    }
    if (!unmarked_utf16(head, size))
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "is UTF-16 text without a byte order mark");
    return error_advice(e, "convert it with 'iconv -f UTF-16%s -t UTF-8'", head[0] == '\0' ? "BE" : "LE");
}

static bool ends(const char *name, const char *ending)
{
    static const char *const packed[] = {"", ".gz", ".zst"};
    const size_t length = name == NULL ? 0 : strlen(name), n = strlen(ending);
    for (int i = 0; i < 3; i++) {
        const size_t more = strlen(packed[i]);
        if (length > n + more && strncasecmp(name + length - n - more, ending, n) == 0 &&
            strcasecmp(name + length - more, packed[i]) == 0)
            return true;
    }
    return false;
}

/* The first bytes that aren't white space, from `at`; *lines tells whether a line ended on the way. */
static char first_of(const char *head, size_t size, size_t *at, bool *lines)
{
    while (*at < size && strchr(" \t\r\n", head[*at]) != NULL && head[*at] != '\0') {
        *lines = *lines || head[*at] == '\n';
        ++*at;
    }
    return *at < size ? head[*at] : '\0';
}

/* The kind of JSON it looks like, or RECOGNISE_TEXT. */
static enum recognise_format look_json(const char *head, size_t size, size_t at)
{
    bool lines = false;
    const char first = first_of(head, size, &at, &lines);
    if (first != '{' && first != '[')
        return RECOGNISE_TEXT;
    at++;
    lines = false;
    const char next = first_of(head, size, &at, &lines);
    if (first == '[')
        return next != '\0' && strchr("{\"]", next) != NULL ? RECOGNISE_JSON_ARRAY : RECOGNISE_TEXT;
    if (next != '"' && next != '}')
        return RECOGNISE_TEXT;
    return lines ? RECOGNISE_JSON_VALUES : RECOGNISE_JSON_LINES;
}

enum status recognise_format(const char *head, size_t size, const char *name, enum recognise_wish wish,
                             enum recognise_format *format, size_t *skip, struct error *e)
{
    const enum status status = refuse_foreign(head, size, e);
    if (status != STATUS_OK)
        return status;
    *skip = size >= 3 && memcmp(head, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    *format = RECOGNISE_TEXT;
    if (wish == RECOGNISE_AS_TOKENS)
        *format = RECOGNISE_TOKENS;
    if (wish == RECOGNISE_AS_TOKENS || wish == RECOGNISE_AS_TEXT)
        return STATUS_OK;
    if (wish == RECOGNISE_AUTO && ends(name, ".txt"))
        return STATUS_OK;
    *format = look_json(head, size, *skip);
    const bool lines = ends(name, ".jsonl") || ends(name, ".ndjson");
    if (lines || (*format == RECOGNISE_TEXT && (wish == RECOGNISE_AS_JSON || ends(name, ".json"))))
        *format = lines || *format == RECOGNISE_TEXT ? RECOGNISE_JSON_LINES : *format;
    return STATUS_OK;
}

const char *recognise_name(enum recognise_format format)
{
    static const char *const names[] = {
        [RECOGNISE_TEXT] = "text",
        [RECOGNISE_TOKENS] = "token ids",
        [RECOGNISE_JSON_LINES] = "JSON Lines",
        [RECOGNISE_JSON_ARRAY] = "a JSON array",
        [RECOGNISE_JSON_VALUES] = "JSON records",
    };
    return names[format];
}

/* A neighbour that a Latin-1 letter has in a text. */
static bool beside(const char *bytes, size_t length, size_t at)
{
    if (at >= length)
        return true; /* the edge of the record */
    const char c = bytes[at];
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == ' ';
}

void recognise_look(struct recognise_encoding *evidence, const char *bytes, size_t length)
{
    size_t at = 0;
    while (at < length) {
        uint64_t eight;
        if (length - at >= sizeof eight) {
            memcpy(&eight, bytes + at, sizeof eight);
            if ((eight & UINT64_C(0x8080808080808080)) == 0) {
                at += sizeof eight;
                continue;
            }
        }
        const unsigned char byte = (unsigned char)bytes[at];
        const size_t promised = utf8_promised(byte);
        if (byte < 0x80) {
            at++;
        } else if (promised > 1 && promised <= length - at && utf8_malformed(bytes + at, promised) == 0) {
            evidence->proper++;
            at += promised;
        } else {
            evidence->malformed++;
            evidence->latin += byte >= 0xA0 && beside(bytes, length, at - 1) + beside(bytes, length, at + 1) > 0;
            at++;
        }
    }
}

bool recognise_latin1(const struct recognise_encoding *evidence)
{
    return evidence->malformed > 0 && evidence->proper * 10 <= evidence->malformed &&
           evidence->latin * 10 >= evidence->malformed * 9;
}
