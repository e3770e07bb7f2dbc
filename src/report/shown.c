/* shown.c - see shown.h. */
#include "shown.h"

#include <string.h>

#include "../base/escape.h"

void shown_print(FILE *to, const char *text)
{
    char piece[ESCAPE_LONGEST];
    const size_t length = strlen(text);
    size_t used;
    for (size_t at = 0; at < length;) {
        at += escape_next(ESCAPE_TERMINAL, text + at, length - at, piece, &used, NULL);
        fwrite(piece, 1, used, to);
    }
}
