/* chat.c - see chat.h.
 *
 * The texts are those that the models' own templates make in Hugging Face's
 * apply_chat_template(add_generation_prompt = last word is not the assistant's). llama.cpp's built-in forms
 * differ in small things (no default system message, no dates); docs/prompt-sources.md lists them.
 */
#include "chat.h"

#include <stdio.h>
#include <string.h>

#include "../base/memory.h"

static bool contains(const char *template, size_t length, const char *mark)
{
    return memmem(template, length, mark, strlen(mark)) != NULL;
}

/* Forms that we know by name only. */
static const struct {
    const char *mark, *name;
} strangers[] = {
    {"<start_of_turn>", "Gemma"},
    {"<|START_OF_TURN_TOKEN|>", "Command-R"},
    {"[INST]", "Mistral"},
    {"[SYSTEM_PROMPT]", "Mistral"},
    {"<\xEF\xBD\x9CUser\xEF\xBD\x9C>", "DeepSeek"},
    {"<|start|>", "gpt-oss"},
    {"<start_of_role>", "Granite"},
    {"### Instruction:", "Alpaca or DeepSeek-Coder"},
    {"USER: ", "Vicuna"},
    {"[gMASK]", "ChatGLM"},
    {"<|user|>", "Zephyr or a relative"},
};

static enum status unknown(const char *template, size_t length, struct error *e)
{
    const char *name = NULL;
    for (size_t i = 0; i < sizeof strangers / sizeof *strangers && name == NULL; i++)
        if (contains(template, length, strangers[i].mark))
            name = strangers[i].name;
    if (name != NULL)
        error_set(e, STATUS_INPUT, "the model's chat template is %s's, which phi3sat does not know", name);
    else
        error_set(e, STATUS_INPUT, "the model's chat template is none that phi3sat knows: '%.*s...'",
                  length > 60 ? 60 : (int)length, template);
    return error_advice(e, "write the prompts in the model's form, special tokens spelled out, and leave --chat out");
}

/* The system message that a ChatML template gives when there is none: the literal text of a
 * block "<|im_start|>system\n...<|im_end|>" without a quote or brace in it. */
static void find_default(struct chat *chat, const char *template, size_t length)
{
    static const char head[] = "<|im_start|>system", tail[] = "<|im_end|>";
    const char *at = template, *end = template + length;
    while (chat->system_default[0] == '\0') {
        at = memmem(at, (size_t)(end - at), head, sizeof head - 1);
        if (at == NULL)
            return;
        at += sizeof head - 1;
        if (end - at > 2 && at[0] == '\\' && at[1] == 'n')
            at += 2;
        else if (at < end && at[0] == '\n')
            at++;
        else
            continue;
        const char *stop = memmem(at, (size_t)(end - at), tail, sizeof tail - 1);
        const size_t size = stop == NULL ? 0 : (size_t)(stop - at);
        bool literal = size > 0 && size < sizeof chat->system_default;
        for (size_t i = 0; i < size && literal; i++)
            literal = strchr("'\"{}\\+", at[i]) == NULL;
        if (literal)
            memcpy(chat->system_default, at, size); /* the rest is zero */
    }
}

static void recognise_phi3(struct chat *chat, const char *template, size_t length)
{
    /* in a string, as an escape or as itself */
    const bool newlines = contains(template, length, "\\n") || contains(template, length, "\n'") ||
                          contains(template, length, "\n\"");
    const bool generic = contains(template, length, "message['role'] +") || contains(template, length, "message.role +");
    chat->format = newlines ? CHAT_PHI3 : CHAT_PHI4MINI;
    chat->system = generic || contains(template, length, "system");
    chat->skip_empty_system = contains(template, length, "== 'system' and message['content']");
    chat->ends_with_eos = contains(template, length, "{% else %}{{ eos_token }}");
    snprintf(chat->name, sizeof chat->name, "%s",
             !newlines                 ? "Phi-4-mini"
             : chat->skip_empty_system ? "Phi-3.5"
             : chat->system            ? "Phi-3"
                                       : "Phi-3 (without a system message)");
}

