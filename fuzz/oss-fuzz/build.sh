#!/bin/bash -eu
# The same for both services.
exec bash "$SRC/toolcode/fuzz/build.sh"
