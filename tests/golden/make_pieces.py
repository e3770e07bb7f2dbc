#!/usr/bin/env python3
"""Learns the word pieces of phi3sat synth's vocabulary from texts of our own.

Byte-pair encoding (Sennrich et al. 2016) over words, each with a U+2581 (here "_") in front:
the pair of pieces that occurs most often becomes a piece, again and again. So every piece is two
earlier ones or letters, and the first N make a vocabulary of any size N. Letters come last: where
they are missing, byte tokens stand for them as well. The result is a C table:

  make_pieces.py data/*.txt docs/*.md >src/commands/synth_pieces.c
"""
import collections
import re
import sys
import textwrap

MOST = 6000
HEAD = '''/* synth_pieces.c - the word pieces of synth's vocabulary, best first; see synth_pieces.h.
 *
 * Learned by tests/golden/make_pieces.py from the texts in data and docs, our own. "_" stands for U+2581, the
 * space. Every piece joins two earlier ones or letters; letters alone stand at the end. The table is data:
 * nobody edits it by hand.
 */
#include "synth_pieces.h"

const char synth_pieces[] =
'''


def words(paths):
    count = collections.Counter()
    for path in paths:
        with open(path, encoding="utf-8") as f:
            for word in re.findall(r"(?:^|(?<=\s))[A-Za-z]+|[A-Za-z]+", re.sub(r"`[^`]*`", " ", f.read())):
                count["_" + word] += 1
    return count


def main():
    vocabulary = {tuple(word): n for word, n in words(sys.argv[1:]).items()}
    letters = collections.Counter()
    for word, n in vocabulary.items():
        for letter in word:
            letters[letter] += n
    pieces = ["_"]
    while len(pieces) < MOST:
        pairs = collections.Counter()
        for word, n in vocabulary.items():
            for pair in zip(word, word[1:]):
                pairs[pair] += n
        if not pairs:
            break
        best = min(pairs, key=lambda p: (-pairs[p], p))
        if pairs[best] < 2:
            break
        if "".join(best) not in pieces:
            pieces.append("".join(best))
        joined = {}
        for word, n in vocabulary.items():
            out, i = [], 0
            while i < len(word):
                step = 2 if word[i:i + 2] == best else 1
                out.append("".join(word[i:i + step]))
                i += step
            joined[tuple(out)] = n
        vocabulary = joined
    pieces += sorted(set(letters) - {"_"}, key=lambda c: (-letters[c], c))
    print(HEAD, end="")
    lines = textwrap.wrap(" ".join(pieces), 110, break_long_words=False, break_on_hyphens=False)
    for line in lines:
        print(f'    "{line} "')
    print("    ;")


if __name__ == "__main__":
    main()
