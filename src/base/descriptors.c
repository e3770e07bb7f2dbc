/* descriptors.c - see descriptors.h. */
#include "descriptors.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

void descriptors_hold(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        if (fcntl(fd, F_GETFD) >= 0 || errno != EBADF)
            continue;
        /* the lowest free number is this one; where there is no /dev, a folder does as well */
        if (open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            (void)!open("/", O_RDONLY | O_DIRECTORY);
    }
}
