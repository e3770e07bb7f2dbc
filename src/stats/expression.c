/* expression.c - see expression.h.
 *
 * A recursive descent of one level of precedence at a time writes steps for a stack machine; every level tells whether it
 * gave a number or a condition, so that `1 and 2` and `(a < b) < c` are told at their column. Conditions are the
 * numbers 1 and 0, unknown is NaN: then `not` is 1 - x, and a missing value needs no case of its own. Rejected: an
 * existing language (a dependency, and one that can do more than compare), a tree (memory to free).
 */
#include "expression.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../base/memory.h"

const struct expression_statistic expression_statistics[EXPRESSION_STATISTICS] = {
    {"mean", METRIC_MEAN, "mean"},
    {"variance", METRIC_VARIANCE, "population variance"},
    {"skewness", METRIC_SKEWNESS, "skewness"},
    {"kurtosis", METRIC_KURTOSIS, "excess kurtosis"},
    {"min", METRIC_MIN, "least value"},
    {"max", METRIC_MAX, "greatest value"},
    {"low_activity", METRIC_LOW_ACTIVITY, "share of samples with abs(x) below the activity threshold"},
    {"inactive", METRIC_INACTIVE, "share of samples with x below it"},
    {"mean_stderr", METRIC_MEAN_STDERR, "standard error of the mean"},
    {"low_activity_stderr", METRIC_LOW_ACTIVITY_STDERR, "standard error of low_activity"},
};

static const char *const series_names[SERIES_COUNT] = {"gate", "up", "ffn"};

enum what {
    NUMBER, VALUE, MEDIAN, AVERAGE,                             /* push                */
    ABS, SQRT, NEGATE, NOT,                                     /* replace the top     */
    ADD, SUBTRACT, MULTIPLY, DIVIDE, AND, OR,                   /* two become one      */
    LESS, LESS_EQUAL, GREATER, GREATER_EQUAL, EQUAL, NOT_EQUAL
};

enum kind { BROKEN, A_NUMBER, A_CONDITION };

#define NUMERAL_OF(macro) #macro
#define NUMERAL(macro) NUMERAL_OF(macro)

struct parser {
    const char *text, *at;
    struct expression *x;
    int depth;            /* of parentheses and the like       */
    size_t height;        /* of the stack                      */
    struct error *e;
};

/* The first fault counts. */
/* A long one is shown around the place. */
static enum kind wrong(struct parser *p, const char *at, const char *what)
{
    if (p->e->status == STATUS_OK) {
        const size_t length = strlen(p->text), place = (size_t)(at - p->text);
        const size_t from = length > 120 && place > 60 ? place - 60 : 0;
        error_set(p->e, STATUS_USAGE, "--criterion '%s%.120s%s': %s", from ? "..." : "", p->text + from,
                  length - from > 120 ? "..." : "", what);
        error_where(p->e, "column %zu", (size_t)(at - p->text) + 1);
    }
    return BROKEN;
}

static void skip_spaces(struct parser *p)
{
    p->at += strspn(p->at, " \t");
}

static bool step(struct parser *p, enum what what, int series, enum metric metric, double number)
{
    if (p->x->count == EXPRESSION_STEPS) {
        wrong(p, p->at, "has more than " NUMERAL(EXPRESSION_STEPS) " numbers, statistics and operations");
        return false;
    }
    p->x->step[p->x->count++] = (struct expression_step){(int)what, series, metric, number};
    p->height += what <= AVERAGE ? 1 : 0;
    p->height -= what >= ADD ? 1 : 0;
    if (p->height <= EXPRESSION_DEPTH)
        return true;
    wrong(p, p->at, "nests more than " NUMERAL(EXPRESSION_DEPTH) " deep");
    return false;
}

static size_t word_length(const char *at)
{
    return strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
}

/* Takes `word` if it stands here, whole. */
static bool take_word(struct parser *p, const char *word)
{
    skip_spaces(p);
    if (word_length(p->at) != strlen(word) || strncmp(p->at, word, strlen(word)) != 0)
        return false;
    p->at += strlen(word);
    return true;
}

static bool take_sign(struct parser *p, const char *sign)
{
    skip_spaces(p);
    if (strncmp(p->at, sign, strlen(sign)) != 0)
        return false;
    p->at += strlen(sign);
    return true;
}

