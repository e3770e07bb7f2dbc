/* hf_tokenizer.c - see hf_tokenizer.h. */
#include "hf_tokenizer.h"

enum status hf_tokenizer_read(struct model_file *file, const char *folder, struct made_keys *k, struct error *e)
{
    (void)file;
    (void)folder;
    (void)k;
    (void)e;
    return STATUS_OK;
}
