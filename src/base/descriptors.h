/* descriptors.h - descriptors 0 to 2 are always taken.
 *
 * A process may be started with standard input, output or error closed (cron, daemons, `>&-`). The first file that it
 * opens would get the free number, and the next line for the user would be written into it: into an archive, say.
 */
#ifndef PHI3SAT_BASE_DESCRIPTORS_H
#define PHI3SAT_BASE_DESCRIPTORS_H

/* Before anything else is opened: each of the three that is closed gets a descriptor that can neither be
 * read (0) nor written (1, 2), so that using it fails as it would have. Not thread-safe. */
void descriptors_hold(void);

#endif