static enum kind parse_or(struct parser *p);

/* SERIES.STATISTIC as a step. */
static enum kind parse_value(struct parser *p, enum what what)
{
    skip_spaces(p);
    const char *start = p->at;
    int series = 0, k = 0;
    size_t length = word_length(p->at);
    while (series < SERIES_COUNT && (strlen(series_names[series]) != length || strncmp(start, series_names[series], length) != 0))
        series++;
    if (series == SERIES_COUNT) {
        wrong(p, start, length ? "there is no such word" : "a number or a statistic is missing");
        error_advice(p->e, "write gate.variance, up.mean, ffn.kurtosis and the like");
        return BROKEN;
    }
    p->at += length;
    if (*p->at != '.')
        return wrong(p, p->at, "a full stop and a statistic are missing behind the series");
    start = ++p->at;
    length = word_length(start);
    while (k < EXPRESSION_STATISTICS &&
           (strlen(expression_statistics[k].name) != length || strncmp(start, expression_statistics[k].name, length) != 0))
        k++;
    if (k == EXPRESSION_STATISTICS) {
        wrong(p, start, "there is no such statistic");
        error_advice(p->e, "there are mean, variance, skewness, kurtosis, min, max, low_activity, inactive, mean_stderr and "
                           "low_activity_stderr");
        return BROKEN;
    }
    p->at += length;
    return step(p, what, series, expression_statistics[k].metric, 0.0) ? A_NUMBER : BROKEN;
}

static bool close_parenthesis(struct parser *p)
{
    if (take_sign(p, ")"))
        return true;
    wrong(p, p->at, *p->at == ',' ? "one number is taken here, not a list" : "a closing parenthesis is missing");
    return false;
}

/* abs(X), sqrt(X): X is any number. median, average: of a statistic alone. */
static enum kind parse_function(struct parser *p, enum what what)
{
    if (!take_sign(p, "("))
        return wrong(p, p->at, "an opening parenthesis is missing");
    if (what == MEDIAN || what == AVERAGE)
        return parse_value(p, what) != BROKEN && close_parenthesis(p) ? A_NUMBER : BROKEN;
    skip_spaces(p);
    const char *start = p->at;
    enum kind kind = parse_or(p);
    if (kind == A_CONDITION)
        return wrong(p, start, "a number is wanted here, not a condition");
    if (kind == BROKEN || !close_parenthesis(p))
        return BROKEN;
    return step(p, what, 0, METRIC_MEAN, 0.0) ? A_NUMBER : BROKEN;
}

/* Digits, a point, an exponent: no more than that, whatever strtod would take. */
static enum kind parse_number(struct parser *p)
{
    static const char digits[] = "0123456789";
    char text[64];
    size_t length = strspn(p->at, digits), exponent;
    if (p->at[length] == '.')
        length += 1 + strspn(p->at + length + 1, digits);
    if (p->at[length] == 'e' || p->at[length] == 'E') {
        exponent = length + 1;
        exponent += p->at[exponent] == '+' || p->at[exponent] == '-';
        if (strspn(p->at + exponent, digits) > 0)
            length = exponent + strspn(p->at + exponent, digits);
    }
    if (length >= sizeof text || (length == 1 && *p->at == '.'))
        return wrong(p, p->at, "that is no number");
    memcpy(text, p->at, length);
    text[length] = '\0';
    float value = strtof(text, NULL);
    if (isinf(value))
        return wrong(p, p->at, "that number is too large");
    if (word_length(p->at + length) > 0 || p->at[length] == '.')
        return wrong(p, p->at, "that is no number");
    p->at += length;
    return step(p, NUMBER, 0, METRIC_MEAN, (double)value) ? A_NUMBER : BROKEN;
}

static enum kind parse_primary(struct parser *p)
{
    static const struct {
        const char *name;
        enum what what;
    } functions[] = {{"abs", ABS}, {"sqrt", SQRT}, {"median", MEDIAN}, {"average", AVERAGE}};
    skip_spaces(p);
    if (take_sign(p, "(")) {
        enum kind kind = parse_or(p);
        return kind != BROKEN && close_parenthesis(p) ? kind : BROKEN;
    }
    if ((*p->at >= '0' && *p->at <= '9') || *p->at == '.')
        return parse_number(p);
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (take_word(p, functions[i].name))
            return parse_function(p, functions[i].what);
    return parse_value(p, VALUE);
}

