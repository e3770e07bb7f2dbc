/* grammar.c - reads word lists, draws scenes, writes texts out; see grammar.h. */
#include "grammar.h"

#include <string.h>

#include "../base/memory.h"
#include "grammar_numbers.h"

/* A setup that fails this often has conditions that can't be met. */
#define TRIES 4000

struct grammar_span grammar_span_of(const char *s)
{
    return (struct grammar_span){s, strlen(s)};
}

struct grammar_span grammar_trim(struct grammar_span s)
{
    while (s.length > 0 && s.text[0] == ' ') {
        s.text++;
        s.length--;
    }
    while (s.length > 0 && s.text[s.length - 1] == ' ')
        s.length--;
    return s;
}

bool grammar_equal(struct grammar_span a, struct grammar_span b)
{
    return a.length == b.length && memcmp(a.text, b.text, a.length) == 0;
}

bool grammar_is(struct grammar_span a, const char *s)
{
    return grammar_equal(a, grammar_span_of(s));
}

struct grammar_span grammar_cut(struct grammar_span *rest, char separator)
{
    const char *at = memchr(rest->text, separator, rest->length);
    struct grammar_span part = *rest;
    if (at == NULL) {
        *rest = (struct grammar_span){rest->text + rest->length, 0};
        return grammar_trim(part);
    }
    part.length = (size_t)(at - rest->text);
    *rest = (struct grammar_span){at + 1, rest->length - part.length - 1};
    return grammar_trim(part);
}

enum status grammar_mistake(struct error *e, const char *what, struct grammar_span where)
{
    error_set(e, STATUS_FAILED, "a text of ours has a mistake: %s", what);
    return error_where(e, "%.*s", (int)(where.length > 120 ? 120 : where.length), where.text);
}

static enum status add_list(struct grammar *g, struct grammar_span line, struct error *e)
{
    enum status s = memory_grow(&g->lists, &g->list_capacity, g->list_count + 1, sizeof *g->lists, "word lists", e);
    if (s != STATUS_OK)
        return s;
    struct grammar_list *list = &g->lists[g->list_count++];
    *list = (struct grammar_list){.first = g->entry_count};
    list->name = grammar_cut(&line, ':');
    while (line.length > 0 && list->forms < GRAMMAR_FORMS)
        list->form[list->forms++] = grammar_cut(&line, ';');
    return list->forms > 0 && line.length == 0 ? STATUS_OK : grammar_mistake(e, "a list's forms", list->name);
}

static enum status add_entry(struct grammar *g, struct grammar_span line, struct error *e)
{
    if (g->list_count == 0)
        return grammar_mistake(e, "an entry before the first list", line);
    enum status s = memory_grow(&g->entries, &g->entry_capacity, g->entry_count + 1, sizeof *g->entries, "words", e);
    if (s != STATUS_OK)
        return s;
    struct grammar_list *list = &g->lists[g->list_count - 1];
    struct grammar_entry *entry = &g->entries[g->entry_count++];
    struct grammar_span rest = line;
    size_t forms = 0;
    *entry = (struct grammar_entry){.form = {{NULL, 0}}};
    while (rest.length > 0 && forms < list->forms)
        entry->form[forms++] = grammar_cut(&rest, ';');
    list->count++;
    return forms == list->forms && rest.length == 0 ? STATUS_OK
                                                    : grammar_mistake(e, "an entry has other forms than its list", line);
}

enum status grammar_read(struct grammar *g, const char *const *lines, struct error *e)
{
    enum status s = STATUS_OK;
    for (; *lines != NULL && s == STATUS_OK; lines++) {
        struct grammar_span line = grammar_trim(grammar_span_of(*lines));
        if (line.length == 0 || line.text[0] == '#')
            continue;
        if (strncmp(line.text, "list ", 5) == 0)
            s = add_list(g, (struct grammar_span){line.text + 5, line.length - 5}, e);
        else
            s = add_entry(g, line, e);
    }
    return s;
}

void grammar_free(struct grammar *g)
{
    memory_free(g->lists);
    memory_free(g->entries);
    memset(g, 0, sizeof *g);
}

const struct grammar_binding *grammar_find(const struct grammar_scene *scene, struct grammar_span name)
{
    for (size_t i = 0; i < scene->count; i++)
        if (grammar_equal(scene->binding[i].name, name))
            return &scene->binding[i];
    return NULL;
}

struct grammar_span grammar_form(const struct grammar_binding *binding, struct grammar_span form)
{
    if (form.length == 0)
        return binding->entry->form[0];
    for (size_t i = 0; i < binding->list->forms; i++)
        if (grammar_equal(binding->list->form[i], form))
            return binding->entry->form[i];
    return (struct grammar_span){NULL, 0};
}

