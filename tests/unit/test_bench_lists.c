/* test_bench_lists.c - lists of option values, right and wrong. */
#include <string.h>

#include "commands/bench_lists.h"
#include "tap.h"

static struct error e;

static int find(const char *name)
{
    return strcmp(name, "a") == 0 ? 0 : strcmp(name, "bc") == 0 ? 7 : -1;
}

static void numbers(void)
{
    struct bench_lists_numbers list;
    const char *const wrong[] = {"", ",", "1,", ",1", "1,,2", "0", "1001", "-1", "+1", "1.5", "x", "1 ", " 1", "99999999999999999999"};
    ok(bench_lists_read_numbers(&list, "rows", "1,16,1000", 1000, &e) == STATUS_OK && list.count == 3 && list.value[0] == 1 &&
           list.value[1] == 16 && list.value[2] == 1000,
       "a list of numbers is read in its order");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ok(bench_lists_read_numbers(&list, "rows", wrong[i], 1000, &e) == STATUS_USAGE && strstr(e.sentence, "--rows"),
           "'%s' is not a list of numbers", wrong[i]);
    char many[2 * (BENCH_LISTS_MOST + 1)];
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = i % 2 ? ',' : '1';
    many[sizeof many - 1] = '\0';
    ok(bench_lists_read_numbers(&list, "rows", many, 9, &e) == STATUS_USAGE, "a list may be too long");
    many[sizeof many - 3] = '\0';
    ok(bench_lists_read_numbers(&list, "rows", many, 9, &e) == STATUS_OK && list.count == BENCH_LISTS_MOST, "or just short enough");
}

static void names(void)
{
    struct bench_lists_numbers list;
    ok(bench_lists_read_names(&list, "types", "bc,a,bc", find, "a type", &e) == STATUS_OK && list.count == 3 &&
           list.value[0] == 7 && list.value[1] == 0 && list.value[2] == 7,
       "a list of names is looked up");
    ok(bench_lists_read_names(&list, "types", "a,d", find, "a type", &e) == STATUS_USAGE, "an unknown name is wrong");
    is_string(e.sentence, "--types 'd' is not a type", "and named");
    ok(bench_lists_read_names(&list, "types", "", find, "a type", &e) == STATUS_USAGE, "so is none");
    ok(bench_lists_read_names(&list, "types", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", find, "a type", &e) == STATUS_USAGE,
       "or one longer than any");
}

static void shapes(void)
{
    size_t n = 0, k = 0;
    const char *const wrong[] = {"", "x", "1", "1x", "x1", "0x1", "1x0", "1x2x3", "1001x1", "1x1001", "1*2", "1x2 "};
    ok(bench_lists_read_shape(&n, &k, "shape", "17x256", 1000, &e) == STATUS_OK && n == 17 && k == 256, "a shape is read");
    ok(bench_lists_read_shape(&n, &k, "shape", "3X4", 1000, &e) == STATUS_OK && n == 3 && k == 4, "with a capital X too");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        ok(bench_lists_read_shape(&n, &k, "shape", wrong[i], 1000, &e) == STATUS_USAGE, "'%s' is no shape", wrong[i]);
}

int main(void)
{
    numbers();
    names();
    shapes();
    return tap_done();
}
