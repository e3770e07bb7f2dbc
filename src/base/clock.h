/* clock.h - elapsed time and UTC dates. */
#ifndef PHI3SAT_BASE_CLOCK_H
#define PHI3SAT_BASE_CLOCK_H

#include <stddef.h>

/* Seconds since some fixed moment; never goes backwards. Thread-safe. */
double clock_seconds(void);

/* Seconds as people read them: "0:07", "12:34", "3:00:00", "2 days 1:02:03". Below 0 and NaN are 0. */
struct clock_text {
    char text[40];
};
struct clock_text clock_span(double seconds);

/* Now as "2026-12-02T06:40:00Z" in text[size >= 21]. */
void clock_utc(char *text, size_t size);

#endif
