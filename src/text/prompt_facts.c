/* prompt_facts.c - composes factual prompts: notes, readings, quizzes, lists of questions.
 *
 * A prompt keeps to one topic and takes up another only once it has said all about
 * the first. Facts are drawn in random order, so each is written to stand alone.
 */
#include "prompt_draft.h"

#include <stdio.h>
#include <string.h>

enum { ORDER = 192, TEMPLATE_TIMES = 3, SINGLE_ROOM = 36, LIST_ROOM = 160, BRIDGE_ROOM = 40 };

enum form { NOTES, READING, QUIZ, LIST, FORMS };

/* What frames may name. */
struct fact {
    struct grammar_text sentence, question;
    struct grammar_span title;
    size_t number;
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const single_frames[] = {
    "{s}", "{s}", "{q}", "{q}", "{q}", "{q} {s}", "True or false? {s}", "Answer in one sentence: {q}", "Explain briefly: {q}",
    "Question: {q} Answer: {s}", "Say it in your own words: {s}", "Is this right? {s}", "A pupil asks: {q}",
    "A fact about {title}: {s}", "Give a short answer. {q}", "From a lesson about {title}: {q}"};

static const char *const notes_frames[] = {
    "[Here are some facts|A few facts|Some notes|Things worth knowing|A short lesson] about {title}.",
    "[What do we know|What should a curious child know|What does a textbook say] about {title}?",
    "[Write a summary of these notes|Turn these notes into a short article|Check these statements one by one]. They are about {title}."};

static const char *const reading_frames[] = {
    "Read this text about {title} and answer the question at the end.",
    "The following sentences are about {title}. A question comes after them.",
    "Use only this text about {title} to answer the question that follows it."};

static const char *const list_frames[] = {
    "[Answer the following questions|Answer each question in one sentence|Here are some questions for a test|A teacher asks these questions] about {title}.",
    "[Prepare short answers|Find the answers] to these questions about {title}."};

static const char *const quiz_frames[] = {"A quiz about {title}, with answers.",
                                          "[Questions and answers|A short interview with an expert|Flash cards] about {title}.", ""};

static enum status frame(struct prompt_draft *d, const char *source, const struct fact *f, struct grammar_text *out,
                         struct error *e)
{
    static const struct grammar_list list = {.forms = 1, .form = {{"text", 4}}};
    const struct grammar_entry s = {.form = {{f->sentence.bytes, f->sentence.length}}};
    const struct grammar_entry q = {.form = {{f->question.bytes, f->question.length}}};
    const struct grammar_entry title = {.form = {f->title}};
    const struct grammar_scene scene = {
        .binding = {{{"s", 1}, &list, &s, 0}, {{"q", 1}, &list, &q, 0}, {{"title", 5}, &list, &title, 0},
                    {{"n", 1}, NULL, NULL, (int64_t)f->number}},
        .count = 4};
    return grammar_expand(&scene, &d->random, grammar_span_of(source), out, e);
}

static struct grammar_span span(const struct grammar_text *t)
{
    return (struct grammar_span){t->bytes, t->length};
}

static enum status draw_fact(struct prompt_draft *d, const struct prompt_book_section *topic, size_t line,
                             struct fact *f, struct error *e)
{
    const struct prompt_book_line *l = &d->book->lines[topic->first + line];
    struct grammar_scene scene = {.count = 0};
    f->title = topic->title;
    enum status s = grammar_draw(&d->book->grammar, l->setup, &d->random, &scene, e);
    if (s == STATUS_OK)
        s = grammar_expand(&scene, &d->random, l->text, &f->sentence, e);
    return s == STATUS_OK ? grammar_expand(&scene, &d->random, l->question, &f->question, e) : s;
}

static const struct prompt_book_section *draw_topic(struct prompt_draft *d)
{
    const struct prompt_book *b = d->book;
    return &b->sections[PROMPT_BOOK_FACTS][random_below(&d->random, b->section_count[PROMPT_BOOK_FACTS])];
}

static enum status compose_single(struct prompt_draft *d, struct error *e)
{
    struct fact f = {.number = 1};
    struct grammar_text text;
    bool taken;
    const struct prompt_book_section *topic = draw_topic(d);
    enum status s = draw_fact(d, topic, (size_t)random_below(&d->random, topic->count), &f, e);
    if (s == STATUS_OK)
        s = frame(d, single_frames[random_below(&d->random, COUNT(single_frames))], &f, &text, e);
    return s == STATUS_OK ? prompt_draft_offer(d, span(&text), 0, true, &taken, e) : s;
}

/* The lines of a topic in random order, those with slots several times; returns their number. */
static size_t order_lines(struct prompt_draft *d, const struct prompt_book_section *topic, size_t order[ORDER])
{
    size_t count = 0;
    for (size_t i = 0; i < topic->count; i++) {
        const bool slots = d->book->lines[topic->first + i].setup.length > 0;
        for (size_t k = 0; k < (slots ? TEMPLATE_TIMES : 1) && count < ORDER; k++)
            order[count++] = i;
    }
    prompt_draft_shuffle(d, order, count);
    return count;
}

/* Adds what fits of one topic in the manner of `form`; a reading keeps `reserve` tokens free.
 * *asked becomes a question that fits into the reserve. */
static enum status add_topic(struct prompt_draft *d, const struct prompt_book_section *topic, enum form form,
                             const char *unit, size_t *number, struct fact *asked, size_t *reserve, struct error *e)
{
    size_t order[ORDER];
    const size_t count = order_lines(d, topic, order);
    enum status s = STATUS_OK;
    for (size_t i = 0; i < count && s == STATUS_OK && prompt_draft_room(d) > *reserve + 5; i++) {
        struct fact f = {.number = *number + 1};
        struct grammar_text text;
        bool taken = false;
        s = draw_fact(d, topic, order[i], &f, e);
        if (s != STATUS_OK || strstr(d->text, form == LIST ? f.question.bytes : f.sentence.bytes) != NULL)
            continue;
        size_t tokens = 0;
        if (form == READING)
            s = prompt_draft_cost(d, span(&f.question), &tokens, e);
        if (form == READING && *reserve == 0)
            *reserve = tokens + 4;
        if (s == STATUS_OK)
            s = frame(d, unit, &f, &text, e);
        if (s == STATUS_OK)
            s = prompt_draft_offer(d, span(&text), *reserve, *number == 0, &taken, e);
        if (taken && form == READING && tokens + 4 <= *reserve && (*number == 0 || prompt_draft_chance(d, 3)))
            *asked = f;
        *number += taken;
    }
    return s;
}

static const char *draw_frame(struct prompt_draft *d, enum form form)
{
    switch (form) {
    case NOTES:
        return notes_frames[random_below(&d->random, COUNT(notes_frames))];
    case READING:
        return reading_frames[random_below(&d->random, COUNT(reading_frames))];
    case QUIZ:
        return quiz_frames[random_below(&d->random, COUNT(quiz_frames))];
    default:
        return list_frames[random_below(&d->random, COUNT(list_frames))];
    }
}

static enum status add_frame(struct prompt_draft *d, const char *source, const struct prompt_book_section *topic,
                             size_t reserve, struct error *e)
{
    struct fact f = {.title = topic->title};
    struct grammar_text text;
    bool taken;
    enum status s = frame(d, source, &f, &text, e);
    return s == STATUS_OK ? prompt_draft_offer(d, span(&text), reserve, false, &taken, e) : s;
}

static enum status add_question(struct prompt_draft *d, const struct fact *asked, struct error *e)
{
    char text[GRAMMAR_TEXT + 16];
    bool taken;
    snprintf(text, sizeof text, "Question: %s", asked->question.bytes);
    return prompt_draft_offer(d, grammar_span_of(text), 0, false, &taken, e);
}

enum status prompt_facts_compose(struct prompt_draft *d, struct error *e)
{
    static const char *const quiz_units[] = {"Question: {q} Answer: {s}", "Q: {q} A: {s}", "{q} {s}"};
    enum form form = (enum form)random_below(&d->random, FORMS);
    struct fact asked = {.number = 0};
    size_t number = 0, reserve = 0, room = prompt_draft_room(d);
    if (room < SINGLE_ROOM)
        return compose_single(d, e);
    if (form == LIST && room > LIST_ROOM)
        form = NOTES;
    const char *unit = form == QUIZ ? quiz_units[random_below(&d->random, COUNT(quiz_units))]
                       : form == LIST ? "{n}. {q}"
                                      : "{s}";
    const struct prompt_book_section *topic = draw_topic(d), *before = topic;
    enum status s = add_frame(d, draw_frame(d, form), topic, SINGLE_ROOM, e);
    if (s == STATUS_OK)
        s = add_topic(d, topic, form, unit, &number, &asked, &reserve, e);
    for (int more = 0; more < 6 && s == STATUS_OK && prompt_draft_room(d) > reserve + BRIDGE_ROOM; more++) {
        while (topic == before)
            topic = draw_topic(d);
        before = topic;
        s = add_frame(d, "[Next, something about|Now to|Another subject:] {title}.", topic, reserve + BRIDGE_ROOM / 2, e);
        if (s == STATUS_OK)
            s = add_topic(d, topic, form, unit, &number, &asked, &reserve, e);
    }
    if (s == STATUS_OK && asked.question.length > 0)
        s = add_question(d, &asked, e);
    return s;
}
