/* opened_model.h - a network's file opened as the program does: keys, configuration, weights. */
#ifndef PHI3SAT_TESTS_OPENED_MODEL_H
#define PHI3SAT_TESTS_OPENED_MODEL_H

#include "model/weights.h"
#include "network.h"

struct opened {
    struct model_file *file;
    struct config config;
    struct weights weights;
};

/* Anything but STATUS_OK leaves nothing open. */
static inline enum status opened_try(struct opened *o, const char *path, struct error *e)
{
    memset(o, 0, sizeof *o);
    error_clear(e);
    enum status s = model_file_open(&o->file, path, e);
    if (s == STATUS_OK)
        s = config_read(&o->config, o->file, e);
    if (s == STATUS_OK)
        s = weights_open(&o->weights, &o->config, o->file, e);
    if (s != STATUS_OK) {
        model_file_close(o->file);
        o->file = NULL;
    }
    return s;
}

static inline void opened_close(struct opened *o)
{
    weights_free(&o->weights);
    model_file_close(o->file);
    memset(o, 0, sizeof *o);
}

/* For networks that must open. */
static inline struct opened opened_network(const struct network *n, enum network_form form,
                                           const struct network_twist *twist, const char *name)
{
    struct opened o;
    struct error e;
    char line[1024];
    if (opened_try(&o, network_write(n, form, twist, name), &e) != STATUS_OK) {
        error_format(&e, line, sizeof line);
        bail("a good model doesn't open: %s", line);
    }
    return o;
}

#endif
