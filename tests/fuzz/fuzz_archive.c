/* fuzz_archive.c - what report, compare, export, merge, inspect and --append read. HDF5 works in a process of its own, so
 * libFuzzer sees our side of it only; mutants, which know HDF5's structures, go through both. */
#include "archive_oracle.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return archive_oracle_run(data, size, false);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max, unsigned seed)
{
    return archive_oracle_mutate(data, size, max, seed);
}
