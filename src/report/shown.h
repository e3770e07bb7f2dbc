/* shown.h - texts from files and command lines, fit for a terminal (base/escape.h). */
#ifndef PHI3SAT_REPORT_SHOWN_H
#define PHI3SAT_REPORT_SHOWN_H

#include <stdio.h>

/* Writes the NUL-terminated `text` with control characters and the like escaped. */
void shown_print(FILE *to, const char *text);

#endif
