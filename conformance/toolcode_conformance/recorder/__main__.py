"""`python -m toolcode_conformance.recorder`."""

from __future__ import annotations

import sys

from toolcode_conformance.recorder.cli import main

if __name__ == "__main__":
    sys.exit(main())
