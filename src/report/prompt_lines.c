/* prompt_lines.c - see prompt_lines.h. */
#include "prompt_lines.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static enum status outcome(struct error *e)
{
    const int reason = errno;
    if (!ferror(stdout))
        return STATUS_OK;
    error_set(e, STATUS_OUTPUT, "can't be written: %s", strerror(reason));
    return error_file(e, "standard output");
}

enum status prompt_lines_text(const char *text, size_t length, struct error *e)
{
    fwrite(text, 1, length, stdout);
    putchar_unlocked('\n');
    return outcome(e);
}

enum status prompt_lines_json(const char *text, size_t length, const char *domain, size_t tokens, struct error *e)
{
    fputs("{\"text\": \"", stdout);
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\')
            putchar_unlocked('\\');
        if (c < 0x20)
            printf("\\u%04x", c);
        else
            putchar_unlocked(c);
    }
    printf("\", \"domain\": \"%s\", \"tokens\": %zu}\n", domain, tokens);
    return outcome(e);
}
