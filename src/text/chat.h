/* chat.h - the form in which a model was taught to hear a conversation.
 *
 * Flow: conversation -> *chat* -> tokenizer. The form is recognised from the marks in the model
 * file's tokenizer.chat_template, a Jinja program that is not run: it belongs to the
 * file, and what it may do is more than a text needs. An unknown one is refused by name.
 */
#ifndef PHI3SAT_TEXT_CHAT_H
#define PHI3SAT_TEXT_CHAT_H

#include <stdbool.h>

#include "../formats/model_file.h"
#include "conversation.h"
#include "tokenizer.h"

enum chat_format {
    CHAT_PHI3,     /* <|role|>\n...<|end|>\n                                  */
    CHAT_PHI4MINI, /* <|role|>...<|end|>                                      */
    CHAT_PHI4,     /* <|im_start|>role<|im_sep|>...<|im_end|>                 */
    CHAT_CHATML,   /* <|im_start|>role\n...<|im_end|>\n                       */
    CHAT_LLAMA2,   /* [INST] <<SYS>>\n...\n<</SYS>>\n\n... [/INST] ... </s>    */
    CHAT_LLAMA3    /* <|start_header_id|>role<|end_header_id|>\n\n...<|eot_id|> */
};

/* A recognised form; read-only once made, thread-safe. */
struct chat {
    enum chat_format format;
    char name[48];          /* "Phi-3", "ChatML with a default system message"         */
    bool system;            /* it has a place for the system; else it joins the user's text  */
    bool skip_empty_system; /* Phi-3.5                                                 */
    bool dates;             /* Llama 3.1: two lines on dates open the system message   */
    bool bos_each_turn;     /* Llama 2: BOS before each question but the first, too    */
    bool ends_with_eos;     /* EOS behind a conversation that ends with the assistant    */
    bool begins_with_bos;   /* the template writes BOS                               */
    char system_default[256]; /* said where a conversation has no system; "" none    */
    char bos[64], eos[64];  /* their texts; "" none                                    */
};

/* Recognises template[length]. STATUS_INPUT: unknown, with its name where it has one. */
enum status chat_recognise(struct chat *chat, const char *template, size_t length, struct error *e) ERROR_MUST_USE;

/* Recognises the template of `file`, and takes BOS and EOS from `tokenizer`. STATUS_INPUT: there
 * is none, or it is unknown. */
enum status chat_open(struct chat *chat, const struct model_file *file, const struct tokenizer *tokenizer,
                      struct error *e) ERROR_MUST_USE;

/* Appends the conversation in this form to `out`. If the assistant does not have the last word, the
 * head of its answer closes it, as for generation. `bos`: begin with BOS where the template
 * does (false where the tokenizer adds it, so that it is written once). */
enum status chat_render(const struct chat *chat, const struct conversation *c, bool bos, struct text_buffer *out,
                        struct error *e) ERROR_MUST_USE;

#endif
