/* test_prompt_book.c - every text of data/ can be drawn and written out, many times over. */
#include <string.h>

#include "text/prompt_book.h"
#include "tap.h"

static struct error fault;
static struct prompt_book book;

static void mistake(const struct prompt_book_section *section)
{
    diag("%.*s: %s (%s)", (int)section->title.length, section->title.text, fault.sentence, fault.where);
}

/* What no finished sentence may hold. */
static bool reads_well(const char *text)
{
    const size_t length = strlen(text);
    return length > 0 && !strpbrk(text, "{}[]<>|\n") && !strstr(text, "  ") && !strstr(text, " .") &&
           !strstr(text, "..") && strchr(".?!\":", text[length - 1]);
}

static bool write_line(const struct prompt_book_line *line, const struct grammar_scene *scene, struct random_stream *random)
{
    struct grammar_text text;
    struct grammar_scene own = *scene;
    if (grammar_draw(&book.grammar, line->setup, random, &own, &fault) != STATUS_OK ||
        grammar_expand(&own, random, line->text, &text, &fault) != STATUS_OK)
        return false;
    error_set(&fault, STATUS_FAILED, "%.500s", text.bytes);
    if (!reads_well(text.bytes))
        return false;
    return line->question.length == 0 ||
           (grammar_expand(&own, random, line->question, &text, &fault) == STATUS_OK && reads_well(text.bytes));
}

static bool write_section(const struct prompt_book_section *section, const struct grammar_span setup)
{
    struct random_stream random = random_open(5, section->first, 0, 0);
    for (int times = 0; times < 60; times++) {
        struct grammar_scene scene = {.count = 0};
        if (grammar_draw(&book.grammar, setup, &random, &scene, &fault) != STATUS_OK)
            return false;
        for (size_t i = 0; i < section->count; i++)
            if (!write_line(&book.lines[section->first + i], &scene, &random))
                return false;
    }
    return section->count > 0;
}

static size_t facts(void)
{
    size_t plain = 0, asked = 0, lines = 0;
    for (size_t i = 0; i < book.section_count[PROMPT_BOOK_FACTS]; i++) {
        const struct prompt_book_section *section = &book.sections[PROMPT_BOOK_FACTS][i];
        for (size_t k = 0; k < section->count; k++) {
            plain += book.lines[section->first + k].setup.length == 0;
            asked += book.lines[section->first + k].question.length > 0;
            lines++;
        }
    }
    is_uint(asked, lines, "every fact has a question");
    return plain;
}

int main(void)
{
    if (!ok(prompt_book_open(&book, &fault) == STATUS_OK, "the texts can be read")) {
        diag("%s (%s)", fault.sentence, fault.where);
        return tap_done();
    }
    for (int d = 0; d < PROMPT_BOOK_DOMAINS; d++) {
        const size_t count = book.section_count[d];
        for (size_t i = 0; i < count; i++) {
            const struct prompt_book_section *section = &book.sections[d][i];
            /* the endings go with any story */
            const bool endings = d == PROMPT_BOOK_STORIES && i + 1 == count;
            if (!ok(write_section(section, endings ? book.sections[d][0].setup : section->setup), "%.*s is sound",
                    (int)section->title.length, section->title.text))
                mistake(section);
        }
    }
    ok(facts() >= 300, "there are at least 300 facts, those from tables not counted");
    prompt_book_close(&book);
    return tap_done();
}
