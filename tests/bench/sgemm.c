/* sgemm.c - times OpenBLAS on one shape: y[rows, outputs] = x[rows, inputs] times w[outputs, inputs] transposed.
 *
 * Usage: sgemm ROWS OUTPUTS INPUTS THREADS SAMPLES. Prints OpenBLAS's own description, then GFLOP/s of each sample, one a
 * line. tests/bench/peers compiles and runs it: cc -O2 sgemm.c -lopenblas
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Declared here, so that no header has to be found. */
enum { ROW_MAJOR = 101, PLAIN = 111, TRANSPOSED = 112 };
void cblas_sgemm(int order, int a, int b, int m, int n, int k, float alpha, const float *x, int x_stride, const float *w,
                 int w_stride, float beta, float *y, int y_stride);
void openblas_set_num_threads(int threads);
char *openblas_get_config(void);

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static float *numbers(size_t count)
{
    float *x = malloc(count * sizeof *x);
    for (size_t i = 0; x && i < count; i++)
        x[i] = (float)(i * 7919 % 1000) / 500.0f - 1.0f;
    return x;
}

int main(int argc, char **argv)
{
    if (argc != 6)
        return 2;
    const int rows = atoi(argv[1]), outputs = atoi(argv[2]), inputs = atoi(argv[3]), samples = atoi(argv[5]);
    float *x = numbers((size_t)rows * (size_t)inputs), *w = numbers((size_t)outputs * (size_t)inputs);
    float *y = numbers((size_t)rows * (size_t)outputs);
    if (!x || !w || !y)
        return 1;
    openblas_set_num_threads(atoi(argv[4]));
    printf("%s\n", openblas_get_config());
    for (int sample = -1; sample < samples; sample++) { /* the first warms up */
        const double start = seconds();
        cblas_sgemm(ROW_MAJOR, PLAIN, TRANSPOSED, rows, outputs, inputs, 1.0f, x, inputs, w, inputs, 0.0f, y, outputs);
        const double flops = 2.0 * rows * outputs * inputs, spent = seconds() - start;
        if (sample >= 0)
            printf("%.2f\n", 1e-9 * flops / spent);
    }
    free(x), free(w), free(y);
    return 0;
}
