/* completion.h - what makes bash complete phi3sat's command lines, made from the option tables. */
#ifndef PHI3SAT_REPORT_COMPLETION_H
#define PHI3SAT_REPORT_COMPLETION_H

#include "manual.h"

/* Writes a script for bash 4 and later to standard output; it needs no other file. STATUS_OUTPUT. */
enum status completion_print(const struct manual *m, struct error *e) ERROR_MUST_USE;

#endif