/* Are both sides what the operator wants? */
static enum kind wanted(struct parser *p, const char *at, enum kind got, enum kind want)
{
    if (got == BROKEN || got == want)
        return got;
    return wrong(p, at, want == A_NUMBER ? "a number is wanted here, not a condition"
                                         : "a condition is wanted here, not a number");
}

/* Both ways into recursion pass through here. */
static enum kind parse_unary(struct parser *p)
{
    enum kind kind = BROKEN;
    skip_spaces(p);
    if (++p->depth > EXPRESSION_DEPTH)
        wrong(p, p->at, "nests more than " NUMERAL(EXPRESSION_DEPTH) " deep");
    else if (take_sign(p, "-")) {
        const char *start = p->at;
        kind = wanted(p, start, parse_unary(p), A_NUMBER);
        if (kind != BROKEN && !step(p, NEGATE, 0, METRIC_MEAN, 0.0))
            kind = BROKEN;
    } else
        kind = parse_primary(p);
    p->depth--;
    return kind;
}

struct operator {
    const char *sign;
    enum what what;
};

/* left { sign right }, to the left; with `once` a second sign is left to whoever comes next. */
static enum kind parse_chain(struct parser *p, const struct operator *operators, enum kind (*next)(struct parser *),
                             bool once, enum kind result)
{
    skip_spaces(p);
    const char *start = p->at;
    enum kind kind = next(p);
    while (kind != BROKEN) {
        const struct operator *o = operators;
        while (o->sign && !take_sign(p, o->sign))
            o++;
        if (!o->sign)
            return kind;
        if (wanted(p, start, kind, A_NUMBER) == BROKEN)
            return BROKEN;
        skip_spaces(p);
        start = p->at;
        kind = wanted(p, start, next(p), A_NUMBER);
        if (kind == BROKEN || !step(p, o->what, 0, METRIC_MEAN, 0.0))
            return BROKEN;
        kind = result;
        if (once)
            return kind;
    }
    return kind;
}

static enum kind parse_product(struct parser *p)
{
    static const struct operator signs[] = {{"*", MULTIPLY}, {"/", DIVIDE}, {NULL, ADD}};
    return parse_chain(p, signs, parse_unary, false, A_NUMBER);
}

static enum kind parse_sum(struct parser *p)
{
    static const struct operator signs[] = {{"+", ADD}, {"-", SUBTRACT}, {NULL, ADD}};
    return parse_chain(p, signs, parse_product, false, A_NUMBER);
}

static enum kind parse_comparison(struct parser *p)
{
    static const struct operator signs[] = {{"<=", LESS_EQUAL}, {">=", GREATER_EQUAL}, {"==", EQUAL}, {"!=", NOT_EQUAL},
                                            {"<", LESS},        {">", GREATER},        {NULL, ADD}};
    enum kind kind = parse_chain(p, signs, parse_sum, true, A_CONDITION);
    skip_spaces(p);
    if (kind == A_CONDITION && *p->at && strchr("<>=!", *p->at))
        return wrong(p, p->at, "comparisons don't chain: join two by 'and'");
    return kind;
}

static enum kind parse_not(struct parser *p)
{
    if (!take_word(p, "not"))
        return parse_comparison(p);
    skip_spaces(p);
    const char *start = p->at;
    if (++p->depth > EXPRESSION_DEPTH)
        return wrong(p, p->at, "nests more than " NUMERAL(EXPRESSION_DEPTH) " deep");
    enum kind kind = wanted(p, start, parse_not(p), A_CONDITION);
    p->depth--;
    return kind != BROKEN && step(p, NOT, 0, METRIC_MEAN, 0.0) ? kind : BROKEN;
}

static enum kind parse_words(struct parser *p, const char *word, enum what what, enum kind (*next)(struct parser *))
{
    skip_spaces(p);
    const char *start = p->at;
    enum kind kind = next(p);
    while (kind != BROKEN && take_word(p, word)) {
        if (wanted(p, start, kind, A_CONDITION) == BROKEN)
            return BROKEN;
        skip_spaces(p);
        start = p->at;
        kind = wanted(p, start, next(p), A_CONDITION);
        if (kind != BROKEN && !step(p, what, 0, METRIC_MEAN, 0.0))
            kind = BROKEN;
    }
    return kind;
}

