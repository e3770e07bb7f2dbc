/* test_clock.c - seconds go forward, dates have one form. */
#include <string.h>

#include "base/clock.h"
#include "tap.h"

int main(void)
{
    double last = clock_seconds();
    bool forward = true;
    for (int i = 0; i < 1000; i++) {
        double now = clock_seconds();
        forward &= now >= last;
        last = now;
    }
    ok(forward, "seconds never go backwards");
    char date[21];
    int year, month, day, hour, minute, second;
    clock_utc(date, sizeof date);
    is_uint(strlen(date), 20, "a date has twenty characters");
    ok(sscanf(date, "%4d-%2d-%2dT%2d:%2d:%2dZ", &year, &month, &day, &hour, &minute, &second) == 6 && year > 2024 &&
           month >= 1 && month <= 12 && day >= 1 && day <= 31 && date[19] == 'Z',
       "and is ISO 8601 in UTC");
    is_string(clock_span(7.9).text, "0:07", "seconds are read as minutes and seconds");
    is_string(clock_span(754).text, "12:34", "minutes too");
    is_string(clock_span(10800).text, "3:00:00", "hours in front");
    is_string(clock_span(86400).text, "1 day 0:00:00", "and days");
    is_string(clock_span(2 * 86400 + 3723).text, "2 days 1:02:03", "of any number");
    is_string(clock_span(-1).text, "0:00", "less than nothing is nothing");
    return tap_done();
}
