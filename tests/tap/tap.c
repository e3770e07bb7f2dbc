/* tap.c - prints TAP and counts.
 *
 * A harness of our own because Debian packages none for C, and small enough to be read
 * in one sitting. What went wrong is said in comment lines on standard output, so that
 * they stay in order with the points in the log. Output is line buffered: a program that
 * crashes leaves every point that it had made.
 */
#include "tap.h"

#include <errno.h>
#include <ftw.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int planned = -1; /* points announced, -1: none */
static int made;         /* points so far */
static int failed;

static void start(void)
{
    static bool started;
    if (!started)
        setvbuf(stdout, NULL, _IOLBF, 0);
    started = true;
}

/* A description may hold '#' only escaped: "# skip" would change what the point says. */
static void print_claim(const char *claim, va_list args)
{
    char text[1000];
    vsnprintf(text, sizeof text, claim, args);
    for (const char *c = text; *c; c++) {
        if (*c == '#')
            putchar('\\');
        putchar(*c == '\n' ? ' ' : *c);
    }
}

static bool point(bool held, const char *file, int line, const char *claim, va_list args)
{
    start();
    made++;
    failed += !held;
    printf("%s %d - ", held ? "ok" : "not ok", made);
    print_claim(claim, args);
    putchar('\n');
    if (!held)
        diag("at %s:%d", file, line);
    return held;
}

#define POINT(held)                                     \
    va_list args;                                       \
    va_start(args, claim);                              \
    bool result = point((held), file, line, claim, args); \
    va_end(args)

bool tap_ok(bool held, const char *file, int line, const char *claim, ...)
{
    POINT(held);
    return result;
}

bool tap_is_int(int64_t got, int64_t wanted, const char *file, int line, const char *claim, ...)
{
    POINT(got == wanted);
    if (!result)
        diag("got %" PRId64 ", wanted %" PRId64, got, wanted);
    return result;
}

bool tap_is_uint(uint64_t got, uint64_t wanted, const char *file, int line, const char *claim, ...)
{
    POINT(got == wanted);
    if (!result)
        diag("got %" PRIu64 " (0x%" PRIx64 "), wanted %" PRIu64 " (0x%" PRIx64 ")", got, got, wanted, wanted);
    return result;
}

static bool near(double got, double wanted, double tolerance)
{
    if (isnan(got) || isnan(wanted))
        return isnan(got) && isnan(wanted);
    if (isinf(got) || isinf(wanted))
        return got == wanted;
    return fabs(got - wanted) <= tolerance;
}

bool tap_is_double(double got, double wanted, double tolerance, const char *file, int line, const char *claim, ...)
{
    POINT(near(got, wanted, tolerance));
    if (!result)
        diag("got %.17g, wanted %.17g, off by %.3g, allowed %.3g", got, wanted, fabs(got - wanted), tolerance);
    return result;
}

bool tap_is_string(const char *got, const char *wanted, const char *file, int line, const char *claim, ...)
{
    bool same = got && wanted ? strcmp(got, wanted) == 0 : got == wanted;
    POINT(same);
    if (!result) {
        diag("got    %s%s%s", got ? "'" : "", got ? got : "NULL", got ? "'" : "");
        diag("wanted %s%s%s", wanted ? "'" : "", wanted ? wanted : "NULL", wanted ? "'" : "");
    }
    return result;
}

bool tap_is_bytes(const void *got, const void *wanted, size_t size, const char *file, int line, const char *claim, ...)
{
    const unsigned char *g = got;
    const unsigned char *w = wanted;
    size_t i = 0;
    while (i < size && g[i] == w[i])
        i++;
    POINT(i == size);
    if (!result)
        diag("byte %zu of %zu is %02x, wanted %02x", i, size, g[i], w[i]);
    return result;
}

void plan(int count)
{
    start();
    planned = count;
    printf("1..%d\n", count);
}

void skip_all(const char *reason, ...)
{
    start();
    printf("1..0 # SKIP ");
    va_list args;
    va_start(args, reason);
    vprintf(reason, args);
    va_end(args);
    putchar('\n');
    exit(0);
}

void skip(int count, const char *reason, ...)
{
    start();
    for (int i = 0; i < count; i++) {
        printf("ok %d # SKIP ", ++made);
        va_list args;
        va_start(args, reason);
        vprintf(reason, args);
        va_end(args);
        putchar('\n');
    }
}

/* Each line of the text becomes a comment, or a value could be read as a point. */
void diag(const char *format, ...)
{
    char text[4000];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    start();
    printf("# ");
    for (const char *c = text; *c; c++) {
        if (*c != '\n')
            putchar(*c);
        else if (c[1])
            printf("\n# ");
    }
    putchar('\n');
}

void bail(const char *reason, ...)
{
    start();
    printf("Bail out! ");
    va_list args;
    va_start(args, reason);
    vprintf(reason, args);
    va_end(args);
    putchar('\n');
    exit(255);
}

int tap_done(void)
{
    start();
    if (planned < 0) {
        plan(made);
    } else if (planned != made) {
        diag("planned %d points, made %d", planned, made);
        return 1;
    }
    if (failed)
        diag("%d of %d failed", failed, made);
    return failed > 0;
}

static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *path = malloc(size);
    if (!path)
        bail("no memory for a path");
    snprintf(path, size, "%s/%s", folder, name);
    return path;
}

static const char *source_folder(void)
{
    const char *folder = getenv("PHI3SAT_SRCDIR");
    return folder ? folder : TAP_SOURCE_FOLDER;
}

char *tap_source(const char *name)
{
    return join(source_folder(), name);
}

/* The goldens lie in `shared` beside the checkout. A distribution being checked is unpacked
 * somewhere inside the checkout, so each folder on the way up is asked. */
char *tap_shared(const char *name)
{
    const char *given = getenv("PHI3SAT_SHARED");
    if (given)
        return access(given, R_OK) == 0 ? join(given, name) : NULL;
    char *folder = join(source_folder(), "");
    char *found = NULL;
    for (char *slash = strrchr(folder, '/'); slash && !found; slash = strrchr(folder, '/')) {
        *slash = '\0';
        char *mark = join(folder, "shared/goldens");
        char *path = join(folder, "shared");
        if (access(mark, R_OK) == 0)
            found = join(path, name);
        free(mark);
        free(path);
    }
    free(folder);
    return found;
}

static char folder_made[200];
static pid_t folder_owner; /* a child that exits must leave its parent's folder alone */

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)kind;
    (void)where;
    remove(path);
    return 0;
}

static void remove_folder(void)
{
    if (getpid() == folder_owner)
        nftw(folder_made, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

const char *tap_folder(void)
{
    if (!folder_made[0]) {
        const char *above = getenv("TMPDIR");
        snprintf(folder_made, sizeof folder_made, "%s/phi3sat-test-XXXXXX", above ? above : P_tmpdir);
        if (!mkdtemp(folder_made))
            bail("no folder %s: %s", folder_made, strerror(errno));
        folder_owner = getpid();
        atexit(remove_folder);
    }
    return folder_made;
}

bool tap_long(void)
{
    const char *set = getenv("PHI3SAT_LONG");
    return set && strcmp(set, "1") == 0;
}
