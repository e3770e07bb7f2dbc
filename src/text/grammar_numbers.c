/* grammar_numbers.c - see grammar_numbers.h. Recursive descent over the text itself: the
 * expressions are a few characters long, and nothing has to be kept. */
#include "grammar_numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define FINE GRAMMAR_NUMBERS_FINE
#define VOID GRAMMAR_NUMBERS_VOID
#define BROKEN GRAMMAR_NUMBERS_BROKEN

struct reader {
    const struct grammar_scene *scene;
    struct grammar_span source;
    size_t at;
    enum grammar_numbers_outcome outcome; /* the first that was not fine stays */
};

static int64_t sum(struct reader *r);

static void stop(struct reader *r, enum grammar_numbers_outcome outcome)
{
    if (r->outcome == FINE)
        r->outcome = outcome;
}

static char next(struct reader *r)
{
    while (r->at < r->source.length && r->source.text[r->at] == ' ')
        r->at++;
    return r->at < r->source.length ? r->source.text[r->at] : '\0';
}

static bool accept(struct reader *r, char c)
{
    if (next(r) != c)
        return false;
    r->at++;
    return true;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static struct grammar_span word(struct reader *r)
{
    struct grammar_span s = {r->source.text + r->at, 0};
    while (r->at < r->source.length && is_name(r->source.text[r->at])) {
        r->at++;
        s.length++;
    }
    return s;
}

static int64_t greatest_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

static int64_t call_gcd(struct reader *r)
{
    const int64_t a = sum(r);
    if (!accept(r, ','))
        stop(r, BROKEN);
    const int64_t b = sum(r);
    if (!accept(r, ')'))
        stop(r, BROKEN);
    return r->outcome == FINE ? greatest_divisor(a, b) : 0;
}

static int64_t name(struct reader *r)
{
    int64_t value = 0;
    const struct grammar_span s = word(r);
    if (grammar_numbers_read(s, &value))
        return value;
    if (grammar_is(s, "gcd") && accept(r, '('))
        return call_gcd(r);
    struct grammar_span form = {"", 0};
    /* one dot is a form, two are a range */
    if (r->at + 1 < r->source.length && r->source.text[r->at] == '.' && r->source.text[r->at + 1] != '.') {
        r->at++;
        form = word(r);
    }
    const struct grammar_binding *b = grammar_find(r->scene, s);
    if (b == NULL)
        stop(r, BROKEN);
    else if (b->list == NULL)
        return b->value;
    else if (!grammar_numbers_read(grammar_form(b, form), &value))
        stop(r, BROKEN);
    return value;
}

static int64_t factor(struct reader *r)
{
    if (r->outcome != FINE)
        return 0;
    if (accept(r, '-')) {
        int64_t value = 0;
        if (__builtin_sub_overflow((int64_t)0, factor(r), &value))
            stop(r, VOID);
        return value;
    }
    if (accept(r, '(')) {
        const int64_t value = sum(r);
        if (!accept(r, ')'))
            stop(r, BROKEN);
        return value;
    }
    if (is_name(next(r)))
        return name(r);
    stop(r, BROKEN);
    return 0;
}

static int64_t divide(struct reader *r, int64_t a, int64_t b, char operation)
{
    if (r->outcome != FINE)
        return 0;
    if (b == 0 || b == -1 || (operation == '/' && a % b != 0)) {
        stop(r, VOID);
        return 0;
    }
    return operation == '/' ? a / b : a % b;
}

static int64_t product(struct reader *r)
{
    int64_t value = factor(r);
    for (char c = next(r); c == '*' || c == '/' || c == '%'; c = next(r)) {
        r->at++;
        const int64_t other = factor(r);
        if (c != '*')
            value = divide(r, value, other, c);
        else if (__builtin_mul_overflow(value, other, &value))
            stop(r, VOID);
    }
    return value;
}

static int64_t sum(struct reader *r)
{
    int64_t value = product(r);
    for (char c = next(r); c == '+' || c == '-'; c = next(r)) {
        r->at++;
        const int64_t other = product(r);
        if (c == '+' ? __builtin_add_overflow(value, other, &value) : __builtin_sub_overflow(value, other, &value))
            stop(r, VOID);
    }
    return value;
}

enum grammar_numbers_outcome grammar_numbers_value(const struct grammar_scene *scene, struct grammar_span source,
                                                   size_t *used, int64_t *value)
{
    struct reader r = {scene, source, 0, FINE};
    *value = sum(&r);
    const char c = next(&r);
    if (c != '\0' && c != '|' && !(c == '.' && r.at + 1 < source.length && source.text[r.at + 1] == '.'))
        stop(&r, BROKEN);
    *used = r.at;
    return r.outcome;
}

enum grammar_numbers_outcome grammar_numbers_holds(const struct grammar_scene *scene, struct grammar_span source,
                                                   bool *holds)
{
    struct reader r = {scene, source, 0, FINE};
    const int64_t left = sum(&r);
    const char first = next(&r);
    r.at += first != '\0';
    const bool equal = r.at < source.length && source.text[r.at] == '=';
    r.at += equal;
    const int64_t right = sum(&r);
    if (next(&r) != '\0' || !strchr("<>=!", first) || ((first == '=' || first == '!') && !equal))
        stop(&r, BROKEN);
    *holds = first == '<'   ? left < right || (equal && left == right)
             : first == '>' ? left > right || (equal && left == right)
             : first == '=' ? left == right
                            : left != right;
    return r.outcome;
}

bool grammar_numbers_read(struct grammar_span s, int64_t *value)
{
    int64_t n = 0;
    for (size_t i = 0; i < s.length; i++) {
        if (s.text[i] < '0' || s.text[i] > '9' || i >= 18)
            return false;
        n = n * 10 + (s.text[i] - '0');
    }
    *value = n;
    return s.length > 0;
}

static size_t write_small(int64_t n, char *out, size_t size)
{
    static const char *const ones[] = {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine",
                                       "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen",
                                       "seventeen", "eighteen", "nineteen"};
    static const char *const tens[] = {"", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty",
                                       "ninety"};
    if (n < 20)
        return (size_t)snprintf(out, size, "%s", ones[n]);
    if (n < 100)
        return (size_t)snprintf(out, size, n % 10 ? "%s-%s" : "%s", tens[n / 10], ones[n % 10]);
    size_t used = (size_t)snprintf(out, size, n % 100 ? "%s hundred and " : "%s hundred", ones[n / 100]);
    return n % 100 ? used + write_small(n % 100, out + used, size - used) : used;
}

static bool write_words(int64_t n, char *out, size_t size)
{
    if (n < 0 || n > 999999)
        return false;
    size_t used = 0;
    if (n >= 1000) {
        used = write_small(n / 1000, out, size);
        used += (size_t)snprintf(out + used, size - used, n % 1000 == 0 ? " thousand"
                                                          : n % 1000 < 100 ? " thousand and "
                                                                           : " thousand ");
        n %= 1000;
        if (n == 0)
            return true;
    }
    write_small(n, out + used, size - used);
    return true;
}

static void write_comma(int64_t n, char *out, size_t size)
{
    char digits[24];
    const int length = snprintf(digits, sizeof digits, "%" PRId64, n);
    size_t used = 0;
    for (int i = 0; i < length && used + 3 < size; i++) {
        out[used++] = digits[i];
        if (digits[i] != '-' && (length - 1 - i) % 3 == 0 && i + 1 < length)
            out[used++] = ',';
    }
    out[used] = '\0';
}

/* value / unit in decimal, without zeros at its end. */
static void write_decimal(int64_t value, int64_t unit, char *out, size_t size)
{
    const char *sign = value < 0 ? "-" : "";
    const int64_t magnitude = value < 0 ? -value : value;
    int64_t rest = magnitude % unit;
    int places = unit == 10 ? 1 : 2;
    if (places == 2 && rest % 10 == 0) {
        rest /= 10;
        places = 1;
    }
    if (rest == 0)
        snprintf(out, size, "%s%" PRId64, sign, magnitude / unit);
    else
        snprintf(out, size, "%s%" PRId64 ".%0*" PRId64, sign, magnitude / unit, places, rest);
}

static void write_clock(int64_t minutes, char *out, size_t size)
{
    const int64_t hour = minutes / 60 % 24;
    snprintf(out, size, "%" PRId64 ":%02" PRId64 " %s", (hour + 11) % 12 + 1, minutes % 60, hour < 12 ? "a.m." : "p.m.");
}

static void write_ordinal(int64_t n, char *out, size_t size)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    const int64_t last = n % 100 >= 11 && n % 100 <= 13 ? 0 : n % 10;
    snprintf(out, size, "%" PRId64 "%s", n, endings[last <= 3 ? last : 0]);
}

bool grammar_numbers_write(int64_t value, struct grammar_span style, char out[96])
{
    const size_t size = 96;
    const bool negative = value < 0;
    if (style.length == 0)
        snprintf(out, size, "%" PRId64, value);
    else if (grammar_is(style, "words"))
        return write_words(value, out, size);
    else if (grammar_is(style, "comma"))
        write_comma(value, out, size);
    else if (grammar_is(style, "money") && !negative)
        snprintf(out, size, value % 100 ? "$%" PRId64 ".%02" PRId64 : "$%" PRId64, value / 100, value % 100);
    else if (grammar_is(style, "tenths"))
        write_decimal(value, 10, out, size);
    else if (grammar_is(style, "hundredths"))
        write_decimal(value, 100, out, size);
    else if (grammar_is(style, "clock") && !negative)
        write_clock(value, out, size);
    else if (grammar_is(style, "ordinal") && !negative)
        write_ordinal(value, out, size);
    else
        return false;
    return true;
}
