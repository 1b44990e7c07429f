#!/bin/bash -eu
# Builds all targets for OSS-Fuzz and ClusterFuzzLite. These set CC CXX CFLAGS CXXFLAGS LIB_FUZZING_ENGINE SRC OUT
# WORK, and expect for each target: OUT/TARGET, TARGET_seed_corpus.zip, TARGET.dict, TARGET.options.

out=$OUT
cd "$SRC/bakeoff"
. fuzz/engines.sh
# Libraries are linked statically: targets run without this image. They are not instrumented for MSan.
make -j"$(nproc)" VARIANT=oss OPTIONAL= CC_oss="$CC" LINK_oss="$CXX $CXXFLAGS" FLAGS_oss="$CFLAGS" \
    ENGINE_oss="$LIB_FUZZING_ENGINE" FUZZ_STATIC=1 \
    FUZZ_LIBRARIES="$([ "${SANITIZER:-}" = memory ] || echo yes)" fuzz-binaries
for program in build/oss/fuzz/*; do
    target=${program##*/}
    cp "$program" "$out/$target"
    rm -f "$out/${target}_seed_corpus.zip"
    mapfile -t inputs < <(CORPUS=/nowhere known_inputs "$target")
    find "${inputs[@]}" -type f -not -name '.*' |
        zip -jq "$out/${target}_seed_corpus.zip" -@
    dictionary=$(dictionary_of "$target")
    [[ -z $dictionary ]] || cp "$dictionary" "$out/$target.dict"
    { echo '[libfuzzer]'; printf '%s\n' "${LIBFUZZER_LIMITS[@]#-}" | sed 's/=/ = /'; } >"$out/$target.options"
done
