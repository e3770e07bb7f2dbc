/* test_chat.c - chat formats: against Jinja's results, and what no template says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mapping.h"
#include "base/memory.h"
#include "text/chat.h"
#include "tap.h"

static struct error fault;

/* Member `name` of a golden record, decoded; the caller frees it. */
static char *member(struct json_value record, const char *name, size_t *length)
{
    struct json_value value;
    char *text = NULL;
    if (!json_find(record, name, &value) || memory_array(&text, value.length + 1, 1, "text", &fault) != STATUS_OK)
        bail("the golden has no %s", name);
    *length = json_decode(value, text);
    text[*length] = '\0';
    return text;
}

/* One golden record: is the form recognised, and the text the same? */
static bool same(struct json_value record, const char *bytes, size_t size, char *form, size_t form_size)
{
    size_t length[5];
    static const char *const names[] = {"form", "template", "bos", "eos", "wanted"};
    char *text[5], why[256];
    struct chat chat;
    struct conversation c = {0};
    struct text_buffer out = {0};
    enum conversation_fault wrong;
    for (int i = 0; i < 5; i++)
        text[i] = member(record, names[i], &length[i]);
    bool fine = chat_recognise(&chat, text[1], length[1], &fault) == STATUS_OK && strcmp(chat.name, text[0]) == 0;
    snprintf(chat.bos, sizeof chat.bos, "%s", text[2]);
    snprintf(chat.eos, sizeof chat.eos, "%s", text[3]);
    fine = fine && conversation_of_json(&c, bytes, size, &wrong, why, sizeof why, &fault) == STATUS_OK &&
           wrong == CONVERSATION_FINE && chat_render(&chat, &c, true, &out, &fault) == STATUS_OK &&
           out.count == length[4] && memcmp(out.bytes, text[4], out.count) == 0;
    if (!fine)
        diag("%s: got '%.*s', wanted '%s'", text[0], (int)out.count, out.bytes != NULL ? out.bytes : "", text[4]);
    snprintf(form, form_size, "%s", text[0]);
    for (int i = 0; i < 5; i++)
        memory_free(text[i]);
    text_buffer_free(&out);
    conversation_free(&c);
    return fine;
}

static void goldens(void)
{
    struct mapping map;
    char *path = tap_source("tests/golden/chat.jsonl");
    char form[64] = "", last[64] = "";
    bool fine = true;
    size_t count = 0;
    if (mapping_open(&map, path, &fault) != STATUS_OK)
        bail("no golden: %s", fault.sentence);
    const char *at = (const char *)map.bytes, *end = at + map.size;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        struct json_value record;
        const char *wrong;
        size_t position;
        if (newline == NULL || !json_check(at, (size_t)(newline - at), &record, &wrong, &position))
            bail("the golden is no JSON");
        const bool held = same(record, at, (size_t)(newline - at), form, sizeof form);
        if (count > 0 && strcmp(form, last) != 0) {
            ok(fine, "%s is what Jinja makes of it", last);
            fine = true;
        }
        fine = fine && held;
        snprintf(last, sizeof last, "%s", form);
        count++;
        at = newline + 1;
    }
    ok(fine, "%s is what Jinja makes of it", last);
    is_uint(count, 288, "all records of the golden were read");
    mapping_close(&map);
    free(path);
}

/* Renders JSON by `template`; "!" and the sentence when that is refused. */
static const char *rendered(const char *template, const char *json, bool bos)
{
    static char got[1024];
    char why[256];
    struct chat chat;
    struct conversation c = {0};
    struct text_buffer out = {0};
    enum conversation_fault wrong;
    if (chat_recognise(&chat, template, strlen(template), &fault) != STATUS_OK) {
        snprintf(got, sizeof got, "!%.900s", fault.sentence);
        return got;
    }
    snprintf(chat.bos, sizeof chat.bos, "<s>");
    bool fine = conversation_of_json(&c, json, strlen(json), &wrong, why, sizeof why, &fault) == STATUS_OK &&
                wrong == CONVERSATION_FINE && chat_render(&chat, &c, bos, &out, &fault) == STATUS_OK;
    snprintf(got, sizeof got, "%.*s", fine ? (int)out.count : 0, out.bytes != NULL ? out.bytes : "");
    text_buffer_free(&out);
    conversation_free(&c);
    return got;
}

int main(void)
{
    goldens();
    const char *early = "{{ bos_token }}{% if user %}<|user|>\\n<|end|>\\n<|assistant|>";
    is_string(rendered(early, "{\"messages\":[{\"role\":\"system\",\"content\":\"SYS\"},{\"role\":\"user\",\"content\":\"HI\"}]}", false),
              "<|user|>\nSYS\nHI<|end|>\n<|assistant|>\n", "without a place for it, the system's words open the user's");
    is_string(rendered(early, "\"HI\"", true), "<s><|user|>\nHI<|end|>\n<|assistant|>\n",
              "BOS is written where the template does, once, if the tokenizer doesn't");
    is_string(rendered(early, "{\"messages\":[{\"role\":\"system\",\"content\":\"\"},{\"role\":\"user\",\"content\":\"HI\"}]}", false),
              "<|user|>\nHI<|end|>\n<|assistant|>\n", "an empty one leaves nothing, no newline either");
    static const char llama2[] = "{{ bos_token + '[INST] ' + '<<SYS>>' }}";
    is_string(rendered(llama2, "{\"messages\":[{\"role\":\"system\",\"content\":\" S \"},{\"role\":\"user\",\"content\":\" U \"}]}", false),
              "[INST] <<SYS>>\n S \n<</SYS>>\n\n U [/INST]", "Llama 2 trims system message and text as one");
    is_string(rendered(llama2, "{\"messages\":[{\"role\":\"system\",\"content\":\"S\"},{\"role\":\"user\",\"content\":\" \"}]}", false),
              "[INST] <<SYS>>\nS\n<</SYS>> [/INST]", "also where the text is blank");
    is_string(rendered("<start_of_turn>", "\"HI\"", false),
              "!the model's chat template is Gemma's, which phi3sat does not know", "a known stranger is named");
    is_string(rendered("[INST] {{ x }} [/INST]", "\"HI\"", false),
              "!the model's chat template is Mistral's, which phi3sat does not know", "[INST] alone isn't Llama 2");
    is_string(rendered("hello", "\"HI\"", false),
              "!the model's chat template is none that phi3sat knows: 'hello...'", "another one is quoted");
    ok(strstr(fault.advice, "--chat") != NULL && fault.status == STATUS_INPUT, "with what to do");
    return tap_done();
}
