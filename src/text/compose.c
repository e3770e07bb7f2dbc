/* compose.c - see compose.h (Unicode Standard Annex 15).
 *
 * The tables are utf8proc's, and with them the version of Unicode (15 in Debian 12). Its convenient functions
 * allocate by themselves; the two below work in memory of ours.
 */
#include "compose.h"

#include <stdbool.h>
#include <utf8proc.h>

#include "../base/memory.h"
#include "utf8.h"

static const utf8proc_option_t options = (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE);

/* Whether there is anything to do, and it can be done. */
static bool worth_it(const char *text, size_t length)
{
    size_t marks = 0;
    bool any = false;
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        const size_t n = utf8_decode(text + at, length - at, &code);
        if (n == 0 || (code >= 0xD800 && code <= 0xDFFF))
            return false;
        any |= n > 1;
        marks = n > 1 && utf8proc_get_property((utf8proc_int32_t)code)->combining_class ? marks + 1 : 0;
        if (marks > COMPOSE_MOST_MARKS)
            return false;
        at += n;
    }
    return any;
}

enum status compose_nfc(const char *text, size_t length, char **composed, size_t *composed_length, struct error *e)
{
    utf8proc_int32_t *codes = NULL;
    *composed = NULL;
    if (length > (size_t)1 << 31 || !worth_it(text, length))
        return STATUS_OK;
    const utf8proc_uint8_t *bytes = (const utf8proc_uint8_t *)text;
    utf8proc_ssize_t count = utf8proc_decompose(bytes, (utf8proc_ssize_t)length, NULL, 0, options);
    if (count < 0)
        return STATUS_OK;
    /* One more: the bytes that take the codes' place end in a NUL. */
    enum status status = memory_uninitialised(&codes, (size_t)count + 1, sizeof *codes, "text to be tokenised", e);
    if (status != STATUS_OK)
        return status;
    count = utf8proc_decompose(bytes, (utf8proc_ssize_t)length, codes, count, options);
    count = count < 0 ? count : utf8proc_reencode(codes, count, options);
    if (count < 0) {
        memory_free(codes);
        return STATUS_OK;
    }
    *composed = (char *)codes;
    *composed_length = (size_t)count;
    return STATUS_OK;
}