enum status chat_recognise(struct chat *chat, const char *template, size_t length, struct error *e)
{
    *chat = (struct chat){.system = true, .begins_with_bos = contains(template, length, "bos_token")};
    if (contains(template, length, "<|im_start|>") && contains(template, length, "<|im_sep|>")) {
        chat->format = CHAT_PHI4;
        snprintf(chat->name, sizeof chat->name, "Phi-4");
    } else if (contains(template, length, "<|im_start|>")) {
        chat->format = CHAT_CHATML;
        find_default(chat, template, length);
        snprintf(chat->name, sizeof chat->name, "ChatML%s",
                 chat->system_default[0] != '\0' ? " with a default system message" : "");
    } else if (contains(template, length, "<|start_header_id|>") && contains(template, length, "<|end_header_id|>")) {
        chat->format = CHAT_LLAMA3;
        chat->dates = contains(template, length, "Cutting Knowledge Date");
        snprintf(chat->name, sizeof chat->name, "%s", chat->dates ? "Llama 3.1" : "Llama 3");
    } else if (contains(template, length, "[INST]") && contains(template, length, "<<SYS>>")) {
        chat->format = CHAT_LLAMA2;
        chat->bos_each_turn = contains(template, length, "bos_token + '[INST]");
        snprintf(chat->name, sizeof chat->name, "Llama 2");
    } else if (contains(template, length, "<|assistant|>") && contains(template, length, "<|end|>")) {
        recognise_phi3(chat, template, length);
    } else {
        return unknown(template, length, e);
    }
    return STATUS_OK;
}

static enum status spell(const struct tokenizer *tokenizer, int32_t id, char text[64], struct error *e)
{
    char *piece;
    size_t length;
    if (id == TOKENIZER_NO_TOKEN)
        return STATUS_OK;
    const enum status status = tokenizer_piece(tokenizer, id, &piece, &length, e);
    if (status == STATUS_OK)
        snprintf(text, 64, "%s", piece);
    memory_free(piece);
    return status;
}

enum status chat_open(struct chat *chat, const struct model_file *file, const struct tokenizer *tokenizer,
                      struct error *e)
{
    struct model_file_text template = {"", 0};
    bool found = false;
    enum status status = model_file_get_text(file, "tokenizer.chat_template", &template, &found, e);
    if (status == STATUS_OK && (!found || template.length == 0)) {
        status = error_set(e, STATUS_INPUT, "the model file has no chat template");
        error_advice(e, "write the prompts in the model's form, special tokens spelled out, and leave --chat out");
    } else if (status == STATUS_OK) {
        status = chat_recognise(chat, template.bytes, template.length, e);
    }
    if (status != STATUS_OK)
        return error_file(e, model_file_path(file));
    status = spell(tokenizer, tokenizer_bos(tokenizer), chat->bos, e);
    return status == STATUS_OK ? spell(tokenizer, tokenizer_eos(tokenizer), chat->eos, e) : status;
}

/* The conversation being written. */
struct render {
    const struct chat *chat;
    struct text_buffer *out;
    enum status status;
    struct error *e;
};

static void put(struct render *r, const char *bytes, size_t length)
{
    if (r->status == STATUS_OK)
        r->status = text_buffer_add(r->out, bytes, length, r->e);
}

static void say(struct render *r, const char *text)
{
    put(r, text, strlen(text));
}

