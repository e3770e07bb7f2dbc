/* prompt_stories.c - composes narrative prompts.
 *
 * A story is a fixed row of sentences, some of which may be left out. Its cast, places and things
 * are drawn once. What is needed is taken from the front while it fits: a short prompt is the
 * opening of the story. Then sentences that may be left out fill the room, in random order of choice and in
 * the story's order of telling. So a story makes sense at every length.
 */
#include "prompt_draft.h"

#include <string.h>

enum { LINES = 96, POOL = 32768, SINGLE_ROOM = 34 };

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const char *const opening_frames[] = {
    "Continue this story.", "Write the next paragraph of this story.", "How might this story go on?",
    "Finish the story in a few sentences.", "This is how a story begins."};
static const char *const whole_frames[] = {
    "Read this story and say in one sentence what it is about.", "Give this story a title.", "A short story.",
    "Retell the following story as a letter.", "Describe the main person of this story."};

struct line {
    char mark;
    size_t offset, length; /* in the pool */
    size_t tokens;
    bool taken;
};

struct story {
    struct line line[LINES];
    size_t count;
    char pool[POOL];
    size_t used;
};

static struct grammar_span text_of(const struct story *st, size_t i)
{
    return (struct grammar_span){st->pool + st->line[i].offset, st->line[i].length};
}

static enum status write_line(struct prompt_draft *d, size_t line, const struct grammar_scene *scene,
                              struct story *st, struct error *e)
{
    struct grammar_text text;
    const struct prompt_book_line *l = &d->book->lines[line];
    enum status s = grammar_expand(scene, &d->random, l->text, &text, e);
    if (s != STATUS_OK || st->count == LINES || text.length > sizeof st->pool - st->used)
        return s;
    struct line *out = &st->line[st->count];
    *out = (struct line){.mark = l->mark, .offset = st->used, .length = text.length};
    memcpy(st->pool + st->used, text.bytes, text.length);
    st->used += text.length;
    return prompt_draft_cost(d, text_of(st, st->count++), &out->tokens, e);
}

/* Draws a story and writes out all of its lines, last one of the endings that fit any story. */
static enum status write_story(struct prompt_draft *d, struct story *st, struct error *e)
{
    const struct prompt_book_section *sections = d->book->sections[PROMPT_BOOK_STORIES];
    const size_t last = d->book->section_count[PROMPT_BOOK_STORIES] - 1;
    const struct prompt_book_section *section = &sections[random_below(&d->random, last)];
    const struct prompt_book_section *endings = &sections[last];
    struct grammar_scene scene = {.count = 0};
    st->count = 0;
    st->used = 0;
    enum status s = grammar_draw(&d->book->grammar, section->setup, &d->random, &scene, e);
    for (size_t i = 0; i < section->count && s == STATUS_OK; i++)
        s = write_line(d, section->first + i, &scene, st, e);
    if (s == STATUS_OK)
        s = write_line(d, endings->first + (size_t)random_below(&d->random, endings->count), &scene, st, e);
    return s;
}

/* One of the lines with `mark`; the story has at least one. */
static size_t draw_line(struct prompt_draft *d, const struct story *st, char mark)
{
    size_t chosen = 0, seen = 0;
    for (size_t i = 0; i < st->count; i++)
        if (st->line[i].mark == mark && random_below(&d->random, ++seen) == 0)
            chosen = i;
    return chosen;
}

/* Takes needed lines from the front, at most `most` of them, while they fit into *room. Returns the
 * place behind the last one, or the story's end when none is missing. */
static size_t take_needed(struct story *st, size_t most, size_t *room)
{
    size_t end = 0, taken = 0;
    for (size_t i = 0; i < st->count; i++) {
        struct line *l = &st->line[i];
        if (l->mark != '+')
            continue;
        if (l->tokens > *room || taken == most)
            return end;
        l->taken = true;
        *room -= l->tokens;
        end = i + 1;
        taken++;
    }
    return st->count;
}

/* Takes lines that may be left out, before `end`, with those that go with them. */
static void take_others(struct prompt_draft *d, struct story *st, size_t end, size_t *room)
{
    size_t order[LINES], count = 0;
    for (size_t i = 0; i < end; i++)
        if (st->line[i].mark == '-')
            order[count++] = i;
    prompt_draft_shuffle(d, order, count);
    for (size_t k = 0; k < count; k++) {
        size_t last = order[k], tokens = st->line[last].tokens;
        while (last + 1 < st->count && st->line[last + 1].mark == '&')
            tokens += st->line[++last].tokens;
        if (tokens > *room)
            continue;
        *room -= tokens;
        for (size_t i = order[k]; i <= last; i++)
            st->line[i].taken = true;
    }
}

static enum status add_single(struct prompt_draft *d, const struct story *st, struct error *e)
{
    bool taken = false;
    enum status s = STATUS_OK;
    const size_t i = draw_line(d, st, '!');
    if (prompt_draft_chance(d, 4))
        s = prompt_draft_offer(d, grammar_span_of("Continue this story:"), st->line[i].tokens, false, &taken, e);
    prompt_draft_add(d, text_of(st, i), st->line[i].tokens);
    return s;
}

static size_t count_needed(const struct story *st)
{
    size_t n = 0;
    for (size_t i = 0; i < st->count; i++)
        n += st->line[i].mark == '+';
    return n;
}

enum status prompt_stories_compose(struct prompt_draft *d, struct error *e)
{
    struct story st;
    enum status s = write_story(d, &st, e);
    if (s != STATUS_OK)
        return s;
    size_t room = prompt_draft_room(d), frame_tokens = 0;
    const size_t needed = count_needed(&st);
    const bool opening = needed > 2 && prompt_draft_chance(d, 3); /* the whole story is not told */
    const char *frame = opening ? opening_frames[random_below(&d->random, COUNT(opening_frames))]
                                : whole_frames[random_below(&d->random, COUNT(whole_frames))];
    const bool framed = room > 2 * SINGLE_ROOM && prompt_draft_chance(d, 3);
    if (framed)
        s = prompt_draft_cost(d, grammar_span_of(frame), &frame_tokens, e);
    room -= frame_tokens < room ? frame_tokens : room;
    size_t end = take_needed(&st, opening ? (needed + 1) / 2 : needed, &room);
    if (end == 0 || (room < SINGLE_ROOM / 2 && prompt_draft_room(d) < SINGLE_ROOM && prompt_draft_chance(d, 2)))
        return s == STATUS_OK ? add_single(d, &st, e) : s;
    take_others(d, &st, end, &room);
    if (end < st.count && room > SINGLE_ROOM) { /* more room than the opening fills: tell on */
        for (size_t i = 0; i < st.count; i++)
            if (st.line[i].taken) {
                st.line[i].taken = false;
                room += st.line[i].tokens;
            }
        end = take_needed(&st, needed, &room);
        take_others(d, &st, end, &room);
    }
    if (framed && (end < st.count) == opening)
        prompt_draft_add(d, grammar_span_of(frame), frame_tokens);
    for (size_t i = 0; i < st.count; i++)
        if (st.line[i].taken)
            prompt_draft_add(d, text_of(&st, i), st.line[i].tokens);
    return s;
}
