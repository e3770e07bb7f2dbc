/* test_tap.c - the harness tests itself.
 *
 * A child process makes points that hold and points that fail, its output is read back
 * and compared to the letter. These checks use no check of the harness until they end.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

static int points;
static int wrong;

static void claim(bool held, const char *text)
{
    printf("%s %d - %s\n", held ? "ok" : "not ok", ++points, text);
    wrong += !held;
}

/* Runs `body` in a child whose standard output comes back in `text`; its exit status. */
static int capture(int (*body)(void), char *text, size_t room)
{
    int ends[2];
    fflush(stdout);
    if (pipe(ends))
        exit(99);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        exit(body());
    }
    close(ends[1]);
    size_t used = 0;
    for (ssize_t got = 1; got > 0 && used + 1 < room; used += got > 0 ? (size_t)got : 0)
        got = read(ends[0], text + used, room - 1 - used);
    text[used] = '\0';
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int good_points(void)
{
    ok(true, "a # in a claim");
    is_int(-3, -3, "int %d", 1);
    is_uint(UINT64_MAX, UINT64_MAX, "uint");
    is_double(1.0, 1.05, 0.1, "near");
    is_double(NAN, NAN, 0, "nan");
    is_double(INFINITY, INFINITY, 0, "infinity");
    is_string(NULL, NULL, "null");
    is_bytes("ab", "ab", 2, "bytes");
    skip(1, "no %s", "moon");
    return tap_done();
}

static int bad_points(void)
{
    plan(6);
    ok(false, "false");
    is_int(1, 2, "int");
    is_double(NAN, 1, 1e9, "nan is not one");
    is_double(INFINITY, -INFINITY, 1e9, "infinities");
    is_string("a", NULL, "string");
    is_bytes("abc", "abd", 3, "bytes");
    return tap_done();
}

static int wrong_number(void)
{
    plan(2);
    ok(true, "only one");
    return tap_done();
}

static int nothing(void)
{
    skip_all("no %s", "sun");
}

static int stopped(void)
{
    bail("out of %s", "luck");
}

static int comments(void)
{
    diag("one\nnot ok 1\n");
    return tap_done();
}

static int leaves_folder(void)
{
    printf("%s", tap_folder());
    return 0;
}

int main(void)
{
    char text[8000];
    int status = capture(good_points, text, sizeof text);
    claim(status == 0, "points that hold end well");
    claim(strcmp(text, "ok 1 - a \\# in a claim\nok 2 - int 1\nok 3 - uint\nok 4 - near\nok 5 - nan\nok 6 - infinity\n"
                       "ok 7 - null\nok 8 - bytes\nok 9 # SKIP no moon\n1..9\n") == 0,
          "and are printed as TAP has it");

    status = capture(bad_points, text, sizeof text);
    claim(status == 1, "points that fail end badly");
    claim(strncmp(text, "1..6\nnot ok 1 - false\n", 22) == 0, "the plan can come first");
    claim(strstr(text, "\nok ") == NULL, "none of six wrong values passes");
    claim(strstr(text, "# got 1, wanted 2\n") != NULL, "both values are shown");
    claim(strstr(text, "# byte 2 of 3 is 63, wanted 64\n") != NULL, "the first differing byte is shown");

    claim(capture(wrong_number, text, sizeof text) == 1, "a missing point fails");
    claim(capture(nothing, text, sizeof text) == 0 && strcmp(text, "1..0 # SKIP no sun\n") == 0,
          "skipping all is a success with a reason");
    claim(capture(stopped, text, sizeof text) == 255 && strcmp(text, "Bail out! out of luck\n") == 0,
          "bailing out ends at once");
    claim(capture(comments, text, sizeof text) == 0 && strcmp(text, "# one\n# not ok 1\n1..0\n") == 0,
          "no line of a comment looks like a point");
    claim(capture(leaves_folder, text, sizeof text) == 0 && text[0] == '/' && access(text, F_OK) != 0,
          "the temporary folder goes with the test");
    printf("1..%d\n", points);
    return wrong > 0;
}
