/* manual.h - a command's manual page in mdoc, made from the table that its --help is made from.
 *
 * Flow: option tables -> *manual* -> `phi3sat --manual COMMAND` -> man1/phi3sat-COMMAND.1 at build time.
 */
#ifndef PHI3SAT_REPORT_MANUAL_H
#define PHI3SAT_REPORT_MANUAL_H

#include <stddef.h>

#include "../base/error.h"
#include "../base/options.h"

/* One page: a command, or a benchmark of `bench`. */
struct manual_page {
    const char *name;                  /* "report", "bench ffn"; "" is the program itself */
    const char *does;                  /* one phrase, no full stop                      */
    const struct options_table *table; /* NULL for the program itself                    */
};

/* All pages, and what they say of the program. */
struct manual {
    const struct manual_page *page; /* [count], the program's own not among them     */
    size_t count;
    const char *version;            /* "0.1.0"                                        */
    const char *date;               /* of that version, "2026-12-03"                   */
};

/* Writes page `name`, "bench ffn", as its file is called too ("phi3sat-bench-ffn"; "" and "phi3sat" are the program's), to standard output. STATUS_USAGE: there is none; STATUS_OUTPUT. */
enum status manual_print(const struct manual *m, const char *name, struct error *e) ERROR_MUST_USE;

/* Writes the names of all pages as their files are called, without .1, one a line. STATUS_OUTPUT. */
enum status manual_names(const struct manual *m, struct error *e) ERROR_MUST_USE;

#endif
