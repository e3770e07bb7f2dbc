/* pictures.c - see pictures.h. */
#include "pictures.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "../base/outfile.h"
#include "../report/page.h"
#include "profile_outputs.h"

static enum status name_of(char path[PATH_MAX], const char *folder, size_t i, struct error *e)
{
    if ((size_t)snprintf(path, PATH_MAX, "%s/%s", folder, plots_file_name(i)) < PATH_MAX)
        return STATUS_OK;
    error_set(e, STATUS_OUTPUT, "is too long a name for a folder");
    return error_file(e, folder);
}

static bool is_there(const char *folder, bool *is_folder)
{
    struct stat about;
    const bool there = stat(folder, &about) == 0;
    *is_folder = there && S_ISDIR(about.st_mode);
    return there;
}

/* A folder that isn't there yet is made only when there is something to put into it. */
enum status pictures_check(const char *folder, char *const *archive, struct error *e)
{
    char path[PATH_MAX];
    bool is_folder;
    enum status s = STATUS_OK;
    if (!is_there(folder, &is_folder))
        return outfile_probe(folder, e);
    if (!is_folder) {
        error_set(e, STATUS_OUTPUT, "is there and no folder");
        error_advice(e, "give --svg the name of a folder");
        return error_file(e, folder);
    }
    for (size_t i = 0; i < PLOTS_FILES && s == STATUS_OK; i++) {
        s = name_of(path, folder, i, e);
        if (s == STATUS_OK)
            s = profile_outputs_check_table(path, archive, 1, e);
    }
    return s;
}

enum status pictures_page(const char *path, const struct plots_profile *profile, struct error *e)
{
    struct outfile out;
    enum status s = outfile_open(&out, path, e);
    if (s != STATUS_OK)
        return s;
    page_write(&out, profile);
    return outfile_commit(&out, e);
}

enum status pictures_folder(const char *folder, const struct plots_profile *profile, struct error *e)
{
    char path[PATH_MAX];
    enum status s = STATUS_OK;
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return outfile_fault(folder, "made", errno, e);
    for (size_t i = 0; i < PLOTS_FILES && s == STATUS_OK; i++) {
        struct outfile out;
        if (!plots_file_wanted(profile, i))
            continue;
        s = name_of(path, folder, i, e);
        if (s == STATUS_OK)
            s = outfile_open(&out, path, e);
        if (s != STATUS_OK)
            break;
        plots_file_draw(&out, profile, i);
        s = outfile_commit(&out, e);
    }
    return s;
}
