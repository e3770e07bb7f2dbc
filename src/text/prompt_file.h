/* prompt_file.h - the bytes of a prompt file, a pipe, or standard input. */
#ifndef PHI3SAT_TEXT_PROMPT_FILE_H
#define PHI3SAT_TEXT_PROMPT_FILE_H

#include <stddef.h>

#include "../base/error.h"
#include "../base/mapping.h"

struct prompt_file {
    const char *bytes;  /* [size], never NULL after prompt_file_open */
    size_t size;
    const char *name;   /* for messages: the path, or "standard input" */
    struct mapping map; /* of a regular file                           */
    char *read;         /* of anything else                            */
};

/* Opens `path` (borrowed: must outlive it); "-" is standard input. A regular file is mapped,
 * anything else (a pipe, /dev/stdin) is read to its end into memory. STATUS_INPUT
 * with the reason. Closed by prompt_file_close, which allows a zeroed struct; `file` is zeroed
 * on failure. */
enum status prompt_file_open(struct prompt_file *file, const char *path, struct error *e) ERROR_MUST_USE;
void prompt_file_close(struct prompt_file *file);

#endif