static enum kind parse_and(struct parser *p)
{
    return parse_words(p, "and", AND, parse_not);
}

static enum kind parse_or(struct parser *p)
{
    return parse_words(p, "or", OR, parse_and);
}

enum status expression_parse(struct expression *x, const char *text, struct error *e)
{
    struct parser p = {.text = text, .at = text, .x = x, .e = e};
    x->count = 0;
    error_clear(e);
    enum kind kind = parse_or(&p);
    skip_spaces(&p);
    if (kind != BROKEN && *p.at)
        kind = wrong(&p, p.at, *p.at == ')' ? "there is nothing to close" : "this was not expected here");
    if (kind == A_NUMBER)
        wrong(&p, text, "that is a number, and a condition is wanted: compare it with something");
    if (e->status == STATUS_OK)
        return STATUS_OK;
    if (!*e->advice)
        error_advice(e, "see 'Criteria of your own' in docs/report.md");
    return STATUS_USAGE;
}

static int ascending(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

/* What a layer has once. */
static double of_layer(enum what what, const float *values, size_t count, float *scratch)
{
    size_t known = 0;
    double sum = 0.0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i])) {
            scratch[known++] = values[i];
            sum += (double)values[i];
        }
    if (known == 0)
        return NAN;
    if (what == AVERAGE)
        return sum / (double)known;
    qsort(scratch, known, sizeof *scratch, ascending);
    return (double)scratch[(known - 1) / 2];
}

static double compare(enum what what, double a, double b)
{
    if (isnan(a) || isnan(b))
        return NAN;
    switch (what) {
    case LESS:
        return a < b;
    case LESS_EQUAL:
        return a <= b;
    case GREATER:
        return a > b;
    case GREATER_EQUAL:
        return a >= b;
    case EQUAL:
        return a == b;
    default:
        return a != b;
    }
}

static double join(enum what what, double a, double b)
{
    switch (what) {
    case ADD:
        return a + b;
    case SUBTRACT:
        return a - b;
    case MULTIPLY:
        return a * b;
    case DIVIDE:
        return a / b;
    case AND: /* false wins over unknown */
        return a == 0.0 || b == 0.0 ? 0.0 : a * b;
    case OR:
        return a == 1.0 || b == 1.0 ? 1.0 : a + b;
    default:
        return compare(what, a, b);
    }
}

static double evaluate(const struct expression *x, const struct metrics *m, size_t i)
{
    double stack[EXPRESSION_DEPTH + 1];
    size_t height = 0;
    for (size_t k = 0; k < x->count; k++) {
        const struct expression_step *s = &x->step[k];
        switch ((enum what)s->what) {
        case NUMBER:
        case MEDIAN:
        case AVERAGE:
            stack[height++] = s->number;
            break;
        case VALUE:
            stack[height++] = (double)m->value[s->series][s->metric][i];
            break;
        case ABS:
            stack[height - 1] = fabs(stack[height - 1]);
            break;
        case SQRT:
            stack[height - 1] = sqrt(stack[height - 1]);
            break;
        case NEGATE:
            stack[height - 1] = -stack[height - 1];
            break;
        case NOT:
            stack[height - 1] = 1.0 - stack[height - 1];
            break;
        default:
            height--;
            stack[height - 1] = join((enum what)s->what, stack[height - 1], stack[height]);
        }
    }
    return stack[0];
}

enum status expression_apply(struct expression *x, struct metrics *m, struct error *e)
{
    float *scratch;
    enum status s = memory_array(&scratch, m->neurons, sizeof *scratch, "a layer's median", e);
    if (s != STATUS_OK)
        return s;
    for (size_t k = 0; k < x->count; k++) {
        struct expression_step *step = &x->step[k];
        if (step->what == MEDIAN || step->what == AVERAGE)
            step->number = of_layer((enum what)step->what, m->value[step->series][step->metric], m->neurons, scratch);
    }
    for (size_t i = 0; i < m->neurons; i++)
        m->saturated[i] = evaluate(x, m, i) == 1.0; /* unknown isn't */
    memory_free(scratch);
    return STATUS_OK;
}
