#!/usr/bin/env python3
"""check_sums.py FILE - works out again every sum in the prompts of a JSON Lines file.

Knows nothing of how they were made: equations are found by their equals signs and evaluated as
fractions; per cent, sequences, clocks, divisors, numbers in words, squares and roots by how they are
worded. Prints each mistake, then the number of checks of each kind. Status 1 when there was a mistake.
"""
import collections
import json
import math
import re
import sys
from fractions import Fraction

NUMBER = r'\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?'
TOKEN = re.compile(r'\$?(' + NUMBER + r')|([-+*/()])|(=)|( +)|(.)', re.S)
ONES = ('zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen '
        'seventeen eighteen nineteen').split()
TENS = 'twenty thirty forty fifty sixty seventy eighty ninety'.split()
WORDS = r'((?:[a-z]+[- ])*?[a-z]+)'


def value(text):
    return Fraction(text.replace(',', '').replace('$', ''))


def tokens_of(text):
    """Numbers as Fraction, operators and '=' as characters, anything else as None."""
    out = []
    for number, operator, equals, space, _ in TOKEN.findall(text):
        if number:
            out.append(value(number))
        elif operator or equals:
            out.append(operator or equals)
        elif not space:
            out.append(None)
    return out


class Expression:
    """Recursive descent over numbers and operators; raises ValueError."""

    def __init__(self, tokens):
        self.tokens, self.at = tokens, 0

    def next(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def factor(self):
        token = self.next()
        self.at += 1
        if isinstance(token, Fraction):
            return token
        if token == '(':
            inside = self.sum()
            if self.next() != ')':
                raise ValueError('bracket')
            self.at += 1
            return inside
        raise ValueError('factor')

    def product(self):
        left = self.factor()
        while self.next() in ('*', '/'):
            operator = self.next()
            self.at += 1
            right = self.factor()
            left = left * right if operator == '*' else left / right
        return left

    def sum(self):
        left = self.product()
        while self.next() in ('+', '-'):
            operator = self.next()
            self.at += 1
            right = self.product()
            left = left + right if operator == '+' else left - right
        return left

    def whole(self):
        result = self.sum()
        if self.at != len(self.tokens):
            raise ValueError('rest')
        return result


def side(tokens, at, step):
    """The tokens next to the equals sign in one direction."""
    out = []
    at += step
    while 0 <= at < len(tokens) and tokens[at] is not None and tokens[at] != '=':
        out.append(tokens[at])
        at += step
    return out[::step]


def equations(text):
    """Yields (left, right) of each equation; either may be None where it can't be read."""
    tokens = tokens_of(text)
    for at, token in enumerate(tokens):
        if token == '=':
            sides = []
            for step in (-1, 1):
                try:
                    sides.append(Expression(side(tokens, at, step)).whole())
                except (ValueError, ZeroDivisionError):
                    sides.append(None)
            yield sides


def in_words(text):
    """The number that English words mean."""
    total = part = 0
    for word in text.lower().replace('-', ' ').replace(' and ', ' ').split():
        if word in ONES:
            part += ONES.index(word)
        elif word in TENS:
            part += 20 + 10 * TENS.index(word)
        elif word == 'hundred':
            part *= 100
        elif word == 'thousand':
            total, part = (total + part) * 1000, 0
        else:
            raise ValueError(word)
    return total + part


def minutes(clock):
    hour, minute, half = re.match(r'(\d+):(\d\d) ([ap])', clock).groups()
    return int(hour) % 12 * 60 + int(minute) + (720 if half == 'p' else 0)


def checks(text):
    """Yields (kind, holds, what) of everything that can be worked out."""
    # an equation with an unknown is worked out below
    for left, right in equations(re.sub(r'equation \d+ \* n[^.?]* for n', '', text)):
        yield 'equation', left is not None and left == right, f'{left} = {right}'
    for a, b, c, n in re.findall(r'Solve the equation (\d+) \* n \+ (\d+) = (\d+) for n\..*?So n is (\d+)', text):
        yield 'unknown', int(a) * int(n) + int(b) == int(c), f'{a} * {n} + {b} = {c}'
    for k, a, r in re.findall(rf'(\d+)% of ({NUMBER}) is ({NUMBER})', text):
        yield 'per cent', value(k) * value(a) / 100 == value(r), f'{k}% of {a} is {r}'
    for t, m, u in re.findall(r'leaves [A-Za-z ]+ at (\d+:\d\d [ap])\.m\. and reaches [A-Za-z ]+ after (\d+) '
                              r'minutes.*?arrives at (\d+:\d\d [ap])', text):
        yield 'clock', minutes(t) + int(m) == minutes(u), f'{t} + {m} = {u}'
    for a, b, g in re.findall(r'greatest common divisor of (\d+) and (\d+) is (\d+)', text):
        yield 'divisor', math.gcd(int(a), int(b)) == int(g), f'gcd {a} {b} = {g}'
    for a, b, m in re.findall(r'every (\d+) minutes, the other every (\d+) minutes\. After how many minutes do they '
                              r'ring together again\?.*?again after (\d+)', text):
        yield 'multiple', int(a) * int(b) // math.gcd(int(a), int(b)) == int(m), f'lcm {a} {b} = {m}'
    for a, b, c, d, e in re.findall(r'number of the sequence (\d+), (\d+), (\d+), (\d+) is \d+ \+ \d+ = (\d+)', text):
        row = [int(x) for x in (a, b, c, d, e)]
        yield 'sequence', len({y - x for x, y in zip(row, row[1:])}) == 1, str(row)
    for a, b in re.findall(r'(\d+) squared is (\d+)', text):
        yield 'square', int(a) ** 2 == int(b), f'{a} squared is {b}'
    for b, a in re.findall(r'square root of (\d+) is (\d+)', text):
        yield 'square', int(a) ** 2 == int(b), f'root of {b} is {a}'
    for a, operation, b, c in re.findall(WORDS + ' (plus|minus|times|divided by) ' + WORDS + r' is ([a-z -]+)\.',
                                         text.lower()):
        try:
            x, y, z = (in_words(part) for part in (a, b, c))
        except ValueError:
            yield 'words', False, f'{a} {operation} {b} is {c}'
            continue
        right = {'plus': x + y, 'minus': x - y, 'times': x * y, 'divided by': Fraction(x, y or 1)}[operation]
        yield 'words', right == z, f'{a} {operation} {b} is {c}'
    for bits, sums in re.findall(r'binary number ([01]+) in decimal\?.*?\* 1 = (\d+)', text):
        yield 'binary', int(bits, 2) == int(sums), f'{bits} is {sums}'
    for x, d, y in re.findall(r'in (\d+) came (\d[\d,]*) years before [^.]*? in (\d+)\.', text):
        yield 'years', value(y) - value(x) == value(d), f'{y} - {x} = {d}'
    for x, d, y in re.findall(r'\((\d+)\) is (\d+) years older than [^.]*? \((\d+)\)', text):
        yield 'years', int(y) - int(x) == int(d), f'{y} - {x} = {d}'
    for x, d, y in re.findall(r'\(([\d,]+) metres\) is ([\d,]+) metres higher than [^.]*? \(([\d,]+) metres\)', text):
        yield 'heights', value(x) - value(y) == value(d), f'{x} - {y} = {d}'


def main():
    counts, wrong = collections.Counter(), 0
    with open(sys.argv[1], encoding='utf-8') as lines:
        for line in lines:
            prompt = json.loads(line)
            for kind, holds, what in checks(prompt['text']):
                counts[kind] += 1
                if not holds:
                    wrong += 1
                    print('WRONG', kind, what, 'in:', prompt['text'])
    for kind, count in sorted(counts.items()):
        print(kind, count)
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
