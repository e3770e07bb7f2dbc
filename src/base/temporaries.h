/* temporaries.h - the files that outputs are being written to, for whoever must end the process at once.
 *
 * Flow: outfile makes and publishes them -> *temporaries* <- mapping_guard, in a signal's handler. A process that is
 * killed leaves them behind all the same; outfile_sweep is for those.
 */
#ifndef PHI3SAT_BASE_TEMPORARIES_H
#define PHI3SAT_BASE_TEMPORARIES_H

/* Of one thread at a time. `name` is copied; names that are too many at a time (TEMPORARIES_LIMIT) or too
 * long are left out. */
#define TEMPORARIES_LIMIT 16
void temporaries_add(const char *name);

/* It has been renamed or removed. */
void temporaries_forget(const char *name);

/* Removes them all; async-signal-safe. */
void temporaries_remove(void);

#endif
