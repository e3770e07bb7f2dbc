/* log.c - the only voice of the program besides report/; see log.h.
 *
 * State is one per process: a log is what a process has one of. Only the main
 * thread of a rank writes.
 */
#include "log.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "clock.h"

#define LOG_EVERY_SECONDS 10.0

static struct {
    bool speaks, released, in_place, line_open;
    enum log_level level;
    enum log_progress progress;
    double last, phase; /* when progress, and a phase, were shown */
    size_t used;
    char waiting[16384];
} voice = {.speaks = true, .level = LOG_NORMAL};

void log_open(bool speaks, enum log_level level, enum log_progress progress)
{
    voice.speaks = speaks;
    voice.level = level;
    voice.progress = progress;
    voice.in_place = isatty(STDERR_FILENO);
    voice.last = -LOG_EVERY_SECONDS;
    voice.phase = clock_seconds();
}

static void end_progress_line(void)
{
    if (voice.line_open)
        fputc('\n', stderr);
    voice.line_open = false;
}

static void say(const char *prefix, const char *format, va_list args)
{
    char line[2048];
    size_t used = (size_t)snprintf(line, sizeof line, "%s", prefix);
    vsnprintf(line + used, sizeof line - used, format, args);
    error_printable(line);
    size_t length = strlen(line);
    if (voice.released) {
        end_progress_line();
        fprintf(stderr, "%s\n", line);
    } else if (voice.used + length + 2 <= sizeof voice.waiting) {
        voice.used += (size_t)snprintf(voice.waiting + voice.used, sizeof voice.waiting - voice.used, "%s\n", line);
    }
}

void log_detail(const char *format, ...)
{
    if (!voice.speaks || voice.level < LOG_VERBOSE)
        return;
    va_list args;
    va_start(args, format);
    say("note: ", format, args);
    va_end(args);
}

void log_line(const char *format, ...)
{
    if (!voice.speaks || voice.level < LOG_NORMAL)
        return;
    va_list args;
    va_start(args, format);
    say("", format, args);
    va_end(args);
}

void log_warning(const char *format, ...)
{
    if (!voice.speaks || voice.level < LOG_NORMAL)
        return;
    va_list args;
    va_start(args, format);
    say("warning: ", format, args);
    va_end(args);
}

void log_release(void)
{
    if (voice.speaks && voice.used)
        fputs(voice.waiting, stderr);
    voice.used = 0;
    voice.released = true;
}

static bool shows_progress(void)
{
    return voice.speaks && voice.progress != LOG_PROGRESS_NEVER &&
           (voice.progress == LOG_PROGRESS_ALWAYS || voice.level != LOG_QUIET);
}

/* A line that reaches the last column would wrap, and only its last part could be written over. */
static void cut_to_terminal(char *line)
{
    struct winsize size;
    size_t columns = 80;
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1)
        columns = size.ws_col;
    if (strlen(line) >= columns)
        line[columns - 1] = '\0';
}

static void show_progress(bool final, const char *format, va_list args)
{
    char line[512];
    vsnprintf(line, sizeof line, format, args);
    if (voice.in_place) {
        cut_to_terminal(line);
        fputs("\r\033[K", stderr);
    }
    fputs(line, stderr);
    voice.line_open = voice.in_place && !final;
    if (!voice.line_open)
        fputc('\n', stderr);
    fflush(stderr);
}

void log_progress_line(bool final, const char *format, ...)
{
    double now = clock_seconds(), pause = voice.in_place ? 0.2 : LOG_EVERY_SECONDS;
    if (!shows_progress() || (!final && now - voice.last < pause))
        return;
    voice.last = voice.phase = now;
    va_list args;
    va_start(args, format);
    show_progress(final, format, args);
    va_end(args);
}

void log_phase(const char *format, ...)
{
    double now = clock_seconds();
    if (!shows_progress() || now - voice.phase < (voice.in_place ? 1.0 : LOG_EVERY_SECONDS))
        return;
    voice.phase = now;
    va_list args;
    va_start(args, format);
    show_progress(false, format, args);
    va_end(args);
}

void log_error(const struct error *e)
{
    char line[2560];
    error_format(e, line, sizeof line);
    end_progress_line();
    fprintf(stderr, "phi3sat: %s\n", line);
}

/* One write, so that no other rank's line comes between. Standard error may be gone: there is nobody left to tell. */
void log_last_words(char *line)
{
    static const char before[] = "\nphi3sat: ";
    static char all[8192];
    const size_t skipped = voice.line_open ? 0 : 1;
    size_t length = strlen(line);
    error_printable(line);
    length = length < sizeof all - sizeof before - 1 ? length : sizeof all - sizeof before - 1;
    memcpy(all, before, sizeof before - 1);
    memcpy(all + sizeof before - 1, line, length);
    all[sizeof before - 1 + length] = '\n';
    (void)!write(STDERR_FILENO, all + skipped, sizeof before + length - skipped);
}
