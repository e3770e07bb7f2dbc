#!/bin/bash
# prompts.t - spoiled prompts, gzip and Zstandard, and bombs: one line each, and little memory.
. "$(dirname "$0")/corruptions.sh"