/* May slot `b` hold its entry beside those that slots of the same list hold? */
static bool is_free(const struct grammar_scene *scene, const struct grammar_binding *b)
{
    const struct grammar_binding *first = NULL;
    size_t same = 0;
    for (size_t i = 0; i < scene->count; i++) {
        const struct grammar_binding *other = &scene->binding[i];
        if (other->list != b->list)
            continue;
        if (other->entry == b->entry)
            return false;
        first = same++ == 0 ? other : first;
    }
    const struct grammar_span he = grammar_form(b, grammar_span_of("he"));
    /* three people can't all differ, two can */
    return same != 1 || he.text == NULL || !grammar_equal(he, grammar_form(first, grammar_span_of("he")));
}

static enum grammar_numbers_outcome draw_entry(const struct grammar *g, struct grammar_span list,
                                               struct random_stream *random, struct grammar_scene *scene,
                                               struct grammar_binding *b)
{
    for (size_t i = 0; i < g->list_count; i++)
        if (grammar_equal(g->lists[i].name, list) && g->lists[i].count > 0) {
            b->list = &g->lists[i];
            b->entry = &g->entries[b->list->first + random_below(random, b->list->count)];
            return is_free(scene, b) ? GRAMMAR_NUMBERS_FINE : GRAMMAR_NUMBERS_VOID;
        }
    return GRAMMAR_NUMBERS_BROKEN;
}

/* The right side of `name=`: an expression, a range or alternatives. */
static enum grammar_numbers_outcome draw_number(struct grammar_span source, struct random_stream *random,
                                                const struct grammar_scene *scene, int64_t *value)
{
    int64_t other;
    size_t used, seen = 1;
    enum grammar_numbers_outcome outcome = grammar_numbers_value(scene, source, &used, value);
    while (outcome == GRAMMAR_NUMBERS_FINE && used < source.length) {
        const bool range = source.text[used] == '.';
        source.text += used + (range ? 2 : 1);
        source.length -= used + (range ? 2 : 1);
        outcome = grammar_numbers_value(scene, source, &used, &other);
        if (outcome != GRAMMAR_NUMBERS_FINE)
            break;
        if (range && other < *value)
            return GRAMMAR_NUMBERS_VOID;
        if (range)
            *value += (int64_t)random_below(random, (uint64_t)(other - *value) + 1);
        else if (random_below(random, ++seen) == 0)
            *value = other;
    }
    return outcome;
}

static enum grammar_numbers_outcome draw_item(const struct grammar *g, struct grammar_span item,
                                              struct random_stream *random, struct grammar_scene *scene)
{
    size_t name = 0;
    while (name < item.length && ((item.text[name] >= 'a' && item.text[name] <= 'z') ||
                                  (name > 0 && item.text[name] >= '0' && item.text[name] <= '9')))
        name++;
    struct grammar_binding b = {.name = {item.text, name}};
    const struct grammar_span rest = {item.text + name + 1, name < item.length ? item.length - name - 1 : 0};
    const char operation = name < item.length ? item.text[name] : '\0';
    enum grammar_numbers_outcome outcome;
    if (name > 0 && operation == ':') {
        outcome = draw_entry(g, grammar_trim(rest), random, scene, &b);
    } else if (name > 0 && operation == '=' && rest.length > 0 && rest.text[0] != '=') {
        outcome = draw_number(rest, random, scene, &b.value);
    } else {
        bool holds;
        outcome = grammar_numbers_holds(scene, item, &holds);
        return outcome == GRAMMAR_NUMBERS_FINE && !holds ? GRAMMAR_NUMBERS_VOID : outcome;
    }
    if (outcome == GRAMMAR_NUMBERS_FINE && scene->count == GRAMMAR_SLOTS)
        return GRAMMAR_NUMBERS_BROKEN;
    if (outcome == GRAMMAR_NUMBERS_FINE)
        scene->binding[scene->count++] = b;
    return outcome;
}

enum status grammar_draw(const struct grammar *g, struct grammar_span setup, struct random_stream *random,
                         struct grammar_scene *scene, struct error *e)
{
    const size_t kept = scene->count;
    for (int attempt = 0; attempt < TRIES; attempt++) {
        enum grammar_numbers_outcome outcome = GRAMMAR_NUMBERS_FINE;
        struct grammar_span rest = setup;
        scene->count = kept;
        while (rest.length > 0 && outcome == GRAMMAR_NUMBERS_FINE) {
            const struct grammar_span item = grammar_cut(&rest, ';');
            outcome = item.length > 0 ? draw_item(g, item, random, scene) : GRAMMAR_NUMBERS_FINE;
            if (outcome == GRAMMAR_NUMBERS_BROKEN)
                return grammar_mistake(e, "a setup that can't be read", item);
        }
        if (outcome == GRAMMAR_NUMBERS_FINE)
            return STATUS_OK;
    }
    return grammar_mistake(e, "conditions that can't be met", setup);
}

/* What an expansion is about: passed down its levels. */
struct expansion {
    const struct grammar_scene *scene;
    struct random_stream *random;
    struct grammar_text *out;
    struct error *e;
};

