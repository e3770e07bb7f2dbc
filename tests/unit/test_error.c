/* test_error.c - filling and wording the one error type. */
#include <string.h>

#include "base/error.h"
#include "tap.h"

static const char *worded(const struct error *e)
{
    static char line[4096];
    error_format(e, line, sizeof line);
    return line;
}

int main(void)
{
    struct error e;
    memset(&e, 0xff, sizeof e);
    is_int(error_set(&e, STATUS_INPUT, "has %d layers", 7), STATUS_INPUT, "the status is returned");
    ok(e.status == STATUS_INPUT && e.position == -1 && !e.file[0] && !e.where[0] && !e.advice[0],
       "setting empties the rest");
    is_string(worded(&e), "has 7 layers", "a bare sentence");
    is_int(error_position(&e, 12), STATUS_INPUT, "additions return the status");
    is_string(worded(&e), "has 7 layers (byte 12)", "with a position");
    error_where(&e, "tensor '%s'", "blk.0");
    error_file(&e, "m.gguf");
    error_advice(&e, "copy it %s", "again");
    is_string(worded(&e), "m.gguf: has 7 layers (tensor 'blk.0', byte 12); copy it again", "with everything");
    error_position(&e, -1);
    is_string(worded(&e), "m.gguf: has 7 layers (tensor 'blk.0'); copy it again", "a place without position");
    error_file(&e, NULL);
    is_string(worded(&e), "has 7 layers (tensor 'blk.0'); copy it again", "no file");
    error_set(&e, STATUS_INPUT, "key '%s'", "a\033[31m\n\x7f\xc2\x9bz\xc3\xa9\xc2\xa9");
    is_string(worded(&e), "key 'a?[31m????z\xc3\xa9\xc2\xa9'", "control characters are hidden, letters are not");
    char cut[2] = "\xc2";
    error_printable(cut);
    is_string(cut, "?", "a letter cut short is hidden");
    error_set(&e, STATUS_INPUT, "%s", "a\\b\xff\x9b" "2J\xe2\x80\xae\xe6\x97\xa5");
    is_string(worded(&e), "a\\b??2J???\xe6\x97\xa5", "so are bytes that are no UTF-8 and what turns the line round");

    char longest[2000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = 0;
    error_set(&e, STATUS_FAILED, "%s", longest);
    error_where(&e, "%s", longest);
    error_position(&e, INT64_MAX);
    error_file(&e, longest);
    error_advice(&e, "%s", longest);
    ok(strlen(worded(&e)) == 511 + 2 + 767 + strlen(" (, byte 9223372036854775807)") + 255 + 2 + 383,
       "what is too long is cut, part by part");
    char small[10];
    error_format(&e, small, sizeof small);
    is_string(small, "xxxxxxxxx", "the line fits its buffer");

    is_int(error_set(NULL, STATUS_USAGE, "x"), STATUS_USAGE, "without an error, setting returns the status");
    ok(error_file(NULL, "x") == STATUS_FAILED && error_where(NULL, "x") == STATUS_FAILED &&
           error_position(NULL, 1) == STATUS_FAILED && error_advice(NULL, "x") == STATUS_FAILED,
       "and additions do nothing");
    error_clear(&e);
    ok(e.status == STATUS_OK && e.position == -1 && !e.sentence[0], "a cleared error is none");
    return tap_done();
}
