/* pictures.h - the files that pages and plots go to.
 *
 * Flow: results of a profile -> report/page.h, report/plots.h -> *files*.
 */
#ifndef PHI3SAT_COMMANDS_PICTURES_H
#define PHI3SAT_COMMANDS_PICTURES_H

#include "../report/plots.h"

/* Can the plots of --svg be written to `folder`, which may not be there yet, and would that cost the archive? STATUS_USAGE,
 * STATUS_OUTPUT. */
enum status pictures_check(const char *folder, char *const *archive, struct error *e) ERROR_MUST_USE;

/* The page as the whole file `path`, and the plots as files of `folder`. STATUS_OUTPUT. */
enum status pictures_page(const char *path, const struct plots_profile *profile, struct error *e) ERROR_MUST_USE;
enum status pictures_folder(const char *folder, const struct plots_profile *profile, struct error *e) ERROR_MUST_USE;

#endif
