/* options.h - command lines from tables.
 *
 * A subcommand declares one table of rows; the parser, --help and (later) the man
 * page and the completion follow from it. GNU long options: `--name value` or
 * `--name=value`; a row may have a letter too: `-o value`. `--` ends the options; `-` and what
 * does not begin with `-` is an operand.
 */
#ifndef PHI3SAT_BASE_OPTIONS_H
#define PHI3SAT_BASE_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stddef.h>

#include "error.h"

enum options_kind {
    OPTIONS_FLAG,   /* bool: becomes true                                        */
    OPTIONS_TEXT,   /* const char *: points into argv                            */
    OPTIONS_UINT,   /* uint64_t, min..max                                        */
    OPTIONS_FLOAT,  /* float, rounded from decimal, min..max, finite             */
    OPTIONS_DOUBLE, /* double, min..max, finite                                  */
    OPTIONS_CHOICE, /* int: index into `choices`                                 */
    OPTIONS_HEADING /* a line in --help: `name`                                  */
};

struct options_row {
    const char *name;           /* without dashes                                 */
    enum options_kind kind;
    size_t offset;              /* of the value in the caller's struct            */
    const char *argument;       /* "FILE", "N"; NULL for flags                    */
    const char *help;           /* one sentence, lower case, no full stop          */
    const char *default_text;   /* shown as [..]; NULL none. Values are set by caller */
    double min, max;            /* of numbers                                     */
    const char *const *choices; /* NULL-terminated names; of a TEXT: words that it may be among others,
                                 * which completion offers                        */
    char letter;                /* -o beside --output; 0: none. Never h           */
};

struct options_table {
    const char *command;              /* "phi3sat profile"                        */
    const char *usage;                /* what follows the command in the usage line */
    const char *purpose;              /* one or two sentences                     */
    const struct options_row *rows;   /* [count]                                  */
    size_t count;
    size_t operands_min, operands_max;
    const char *ending;               /* text after the options: examples, exit status; may be NULL */
};

struct options_result {
    bool help;              /* --help was given: print it and stop                */
    uint64_t seen;          /* bit i: row i was given                             */
    size_t operands;        /* number                                             */
    char **operand;         /* in argv, moved to its front, in order              */
};

/* Parses argv[1..argc-1] (argv[0] is the subcommand's word) into `values`, a struct
 * that already holds the defaults. At most 64 rows. STATUS_USAGE with one sentence
 * on the first fault. */
enum status options_parse(const struct options_table *table, int argc, char **argv, void *values,
                          struct options_result *result, struct error *e) ERROR_MUST_USE;

/* Was the option of this name given? */
bool options_given(const struct options_table *table, const struct options_result *result, const char *name);

/* Writes the --help text. */
void options_help(const struct options_table *table, FILE *stream);

#endif
