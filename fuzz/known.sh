#!/bin/bash
# known.sh: whether the accepted findings of fuzz/known still show. Exits 1 when one has expired.

. fuzz/engines.sh
. fuzz/findings.sh
check_known
