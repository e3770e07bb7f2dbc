/* conversation.c - see conversation.h.
 *
 * The fields are those that data sets on public hubs have; what else an object holds is
 * ignored. A message that can't be run as it was meant (an image, a speaker we don't know)
 * makes the record a faulty one: leaving the part out would run another prompt in silence.
 */
#include "conversation.h"

#include <stdio.h>
#include <string.h>

#include "../base/json.h"
#include "../base/memory.h"

/* What a record is read into, and what is wrong with it. */
struct reading {
    struct conversation *c;
    enum conversation_fault fault;
    char *why;
    size_t size;
    struct error *e;
};

void conversation_free(struct conversation *c)
{
    text_buffer_free(&c->text);
    memory_free(c->messages);
    *c = (struct conversation){0};
}

void conversation_clear(struct conversation *c)
{
    c->text.count = 0;
    c->count = 0;
}

enum status conversation_begin(struct conversation *c, enum conversation_role role, struct error *e)
{
    const enum status status = memory_grow(&c->messages, &c->capacity, c->count + 1, sizeof *c->messages, "messages", e);
    if (status == STATUS_OK)
        c->messages[c->count++] = (struct conversation_message){role, c->text.count, 0};
    return status;
}

void conversation_end(struct conversation *c)
{
    struct conversation_message *last = &c->messages[c->count - 1];
    last->length = c->text.count - last->start;
}

bool conversation_blank(const struct conversation *c)
{
    for (size_t i = 0; i < c->text.count; i++)
        if (c->text.bytes[i] != ' ' && (c->text.bytes[i] < '\t' || c->text.bytes[i] > '\r'))
            return false;
    return true;
}

enum status conversation_of_text(struct conversation *c, const char *bytes, size_t length, struct error *e)
{
    conversation_clear(c);
    enum status status = conversation_begin(c, CONVERSATION_USER, e);
    if (status == STATUS_OK)
        status = text_buffer_add(&c->text, bytes, length, e);
    if (status == STATUS_OK)
        conversation_end(c);
    return status;
}

static enum status missing(struct reading *r, const char *what)
{
    r->fault = CONVERSATION_MISSING;
    snprintf(r->why, r->size, "%s", what);
    return STATUS_OK;
}

/* Adds string `value` to the message that is open. */
static enum status add_string(struct reading *r, struct json_value value)
{
    struct text_buffer *text = &r->c->text;
    const enum status status = text_buffer_reserve(text, value.length, r->e);
    if (status == STATUS_OK)
        text->count += json_decode(value, text->bytes + text->count);
    return status;
}

/* Adds a message's content: a string, null (nothing), or parts. */
static enum status add_content(struct reading *r, struct json_value content)
{
    struct json_value part, kind, text;
    if (json_kind(content) == JSON_STRING)
        return add_string(r, content);
    if (json_kind(content) == JSON_NULL)
        return STATUS_OK;
    if (json_kind(content) != JSON_ARRAY)
        return missing(r, "a message's content is neither text nor an array of parts");
    struct json_walk walk = json_begin(content);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && r->fault == CONVERSATION_FINE && json_next(&walk, NULL, &part)) {
        const bool object = json_kind(part) == JSON_OBJECT;
        const bool typed = object && json_find(part, "type", &kind) && json_kind(kind) == JSON_STRING;
        const bool text_part = !typed || json_is(kind, "text") || json_is(kind, "input_text") || json_is(kind, "output_text");
        if (json_kind(part) == JSON_STRING)
            status = add_string(r, part);
        else if (object && text_part && json_find(part, "text", &text) &&
                 json_kind(text) == JSON_STRING)
            status = add_string(r, text);
        else
            status = missing(r, "a message has a part that is no text");
    }
    return status;
}

static bool find_role(struct json_value name, enum conversation_role *role)
{
    static const struct {
        const char *name;
        enum conversation_role role;
    } roles[] = {{"user", CONVERSATION_USER},           {"human", CONVERSATION_USER},
                 {"assistant", CONVERSATION_ASSISTANT}, {"gpt", CONVERSATION_ASSISTANT},
                 {"chatgpt", CONVERSATION_ASSISTANT},   {"bot", CONVERSATION_ASSISTANT},
                 {"model", CONVERSATION_ASSISTANT},     {"bard", CONVERSATION_ASSISTANT},
                 {"bing", CONVERSATION_ASSISTANT},      {"system", CONVERSATION_SYSTEM},
                 {"developer", CONVERSATION_SYSTEM},    {"tool", CONVERSATION_TOOL},
                 {"function", CONVERSATION_TOOL}};
    for (size_t i = 0; i < sizeof roles / sizeof *roles; i++)
        if (json_is(name, roles[i].name)) {
            *role = roles[i].role;
            return true;
        }
    return false;
}

