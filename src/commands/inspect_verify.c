/* inspect_verify.c - see inspect_verify.h.
 *
 * The head's checksum is looked at whenever a file is opened. Here come the sections': all of them first, as fast as the
 * disk gives them, then what they decode to. The latter can only differ if whoever wrote the file had other weights than
 * he said, by mistake or not.
 */
#include "inspect_verify.h"

#include <string.h>

#include "../model/fingerprint.h"

static enum status other_weights(const struct model_file *file, size_t section, struct error *e)
{
    error_set(e, STATUS_INPUT, "the weights are not those that the stored fingerprint was made of");
    error_file(e, model_file_path(file));
    if (section)
        error_where(e, "layer %zu", section - 1);
    else
        error_where(e, "sizes and embedding");
    error_advice(e, "pack the model again from its source");
    return error_position(e, (int64_t)model_file_section_at(file, section)->position);
}

static enum status check_fingerprint(const struct inspect_model_view *m, size_t section, struct error *e)
{
    const uint64_t *stored = model_file_section_at(m->file, section)->fingerprint;
    uint64_t hash[2];
    enum status s = section ? fingerprint_layer(&m->config, &m->weights, section - 1, hash, e)
                            : fingerprint_globals(&m->config, &m->weights, hash, e);
    if (s != STATUS_OK || memcmp(hash, stored, sizeof hash) == 0)
        return s;
    return other_weights(m->file, section, e);
}

enum status inspect_verify(const struct inspect_model_view *m, struct error *e)
{
    uint32_t version = 0;
    const size_t count = model_file_section_count(m->file, &version);
    enum status s = STATUS_OK;
    for (size_t i = 0; i < count && s == STATUS_OK; i++)
        s = model_file_verify(m->file, i, e);
    if (!m->has_weights || version != FINGERPRINT_VERSION || count != m->weights.layers + 1)
        return s;
    for (size_t i = 0; i < count && s == STATUS_OK; i++)
        s = check_fingerprint(m, i, e);
    return s;
}

void inspect_verify_show(struct fact_sheet *sheet, const struct model_file *file, bool verified)
{
    const bool has = model_file_section_count(file, NULL) > 0;
    if (has || verified)
        fact_sheet_words(sheet, "checksums",
                         !has       ? "none: files of this kind have no checksums"
                         : verified ? "every byte is what it was when the file was packed"
                                    : "the head's was checked; --verify checks all");
}
