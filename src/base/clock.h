/* clock.h - elapsed time and UTC dates. */
#ifndef PHI3SAT_BASE_CLOCK_H
#define PHI3SAT_BASE_CLOCK_H

#include <stddef.h>

/* Seconds since some fixed moment; never goes backwards. Thread-safe. */
double clock_seconds(void);

/* Now as "2026-12-02T06:40:00Z" in text[size >= 21]. */
void clock_utc(char *text, size_t size);

#endif
