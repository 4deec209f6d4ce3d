#!/bin/sh
# Fetch and bundle the pinned oh-my-pi parser into .cache/. Exit 4: it cannot be set up here.
cd "$(dirname "$0")" || exit 4
for tool in node npm tar; do
    if ! command -v "$tool" >/dev/null 2>&1; then
        echo "omp adapter: $tool is not installed; this adapter needs Node.js 20 or newer with npm, and tar" >&2
        exit 4
    fi
done
exec node setup.mjs
