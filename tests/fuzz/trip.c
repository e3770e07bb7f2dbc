/* trip.c - a target that breaks each rule of fuzz.h on demand, so that harness.t can see whether anyone notices.
 *
 * The first letter of an input tells what goes wrong; a small one is refused, anything else accepted.
 */
#include <signal.h>
#include <string.h>

#include "base/memory.h"
#include "fuzz.h"

/* What a library would do that trusts the input. */
static void go_wrong(char how, size_t size)
{
    struct error e;
    char *block = NULL;
    volatile char *nowhere = NULL;
    volatile bool on = true;
    error_clear(&e);
    if (how == 'C')
        *nowhere = 1;
    while (how == 'H' && on)
        continue;
    if (how == 'M' || how == 'L')
        fuzz_claim(memory_uninitialised(&block, how == 'M' ? 17 * size + (65 << 10) : 10, 1, "a claim", &e) == STATUS_OK, "there is memory");
    if (how == 'M')
        memory_free(block);
    fuzz_claim(how != 'O', "an oracle");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char how = size ? (char)data[0] : 'x';
    struct error e;
    fuzz_begin(data, size);
    go_wrong(how, size);
    error_set(&e, how == 'F' ? STATUS_FAILED : STATUS_INPUT, "%s", how == 'E' ? "" : "is refused");
    if (how >= 'A' && how <= 'Z')
        fuzz_refused(&e);
    else if (how != 'v')
        fuzz_accepted();
    return fuzz_end();
}
