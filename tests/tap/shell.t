#!/bin/bash
echo "1..0 # SKIP to be written"
