#!/bin/bash
# run.sh ENGINE TARGET SECONDS: runs one target under one engine (libfuzzer or afl), from the seeds and regressions in
# git; or `replay`: only these inputs, under ASan and UBSan. Exits with 0 when nothing new was found, 1 on a finding,
# 2 when the engine could not run.

. fuzz/engines.sh
. fuzz/findings.sh
engine=$1 target=$2
"run_$engine" "$target" "$3"
report "$engine" "$target"
