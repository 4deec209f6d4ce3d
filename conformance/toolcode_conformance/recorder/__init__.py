"""Records transcripts from a real Gemma 3 (pretrained 270M, Q4_K_M, few-shot prompts).

`python -m toolcode_conformance.recorder --help` is the command. Nothing here reads or runs what
the model writes: a transcript is data, and its reading is the corpus's work.
"""

from __future__ import annotations
