/* clock.c - see clock.h. Durations come from the monotonic clock: the wall clock
 * of a node may be set back while a job runs. */
#include "clock.h"

#include <stdio.h>
#include <time.h>

double clock_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

struct clock_text clock_span(double seconds)
{
    struct clock_text t;
    const long long all = seconds > 0.0 && seconds < 1e15 ? (long long)seconds : 0;
    const long long days = all / 86400, hours = all / 3600 % 24, minutes = all / 60 % 60;
    if (days > 0)
        snprintf(t.text, sizeof t.text, "%lld day%s %lld:%02lld:%02lld", days, days == 1 ? "" : "s", hours, minutes, all % 60);
    else if (hours > 0)
        snprintf(t.text, sizeof t.text, "%lld:%02lld:%02lld", hours, minutes, all % 60);
    else
        snprintf(t.text, sizeof t.text, "%lld:%02lld", minutes, all % 60);
    return t;
}

void clock_utc(char *text, size_t size)
{
    time_t now = time(NULL);
    struct tm utc;
    gmtime_r(&now, &utc);
    strftime(text, size, "%Y-%m-%dT%H:%M:%SZ", &utc);
}
