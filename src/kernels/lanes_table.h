/* lanes_table.h - the functions that each instruction set's copy of the lanes gives.
 *
 * Expanded once per set, so that a missing function does not link.
 */
#ifndef PHI3SAT_KERNELS_LANES_TABLE_H
#define PHI3SAT_KERNELS_LANES_TABLE_H

#include "kernels.h"

#define LANES_DECLARE(set)                                                                                             \
    const struct kernels_way *lanes_way_##set(enum kernels_mode mode, uint32_t type);                                  \
    const struct kernels_vector_way *lanes_vector_way_##set(enum kernels_mode mode, uint32_t type);                    \
    void lanes_pack_f32_##set(size_t rows, size_t inputs, const float *x, size_t x_stride, void *packed);              \
    void lanes_pack_int16_##set(size_t rows, size_t inputs, const float *x, size_t x_stride, void *packed);            \
    void lanes_pack_int8_##set(size_t rows, size_t inputs, const float *x, size_t x_stride, void *packed);             \
    void lanes_matvec_int8_q4_k_##set(size_t rows, size_t inputs, const float *x, size_t x_stride,                     \
                                      const void *weights, size_t outputs, float *y, size_t y_stride);                 \
    void lanes_multiply_f32_##set(size_t rows, size_t inputs, const void *packed, const void *panels,                  \
                                  size_t panel_count, size_t panel_stride, float *y, size_t y_stride, int accumulate); \
    void lanes_product_##set(size_t rows, size_t inputs, const float *x, size_t x_stride, const float *panel,          \
                             float *y, size_t y_stride, int accumulate);                                               \
    void lanes_rms_norm_##set(size_t rows, size_t hidden, const float *x, size_t x_stride, const float *weight,        \
                              double epsilon, float *y, size_t y_stride);                                              \
    void lanes_rotate_##set(size_t heads, size_t head_dim, size_t rotary, const float *cosine, const float *sine,      \
                            float *v);                                                                                 \
    void lanes_silu_multiply_##set(size_t count, const float *gate, const float *up, float *ffn);                      \
    void lanes_add_##set(size_t count, const float *y, float *x);                                                      \
    void lanes_exponential_##set(size_t count, const float *x, float *out);                                            \
    void lanes_attend_##set(const struct kernels_attention *job);                                                      \
    size_t lanes_attention_scratch_##set(size_t head_dim);                                                             \
    void lanes_remember_##set(size_t rows, const float *key, const float *value, size_t stride, size_t position,       \
                              const struct kernels_cache *cache);                                                      \
    void lanes_statistics_##set(size_t rows, const float *x, size_t x_stride, float activity_threshold,                \
                                int32_t position, struct sums *sums);                                                  \
    void lanes_fold_##set(struct accumulator_block *block, const struct sums *sums, uint64_t samples);

LANES_DECLARE(reference)
LANES_DECLARE(avx2)
LANES_DECLARE(avx512)
LANES_DECLARE(neon)

#endif
