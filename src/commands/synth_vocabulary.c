/* synth_vocabulary.c - see synth_vocabulary.h.
 *
 * Scores are what SentencePiece's BPE gives: the piece that was learned first has the highest, so that the
 * tokenizer repeats the merges in the order in which they were learned. Digits and rare characters
 * have no pieces of their own: their byte tokens are as short.
 */
#include "synth_vocabulary.h"

#include <stdio.h>
#include <string.h>

#include "../base/memory.h"
#include "synth_pieces.h"

#define TEXT_MOST 32 /* bytes of a token, NUL included */
#define KEY(name) "tokenizer.ggml." name

enum { NORMAL = 1, UNKNOWN = 2, CONTROL = 3, UNUSED = 5, BYTE = 6 };

static const char *const chat_tokens[] = {"<|endoftext|>", "<|assistant|>", "<|system|>", "<|end|>", "<|user|>"};

/* Marks, sentence ends first. */
static const char *const marks[] = {".", "!", "?", ",", ";", ":"};
#define STOPS 3

static const char chat_template[] =
    "{{ bos_token }}{% for message in messages %}{{ '<|' + message['role'] + '|>' + '\\n' + message['content'] + "
    "'<|end|>\\n' }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% endif %}";

/* Appends a token; beyond `count` nothing is added. */
static void add(struct synth_vocabulary *v, size_t *used, const char *text, size_t length, float score, int32_t type)
{
    if (*used == v->count)
        return;
    char *place = v->bytes + *used * TEXT_MOST;
    snprintf(place, TEXT_MOST, "%.*s", (int)length, text);
    v->text[*used] = place;
    v->score[*used] = score;
    v->type[(*used)++] = type;
}

static void add_specials(struct synth_vocabulary *v, size_t *used)
{
    char name[8];
    add(v, used, "<unk>", 5, 0, UNKNOWN);
    add(v, used, "<s>", 3, 0, CONTROL);
    add(v, used, "</s>", 4, 0, CONTROL);
    for (unsigned byte = 0; byte < 256; byte++) {
        int length = snprintf(name, sizeof name, "<0x%02X>", byte);
        add(v, used, name, (size_t)length, 0, BYTE);
    }
    for (size_t i = 0; i < sizeof chat_tokens / sizeof *chat_tokens; i++)
        add(v, used, chat_tokens[i], strlen(chat_tokens[i]), 0, CONTROL);
}

static void add_pieces(struct synth_vocabulary *v, size_t *used)
{
    static const char space[] = "\xE2\x96\x81";
    char text[TEXT_MOST];
    float rank = 0;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (i < STOPS && *used < v->count)
            v->stop[*used] = true;
        add(v, used, marks[i], 1, rank--, NORMAL);
    }
    for (const char *p = synth_pieces; *p;) {
        size_t length = strcspn(p, " ");
        int size = *p == '_' ? snprintf(text, sizeof text, "%s%.*s", space, (int)length - 1, p + 1)
                             : snprintf(text, sizeof text, "%.*s", (int)length, p);
        if (size > 0 && (size_t)size < sizeof text)
            add(v, used, text, (size_t)size, rank--, NORMAL);
        p += length + (p[length] == ' ');
    }
}

enum status synth_vocabulary_init(struct synth_vocabulary *v, size_t count, struct error *e)
{
    size_t used = 0;
    char name[TEXT_MOST];
    *v = (struct synth_vocabulary){.count = count};
    enum status s = memory_array(&v->bytes, count, TEXT_MOST, "the vocabulary", e);
    if (s == STATUS_OK)
        s = memory_array(&v->text, count, sizeof *v->text, "the vocabulary", e);
    if (s == STATUS_OK)
        s = memory_array(&v->score, count, sizeof *v->score, "the vocabulary", e);
    if (s == STATUS_OK)
        s = memory_array(&v->type, count, sizeof *v->type, "the vocabulary", e);
    if (s == STATUS_OK)
        s = memory_array(&v->stop, count, sizeof *v->stop, "the vocabulary", e);
    if (s != STATUS_OK) {
        synth_vocabulary_free(v);
        return s;
    }
    add_specials(v, &used);
    add_pieces(v, &used);
    while (used < count) {
        int length = snprintf(name, sizeof name, "[PAD%zu]", used);
        add(v, &used, name, (size_t)length, -10000, UNUSED);
    }
    return STATUS_OK;
}

void synth_vocabulary_free(struct synth_vocabulary *v)
{
    memory_free(v->bytes);
    memory_free(v->text);
    memory_free(v->score);
    memory_free(v->type);
    memory_free(v->stop);
    memset(v, 0, sizeof *v);
}

void synth_vocabulary_write(const struct synth_vocabulary *v, struct gguf_writer *w)
{
    gguf_writer_key_text(w, KEY("model"), "llama");
    gguf_writer_key_text(w, KEY("pre"), "default");
    gguf_writer_key_texts(w, KEY("tokens"), v->text, v->count);
    gguf_writer_key_floats(w, KEY("scores"), v->score, v->count);
    gguf_writer_key_ints(w, KEY("token_type"), v->type, v->count);
    gguf_writer_key_u32(w, KEY("bos_token_id"), SYNTH_VOCABULARY_BOS);
    gguf_writer_key_u32(w, KEY("eos_token_id"), 2);
    gguf_writer_key_u32(w, KEY("unknown_token_id"), 0);
    gguf_writer_key_bool(w, KEY("add_bos_token"), true);
    gguf_writer_key_bool(w, KEY("add_eos_token"), false);
    gguf_writer_key_bool(w, KEY("add_space_prefix"), true);
    gguf_writer_key_text(w, "tokenizer.chat_template", chat_template);
}
