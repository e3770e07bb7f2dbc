/* plan.h - `phi3sat plan`: what a run of profile will take. */
#ifndef PHI3SAT_COMMANDS_PLAN_H
#define PHI3SAT_COMMANDS_PLAN_H

#include "../base/error.h"

enum status plan_command(int argc, char **argv, struct error *e) ERROR_MUST_USE;

#endif
