/* manual.c - see manual.h.
 *
 * mdoc(7) rather than man(7): it says what a word is (an option, its argument) and leaves the looks to the reader's
 * man. The help's free text needs three forms only: lines that begin with a blank stand as they are, the rest is
 * filled, and the paragraphs "Exit status:" and "Example:" become sections. A sentence begins a line of its own, as
 * mandoc's lint wants it. help2man, which reads --help back, was rejected: it guesses what the table knows.
 */
#include "manual.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "program_text.h"

#define FILL 76

/* One byte of text as roff wants it. Dashes that begin a word belong to options and are to be copied as they are. */
static void put(char c, bool dash_is_minus)
{
    switch (c) {
    case '\\': fputs("\\e", stdout); return;
    case '`': fputs("\\(ga", stdout); return;
    case '^': fputs("\\(ha", stdout); return;
    case '~': fputs("\\(ti", stdout); return;
    case '-': fputs(dash_is_minus ? "\\-" : "-", stdout); return;
    default: fputc(c, stdout);
    }
}

/* A word of filled text; `at_start` of a line. */
static void put_word(const char *word, size_t length, bool at_start)
{
    if (at_start && (word[0] == '.' || word[0] == '\''))
        fputs("\\&", stdout);
    bool minus = true;
    for (size_t i = 0; i < length; i++) {
        minus = minus && strchr("-'\"([", word[i]) != NULL;
        put(word[i], minus);
    }
}

static bool ends_sentence(const char *word, size_t length)
{
    while (length > 1 && strchr(")'\"", word[length - 1]))
        length--;
    return length > 0 && strchr(".?!", word[length - 1]) && !(length > 2 && strncmp(word + length - 3, "...", 3) == 0);
}

/* text[0..length) with its line ends taken for blanks; `more` follows it on the last line: a full stop, say. */
static void put_filled(const char *text, size_t length, const char *more)
{
    size_t column = 0;
    while (length > 0 && strchr(" \n", text[length - 1]))
        length--;
    for (size_t i = 0; i < length;) {
        const size_t gap = strspn(text + i, " \n");
        i += gap;
        if (i >= length)
            break;
        size_t word = strcspn(text + i, " \n");
        word = word < length - i ? word : length - i;
        if (column && column + 1 + word > FILL) {
            fputc('\n', stdout);
            column = 0;
        } else if (column) {
            fputc(' ', stdout);
        }
        put_word(text + i, word, column == 0);
        column += word + 1;
        i += word;
        if (ends_sentence(text + i - word, word) && i < length) {
            fputc('\n', stdout);
            column = 0;
        }
    }
    printf("%s\n", more);
}

static void put_literal_line(const char *line, size_t length)
{
    for (size_t i = 0; i < length; i++)
        put(line[i], true);
    fputc('\n', stdout);
}

/* Lines that begin with a blank, without what all of them begin with. */
static const char *put_display(const char *text, size_t indent)
{
    fputs(".Bd -literal -offset indent\n", stdout);
    while (*text == ' ') {
        const size_t length = strcspn(text, "\n");
        put_literal_line(text + indent, length - indent);
        text += length + (text[length] == '\n');
    }
    fputs(".Ed\n", stdout);
    return text;
}

/* One paragraph, up to `length`: runs of filled lines and of displayed ones. */
static void put_paragraph(const char *text, size_t length)
{
    const char *end = text + length;
    while (text < end) {
        if (*text == ' ') {
            text = put_display(text, strspn(text, " "));
            continue;
        }
        const char *to = text;
        while (to < end && (to == text || *to != ' ')) {
            const char *line_end = memchr(to, '\n', (size_t)(end - to));
            to = line_end ? line_end + 1 : end;
        }
        put_filled(text, (size_t)(to - text), "");
        text = to;
    }
}

static size_t paragraph_length(const char *text)
{
    const char *end = strstr(text, "\n\n");
    return end ? (size_t)(end - text) : strlen(text);
}

static bool begins(const char *text, const char *word)
{
    return strncmp(text, word, strlen(word)) == 0;
}

enum paragraph { PLAIN, EXIT_STATUS, ENVIRONMENT, EXAMPLES, KINDS };

static enum paragraph kind_of(const char *text)
{
    return begins(text, "Exit status:") ? EXIT_STATUS :
           begins(text, "Example") ? EXAMPLES :
           begins(text, "PHI3SAT_KERNELS=") ? ENVIRONMENT : PLAIN;
}

