/* facts_io.c - walks the tables of facts over attributes; see facts_io.h.
 *
 * The thresholds of the criteria are not in archive_facts_table: their names and
 * number follow criteria_table, so that a criterion stays one row in one file. An
 * option's name with underscores is its attribute ("variance_threshold").
 */
#include "facts_io.h"

#include <stdio.h>
#include <math.h>
#include <string.h>

#include "../base/memory.h"
#include "attributes.h"
#include "hdf5_fault.h"
#include "phi3sat.h"

#define ACTIVITY_THRESHOLD "activity_threshold"
#define ACTIVITY "activity"
#define COMBINE "combine"
#define SUPER_RATIO "super_ratio"

static const char *const activity_name[] = {"absolute", "signed"};

static void threshold_name(int row, char name[64])
{
    snprintf(name, 64, "%s", criteria_table[row].option);
    for (char *s = name; *s; s++)
        if (*s == '-')
            *s = '_';
}

static bool write_row(hid_t object, const struct archive_facts_row *row, const void *base)
{
    const char *field = (const char *)base + row->offset;
    char hash[ARCHIVE_FACTS_HEX];
    const char *text;
    switch (row->kind) {
    case ARCHIVE_FACTS_TEXT:
        return attributes_put_text(object, row->name, field);
    case ARCHIVE_FACTS_POINTER:
        memcpy(&text, field, sizeof text);
        return !text || attributes_put_text(object, row->name, text);
    case ARCHIVE_FACTS_COUNT:
        return attributes_put_count(object, row->name, *(const uint64_t *)(const void *)field);
    case ARCHIVE_FACTS_REAL:
        return attributes_put_real(object, row->name, *(const double *)(const void *)field);
    case ARCHIVE_FACTS_HASH:
        archive_facts_hash_text((const uint64_t *)(const void *)field, hash);
        return attributes_put_text(object, row->name, hash);
    }
    return false;
}

static bool write_table(hid_t object, const struct archive_facts_row *row, const void *base)
{
    for (; row->name; row++)
        if (!write_row(object, row, base))
            return false;
    return true;
}

static bool write_criteria(hid_t root, const struct criteria *c)
{
    for (int i = 0; i < CRITERIA_COUNT; i++) {
        char name[64];
        threshold_name(i, name);
        if (!attributes_put_float(root, name, c->threshold[i]))
            return false;
    }
    return attributes_put_float(root, ACTIVITY_THRESHOLD, c->activity_threshold) &&
           attributes_put_text(root, ACTIVITY, activity_name[c->activity_signed]) &&
           attributes_put_text(root, COMBINE, criteria_combine_name(c->combine)) &&
           attributes_put_float(root, SUPER_RATIO, c->super_ratio);
}

bool facts_io_write(hid_t root, const char *format, const struct archive_facts *facts)
{
    return attributes_put_text(root, "Conventions", PHI3SAT_CONVENTIONS) &&
           attributes_put_text(root, "format", format) &&
           attributes_put_count(root, "format_version", PHI3SAT_FORMAT_VERSION) &&
           write_table(root, archive_facts_table, facts) && write_criteria(root, &facts->criteria);
}

bool facts_io_write_checkpoint(hid_t root, const struct archive_checkpoint *checkpoint)
{
    return write_table(root, archive_facts_checkpoint_table, checkpoint);
}

bool facts_io_write_run(hid_t group, const struct archive_run *run)
{
    return write_table(group, archive_facts_run_table, run);
}

static bool read_text(hid_t object, const char *name, char *field, size_t size)
{
    char *text;
    if (!attributes_get_text(object, name, &text))
        return false;
    bool fits = strlen(text) < size;
    if (fits)
        memcpy(field, text, strlen(text) + 1);
    memory_free(text);
    return fits;
}

static bool read_row(hid_t object, const struct archive_facts_row *row, void *base)
{
    char *field = (char *)base + row->offset;
    char hash[ARCHIVE_FACTS_HEX];
    switch (row->kind) {
    case ARCHIVE_FACTS_TEXT:
        return read_text(object, row->name, field, row->size);
    case ARCHIVE_FACTS_COUNT:
        return attributes_get_count(object, row->name, (uint64_t *)(void *)field);
    case ARCHIVE_FACTS_REAL:
        return attributes_get_real(object, row->name, (double *)(void *)field);
    case ARCHIVE_FACTS_HASH:
        return read_text(object, row->name, hash, sizeof hash) &&
               archive_facts_hash_parse(hash, (uint64_t *)(void *)field);
    case ARCHIVE_FACTS_POINTER:
        break; /* of /run only, which is read as pairs */
    }
    return false;
}

