/* profile_outputs.h - can the outputs be written, and would that cost an input?
 *
 * Flow: options, open model -> *outputs checked* -> hours of work.
 */
#ifndef PHI3SAT_COMMANDS_PROFILE_OUTPUTS_H
#define PHI3SAT_COMMANDS_PROFILE_OUTPUTS_H

#include "../formats/model_file.h"
#include "profile_options.h"

/* Asked of one rank, before the work; touches no old file. STATUS_USAGE: the two are one file, or
 * one is an input (links followed), or a device without --hdf5. STATUS_OUTPUT: a folder can't be written to. */
enum status profile_outputs_check(const struct profile_options *o, const struct model_file *model,
                                  struct error *e) ERROR_MUST_USE;

/* The same for a merge: inputs[count] are its archives; csv_path NULL: no table. */
enum status profile_outputs_check_merge(const char *csv_path, const char *hdf5_path, char *const *inputs, size_t count,
                                        struct error *e) ERROR_MUST_USE;

/* STATUS_USAGE when both are one file, which is called `other` in the message; `options` names them ("--output and
 * --hdf5"). */
enum status profile_outputs_twins(const char *one, const char *other, const char *options,
                                  struct error *e) ERROR_MUST_USE;

/* As profile_outputs_check_merge for a table made from archives inputs[count]; NULL: none is. */
enum status profile_outputs_check_table(const char *path, char *const *inputs, size_t count,
                                        struct error *e) ERROR_MUST_USE;

#endif
