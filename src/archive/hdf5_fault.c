/* hdf5_fault.c - what HDF5 says, in one line; see hdf5_fault.h.
 *
 * HDF5 calls the handler installed by H5Eset_auto2 as a failing call returns, with
 * the stack still there. Its entries run from the call outwards; the innermost one
 * knows the cause ("file write failed: time = ..., errno = 28, error message = 'No
 * space left on device', buf = 0x..."), of which only the message is worth printing.
 *
 * The cause is kept in a static: HDF5's serial build allows one thread at a time.
 */
#include "hdf5_fault.h"

#include <hdf5.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char cause[256];
static int reason; /* errno that the cause names; 0: none */
static bool lacks_memory;

/* What stands between `before` and `after` in `text`, into out[size]. */
static int cut_out(const char *text, const char *before, const char *after, char *out, size_t size)
{
    const char *start = strstr(text, before);
    const char *end = start ? strstr(start + strlen(before), after) : NULL;
    if (!end)
        return 0;
    start += strlen(before);
    snprintf(out, size, "%.*s", (int)(end - start), start);
    return 1;
}

static herr_t keep_innermost(unsigned n, const H5E_error2_t *entry, void *unused)
{
    char number[16];
    (void)unused;
    if (n != 0)
        return 0;
    if (cut_out(entry->desc, "errno = ", ",", number, sizeof number))
        reason = (int)strtol(number, NULL, 10);
    lacks_memory = strstr(entry->desc, "memory allocation failed") != NULL;
    if (!cut_out(entry->desc, "error message = '", "'", cause, sizeof cause))
        snprintf(cause, sizeof cause, "%s", entry->desc);
    return 0;
}

static herr_t on_failure(hid_t stack, void *unused)
{
    (void)unused;
    if (cause[0] == '\0') /* later failures are consequences */
        H5Ewalk2(stack, H5E_WALK_UPWARD, keep_innermost, NULL);
    return 0;
}

/* HDF5 cleans up at the end of the process, and after a full disk it then crashes over
 * what it couldn't write: our exit status would be a signal. All our files are
 * closed by hand. (Refused, harmlessly, where HDF5 was used before.) */
void hdf5_fault_watch(void)
{
    static bool asked;
    if (!asked)
        H5dont_atexit();
    asked = true;
    cause[0] = '\0';
    reason = 0;
    lacks_memory = false;
    H5Eset_auto2(H5E_DEFAULT, on_failure, NULL);
}

void hdf5_fault_memory(void)
{
    if (cause[0] == '\0')
        snprintf(cause, sizeof cause, "no memory is left");
    lacks_memory = true;
}

/* ENOLCK: a file system (NFS) whose lock service is down; 524: Lustre without -o flock. */
static bool lacks_locks(void)
{
    return reason == 37 || reason == 524;
}

bool hdf5_fault_no_locks(void)
{
    const bool lacks = lacks_locks();
    if (lacks)
        hdf5_fault_watch();
    return lacks;
}

bool hdf5_fault_unlocked(hid_t access)
{
#if H5_VERSION_GE(1, 12, 1) || (H5_VERSION_GE(1, 10, 7) && !H5_VERSION_GE(1, 12, 0))
    return H5Pset_file_locking(access, false, true) >= 0;
#else
    (void)access;
    return true;
#endif
}

/* EAGAIN: somebody else's lock. */
static bool is_lock_failure(void)
{
    return reason == 11 || lacks_locks();
}

enum status hdf5_fault(struct error *e, enum status status, const char *file, const char *format, ...)
{
    char sentence[512];
    va_list args;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    if (lacks_memory && status == STATUS_INPUT) /* the file may be good */
        status = STATUS_FAILED;
    /* Of HDF5's own messages inside an object: tells a user nothing that our sentence doesn't. */
    const bool worth = cause[0] && strcmp(cause, "message type not found") != 0;
    error_set(e, status, "%s%s%s", sentence, worth ? ": " : "", worth ? cause : "");
    if (lacks_memory)
        error_advice(e, "use fewer ranks on this node, or one with more memory");
    else if (is_lock_failure())
        error_advice(e, "no other program may write it; where the file system has no locks, "
                        "set HDF5_USE_FILE_LOCKING=FALSE");
    else
        error_advice(e, status == STATUS_OUTPUT ? "check the free space and the folder"
                                                : "it is damaged or no archive of phi3sat: copy it again, or profile its prompts again");
    error_file(e, file);
    cause[0] = '\0';
    reason = 0;
    lacks_memory = false;
    return status;
}
