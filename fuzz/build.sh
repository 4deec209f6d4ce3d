#!/bin/bash -eu
# Builds every target for OSS-Fuzz and ClusterFuzzLite: $SRC and $OUT are theirs.
# TARGETS comes from the code, so a new target needs nothing here.
cd "$SRC/toolcode"
python3 -m pip install '.[conformance]'
export PYTHONPATH=$PWD/fuzz

# Entry points, seed archives, dictionaries and options: the part that tests build as well.
python3 -m toolcode_fuzz.archives "$WORK/targets" --out "$OUT"

for entry in "$WORK"/targets/fuzz_*.py; do
  # The corpus and its tables are data that the targets read.
  compile_python_fuzzer "$entry" --paths "$PWD/fuzz" --collect-data toolcode_conformance
done
