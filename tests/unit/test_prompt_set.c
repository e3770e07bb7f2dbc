/* test_prompt_set.c - the multiset of prompts is the same in any order. */
#include <string.h>

#include "archive/prompt_set.h"
#include "tap.h"

static void add(struct prompt_set *set, uint64_t high, uint64_t low, uint64_t times)
{
    struct prompt_set_entry entry = {{low, high}, times, 10 + low, 0};
    if (prompt_set_add(set, &entry, NULL) != STATUS_OK)
        bail("no memory");
}

static bool same(const struct prompt_set *a, const struct prompt_set *b)
{
    return a->count == b->count && memcmp(a->entry, b->entry, a->count * sizeof *a->entry) == 0;
}

int main(void)
{
    struct prompt_set a = {0}, b = {0}, c = {0}, empty = {0};
    uint64_t hash[2], other[2];
    struct error e;

    add(&a, 2, 1, 1), add(&a, 1, 9, 1), add(&a, 1, 3, 1), add(&a, 1, 9, 1);
    add(&b, 1, 9, 2), add(&b, 1, 3, 1), add(&b, 2, 1, 1);
    prompt_set_sort(&a);
    prompt_set_sort(&b);
    is_uint(a.count, 3, "equal hashes become one entry");
    ok(same(&a, &b), "the order of adding leaves no trace");
    ok(a.entry[0].hash[0] == 3 && a.entry[1].hash[0] == 9 && a.entry[2].hash[1] == 2,
       "entries stand in the order of 128-bit numbers, the high half first");
    is_uint(prompt_set_find(&a, (uint64_t[2]){9, 1}), 2, "a repeated prompt's multiplicity is found");
    is_uint(prompt_set_find(&a, (uint64_t[2]){1, 9}), 0, "the halves are not interchangeable");
    is_uint(prompt_set_prompts(&a), 4, "repetitions count as prompts");
    is_uint(prompt_set_tokens(&a), 13 + 2 * 19 + 11, "and as tokens");

    is_int(prompt_set_fingerprint(&a, hash, &e), STATUS_OK, "a set has a fingerprint");
    is_int(prompt_set_fingerprint(&b, other, &e), STATUS_OK, "and so has its equal");
    is_bytes(hash, other, sizeof hash, "the same one");
    is_int(prompt_set_merge(&b, &empty, &e), STATUS_OK, "merging nothing");
    ok(same(&a, &b), "changes nothing");
    is_int(prompt_set_merge(&c, &a, &e), STATUS_OK, "merging into nothing");
    ok(same(&a, &c), "copies");
    add(&empty, 1, 9, 1), add(&empty, 0, 5, 1);
    prompt_set_sort(&empty);
    is_int(prompt_set_merge(&b, &empty, &e), STATUS_OK, "two sets are merged");
    is_int(prompt_set_merge(&empty, &a, &e), STATUS_OK, "and the other way round");
    ok(same(&b, &empty), "which gives the same");
    is_uint(prompt_set_find(&b, (uint64_t[2]){9, 1}), 3, "multiplicities are added");
    is_int(prompt_set_fingerprint(&b, other, &e), STATUS_OK, "the sum has a fingerprint");
    ok(memcmp(hash, other, sizeof hash) != 0, "of its own");

    ok(prompt_set_take(&c, (uint64_t[2]){9, 1}) && prompt_set_take(&c, (uint64_t[2]){9, 1}), "a prompt held twice can be taken twice");
    ok(!prompt_set_take(&c, (uint64_t[2]){9, 1}) && !prompt_set_take(&c, (uint64_t[2]){9, 9}), "and no more; nor one not held");
    prompt_set_free(&c);
    is_int(prompt_set_merge(&c, &a, &e), STATUS_OK, "copied again");
    struct prompt_set longer = {0}, many = {0};
    add(&longer, 1, 9, 1);
    longer.entry[0].tokens++;
    is_int(prompt_set_merge(&a, &longer, &e), STATUS_INPUT, "one hash of two lengths can't be merged");
    ok(same(&a, &c), "and nothing has changed");
    add(&many, 1, 9, UINT64_MAX - 1);
    is_int(prompt_set_merge(&a, &many, &e), STATUS_INPUT, "nor more repetitions than can be counted");
    ok(same(&a, &c), "and nothing has changed");
    prompt_set_free(&longer);
    prompt_set_free(&many);

    prompt_set_free(&a);
    prompt_set_free(&b);
    prompt_set_free(&c);
    prompt_set_free(&empty);
    is_uint(prompt_set_find(&a, hash), 0, "an empty set holds nothing");
    return tap_done();
}
