/* prompt_set.h - the multiset of prompts that an archive is made of.
 *
 * Flow: prompts that every layer has -> *prompt set* -> merge -> archive.
 *
 * A prompt is named by the 128-bit hash of its token ids; how often it was run is
 * its multiplicity. The set is kept sorted by hash ([1], then [0]: the order of the
 * 128-bit numbers), so that it is the same bytes in whatever order prompts came. In a checkpoint the same prompt may
 * be under way in several places: entries differ by the layers that have counted it, too, and lie by these.
 */
#ifndef PHI3SAT_ARCHIVE_PROMPT_SET_H
#define PHI3SAT_ARCHIVE_PROMPT_SET_H

#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

#include "../base/error.h"

struct prompt_set_entry {
    uint64_t hash[2];       /* [0] low, [1] high                        */
    uint64_t multiplicity;  /* times run, >= 1                          */
    uint64_t tokens;        /* of the prompt itself, once               */
    uint64_t layers;        /* in a checkpoint: that have counted it; else 0 */
};

/* Zeroed is empty. */
struct prompt_set {
    struct prompt_set_entry *entry; /* [count], owned; sorted, no hash twice, after prompt_set_sort */
    size_t count;
    size_t capacity;
};

void prompt_set_free(struct prompt_set *set);

/* Appends one entry, in any order and any number of times; fails for want of
 * memory only. The set isn't sorted then: prompt_set_sort before use. */
enum status prompt_set_add(struct prompt_set *set, const struct prompt_set_entry *entry,
                           struct error *e) ERROR_MUST_USE;

/* Sorts and adds up the multiplicities of equal hashes. */
void prompt_set_sort(struct prompt_set *set);

/* into += from (multisets are added); both sorted, and `into` stays so. On failure `into` is as it was:
 * STATUS_FAILED for want of memory, STATUS_INPUT when a hash has two lengths or a count overflows. */
enum status prompt_set_merge(struct prompt_set *into, const struct prompt_set *from, struct error *e) ERROR_MUST_USE;

/* How often the sorted set holds `hash`; 0: not at all. */
uint64_t prompt_set_find(const struct prompt_set *set, const uint64_t hash[2]);

/* Takes one of `hash` out of the sorted set, if it holds one; entries stay, with multiplicity 0. */
bool prompt_set_take(struct prompt_set *set, const uint64_t hash[2]);

/* Some entry of `hash`, whatever its layers, that holds one yet; NULL: none. */
struct prompt_set_entry *prompt_set_any(const struct prompt_set *set, const uint64_t hash[2]);

/* Does `b` stand behind `a` in a sorted set? */
bool prompt_set_ascends(const struct prompt_set_entry *a, const struct prompt_set_entry *b);

/* Sums over the sorted set, repetitions counted. */
uint64_t prompt_set_prompts(const struct prompt_set *set);
uint64_t prompt_set_tokens(const struct prompt_set *set);

/* XXH3 of 128 bits over the sorted entries' four numbers, little-endian. */
enum status prompt_set_fingerprint(const struct prompt_set *set, uint64_t hash[2], struct error *e) ERROR_MUST_USE;

#endif
