/* pretokenize.h - cuts text into the words that byte-level BPE works on.
 *
 * Which words is a property of the model, named by `tokenizer.ggml.pre`: a
 * short list of regular expressions.
 */
#ifndef PHI3SAT_TEXT_PRETOKENIZE_H
#define PHI3SAT_TEXT_PRETOKENIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/error.h"

struct pretokenize; /* compiled expressions; read-only, thread-safe */

/* What else a pre-tokeniser's name says about its models. */
struct pretokenize_facts {
    const char *name;   /* the rule's, "gpt-2" for an alias of it                */
    bool whole_words;   /* a word that is a token needs no merging               */
    bool add_bos;       /* where the file does not say                           */
};

/* Compiles the rule called name[length]. STATUS_INPUT names a rule that is not known,
 * and those that are. *p is NULL on failure, else freed by pretokenize_free. */
enum status pretokenize_open(struct pretokenize **p, const char *name, size_t length,
                             struct pretokenize_facts *facts, struct error *e) ERROR_MUST_USE;
void pretokenize_free(struct pretokenize *p);

/* Ends of words, counted in bytes from the text's start; the last is its length. */
struct pretokenize_words {
    size_t *ends; /* [count] ascending */
    size_t count;
    size_t capacity;
};

/* Cuts text[length] into words; the words together are the text. `text` must be
 * well-formed UTF-8. STATUS_FAILED: memory, or PCRE2 gave up. */
enum status pretokenize_cut(const struct pretokenize *p, const char *text, size_t length,
                            struct pretokenize_words *words, struct error *e) ERROR_MUST_USE;
void pretokenize_words_free(struct pretokenize_words *words);

#endif
