#!/bin/bash -eu
exec "$SRC/bakeoff/fuzz/oss-fuzz/build.sh"
