/* test_memory.c - checked sizes, aligned blocks, growth, the nth allocation failing. */
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "failing_memory.h"
#include "tap.h"

static struct error e;

static bool zeros(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i])
            return false;
    return true;
}

static void sizes(void)
{
    size_t r = 5;
    ok(memory_multiply(SIZE_MAX / 3, 3, &r) && r == SIZE_MAX / 3 * 3, "a product that fits");
    r = 5;
    ok(!memory_multiply(SIZE_MAX / 3 + 1, 3, &r) && r == 5, "one that does not leaves the result alone");
    ok(memory_add(SIZE_MAX - 1, 1, &r) && r == SIZE_MAX, "a sum that fits");
    ok(!memory_add(SIZE_MAX, 1, &r) && r == SIZE_MAX, "one that does not leaves the result alone");
}

static void blocks(void)
{
    uint8_t *bytes;
    bool aligned = true, clear = true;
    for (size_t n = 0; n < 200; n++) {
        if (memory_array(&bytes, n, 3, "bytes", &e) != STATUS_OK)
            bail("%s", e.sentence);
        aligned &= (uintptr_t)bytes % 64 == 0;
        clear &= zeros(bytes, n * 3);
        memset(bytes, 1, n ? n * 3 : 1); /* sanitizers look at the end */
        memory_free(bytes);
    }
    ok(aligned, "blocks are aligned to 64 bytes");
    ok(clear, "an array is zeroed");
    const struct {
        size_t count, size;
    } absurd[] = {{SIZE_MAX, 1}, {SIZE_MAX, SIZE_MAX}, {SIZE_MAX / 8 + 1, 8}, {(size_t)PTRDIFF_MAX + 1, 1}};
    for (size_t i = 0; i < 4; i++) {
        bytes = (uint8_t *)&e;
        ok(memory_array(&bytes, absurd[i].count, absurd[i].size, "token ids", &e) == STATUS_FAILED && !bytes &&
               strstr(e.sentence, "token ids"),
           "%zu x %zu bytes are refused by name", absurd[i].count, absurd[i].size);
    }
    memory_free(NULL);
}

static void growth(void)
{
    uint32_t *numbers = NULL;
    size_t capacity = 0;
    bool kept = true, clear = true;
    for (uint32_t n = 0; n < 5000; n++) {
        size_t before = capacity;
        if (memory_grow(&numbers, &capacity, n + 1, sizeof *numbers, "numbers", &e) != STATUS_OK)
            bail("%s", e.sentence);
        clear &= zeros((uint8_t *)(numbers + before), (capacity - before) * sizeof *numbers);
        numbers[n] = n;
    }
    for (uint32_t n = 0; n < 5000; n++)
        kept &= numbers[n] == n;
    ok(kept, "growing keeps what was there");
    ok(clear, "new elements are zero");
    is_uint(capacity, 8192, "capacity doubles");
    uint32_t *before = numbers;
    is_int(memory_grow(&numbers, &capacity, SIZE_MAX / 2, sizeof *numbers, "numbers", &e), STATUS_FAILED,
           "absurd growth is refused");
    failing_memory_left = 0;
    is_int(memory_grow(&numbers, &capacity, 8193, sizeof *numbers, "numbers", &e), STATUS_FAILED,
           "so is growth without memory");
    ok(numbers == before && capacity == 8192 && numbers[4999] == 4999, "both leave the block as it was");
    failing_memory_left = -1;
    memory_free(numbers);
}

static void strings(void)
{
    char *copy;
    ok(memory_string(&copy, "abc", &e) == STATUS_OK && strcmp(copy, "abc") == 0, "a string is copied");
    memory_free(copy);
    ok(memory_bytes(&copy, "a\0bc", 3, &e) == STATUS_OK && memcmp(copy, "a\0b", 4) == 0, "bytes are copied and ended");
    memory_free(copy);
    ok(memory_bytes(&copy, NULL, 0, &e) == STATUS_OK && !copy[0], "no bytes are an empty string");
    memory_free(copy);
    is_int(memory_bytes(&copy, "", SIZE_MAX, &e), STATUS_FAILED, "an absurd length is refused");
    failing_memory_left = 0;
    ok(memory_string(&copy, "abc", &e) == STATUS_FAILED && !copy && strstr(e.sentence, "no memory"),
       "without memory the copy is NULL and the error says so");
    failing_memory_left = -1;
}

int main(void)
{
    sizes();
    blocks();
    growth();
    strings();
    is_int(failing_memory_held, 0, "all blocks were given back");
    return tap_done();
}
