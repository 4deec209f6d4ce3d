"""Two profiles: a fixed one for every run, and `HYPOTHESIS_PROFILE=long` for a search."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

_QUIET = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)
settings.register_profile(
    "ci", max_examples=400, derandomize=True, deadline=None, suppress_health_check=_QUIET
)
settings.register_profile("long", max_examples=50_000, deadline=None, suppress_health_check=_QUIET)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