/* Command lines, one a line. */
static void put_examples(const char *line, const char *end)
{
    fputs(".Bd -literal -offset indent\n", stdout);
    while (line < end) {
        line += strspn(line, " \n");
        const size_t length = strcspn(line, "\n");
        put_literal_line(line, length);
        line += length + (line[length] == '\n');
    }
    fputs(".Ed\n", stdout);
}

/* The paragraphs of `kind` in `text` (may be NULL). Returns how many there were; each but the first after a .Pp. */
static int put_paragraphs(const char *text, enum paragraph kind, bool separate)
{
    int count = 0;
    while (text && *text) {
        const size_t length = paragraph_length(text);
        const char *from = text, *colon = memchr(text, ':', length);
        if (kind_of(text) == kind) {
            if (kind == EXIT_STATUS || kind == EXAMPLES)
                from = colon ? colon + 1 : text;
            if (count || separate)
                fputs(".Pp\n", stdout);
            if (kind == EXAMPLES)
                put_examples(from, text + length);
            else
                put_paragraph(from + strspn(from, " "), length - (size_t)(from - text) - strspn(from, " "));
            count++;
        }
        text += length;
        text += strspn(text, "\n");
    }
    return count;
}

static bool has(const char *text, enum paragraph kind)
{
    while (text && *text) {
        if (kind_of(text) == kind)
            return true;
        text += paragraph_length(text);
        text += strspn(text, "\n");
    }
    return false;
}

/* .It of an option. A name such as "No" would be taken for a macro; \& in front keeps it a word. */
static void put_item(const struct options_row *row)
{
    fputs(".It ", stdout);
    if (row->letter)
        printf("Fl %c , ", row->letter);
    printf("Fl -%s", row->name);
    if (row->argument)
        printf(" Ar \\&%s", row->argument);
    fputc('\n', stdout);
}

static void put_option(const struct options_row *row)
{
    put_item(row);
    put_filled(row->help, strlen(row->help), ".");
    if (row->default_text) {
        fputs("Default: ", stdout);
        put_filled(row->default_text, strlen(row->default_text), ".");
    }
}

static void put_options(const struct options_row *rows, size_t count)
{
    static const struct options_row help = {.name = "help", .help = "print a summary of the options and stop"};
    bool open = false;
    for (size_t i = 0; i < count; i++) {
        if (rows[i].kind == OPTIONS_HEADING) {
            printf("%s.Ss %s\n", open ? ".El\n" : "", rows[i].name);
            open = false;
            continue;
        }
        if (!open)
            fputs(".Bl -tag -width Ds\n", stdout);
        open = true;
        put_option(&rows[i]);
    }
    if (!open)
        fputs(".Bl -tag -width Ds\n", stdout);
    put_option(&help);
    fputs(".El\n", stdout);
}

/* "bench ffn" -> "phi3sat-bench-ffn", in capitals for the title. */
static void put_name(const char *name, bool capitals)
{
    fputs(capitals ? "PHI3SAT" : "phi3sat", stdout);
    if (*name)
        fputc('-', stdout);
    for (; *name; name++)
        fputc(*name == ' ' ? '-' : capitals ? toupper((unsigned char)*name) : *name, stdout);
}

static void put_head(const struct manual *m, const char *name, const char *does)
{
    static const char *const months[] = {"January", "February", "March", "April", "May", "June", "July",
                                         "August", "September", "October", "November", "December"};
    unsigned year = 0, month = 1, day = 1;
    if (sscanf(m->date, "%u-%u-%u", &year, &month, &day) != 3 || month < 1 || month > 12)
        month = 1;
    printf(".\\\" Made by phi3sat --manual from its option tables; edit those.\n"
           ".Dd %s %u, %u\n.Dt ", months[month - 1], day, year);
    put_name(name, true);
    fputs(" 1\n.Os\n.Sh NAME\n.Nm ", stdout);
    put_name(name, false);
    printf("\n.Nd %s\n", does);
}

static void put_see_also(const struct manual *m, const char *name)
{
    bool first = true;
    const char *blank = strchr(name, ' ');
    fputs(".Sh SEE ALSO\n", stdout);
    if (*name) {
        fputs(".Xr phi3sat 1", stdout);
        first = false;
    }
    for (size_t i = 0; i < m->count; i++) {
        const char *other = m->page[i].name;
        const bool bench = strncmp(name, "bench", 5) == 0, benchs = strncmp(other, "bench", 5) == 0;
        if (strcmp(other, name) == 0 || (strchr(other, ' ') && !bench) || (blank && !benchs))
            continue;
        fputs(first ? ".Xr " : " ,\n.Xr ", stdout);
        put_name(other, false);
        fputs(" 1", stdout);
        first = false;
    }
    printf("\n.Pp\nphi3sat %s keeps methods, formats and a tutorial in its folder\n.Pa docs .\n", m->version);
}

