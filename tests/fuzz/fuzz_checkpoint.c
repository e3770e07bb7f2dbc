/* fuzz_checkpoint.c - what --resume reads: an archive without metrics, whose prompts may be under way. See fuzz_archive.c. */
#include "archive_oracle.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return archive_oracle_run(data, size, true);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return archive_oracle_mutate(data, size, max, seed);
}
