"""`python -m toolcode_conformance` is the command `toolcode`."""

from __future__ import annotations

import sys

from toolcode_conformance.cli import main

sys.exit(main())
