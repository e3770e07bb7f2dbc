/* prompt_sums.c - composes mathematical prompts: problems with their solutions, and drills.
 *
 * Numbers are drawn and results computed by the setups of data/sums.txt in whole numbers, and
 * every solution writes its steps as equations, which a test works out again.
 */
#include "prompt_draft.h"

#include <stdio.h>
#include <string.h>

enum { ORDER = 192, SINGLE_ROOM = 30, HEADER_ROOM = 90, MISSES = 12, SMALLEST = 8 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const headers[] = {
    "Work out each of the following and show the steps.", "Some exercises with their solutions.",
    "Check the solutions of these problems.", "From an arithmetic book.", "Solve the problems below step by step.",
    "These problems were set in a mathematics lesson."};

/* How a prompt sets out its problems; {n} is not there: the number is printed. */
enum style { PLAIN, QUESTION, PROBLEM, EXERCISE, STYLES };

struct problem {
    char ask[2 * GRAMMAR_TEXT], solve[2 * GRAMMAR_TEXT], remark[2 * GRAMMAR_TEXT];
};

static void append(char *to, size_t size, const char *text)
{
    const size_t used = strlen(to);
    if (used + strlen(text) + 2 < size)
        snprintf(to + used, size - used, "%s%s", used > 0 ? " " : "", text);
}

/* A section has either problems or drills; of drills one is taken, as `ask`. */
static enum status write_problem(struct prompt_draft *d, const struct prompt_book_section *section,
                                 struct problem *p, struct error *e)
{
    struct grammar_scene scene = {.count = 0};
    struct grammar_text text;
    const struct prompt_book_line *lines = &d->book->lines[section->first];
    const size_t drill = (size_t)random_below(&d->random, section->count);
    p->ask[0] = p->solve[0] = p->remark[0] = '\0';
    enum status s = grammar_draw(&d->book->grammar, section->setup, &d->random, &scene, e);
    for (size_t i = 0; i < section->count && s == STATUS_OK; i++) {
        if (lines[i].mark == 'd' && i != drill)
            continue;
        s = grammar_expand(&scene, &d->random, lines[i].text, &text, e);
        if (s != STATUS_OK)
            break;
        if (lines[i].mark == 's')
            append(p->solve, sizeof p->solve, text.bytes);
        else if (lines[i].mark == 'o')
            append(p->remark, sizeof p->remark, text.bytes);
        else
            append(p->ask, sizeof p->ask, text.bytes);
    }
    return s;
}

static void set_out(const struct problem *p, enum style style, size_t number, bool solved, bool remark, char *out,
                    size_t size)
{
    char begin[48] = "";
    if (style == PROBLEM)
        snprintf(begin, sizeof begin, "Problem %zu. ", number);
    else if (style == EXERCISE)
        snprintf(begin, sizeof begin, "Exercise %zu: ", number);
    else if (style == QUESTION)
        snprintf(begin, sizeof begin, "Question: ");
    if (solved && p->solve[0] != '\0')
        snprintf(out, size, "%s%s%s%s%s%s", begin, p->ask,
                 style == PLAIN ? " " : style == QUESTION ? " Answer: " : " Solution: ", p->solve,
                 remark && p->remark[0] != '\0' ? " " : "", remark ? p->remark : "");
    else
        snprintf(out, size, "%s%s", begin, p->ask);
}

/* Offers the problem with remark, without, and last unsolved where that may be. */
static enum status offer(struct prompt_draft *d, const struct problem *p, enum style style, size_t number,
                         bool unsolved, bool must, bool *taken, struct error *e)
{
    char text[GRAMMAR_TEXT * 6 + 64];
    enum status s = STATUS_OK;
    *taken = false;
    for (int form = 0; form < 3 && s == STATUS_OK && !*taken; form++) {
        if ((form == 0 && p->remark[0] == '\0') || (form < 2 && p->solve[0] == '\0') ||
            (form == 2 && !unsolved && p->solve[0] != '\0'))
            continue;
        set_out(p, style, number, form < 2, form == 0, text, sizeof text);
        s = prompt_draft_offer(d, grammar_span_of(text), 0, must && form == 2, taken, e);
    }
    return s;
}

static const struct prompt_book_section *section_at(const struct prompt_draft *d, size_t i)
{
    return &d->book->sections[PROMPT_BOOK_SUMS][i];
}

static bool is_drill(const struct prompt_draft *d, size_t i)
{
    return d->book->lines[section_at(d, i)->first].mark == 'd';
}

/* One problem or drill; what comes too long is left to the maker, which tries again. */
static enum status compose_single(struct prompt_draft *d, struct error *e)
{
    struct problem p;
    bool taken;
    const size_t i = (size_t)random_below(&d->random, d->book->section_count[PROMPT_BOOK_SUMS]);
    enum status s = write_problem(d, section_at(d, i), &p, e);
    const enum style style = prompt_draft_chance(d, 4) ? QUESTION : PLAIN;
    return s == STATUS_OK ? offer(d, &p, is_drill(d, i) ? PLAIN : style, 1, true, true, &taken, e) : s;
}

/* Fills the rest with lines that stand alone. */
static enum status add_drills(struct prompt_draft *d, struct error *e)
{
    struct problem p;
    enum status s = STATUS_OK;
    const size_t count = d->book->section_count[PROMPT_BOOK_SUMS];
    for (int tries = 0; tries < 3 * MISSES && s == STATUS_OK && prompt_draft_room(d) >= SMALLEST; tries++) {
        const size_t i = (size_t)random_below(&d->random, count);
        bool taken;
        if (!is_drill(d, i))
            continue;
        s = write_problem(d, section_at(d, i), &p, e);
        if (s == STATUS_OK && strstr(d->text, p.ask) == NULL)
            s = offer(d, &p, PLAIN, 0, true, false, &taken, e);
    }
    return s;
}

enum status prompt_sums_compose(struct prompt_draft *d, struct error *e)
{
    struct problem p;
    size_t order[ORDER], count = d->book->section_count[PROMPT_BOOK_SUMS], number = 0, misses = 0;
    const enum style style = (enum style)random_below(&d->random, STYLES);
    enum status s = STATUS_OK;
    bool taken;
    if (prompt_draft_room(d) < SINGLE_ROOM)
        return compose_single(d, e);
    if (prompt_draft_room(d) > HEADER_ROOM && prompt_draft_chance(d, 2))
        s = prompt_draft_offer(d, grammar_span_of(headers[random_below(&d->random, COUNT(headers))]), HEADER_ROOM / 2,
                               false, &taken, e);
    count = count < ORDER ? count : ORDER;
    for (size_t i = 0; i < count; i++)
        order[i] = i;
    prompt_draft_shuffle(d, order, count);
    for (size_t i = 0; i < count && s == STATUS_OK && misses < MISSES && prompt_draft_room(d) >= SMALLEST; i++) {
        if (is_drill(d, order[i]))
            continue;
        s = write_problem(d, section_at(d, order[i]), &p, e);
        if (s == STATUS_OK)
            s = offer(d, &p, style, number + 1, misses > MISSES / 2, number == 0 && d->length == 0, &taken, e);
        number += taken;
        misses = taken ? 0 : misses + 1;
    }
    return s == STATUS_OK ? add_drills(d, e) : s;
}
