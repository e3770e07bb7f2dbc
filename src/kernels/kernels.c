/* kernels.c - picks the table for this processor; see kernels.h.
 *
 * The reference stands first and runs everywhere; a wider set follows only if
 * it was built and the processor says it has all of the instructions.
 */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include "kernels.h"

#include <stdbool.h>
#include <string.h>

#include "lanes_table.h"

#define TABLE(set)                                                                                                     \
    {                                                                                                                  \
        .name = #set, .way = lanes_way_##set, .vector_way = lanes_vector_way_##set, .rms_norm = lanes_rms_norm_##set,  \
        .rotate = lanes_rotate_##set, .silu_multiply = lanes_silu_multiply_##set, .add = lanes_add_##set,              \
        .exponential = lanes_exponential_##set, .remember = lanes_remember_##set, .attend = lanes_attend_##set,        \
        .statistics = lanes_statistics_##set, .fold = lanes_fold_##set                                                 \
    }

static const struct kernels tables[] = {
    TABLE(reference),
#ifdef HAVE_KERNELS_NEON
    TABLE(neon),
#endif
#ifdef HAVE_KERNELS_AVX2
    TABLE(avx2),
#endif
#ifdef HAVE_KERNELS_AVX512
    TABLE(avx512),
#endif
};

static bool runs_here(const char *name)
{
#if defined(__x86_64__)
    if (strcmp(name, "avx2") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (strcmp(name, "avx512") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512vnni");
#endif
    (void)name;
    return true;
}

const struct kernels *kernels_at(size_t i)
{
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++)
        if (runs_here(tables[t].name) && i-- == 0)
            return &tables[t];
    return NULL;
}

enum status kernels_select(const char *name, const struct kernels **kernels, struct error *e)
{
    const struct kernels *best = NULL;
    for (size_t i = 0; kernels_at(i); i++) {
        best = kernels_at(i);
        if (name && strcmp(best->name, name) == 0) {
            *kernels = best;
            return STATUS_OK;
        }
    }
    if (name) {
        error_set(e, STATUS_USAGE, "PHI3SAT_KERNELS '%s' is not among the kernels that run here", name);
        return error_advice(e, "unset it, or use reference or %s", best->name);
    }
    *kernels = best;
    return STATUS_OK;
}

size_t kernels_attention_scratch(size_t head_dim)
{
    return lanes_attention_scratch_reference(head_dim); /* the same in every set */
}
