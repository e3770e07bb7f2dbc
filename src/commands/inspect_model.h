/* inspect_model.h - the facts of a model file on a sheet. */
#ifndef PHI3SAT_COMMANDS_INSPECT_MODEL_H
#define PHI3SAT_COMMANDS_INSPECT_MODEL_H

#include "../model/weights.h"
#include "../report/fact_sheet.h"
#include "../text/tokenizer.h"

/* A model file as far as it can be read. What can't be has its error instead. */
struct inspect_model_view {
    const struct model_file *file;
    struct config config;
    struct weights weights;
    bool has_config, has_weights;     /* false: `refusal` says why profile would not run it */
    struct error refusal;
    struct tokenizer *tokenizer;      /* NULL: `no_tokenizer` says why                      */
    struct error no_tokenizer;
};

/* Writes all there is to say about `path`. Nothing is written when the file can't be read
 * (STATUS_INPUT); a model that phi3sat can't run is shown with the reason (STATUS_OK). `verify`: all
 * of a .knot file is read first; one that isn't what its checksums say is a file that can't be read. */
enum status inspect_model(struct fact_sheet *sheet, const char *path, bool tensors, bool verify,
                          struct error *e) ERROR_MUST_USE;

/* A fault of the file as a sentence, without the file's name. */
void inspect_model_reason(const struct error *fault, char *text, size_t size);

#endif
