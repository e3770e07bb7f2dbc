/* guard_wire.h - what archive_guard and its process say to each other.
 *
 * Flow: archive_guard.c (asks) <-> socket <-> guard_process.c (answers). Both are one program, so structs go as they
 * are. A reply is followed by its error if `status` isn't STATUS_OK, else by what was asked for.
 */
#ifndef PHI3SAT_ARCHIVE_GUARD_WIRE_H
#define PHI3SAT_ARCHIVE_GUARD_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum guard_wire_what {
    GUARD_WIRE_OPEN,   /* path[length]; struct archive_opened, then its pairs    */
    GUARD_WIRE_PIECE,  /* bytes[size]                                            */
    GUARD_WIRE_STORED, /* size is the answer                                     */
    GUARD_WIRE_CLOSE   /* no reply                                               */
};

struct guard_wire_request {
    int32_t what, handle, kind;
    uint64_t i, layer, length;
};

struct guard_wire_reply {
    int32_t status, handle;
    uint64_t size;
};

struct guard_wire_pair { /* name[name_length] value[value_length] follow, with their NULs */
    uint64_t name_length, value_length;
};

/* All of bytes[size], or false: the other one is gone or, with `wait` >= 0 milliseconds, silent (errno ETIMEDOUT). */
bool guard_wire_send(int fd, const void *bytes, size_t size);
bool guard_wire_receive(int fd, void *bytes, size_t size, int wait);

/* The process's life: answers at `fd` until the other end is closed. */
void guard_process_serve(int fd);

#endif
