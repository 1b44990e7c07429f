#!/bin/bash
# known.sh: checks that the accepted findings of fuzz/known still occur. Exits with 1 when one has expired.

. fuzz/engines.sh
. fuzz/findings.sh
check_known
