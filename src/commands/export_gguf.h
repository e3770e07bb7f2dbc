/* export_gguf.h - an importance matrix in llama.cpp's newer form, which is a GGUF file. */
#ifndef PHI3SAT_COMMANDS_EXPORT_GGUF_H
#define PHI3SAT_COMMANDS_EXPORT_GGUF_H

#include "../report/export_imatrix.h"

/* The whole file `path`, written aside and renamed. STATUS_OUTPUT, STATUS_FAILED. */
enum status export_gguf_write(const struct export_imatrix *x, const char *path, struct error *e) ERROR_MUST_USE;

#endif
