#!/bin/sh
# Do no harm, as an ordinary user, and where perf events are refused too.
. "$(dirname "$0")/../../lib/lib.sh"
plain_build
again_as_others t/live/harm/harm.t cpu
