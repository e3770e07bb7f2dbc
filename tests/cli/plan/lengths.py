#!/usr/bin/env python3
"""lengths.py COUNT: token ids of COUNT prompts, a line each, with lengths as people's prompts have them.

Log-normal: half are shorter than 150 tokens, one in 70 is longer than 1,400; cut at 4,096.
"""
import random
import sys

draw = random.Random(1)
for _ in range(int(sys.argv[1])):
    length = int(draw.lognormvariate(5.0106, 1.0))
    print("7 " * min(max(length, 1), 4096))
