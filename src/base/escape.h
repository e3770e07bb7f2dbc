/* escape.h - text that nobody vouches for, made fit for a terminal, for HTML or for JSON.
 *
 * Names in files may hold any bytes: a control character would steer the terminal of whoever looks
 * at the file, a stray byte would make our JSON none. One character at a time, no memory.
 */
#ifndef PHI3SAT_BASE_ESCAPE_H
#define PHI3SAT_BASE_ESCAPE_H

#include <stddef.h>

enum escape_form {
    ESCAPE_TERMINAL, /* \n, \x1b (bytes), \u{202e} (characters), \\                   */
    ESCAPE_HTML,     /* &lt;, &amp;, &quot;; \x1b, \u{202e}; what is no UTF-8 is U+FFFD  */
    ESCAPE_JSON      /* inside quotes: \n, \u001b, \", \\; what is no UTF-8 is U+FFFD   */
};

/* Bytes that one character can become. */
#define ESCAPE_LONGEST 12

/* Writes the form of the first character of bytes[length > 0] to out[ESCAPE_LONGEST], *used bytes of
 * it (not NUL-terminated), and returns how many of `bytes` it was. Escaped for terminals (and HTML, which keeps
 * backslashes, tabs and newlines as they are) are control characters, bytes that are no UTF-8, and characters that reorder or break lines (U+061C,
 * U+200B..200F, U+2028..202E, U+2060..206F, U+FEFF). *columns, if not NULL, is the width on a
 * terminal: 1 a character, which East Asian ones exceed. */
size_t escape_next(enum escape_form form, const char *bytes, size_t length, char out[ESCAPE_LONGEST], size_t *used,
                   size_t *columns);

#endif
