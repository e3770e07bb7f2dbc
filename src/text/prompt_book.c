/* prompt_book.c - see prompt_book.h. */
#include "prompt_book.h"

#include <string.h>

#include "../base/memory.h"
#include "prompt_texts.h"

static const struct {
    const char *word, *marks;
} domains[PROMPT_BOOK_DOMAINS] = {{"topic: ", "*"}, {"story: ", "!+-&"}, {"sum: ", "qsod"}};

static bool begins(struct grammar_span s, const char *word)
{
    const size_t length = strlen(word);
    return s.length >= length && memcmp(s.text, word, length) == 0;
}

static struct grammar_span behind(struct grammar_span s, size_t n)
{
    return grammar_trim((struct grammar_span){s.text + n, s.length - n});
}

/* Takes "<...>" off the front of *s. */
static struct grammar_span take_setup(struct grammar_span *s)
{
    struct grammar_span setup = {s->text, 0};
    if (s->length == 0 || s->text[0] != '<')
        return setup;
    /* conditions hold '<' and '>' themselves: the setup ends with the line or with "> " */
    for (size_t i = 1; i < s->length; i++)
        if (s->text[i] == '>' && (i + 1 == s->length || s->text[i + 1] == ' ')) {
            setup = grammar_trim((struct grammar_span){s->text + 1, i - 1});
            *s = behind(*s, i + 1);
            break;
        }
    return setup;
}

static enum status add_section(struct prompt_book *book, enum prompt_book_domain d, struct grammar_span title,
                               struct error *e)
{
    enum status s = memory_grow(&book->sections[d], &book->section_capacity[d], book->section_count[d] + 1,
                                sizeof *book->sections[d], "prompt texts", e);
    if (s == STATUS_OK)
        book->sections[d][book->section_count[d]++] =
            (struct prompt_book_section){.title = title, .setup = {"", 0}, .first = book->line_count};
    return s;
}

static enum status add_line(struct prompt_book *book, struct prompt_book_section *section, struct grammar_span line,
                            const char *marks, struct error *e)
{
    if (line.length < 3 || line.text[1] != ' ' || !strchr(marks, line.text[0]))
        return grammar_mistake(e, "a line without its mark", line);
    enum status s =
        memory_grow(&book->lines, &book->line_capacity, book->line_count + 1, sizeof *book->lines, "prompt texts", e);
    if (s != STATUS_OK)
        return s;
    struct grammar_span rest = behind(line, 2);
    struct prompt_book_line *out = &book->lines[book->line_count++];
    *out = (struct prompt_book_line){.mark = line.text[0], .setup = take_setup(&rest), .question = {"", 0}};
    out->text = rest;
    for (size_t i = 0; i + 1 < rest.length; i++)
        if (rest.text[i] == '?' && rest.text[i + 1] == '?' && rest.text[i - (i > 0)] == ' ') {
            out->text = grammar_trim((struct grammar_span){rest.text, i});
            out->question = behind(rest, i + 2);
            break;
        }
    section->count++;
    return STATUS_OK;
}

static enum status read_sections(struct prompt_book *book, enum prompt_book_domain d, const char *const *lines,
                                 struct error *e)
{
    enum status s = STATUS_OK;
    for (; *lines != NULL && s == STATUS_OK; lines++) {
        struct grammar_span line = grammar_trim(grammar_span_of(*lines));
        struct prompt_book_section *section =
            book->section_count[d] > 0 ? &book->sections[d][book->section_count[d] - 1] : NULL;
        if (begins(line, domains[d].word))
            s = add_section(book, d, behind(line, strlen(domains[d].word)), e);
        else if (section == NULL)
            s = grammar_mistake(e, "a line before the first section", line);
        else if (line.text[0] == '<')
            section->setup = take_setup(&line);
        else
            s = add_line(book, section, line, domains[d].marks, e);
    }
    return s;
}

enum status prompt_book_open(struct prompt_book *book, struct error *e)
{
    memset(book, 0, sizeof *book);
    enum status s = grammar_read(&book->grammar, prompt_texts_words, e);
    if (s == STATUS_OK)
        s = read_sections(book, PROMPT_BOOK_FACTS, prompt_texts_facts, e);
    if (s == STATUS_OK)
        s = read_sections(book, PROMPT_BOOK_STORIES, prompt_texts_stories, e);
    if (s == STATUS_OK)
        s = read_sections(book, PROMPT_BOOK_SUMS, prompt_texts_sums, e);
    if (s != STATUS_OK)
        prompt_book_close(book);
    return s;
}

void prompt_book_close(struct prompt_book *book)
{
    grammar_free(&book->grammar);
    memory_free(book->lines);
    for (int d = 0; d < PROMPT_BOOK_DOMAINS; d++)
        memory_free(book->sections[d]);
    memset(book, 0, sizeof *book);
}
