/* grammar.h - the small grammar in which the prompt maker's texts are written.
 *
 * Flow: data/ texts (embedded) -> *grammar* -> sentences. Three ideas:
 *
 *  - Lists of words, each entry with several named forms:
 *        list person: name; he; him; his
 *        Amina; she; her; her
 *    The first form is meant where none is named.
 *
 *  - A setup, which fills slots and computes numbers; its items are drawn in order:
 *        hero:person; a=12..40; p=5|10|25; c=a*p; c%100==0
 *    `slot:list` draws an entry (never one that another slot of that list holds; where the list
 *    has a form `he`, the second entry differs in it, so that pronouns are clear); `..` draws
 *    a number from a range, `|` one of several; any other `name=` computes; the rest are
 *    conditions. `/` must come out even. When a condition fails all is drawn again.
 *
 *  - Text. `{slot}`, `{slot.form}`, `{number}` stand for their values; `{Slot}` begins with a
 *    capital; `{a slot.form}` has "a" or "an" in front (also `{A slot}`). `{number:style}` is
 *    written in a style: words, comma, money, tenths, hundredths, clock, ordinal. `[this|that]`
 *    is one of the alternatives; they nest and may be empty. The text's first letter becomes a
 *    capital.
 *
 * All arithmetic is in 64-bit integers: results are the same on every machine. The texts are our own, so a
 * mistake in one is an error of the build (STATUS_FAILED), which a unit test looks for.
 */
#ifndef PHI3SAT_TEXT_GRAMMAR_H
#define PHI3SAT_TEXT_GRAMMAR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"
#include "../base/random.h"

enum { GRAMMAR_FORMS = 8, GRAMMAR_SLOTS = 32, GRAMMAR_TEXT = 4096 };

/* Part of an embedded text: static, never freed. */
struct grammar_span {
    const char *text; /* [length], no NUL behind it */
    size_t length;
};

struct grammar_entry {
    struct grammar_span form[GRAMMAR_FORMS];
};

struct grammar_list {
    struct grammar_span name;
    struct grammar_span form[GRAMMAR_FORMS]; /* names */
    size_t forms;
    size_t first, count; /* entries */
};

struct grammar {
    struct grammar_list *lists; /* [list_count] */
    size_t list_count, list_capacity;
    struct grammar_entry *entries; /* [entry_count], list after list */
    size_t entry_count, entry_capacity;
};

/* A slot with its entry, or (list NULL) a number. */
struct grammar_binding {
    struct grammar_span name;
    const struct grammar_list *list;
    const struct grammar_entry *entry;
    int64_t value;
};

struct grammar_scene {
    struct grammar_binding binding[GRAMMAR_SLOTS];
    size_t count;
};

/* One expanded text. */
struct grammar_text {
    char bytes[GRAMMAR_TEXT]; /* [length] and a NUL */
    size_t length;
};

struct grammar_span grammar_span_of(const char *s);
struct grammar_span grammar_trim(struct grammar_span s);
bool grammar_equal(struct grammar_span a, struct grammar_span b);
bool grammar_is(struct grammar_span a, const char *s);

/* Cuts the part before `separator` off the front of *rest and returns it trimmed; *rest becomes
 * what is behind the separator, or empty. */
struct grammar_span grammar_cut(struct grammar_span *rest, char separator);

/* Reads the lists of `lines`, NULL at the end; `#` begins a line of remark. `g` is zeroed by
 * the caller and freed by grammar_free, also after a failure. */
enum status grammar_read(struct grammar *g, const char *const *lines, struct error *e) ERROR_MUST_USE;
void grammar_free(struct grammar *g);

/* Fills `scene` by `setup`, behind what it already holds. */
enum status grammar_draw(const struct grammar *g, struct grammar_span setup, struct random_stream *random,
                         struct grammar_scene *scene, struct error *e) ERROR_MUST_USE;

/* Writes out `source`; replaces what `out` held. `random` chooses the alternatives. */
enum status grammar_expand(const struct grammar_scene *scene, struct random_stream *random, struct grammar_span source,
                           struct grammar_text *out, struct error *e) ERROR_MUST_USE;

/* "our text has a mistake: WHAT" at `where`: STATUS_FAILED. */
enum status grammar_mistake(struct error *e, const char *what, struct grammar_span where);

/* The binding of this name, or NULL; the text of its form (empty name: the first), or a
 * span with text NULL. */
const struct grammar_binding *grammar_find(const struct grammar_scene *scene, struct grammar_span name);
struct grammar_span grammar_form(const struct grammar_binding *binding, struct grammar_span form);

#endif
