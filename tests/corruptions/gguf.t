#!/bin/bash
# gguf.t - GGUF files spoiled in every way that is known: one line each, and little memory.
. "$(dirname "$0")/corruptions.sh"