/* A threshold that no option could have given was put there by somebody else. */
static bool read_threshold(hid_t root, const char *name, float *value)
{
    return attributes_get_float(root, name, value) && isfinite(*value) && *value >= 0.0f;
}

/* The name of the attribute that is bad, or NULL. */
static const char *read_criteria(hid_t root, struct criteria *c, char name[64])
{
    char text[32];
    for (int i = 0; i < CRITERIA_COUNT; i++) {
        threshold_name(i, name);
        if (!read_threshold(root, name, &c->threshold[i]))
            return name;
    }
    if (!read_threshold(root, ACTIVITY_THRESHOLD, &c->activity_threshold))
        return ACTIVITY_THRESHOLD;
    if (!read_text(root, ACTIVITY, text, sizeof text))
        return ACTIVITY;
    c->activity_signed = strcmp(text, activity_name[1]) == 0;
    if (!c->activity_signed && strcmp(text, activity_name[0]) != 0)
        return ACTIVITY;
    if (!read_text(root, COMBINE, text, sizeof text) || !criteria_combine_parse(text, &c->combine))
        return COMBINE;
    return read_threshold(root, SUPER_RATIO, &c->super_ratio) ? NULL : SUPER_RATIO;
}

static enum status other_format(const char *file, const char *found, bool archive_wanted, struct error *e)
{
    if (archive_wanted && strcmp(found, PHI3SAT_FORMAT_CHECKPOINT) == 0) {
        hdf5_fault(e, STATUS_INPUT, file, "is a checkpoint, and no archive yet");
        error_advice(e, "finish the run with --resume");
    } else {
        hdf5_fault(e, STATUS_INPUT, file, "is an HDF5 file, but no %s of phi3sat",
                   archive_wanted ? "archive" : "checkpoint");
        error_advice(e, archive_wanted ? "give the .h5 that phi3sat profile wrote"
                                       : "give the checkpoint that phi3sat profile left");
    }
    return STATUS_INPUT;
}

static enum status check_format(hid_t root, const char *file, const char *wanted, struct error *e)
{
    char format[64];
    uint64_t version;
    if (!read_text(root, "format", format, sizeof format))
        format[0] = '\0';
    if (strcmp(format, wanted) != 0)
        return other_format(file, format, strcmp(wanted, PHI3SAT_FORMAT) == 0, e);
    if (!attributes_get_count(root, "format_version", &version))
        return hdf5_fault(e, STATUS_INPUT, file, "has no readable attribute format_version");
    if (version == PHI3SAT_FORMAT_VERSION)
        return STATUS_OK;
    error_set(e, STATUS_INPUT, "is of format version %llu; this phi3sat reads version %d", (unsigned long long)version,
              PHI3SAT_FORMAT_VERSION);
    error_advice(e, "use the phi3sat that wrote it, or a newer one");
    error_file(e, file);
    return STATUS_INPUT;
}

static enum status read_table(hid_t root, const char *file, const struct archive_facts_row *row, void *base,
                              struct error *e)
{
    for (; row->name; row++)
        if (!read_row(root, row, base))
            return hdf5_fault(e, STATUS_INPUT, file, "attribute %s is missing or not what it should be", row->name);
    return STATUS_OK;
}

enum status facts_io_read_checkpoint(hid_t root, const char *file, struct archive_checkpoint *checkpoint,
                                     struct error *e)
{
    return read_table(root, file, archive_facts_checkpoint_table, checkpoint, e);
}

enum status facts_io_read(hid_t root, const char *file, const char *format, struct archive_facts *facts,
                          struct error *e)
{
    char name[64];
    enum status status = check_format(root, file, format, e);
    if (status == STATUS_OK)
        status = read_table(root, file, archive_facts_table, facts, e);
    if (status != STATUS_OK)
        return status;
    const char *bad = read_criteria(root, &facts->criteria, name);
    if (bad)
        return hdf5_fault(e, STATUS_INPUT, file, "attribute %s is missing or not what it should be", bad);
    return STATUS_OK;
}