static bool white(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

/* Without the ASCII white space behind it; and on both sides, as Llama's templates have it. */
static void put_right_trimmed(struct render *r, const char *bytes, size_t length)
{
    while (length > 0 && white(bytes[length - 1]))
        length--;
    put(r, bytes, length);
}

static void put_trimmed(struct render *r, const char *bytes, size_t length)
{
    while (length > 0 && white(bytes[0])) {
        bytes++;
        length--;
    }
    put_right_trimmed(r, bytes, length);
}

static const char *const role_names[] = {"system", "user", "assistant", "tool"};

/* What opens and what closes a message. */
static const struct {
    const char *open, *middle, *close;
    bool trim;
} frames[] = {
    [CHAT_PHI3] = {"<|", "|>\n", "<|end|>\n", false},
    [CHAT_PHI4MINI] = {"<|", "|>", "<|end|>", false},
    [CHAT_PHI4] = {"<|im_start|>", "<|im_sep|>", "<|im_end|>", false},
    [CHAT_CHATML] = {"<|im_start|>", "\n", "<|im_end|>\n", false},
    [CHAT_LLAMA3] = {"<|start_header_id|>", "<|end_header_id|>\n\n", "<|eot_id|>", true},
};

static void open_message(struct render *r, enum conversation_role role)
{
    say(r, frames[r->chat->format].open);
    say(r, r->chat->format == CHAT_LLAMA3 && role == CONVERSATION_TOOL ? "ipython" : role_names[role]);
    say(r, frames[r->chat->format].middle);
}

static void put_message(struct render *r, enum conversation_role role, const char *bytes, size_t length)
{
    open_message(r, role);
    if (frames[r->chat->format].trim)
        put_trimmed(r, bytes, length);
    else
        put(r, bytes, length);
    say(r, frames[r->chat->format].close);
}

/* What stands before the messages: BOS, and a system message that the template makes itself. Returns how
 * many messages it has used up. */
static size_t put_head(struct render *r, const struct conversation *c)
{
    const bool given = c->count > 0 && c->messages[0].role == CONVERSATION_SYSTEM;
    if (r->chat->dates) {
        open_message(r, CONVERSATION_SYSTEM);
        say(r, "Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n");
        if (given)
            put_trimmed(r, c->text.bytes + c->messages[0].start, c->messages[0].length);
        say(r, frames[CHAT_LLAMA3].close);
        return given;
    }
    if (!given && r->chat->system_default[0] != '\0')
        put_message(r, CONVERSATION_SYSTEM, r->chat->system_default, strlen(r->chat->system_default));
    return 0;
}

static void put_framed(struct render *r, const struct conversation *c)
{
    const struct conversation_message *system = NULL; /* one that waits for the user's text */
    for (size_t i = put_head(r, c); i < c->count; i++) {
        const struct conversation_message *m = &c->messages[i];
        const char *bytes = c->text.bytes + m->start;
        if (m->role == CONVERSATION_SYSTEM && !r->chat->system) {
            system = m->length > 0 ? m : NULL;
        } else if (m->role == CONVERSATION_SYSTEM && m->length == 0 && r->chat->skip_empty_system) {
            continue;
        } else if (m->role == CONVERSATION_USER && system != NULL) {
            open_message(r, m->role);
            put(r, c->text.bytes + system->start, system->length);
            say(r, "\n");
            put(r, bytes, m->length);
            say(r, frames[r->chat->format].close);
            system = NULL;
        } else {
            put_message(r, m->role, bytes, m->length);
        }
    }
    if (system != NULL) /* nobody spoke after it */
        put_message(r, CONVERSATION_USER, c->text.bytes + system->start, system->length);
}

/* Llama 2's template trims system message and text as one, so nothing follows the mark before a blank text. */
static void put_after_system(struct render *r, const char *bytes, size_t length)
{
    while (length > 0 && white(bytes[length - 1]))
        length--;
    say(r, length > 0 ? "\n<</SYS>>\n\n" : "\n<</SYS>>");
    put(r, bytes, length);
}

static void put_llama2(struct render *r, const struct conversation *c)
{
    const struct conversation_message *system = NULL;
    bool first = true;
    for (size_t i = 0; i < c->count; i++) {
        const struct conversation_message *m = &c->messages[i];
        const char *bytes = c->text.bytes + m->start;
        if (m->role == CONVERSATION_SYSTEM && i + 1 < c->count) {
            system = m;
        } else if (m->role == CONVERSATION_ASSISTANT) {
            say(r, " ");
            put_trimmed(r, bytes, m->length);
            say(r, " ");
            say(r, r->chat->eos);
        } else {
            if (!first && r->chat->bos_each_turn)
                say(r, r->chat->bos);
            say(r, "[INST] ");
            if (system != NULL) {
                say(r, "<<SYS>>\n");
                put(r, c->text.bytes + system->start, system->length);
                put_after_system(r, bytes, m->length);
                system = NULL;
            } else {
                put_trimmed(r, bytes, m->length);
            }
            say(r, " [/INST]");
            first = false;
        }
    }
}

enum status chat_render(const struct chat *chat, const struct conversation *c, bool bos, struct text_buffer *out,
                        struct error *e)
{
    struct render r = {chat, out, STATUS_OK, e};
    const bool answered = c->count > 0 && c->messages[c->count - 1].role == CONVERSATION_ASSISTANT;
    if (bos && chat->begins_with_bos)
        say(&r, chat->bos);
    if (chat->format == CHAT_LLAMA2) {
        put_llama2(&r, c);
        return r.status;
    }
    put_framed(&r, c);
    if (!answered)
        open_message(&r, CONVERSATION_ASSISTANT);
    else if (chat->ends_with_eos)
        say(&r, chat->eos);
    return r.status;
}