static enum status put(const struct expansion *x, struct grammar_span s)
{
    if (s.length >= sizeof x->out->bytes - x->out->length)
        return grammar_mistake(x->e, "a text that is too long", s);
    memcpy(x->out->bytes + x->out->length, s.text, s.length);
    x->out->length += s.length;
    return STATUS_OK;
}

static char capital(char c)
{
    return c >= 'a' && c <= 'z' ? (char)(c - 'a' + 'A') : c;
}

/* Finds the value of `name.form:style`; `number` holds it where it is written out. */
static bool slot_value(const struct expansion *x, struct grammar_span slot, char number[96], struct grammar_span *value)
{
    struct grammar_span style = slot;
    struct grammar_span form = grammar_cut(&style, ':');
    const struct grammar_span name = grammar_cut(&form, '.');
    char lower[64];
    if (name.length == 0 || name.length > sizeof lower)
        return false;
    memcpy(lower, name.text, name.length);
    if (lower[0] >= 'A' && lower[0] <= 'Z')
        lower[0] = (char)(lower[0] - 'A' + 'a');
    const struct grammar_binding *b = grammar_find(x->scene, (struct grammar_span){lower, name.length});
    int64_t n;
    if (b == NULL)
        return false;
    if (b->list != NULL) {
        *value = grammar_form(b, form);
        if (value->text == NULL || style.length == 0)
            return value->text != NULL;
        if (!grammar_numbers_read(*value, &n))
            return false;
    } else {
        n = b->value;
    }
    if (!grammar_numbers_write(n, style, number))
        return false;
    *value = grammar_span_of(number);
    return true;
}

static enum status put_slot(const struct expansion *x, struct grammar_span slot)
{
    char number[96];
    struct grammar_span value;
    const char first = slot.length > 2 && slot.text[1] == ' ' ? slot.text[0] : '\0';
    if (first == 'a' || first == 'A')
        slot = (struct grammar_span){slot.text + 2, slot.length - 2};
    if (!slot_value(x, slot, number, &value))
        return grammar_mistake(x->e, "a slot that nothing fills", slot);
    enum status s = STATUS_OK;
    if (first != '\0') {
        const bool vowel = value.length > 0 && strchr("aeiouAEIOU", value.text[0]) != NULL;
        s = put(x, grammar_span_of(first == 'a' ? (vowel ? "an " : "a ") : (vowel ? "An " : "A ")));
    }
    const size_t start = x->out->length;
    if (s == STATUS_OK)
        s = put(x, value);
    if (s == STATUS_OK && slot.text[0] >= 'A' && slot.text[0] <= 'Z')
        x->out->bytes[start] = capital(x->out->bytes[start]);
    return s;
}

/* The length of the bracket that begins at source[0], its end included; 0 when it has none. */
static size_t bracket(struct grammar_span source)
{
    size_t depth = 0;
    for (size_t i = 0; i < source.length; i++) {
        depth += source.text[i] == '[';
        if (source.text[i] == ']' && --depth == 0)
            return i + 1;
    }
    return 0;
}

/* One of the alternatives of `inside`, each as likely. */
static struct grammar_span choose(struct grammar_span inside, struct random_stream *random)
{
    struct grammar_span chosen = inside;
    size_t depth = 0, seen = 0, start = 0;
    for (size_t i = 0; i <= inside.length; i++) {
        const char c = i < inside.length ? inside.text[i] : '|';
        depth += c == '[';
        depth -= c == ']';
        if (depth > 0 || c != '|')
            continue;
        if (random_below(random, ++seen) == 0)
            chosen = (struct grammar_span){inside.text + start, i - start};
        start = i + 1;
    }
    return chosen;
}

static enum status expand(const struct expansion *x, struct grammar_span source, int level)
{
    enum status s = level < 8 ? STATUS_OK : grammar_mistake(x->e, "brackets too deep", source);
    while (source.length > 0 && s == STATUS_OK) {
        size_t used = 0;
        if (source.text[0] == '[') {
            used = bracket(source);
            if (used == 0)
                return grammar_mistake(x->e, "a bracket without end", source);
            s = expand(x, choose((struct grammar_span){source.text + 1, used - 2}, x->random), level + 1);
        } else if (source.text[0] == '{') {
            const char *end = memchr(source.text, '}', source.length);
            if (end == NULL)
                return grammar_mistake(x->e, "a slot without end", source);
            used = (size_t)(end - source.text) + 1;
            s = put_slot(x, (struct grammar_span){source.text + 1, used - 2});
        } else {
            while (used < source.length && source.text[used] != '[' && source.text[used] != '{')
                used++;
            s = put(x, (struct grammar_span){source.text, used});
        }
        source.text += used;
        source.length -= used;
    }
    return s;
}

enum status grammar_expand(const struct grammar_scene *scene, struct random_stream *random, struct grammar_span source,
                           struct grammar_text *out, struct error *e)
{
    const struct expansion x = {scene, random, out, e};
    out->length = 0;
    enum status s = expand(&x, source, 0);
    out->bytes[out->length] = '\0';
    out->bytes[0] = capital(out->bytes[0]);
    return s;
}