static void put_exit_statuses(void)
{
    fputs(".Sh EXIT STATUS\n.Bl -tag -width Ds\n", stdout);
    for (const struct program_text_row *row = program_text_statuses; row->name; row++) {
        printf(".It %s\n", row->name);
        put_filled(row->does, strlen(row->does), ".");
    }
    fputs(".El\n", stdout);
}

static void put_command(const struct manual *m, const struct manual_page *page)
{
    const struct options_table *t = page->table;
    put_head(m, page->name, page->does);
    printf(".Sh SYNOPSIS\n.Nm phi3sat %s\n", page->name);
    put_literal_line(t->usage, strlen(t->usage));
    fputs(".Sh DESCRIPTION\n", stdout);
    const int described = put_paragraphs(t->purpose, PLAIN, false);
    put_paragraphs(t->ending, PLAIN, described > 0);
    fputs(".Sh OPTIONS\n", stdout);
    put_options(t->rows, t->count);
    if (has(t->ending, ENVIRONMENT)) {
        fputs(".Sh ENVIRONMENT\n", stdout);
        put_paragraphs(t->ending, ENVIRONMENT, false);
    }
    fputs(".Sh EXIT STATUS\n", stdout);
    if (put_paragraphs(t->ending, EXIT_STATUS, false) == 0)
        fputs("0 when all is well;\n.Xr phi3sat 1\ntells what the others mean.\n", stdout);
    if (has(t->ending, EXAMPLES)) {
        fputs(".Sh EXAMPLES\n", stdout);
        put_paragraphs(t->ending, EXAMPLES, false);
    }
    put_see_also(m, page->name);
}

static void put_program(const struct manual *m)
{
    const struct options_table *t = &program_text_table;
    put_head(m, "", "find frozen and dead feed-forward neurons of language models");
    printf(".Sh SYNOPSIS\n.Nm phi3sat\n");
    put_literal_line(t->usage, strlen(t->usage));
    fputs(".Sh DESCRIPTION\n", stdout);
    put_paragraphs(t->purpose, PLAIN, false);
    fputs(".Pp\nCommands, each with a page of its own:\n.Bl -tag -width perplexity\n", stdout);
    for (size_t i = 0; i < m->count; i++) {
        if (strchr(m->page[i].name, ' '))
            continue;
        printf(".It Cm %s\n", m->page[i].name);
        put_filled(m->page[i].does, strlen(m->page[i].does), ".");
    }
    fputs(".El\n.Sh OPTIONS\n", stdout);
    put_options(t->rows, t->count);
    fputs(".Sh ENVIRONMENT\n.Bl -tag -width Ds\n", stdout);
    for (const struct program_text_row *row = program_text_environment; row->name; row++) {
        printf(".It Ev %s\n", row->name);
        put_filled(row->does, strlen(row->does), ".");
    }
    fputs(".El\n", stdout);
    put_exit_statuses();
    fputs(".Sh EXAMPLES\n", stdout);
    put_paragraphs(t->ending, EXAMPLES, false);
    put_see_also(m, "");
}

static enum status flushed(struct error *e)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return STATUS_OK;
    return error_set(e, STATUS_OUTPUT, "standard output can't be written");
}

/* "phi3sat-bench-ffn", "bench-ffn" and "bench ffn" are one page. */
static bool same_page(const char *page, const char *asked)
{
    asked += begins(asked, "phi3sat-") ? strlen("phi3sat-") : 0;
    for (; *page && (*page == *asked || (*page == ' ' && *asked == '-')); page++)
        asked++;
    return *page == *asked;
}

enum status manual_print(const struct manual *m, const char *name, struct error *e)
{
    if (!*name || strcmp(name, "phi3sat") == 0) {
        put_program(m);
        return flushed(e);
    }
    for (size_t i = 0; i < m->count; i++)
        if (same_page(m->page[i].name, name)) {
            put_command(m, &m->page[i]);
            return flushed(e);
        }
    error_set(e, STATUS_USAGE, "there is no manual page of '%s'", name);
    error_advice(e, "see 'phi3sat --help' for the commands");
    return STATUS_USAGE;
}

enum status manual_names(const struct manual *m, struct error *e)
{
    puts("phi3sat");
    for (size_t i = 0; i < m->count; i++) {
        put_name(m->page[i].name, false);
        fputc('\n', stdout);
    }
    return flushed(e);
}
