/* foreign.h - says what a file is that is no model file we read.
 *
 * People give the wrong file more often than a broken one: the sentence names
 * what the bytes look like and the advice says what to do with such a file.
 */
#ifndef PHI3SAT_FORMATS_FOREIGN_H
#define PHI3SAT_FORMATS_FOREIGN_H

#include "../base/error.h"
#include "../base/mapping.h"

/* Fills `e` and returns STATUS_INPUT, always. */
enum status foreign_refuse(const struct mapping *mapping, struct error *e) ERROR_MUST_USE;

#endif
