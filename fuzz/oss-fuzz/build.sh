#!/bin/bash -eu
# Builds all targets for OSS-Fuzz and ClusterFuzzLite, which give CC CXX CFLAGS CXXFLAGS LIB_FUZZING_ENGINE
# SRC OUT WORK, and take for each target: OUT/TARGET, TARGET_seed_corpus.zip, TARGET.dict, TARGET.options.

out=$OUT
cd "$SRC/bakeoff"
make -j"$(nproc)" VARIANT=oss OPTIONAL= CC_oss="$CC" LINK_oss="$CXX $CXXFLAGS" FLAGS_oss="$CFLAGS" \
    ENGINE_oss="$LIB_FUZZING_ENGINE" fuzz-binaries
for program in build/oss/fuzz/*; do
    target=${program##*/}
    cp "$program" "$out/$target"
    rm -f "$out/${target}_seed_corpus.zip"
    find "fuzz/seeds/$target" "fuzz/regressions/$target" -type f -not -name '.*' 2>/dev/null |
        zip -jq "$out/${target}_seed_corpus.zip" -@
    dictionary=fuzz/dict/${target%_bytes}.dict
    [[ ! -f $dictionary ]] || cp "$dictionary" "$out/$target.dict"
    printf '[libfuzzer]\nmax_len = 32768\ntimeout = 5\nrss_limit_mb = 512\nmalloc_limit_mb = 256\n' \
        >"$out/$target.options"
done
