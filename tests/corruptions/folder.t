#!/bin/bash
# folder.t - Hugging Face folders spoiled in ways that refused.py and tokenizer.py don't have.
. "$(dirname "$0")/corruptions.sh"
