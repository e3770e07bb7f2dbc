/* guard_wire.c - bytes through the socket between archive_guard and its process; see guard_wire.h. */
#include "guard_wire.h"

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

bool guard_wire_send(int fd, const void *bytes, size_t size)
{
    for (size_t done = 0; done < size;) {
        const ssize_t sent = send(fd, (const char *)bytes + done, size - done, MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR)
            return false;
        done += sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

bool guard_wire_receive(int fd, void *bytes, size_t size, int wait)
{
    struct pollfd other = {.fd = fd, .events = POLLIN};
    for (size_t done = 0; done < size;) {
        const int ready = wait < 0 ? 1 : poll(&other, 1, wait);
        if (ready == 0)
            errno = ETIMEDOUT;
        if (ready == 0 || (ready < 0 && errno != EINTR))
            return false;
        const ssize_t got = ready < 0 ? -1 : recv(fd, (char *)bytes + done, size - done, 0);
        if (got == 0 || (got < 0 && errno != EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}
