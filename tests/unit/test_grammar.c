/* test_grammar.c - lists, setups, texts, and what is said about mistakes in them. */
#include <string.h>

#include "text/grammar.h"
#include "text/grammar_numbers.h"
#include "tap.h"

static const char *const words[] = {"list person: name; he; him; his",
                                    "Ada; she; her; her",
                                    "Bo; he; him; his",
                                    "Cy; he; him; his",
                                    "# a remark",
                                    "list thing: one; many",
                                    "egg; eggs",
                                    "list peak: name; height",
                                    "K2; 8611",
                                    NULL};

static struct error fault;
static struct grammar grammar;
static struct random_stream dice;

/* `text` written out after `setup`; "!" and the mistake when either is refused. */
static const char *told(const char *setup, const char *text)
{
    static struct grammar_text out;
    static char refusal[1100];
    struct grammar_scene scene = {.count = 0};
    if (grammar_draw(&grammar, grammar_span_of(setup), &dice, &scene, &fault) == STATUS_OK &&
        grammar_expand(&scene, &dice, grammar_span_of(text), &out, &fault) == STATUS_OK)
        return out.bytes;
    snprintf(refusal, sizeof refusal, "!%s (%s)", fault.sentence, fault.where);
    return refusal;
}

static void numbers(void)
{
    is_string(told("a=7; b=a*3-1; c=b/4; d=b%6; e=-a+(a+1)*2", "{a} {b} {c} {d} {e}"), "7 20 5 2 9", "arithmetic");
    is_string(told("a=12; b=18; g=gcd(a,b); h=gcd(b,a-5)", "{g} {h}"), "6 1", "greatest common divisors");
    is_string(told("p:peak; h=p.height+1", "{h} {p.height:comma} {p}"), "8612 8,611 K2", "numbers of lists");
    is_string(told("a=17; b=999999; c=100000; d=21; e=512; f=4004",
                   "{a:words}, {b:words}, {c:words}, {d:words}, {e:words}, {f:words}"),
              "Seventeen, nine hundred and ninety-nine thousand nine hundred and ninety-nine, one hundred thousand, "
              "twenty-one, five hundred and twelve, four thousand and four", "numbers in words");
    is_string(told("a=305; b=300; c=1234567; d=0-1234", "{a:money} {b:money} {c:comma} {d:comma}"),
              "$3.05 $3 1,234,567 -1,234", "money and thousands");
    is_string(told("a=35; b=40; c=325; d=350; e=300; f=0-5",
                   "{a:tenths} {b:tenths} {c:hundredths} {d:hundredths} {e:hundredths} {f:tenths}"),
              "3.5 4 3.25 3.5 3 -0.5", "decimals without zeros at the end");
    is_string(told("a=0; b=725; c=1439", "{a:clock}, {b:clock}, {c:clock}"), "12:00 a.m., 12:05 p.m., 11:59 p.m.", "clocks");
    is_string(told("a=1; b=12; c=23; d=111; e=2", "{a:ordinal} {b:ordinal} {c:ordinal} {d:ordinal} {e:ordinal}"),
              "1st 12th 23rd 111th 2nd", "ordinals");
}

static void setups(void)
{
    bool range = true, choice = true, condition = true, people = true;
    size_t lowest = 0, fives = 0;
    for (int i = 0; i < 2000; i++) {
        struct grammar_scene scene = {.count = 0};
        const char *setup = "a=3..6; b=5|10|20; c=a..9; c>a; x:person; y:person";
        if (grammar_draw(&grammar, grammar_span_of(setup), &dice, &scene, &fault) != STATUS_OK)
            break;
        const int64_t a = scene.binding[0].value, b = scene.binding[1].value, c = scene.binding[2].value;
        range = range && a >= 3 && a <= 6;
        choice = choice && (b == 5 || b == 10 || b == 20);
        condition = condition && c > a && c <= 9;
        lowest += a == 3;
        fives += b == 5;
        people = people && !grammar_equal(grammar_form(&scene.binding[3], grammar_span_of("he")),
                                          grammar_form(&scene.binding[4], grammar_span_of("he")));
    }
    ok(range && lowest > 350 && lowest < 700, "a range gives all of its numbers");
    ok(choice && fives > 550 && fives < 780, "alternatives are as likely as each other");
    ok(condition, "conditions hold");
    ok(people, "the second person goes by another pronoun");
}

static void texts(void)
{
    is_string(told("x:thing", "{a x} and {x.many}. {A x}, {X.many}."), "An egg and eggs. An egg, Eggs.",
              "articles, forms and capitals");
    is_string(told("", "so it [[is]]."), "So it is.", "the first letter becomes a capital, brackets nest");
    size_t first = 0, empty = 0;
    for (int i = 0; i < 3000; i++) {
        const char *text = told("", "x[a|b[c|d]|]");
        first += strcmp(text, "Xa") == 0;
        empty += strcmp(text, "X") == 0;
    }
    ok(first > 880 && first < 1120 && empty > 880 && empty < 1120, "alternatives are as likely as each other");
}

static void mistakes(void)
{
    is_string(told("x:nothing", ""), "!a text of ours has a mistake: a setup that can't be read (x:nothing)",
              "an unknown list is named");
    ok(strstr(told("a=1; a==2", ""), "conditions that can't be met"), "conditions that can't be met");
    ok(strstr(told("a=5/2", ""), "conditions that can't be met"), "a division that leaves a rest is void");
    ok(strstr(told("a=1/0", ""), "conditions that can't be met"), "as is one by 0");
    ok(strstr(told("a=9000000000*9000000000", ""), "conditions that can't be met"), "and what leaves 64 bits");
    ok(strstr(told("a=1+", ""), "can't be read"), "half an expression");
    ok(strstr(told("a=b", ""), "can't be read"), "an unknown number");
    ok(strstr(told("a=1; a=>2", ""), "can't be read"), "an unknown comparison");
    ok(strstr(told("a=1", "{b}"), "a slot that nothing fills (b)"), "an unknown slot");
    ok(strstr(told("a=1", "{a:roman}"), "nothing fills"), "an unknown style");
    ok(strstr(told("x:thing", "{x.colour}"), "nothing fills"), "an unknown form");
    ok(strstr(told("a=1", "{a"), "a slot without end"), "a slot without end");
    ok(strstr(told("a=1", "[a"), "a bracket without end"), "a bracket without end");
    struct grammar bad = {.lists = NULL};
    static const char *const short_entry[] = {"list a: x; y", "one", NULL};
    ok(grammar_read(&bad, short_entry, &fault) == STATUS_FAILED && strstr(fault.sentence, "other forms"),
       "an entry with too few forms is refused");
    grammar_free(&bad);
    static const char *const orphan[] = {"one; two", NULL};
    ok(grammar_read(&bad, orphan, &fault) == STATUS_FAILED, "and one before any list");
    grammar_free(&bad);
}

int main(void)
{
    dice = random_open(3, 0, 0, 0);
    if (grammar_read(&grammar, words, &fault) != STATUS_OK)
        return 1;
    numbers();
    setups();
    texts();
    mistakes();
    grammar_free(&grammar);
    return tap_done();
}
