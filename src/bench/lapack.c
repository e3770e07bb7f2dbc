/* lapack.c - see lapack.h. Fortran's matrices stand column by column: ours are their transposes there. */
#include "lapack.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"
#include "../base/threads.h"

/* Fortran's calling convention: addresses throughout; the lengths of one-letter words come last. */
typedef void dsyrk_function(const char *uplo, const char *trans, const int *n, const int *k, const double *alpha, const double *a,
                            const int *lda, const double *beta, double *c, const int *ldc, size_t, size_t);
typedef void dgemm_function(const char *transa, const char *transb, const int *m, const int *n, const int *k, const double *alpha,
                            const double *a, const int *lda, const double *b, const int *ldb, const double *beta, double *c,
                            const int *ldc, size_t, size_t);
typedef void dsyevd_function(const char *jobz, const char *uplo, const int *n, double *a, const int *lda, double *w, double *work,
                             const int *lwork, int *iwork, const int *liwork, int *info, size_t, size_t);
typedef void threads_function(int count);

static dsyrk_function *dsyrk;
static dgemm_function *dgemm;
static dsyevd_function *dsyevd;

/* POSIX says that a function's address fits a void *, ISO C does not. */
static bool find(void *library, const char *name, void *function)
{
    void *address = dlsym(library, name);
    memcpy(function, &address, sizeof address);
    return address != NULL;
}

static bool load(const char *name)
{
    threads_function *set_threads;
    void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!library)
        return false;
    if (!find(library, "dsyrk_", &dsyrk) || !find(library, "dgemm_", &dgemm) || !find(library, "dsyevd_", &dsyevd)) {
        dsyevd = NULL;
        dlclose(library);
        return false;
    }
    if (find(library, "openblas_set_num_threads", &set_threads))
        set_threads(threads_count());
    return true;
}

enum status lapack_load(struct error *e)
{
    static const char *const names[] = {"liblapack.so.3", "libopenblas.so.0"};
    const char *own = getenv("PHI3SAT_LAPACK");
    if (dsyevd)
        return STATUS_OK;
    if (own) {
        if (load(own))
            return STATUS_OK;
        error_set(e, STATUS_FAILED, "PHI3SAT_LAPACK names '%s', which has no BLAS and LAPACK to be loaded", own);
        return error_advice(e, "name a library with dsyrk_, dgemm_ and dsyevd_, or unset it");
    }
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (load(names[i]))
            return STATUS_OK;
    error_set(e, STATUS_FAILED, "there is no LAPACK for singular value decompositions (%s)", names[0]);
    return error_advice(e, "install libopenblas0 (Debian, Ubuntu) or openblas (Fedora), or name one in PHI3SAT_LAPACK");
}

void lapack_gram(size_t rows, size_t n, const double *a, double *c)
{
    const int size = (int)n, depth = (int)rows;
    const double one = 1, zero = 0;
    dsyrk("L", "N", &size, &depth, &one, a, &size, &zero, c, &size, 1, 1);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < i; j++)
            c[i * n + j] = c[j * n + i];
}

void lapack_multiply(size_t m, size_t k, size_t n, const double *a, const double *b, double *c)
{
    const int rows = (int)m, depth = (int)k, columns = (int)n;
    const double one = 1, zero = 0;
    dgemm("N", "N", &columns, &rows, &depth, &one, b, &columns, a, &depth, &zero, c, &columns, 1, 1);
}

/* Ascending order becomes descending. */
static void turn_round(size_t n, double *a, double *value)
{
    for (size_t i = 0; i < n / 2; i++) {
        const double v = value[i];
        value[i] = value[n - 1 - i];
        value[n - 1 - i] = v;
        for (size_t j = 0; j < n; j++) {
            const double x = a[i * n + j];
            a[i * n + j] = a[(n - 1 - i) * n + j];
            a[(n - 1 - i) * n + j] = x;
        }
    }
}

enum status lapack_eigenvectors(size_t n, double *a, double *value, struct error *e)
{
    const int size = (int)n;
    int info = 0, whole = -1, integers;
    double doubles, *work = NULL;
    int *integer_work = NULL;
    dsyevd("V", "L", &size, a, &size, value, &doubles, &whole, &integers, &whole, &info, 1, 1);
    const int length = (int)doubles;
    enum status s = memory_array(&work, (size_t)length, sizeof *work, "LAPACK's workspace", e);
    if (s == STATUS_OK)
        s = memory_array(&integer_work, (size_t)integers, sizeof *integer_work, "LAPACK's workspace", e);
    if (s == STATUS_OK) {
        dsyevd("V", "L", &size, a, &size, value, work, &length, integer_work, &integers, &info, 1, 1);
        if (info != 0)
            s = error_set(e, STATUS_FAILED, "a singular value decomposition did not converge (dsyevd: %d)", info);
    }
    memory_free(work);
    memory_free(integer_work);
    if (s == STATUS_OK)
        turn_round(n, a, value);
    return s;
}
