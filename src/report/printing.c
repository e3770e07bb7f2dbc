/* printing.c - see printing.h. */
#include "printing.h"

#include <errno.h>
#include <string.h>

enum status printing_begin(struct printing *p, FILE *to, struct error *e)
{
    p->to = to ? to : stdout;
    p->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!p->c)
        return error_set(e, STATUS_FAILED, "no memory for the C locale");
    p->users = uselocale(p->c);
    return STATUS_OK;
}

enum status printing_end(struct printing *p, struct error *e)
{
    const int reason = fflush(p->to) != 0 || ferror(p->to) ? (errno ? errno : EIO) : 0;
    uselocale(p->users);
    freelocale(p->c);
    if (reason == 0)
        return STATUS_OK;
    error_set(e, STATUS_OUTPUT, "can't be written: %s", strerror(reason));
    return error_file(e, "standard output");
}
