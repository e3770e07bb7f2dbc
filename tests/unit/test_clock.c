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
    return tap_done();
}
