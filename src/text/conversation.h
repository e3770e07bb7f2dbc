/* conversation.h - what a prompt says and who says it.
 *
 * Flow: record -> *conversation* -> chat format or plain text -> tokenizer. A line of text
 * is a conversation of one message, the user's.
 */
#ifndef PHI3SAT_TEXT_CONVERSATION_H
#define PHI3SAT_TEXT_CONVERSATION_H

#include <stdbool.h>

#include "text_buffer.h"

enum conversation_role { CONVERSATION_SYSTEM, CONVERSATION_USER, CONVERSATION_ASSISTANT, CONVERSATION_TOOL };

struct conversation_message {
    enum conversation_role role;
    size_t start, length; /* in the text */
};

/* A zeroed struct is empty; freed by conversation_free. */
struct conversation {
    struct text_buffer text;               /* the messages' contents, one behind the other */
    struct conversation_message *messages; /* [count]                                      */
    size_t count, capacity;
};

void conversation_free(struct conversation *c);

/* Empties it; its memory stays. */
void conversation_clear(struct conversation *c);

/* Begins a message; its contents are what is then added to c->text. */
enum status conversation_begin(struct conversation *c, enum conversation_role role, struct error *e) ERROR_MUST_USE;
/* The message that was begun last ends here. */
void conversation_end(struct conversation *c);

/* Is there nothing but ASCII white space in it? */
bool conversation_blank(const struct conversation *c);

/* Makes `c` one user's message of bytes[length]. */
enum status conversation_of_text(struct conversation *c, const char *bytes, size_t length,
                                 struct error *e) ERROR_MUST_USE;

/* Why a record is no prompt. */
enum conversation_fault { CONVERSATION_FINE, CONVERSATION_BROKEN, CONVERSATION_MISSING };

/* Makes `c` what the JSON value bytes[length] holds: a string, or an object with, in this order,
 *     messages        [{role, content}]: OpenAI's form; content may be an array of {type: "text", text}
 *     conversations   [{from, value}]: ShareGPT; [{role, content}] too
 *     text, prompt, content   a string (prompt may be an array of messages)
 *     instruction, input, output   Alpaca: input and output may be missing or empty
 * *fault tells whether it is no JSON (BROKEN) or lacks what is needed (MISSING), and why[size] says
 * so. The status only tells of memory. */
enum status conversation_of_json(struct conversation *c, const char *bytes, size_t length,
                                 enum conversation_fault *fault, char *why, size_t size,
                                 struct error *e) ERROR_MUST_USE;

/* Appends the contents to `out`, a newline between messages: what is run without a chat format. */
enum status conversation_plain(const struct conversation *c, struct text_buffer *out, struct error *e) ERROR_MUST_USE;

#endif
