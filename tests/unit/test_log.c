/* test_log.c - what goes to standard error, when, and in which form. */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "tap.h"

static int real_stderr, captured;

/* What has been written to standard error since the last call. */
static const char *heard(void)
{
    static char text[40000];
    fflush(stderr);
    lseek(captured, 0, SEEK_SET);
    ssize_t got = read(captured, text, sizeof text - 1);
    text[got > 0 ? got : 0] = 0;
    lseek(captured, 0, SEEK_SET);
    if (ftruncate(captured, 0) != 0)
        bail("no capture");
    return text;
}

static void speak(void)
{
    log_detail("detail %d", 1);
    log_line("line %s", "two");
    log_warning("warning%c", '3');
}

int main(void)
{
    char path[600];
    snprintf(path, sizeof path, "%s/stderr", tap_folder());
    captured = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    real_stderr = dup(STDERR_FILENO);
    if (captured < 0 || real_stderr < 0 || dup2(captured, STDERR_FILENO) < 0)
        bail("no capture");

    struct error e;
    error_set(&e, STATUS_INPUT, "is\nbad");
    error_file(&e, "m.gguf");
    log_open(true, LOG_NORMAL, LOG_PROGRESS_AUTO);
    speak();
    is_string(heard(), "", "lines wait until they are released");
    log_error(&e);
    is_string(heard(), "phi3sat: m.gguf: is?bad\n", "an error does not wait, and is one line");
    log_release();
    is_string(heard(), "line two\nwarning: warning3\n", "then they come, in order; details only when verbose");
    log_release();
    is_string(heard(), "", "and once");
    speak();
    is_string(heard(), "line two\nwarning: warning3\n", "after that they come at once");
    log_warning("tensor '%s'", "a\033[2J\n");
    is_string(heard(), "warning: tensor 'a?[2J?'\n", "names from files can't steer the terminal");
    log_open(true, LOG_VERBOSE, LOG_PROGRESS_AUTO);
    speak();
    is_string(heard(), "note: detail 1\nline two\nwarning: warning3\n", "verbose");
    log_open(true, LOG_QUIET, LOG_PROGRESS_AUTO);
    speak();
    log_progress_line(true, "done");
    is_string(heard(), "", "quiet: nothing, no progress either");
    log_error(&e);
    is_string(heard(), "phi3sat: m.gguf: is?bad\n", "but errors");
    log_open(true, LOG_QUIET, LOG_PROGRESS_ALWAYS);
    log_progress_line(true, "done");
    is_string(heard(), "done\n", "and progress that was asked for");
    log_open(false, LOG_VERBOSE, LOG_PROGRESS_ALWAYS);
    speak();
    log_progress_line(true, "done");
    is_string(heard(), "", "the other ranks do not speak");
    log_open(true, LOG_NORMAL, LOG_PROGRESS_AUTO);
    log_progress_line(false, "%d %%", 1);
    log_progress_line(false, "%d %%", 2);
    log_progress_line(true, "%d %%", 3);
    is_string(heard(), "1 %\n3 %\n", "progress into a file is a line now and then; the last one shows");
    log_open(true, LOG_NORMAL, LOG_PROGRESS_NEVER);
    log_progress_line(true, "done");
    is_string(heard(), "", "or never");
    log_open(true, LOG_NORMAL, LOG_PROGRESS_AUTO);
    char longest[5000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    log_warning("%s", longest);
    is_uint(strlen(heard()), 2048, "a line is cut at 2047 bytes");
    dup2(real_stderr, STDERR_FILENO);
    return tap_done();
}
