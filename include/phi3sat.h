/* phi3sat.h - what programs that read phi3sat's files need to know.
 *
 * An archive is an HDF5 file that is also a netCDF-4 data set. docs/archive.md
 * describes every data set and attribute; here are the names and bits that a
 * program would otherwise spell itself. Nothing has to be linked.
 */
#ifndef PHI3SAT_H
#define PHI3SAT_H

#include <stdint.h>

/* Root attributes `format` (text) and `format_version` (uint64). A reader
 * takes files of its own version or older; a new data set or attribute alone does not
 * raise it. */
#define PHI3SAT_FORMAT "phi3sat archive"
#define PHI3SAT_FORMAT_CHECKPOINT "phi3sat checkpoint" /* a run's state, for --resume */
#define PHI3SAT_FORMAT_VERSION 1
#define PHI3SAT_CONVENTIONS "CF-1.9"

/* Dimensions. */
#define PHI3SAT_DIMENSION_LAYER "layer"
#define PHI3SAT_DIMENSION_NEURON "neuron"
#define PHI3SAT_DIMENSION_RANK "rank"     /* entries of a layer's list of extremes, largest first */
#define PHI3SAT_DIMENSION_PROMPT "prompt" /* distinct prompts                                     */
#define PHI3SAT_DIMENSION_LIMB "limb"     /* 64-bit parts of an exact sum, least significant first */
#define PHI3SAT_DIMENSION_WORD "word"     /* halves of a 128-bit number, low one first            */

/* Groups. */
#define PHI3SAT_GROUP_GATE "gate"
#define PHI3SAT_GROUP_UP "up"
#define PHI3SAT_GROUP_FFN "ffn"
#define PHI3SAT_GROUP_SATURATION "saturation"
#define PHI3SAT_GROUP_EXTREMES "extremes"
#define PHI3SAT_GROUP_SUMMARY "summary"
#define PHI3SAT_GROUP_MODEL "model"
#define PHI3SAT_GROUP_STATE "state"
#define PHI3SAT_GROUP_RUN "run" /* how the run went; comparisons leave it out */

/* Data sets of the groups gate, up and ffn: float32 [layer, neuron] ... */
#define PHI3SAT_MEAN "mean"
#define PHI3SAT_VARIANCE "variance"
#define PHI3SAT_SKEWNESS "skewness"
#define PHI3SAT_KURTOSIS "kurtosis"
#define PHI3SAT_MIN "min"
#define PHI3SAT_MAX "max"
#define PHI3SAT_LOW_ACTIVITY "low_activity"
#define PHI3SAT_INACTIVE "inactive"
#define PHI3SAT_MEAN_STDERR "mean_stderr"
#define PHI3SAT_LOW_ACTIVITY_STDERR "low_activity_stderr"
/* ... uint64 [layer] and uint32 [layer, neuron]. */
#define PHI3SAT_COUNT "count"
#define PHI3SAT_NONFINITE "nonfinite"

/* Data sets of the group saturation: uint32 and uint8 [layer, neuron]. */
#define PHI3SAT_FLAGS "flags"
#define PHI3SAT_SATURATED "saturated"

/* Bits of saturation/flags: criterion c of series s (gate 0, up 1, ffn 2) is bit c + 8 s.
 * The attributes flag_masks and flag_meanings of the data set say the same. */
#define PHI3SAT_FLAG(series, criterion) (UINT32_C(1) << ((criterion) + 8 * (series)))
#define PHI3SAT_CRITERION_LOW_VARIANCE 0
#define PHI3SAT_CRITERION_ZERO_GRADIENT 1
#define PHI3SAT_CRITERION_LOW_ACTIVITY 2
/* A super neuron: never to be removed, whatever the other bits say. */
#define PHI3SAT_FLAG_SUPER (UINT32_C(1) << 24)

/* What phi3sat exits with. 6 is kept for strict verdicts, which this version has none of. */
enum phi3sat_exit {
    PHI3SAT_EXIT_DONE = 0,
    PHI3SAT_EXIT_FAILED = 1,
    PHI3SAT_EXIT_USAGE = 2,       /* wrong options                                     */
    PHI3SAT_EXIT_INPUT = 3,       /* model, prompts or archive are bad                 */
    PHI3SAT_EXIT_OUTPUT = 4,      /* an output could not be written                    */
    PHI3SAT_EXIT_NONFINITE = 5,   /* done, with NaN or infinity among the activations  */
    PHI3SAT_EXIT_VERDICT = 6,     /* a verdict asked to be strict was negative         */
    PHI3SAT_EXIT_CHECKPOINT = 75, /* stopped by SIGUSR1, checkpoint left               */
    PHI3SAT_EXIT_INTERRUPTED = 130, /* by SIGINT, checkpoint left                      */
    PHI3SAT_EXIT_TERMINATED = 143   /* by SIGTERM, checkpoint left                     */
};

#endif