static enum status add_message(struct reading *r, struct json_value message)
{
    struct json_value name, content;
    enum conversation_role role;
    if (json_kind(message) != JSON_OBJECT)
        return missing(r, "a message is no object");
    if ((!json_find(message, "role", &name) && !json_find(message, "from", &name)) || json_kind(name) != JSON_STRING)
        return missing(r, "a message has no role");
    if (!find_role(name, &role)) {
        r->fault = CONVERSATION_MISSING;
        snprintf(r->why, r->size, "a message's role %.*s is unknown", name.length > 40 ? 40 : (int)name.length,
                 name.bytes);
        return STATUS_OK;
    }
    if (!json_find(message, "content", &content) && !json_find(message, "value", &content))
        return missing(r, "a message has no content");
    enum status status = conversation_begin(r->c, role, r->e);
    if (status == STATUS_OK)
        status = add_content(r, content);
    if (status == STATUS_OK)
        conversation_end(r->c);
    return status;
}

static enum status add_messages(struct reading *r, struct json_value messages)
{
    struct json_value message;
    struct json_walk walk = json_begin(messages);
    enum status status = STATUS_OK;
    while (status == STATUS_OK && r->fault == CONVERSATION_FINE && json_next(&walk, NULL, &message))
        status = add_message(r, message);
    return status;
}

/* One message that is string `value`. */
static enum status add_text(struct reading *r, enum conversation_role role, struct json_value value)
{
    enum status status = conversation_begin(r->c, role, r->e);
    if (status == STATUS_OK)
        status = add_string(r, value);
    if (status == STATUS_OK)
        conversation_end(r->c);
    return status;
}

static bool text_of(struct json_value object, const char *name, struct json_value *value)
{
    return json_find(object, name, value) && json_kind(*value) == JSON_STRING;
}

/* The task, a blank line and its input are the user's; the output is the assistant's. */
static enum status add_alpaca(struct reading *r, struct json_value object, struct json_value instruction)
{
    struct json_value input, output;
    enum status status = conversation_begin(r->c, CONVERSATION_USER, r->e);
    if (status == STATUS_OK)
        status = add_string(r, instruction);
    if (status == STATUS_OK && text_of(object, "input", &input) && input.length > 2) {
        status = text_buffer_add(&r->c->text, "\n\n", 2, r->e);
        if (status == STATUS_OK)
            status = add_string(r, input);
    }
    if (status != STATUS_OK)
        return status;
    conversation_end(r->c);
    if (!text_of(object, "output", &output) || output.length <= 2)
        return STATUS_OK;
    return add_text(r, CONVERSATION_ASSISTANT, output);
}

static enum status add_object(struct reading *r, struct json_value object)
{
    static const char *const lists[] = {"messages", "conversations", "prompt"};
    static const char *const texts[] = {"text", "prompt", "content"};
    struct json_value value;
    for (int i = 0; i < 3; i++)
        if (json_find(object, lists[i], &value) && json_kind(value) == JSON_ARRAY)
            return add_messages(r, value);
    for (int i = 0; i < 3; i++)
        if (text_of(object, texts[i], &value))
            return add_text(r, CONVERSATION_USER, value);
    if (text_of(object, "instruction", &value))
        return add_alpaca(r, object, value);
    return missing(r, "it has none of messages, conversations, text, prompt, content or instruction");
}

enum status conversation_of_json(struct conversation *c, const char *bytes, size_t length,
                                 enum conversation_fault *fault, char *why, size_t size, struct error *e)
{
    struct reading r = {c, CONVERSATION_FINE, why, size, e};
    struct json_value value;
    const char *wrong;
    size_t position;
    enum status status = STATUS_OK;
    conversation_clear(c);
    if (!json_check(bytes, length, &value, &wrong, &position)) {
        r.fault = CONVERSATION_BROKEN;
        snprintf(why, size, "it is no JSON: %s (column %zu)", wrong, position + 1);
    } else if (json_kind(value) == JSON_STRING) {
        status = add_text(&r, CONVERSATION_USER, value);
    } else if (json_kind(value) == JSON_OBJECT) {
        status = add_object(&r, value);
    } else {
        status = missing(&r, "it is neither an object nor a text");
    }
    *fault = r.fault;
    return status;
}

enum status conversation_plain(const struct conversation *c, struct text_buffer *out, struct error *e)
{
    enum status status = STATUS_OK;
    for (size_t i = 0; i < c->count && status == STATUS_OK; i++) {
        if (i > 0)
            status = text_buffer_add(out, "\n", 1, e);
        if (status == STATUS_OK)
            status = text_buffer_add(out, c->text.bytes + c->messages[i].start, c->messages[i].length, e);
    }
    return status;
}
