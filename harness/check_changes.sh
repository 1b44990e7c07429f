#!/usr/bin/env bash
# What `make check` runs, the inner loop: check_changes.sh [COMMIT]. Checks what changed since COMMIT (HEAD, so the
# uncommitted changes): layout and formatting, the build, the tests of the changed folders, core checks of the changed
# formats on small models, and a replay of their byte targets under ASan. A change in harness/ concerns all formats. ALL=1
# takes every folder and format.
set -u
# shellcheck source=harness/steps.sh
. harness/steps.sh
since=${1:-HEAD}
mapfile -t changed < <({ git diff --name-only --diff-filter=d "$since" && git ls-files -o --exclude-standard; } | sort -u)
git rev-parse -q --verify "$since^{commit}" >/dev/null || exit 2

formats() { sed -n 's/^FORMAT(\(.*\))$/\1/p' codecs/formats.def; }
has_changed() { printf '%s\n' "${changed[@]}" | grep -q "^$1"; } # PATTERN

# The test folders that contain a changed file, at any depth.
folders() {
    local folder
    find harness codecs corpora bench -name 'test_*.c' -printf '%h\n' | sort -u | while read -r folder; do
        [[ ! ${ALL:-} ]] && ! has_changed "$folder/" || echo "$folder"
    done
}

formatting() {
    local sources
    mapfile -t sources < <(printf '%s\n' "${changed[@]}" | grep -E '\.[ch]$')
    ((${#sources[@]} == 0)) || clang-format --dry-run --Werror "${sources[@]}" || return
    harness/check_layout.sh
}
tests_of() { build/gcc/test/"$1"/tests; }
core_checks() {
    make --no-print-directory "checks-of-$1" \
        LIMITS="--checks-up-to 100000 --up-to 500000 --generated 4 --light"
}
replay() {
    local target=$1_bytes
    make --no-print-directory -j"$(nproc)" VARIANT=asan build/asan/fuzz/"$target" build/seeds/"$target" &&
        build/asan/fuzz/"$target" build/seeds/"$target" $([[ ! -d fuzz/regressions/$target ]] || echo fuzz/regressions/"$target")
}
build() {
    make --no-print-directory -j"$(nproc)" build/bakeoff build/gcc/selfcheck "$@"
}

mapfile -t folders < <(folders)
mapfile -t formats < <(for f in $(formats); do
    [[ ! ${ALL:-} ]] && ! has_changed "codecs/$f/" && ! has_changed 'harness/.*\.[ch]$' || echo "$f"
done)
programs=("${folders[@]/#/build/gcc/test/}")
programs=("${programs[@]/%//tests}")
echo "changed since $since: ${#changed[@]} files; formats: ${formats[*]:-none}; tests: ${folders[*]:-none}"
plan 3 "layout and formatting" formatting
plan 15 "build" build "${programs[@]}"
waiting+=(BARRIER)
for f in "${formats[@]}"; do
    plan 15 "replay under ASan: $f" replay "$f"
    plan 10 "core checks: $f" core_checks "$f"
done
for f in "${folders[@]}"; do
    plan 5 "tests: $f" tests_of "$f"
done
! has_changed cli/ || plan 60 "command line" make --no-print-directory check-cli
run_all
