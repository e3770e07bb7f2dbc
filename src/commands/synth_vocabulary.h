/* synth_vocabulary.h - the vocabulary that a synthetic model comes with.
 *
 * SentencePiece-like ("llama"), as Phi-3's: three special tokens, the 256 bytes, five tokens of the chat
 * format, then pieces of English, best first, and unused fillers behind them. Any text decodes to itself: what
 * no piece covers is written in bytes.
 */
#ifndef PHI3SAT_COMMANDS_SYNTH_VOCABULARY_H
#define PHI3SAT_COMMANDS_SYNTH_VOCABULARY_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "../formats/gguf_writer.h"

#define SYNTH_VOCABULARY_LEAST 320
#define SYNTH_VOCABULARY_BOS 1

struct synth_vocabulary {
    size_t count;
    char *bytes;         /* the texts, NUL-terminated                                */
    const char **text;   /* [count] into `bytes`                                    */
    float *score;        /* [count]                                                 */
    int32_t *type;       /* [count] as in tokenizer.ggml.token_type                  */
    bool *stop;          /* [count] the tokens "." "!" "?": what low neurons wait for */
};

/* Makes `count` tokens, at least SYNTH_VOCABULARY_LEAST; freed by synth_vocabulary_free (zeroed allowed). */
enum status synth_vocabulary_init(struct synth_vocabulary *v, size_t count, struct error *e) ERROR_MUST_USE;
void synth_vocabulary_free(struct synth_vocabulary *v);

/* Adds the tokenizer.* keys. */
void synth_vocabulary_write(const struct synth_vocabulary *v, struct gguf_writer *w);

#endif
