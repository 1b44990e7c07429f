#!/bin/bash
# Imports real Go programs and compares the result with Go's own reading: see testdata/checker/main.go.
#
# corpora/import/test_real_go.sh [CASE...]
#
# Builds testdata/program for each case with the installed Go; needs no network. BAKEOFF, GO and OUT override the
# tools and the output folder. Exit 0: all that could run passed; 1: a comparison failed; 77: nothing could run.
set -u
cd "$(dirname "$0")/../.." || exit 2
bakeoff=${BAKEOFF:-build/bakeoff}
out=${OUT:-build/real-go}
go=${GO:-$(command -v /usr/lib/go-1.19/bin/go go | head -n 1)}

# name: architecture, then flags of `go build`; "external" lets the system's linker put the
# program together
all_cases="amd64 386 arm64 arm s390x riscv64 mips64le mips ppc64le stripped pie pie-external"

if [ ! -x "$bakeoff" ]; then
    echo "test_real_go: no $bakeoff: run make first" >&2
    exit 2
fi
if [ -z "$go" ]; then
    echo "test_real_go: NOT RUN, any case: Go is not installed (Debian: golang-1.19-go)"
    exit 77
fi
mkdir -p "$out"
out=$(cd "$out" && pwd)
bakeoff=$(realpath "$bakeoff")
export GOCACHE=$out/cache GOFLAGS="" GO111MODULE=off GOPROXY=off CGO_ENABLED=0 GOOS=linux

known=$("$go" tool dist list)

build() { # case program
    local source=corpora/import/testdata/program/main.go
    case $1 in
    stripped) GOARCH=amd64 "$go" build -p 2 -ldflags='-s -w' -o "$2" $source ;;
    pie) GOARCH=amd64 "$go" build -p 2 -buildmode=pie -o "$2" $source ;;
    pie-external)
        CGO_ENABLED=1 GOARCH=amd64 "$go" build -p 2 -buildmode=pie -ldflags=-linkmode=external \
            -o "$2" $source
        ;;
    *) GOARCH=$1 "$go" build -p 2 -o "$2" $source ;;
    esac
}

# The reason why a case cannot run here; empty if it can.
obstacle() {
    case $1 in
    stripped | pie) ;;
    pie-external)
        [ "$("$go" env GOHOSTARCH)" = amd64 ] || echo "the machine is not amd64"
        command -v gcc >/dev/null || echo "gcc is not installed"
        ;;
    *) grep -qx "linux/$1" <<<"$known" || echo "this Go does not know linux/$1" ;;
    esac
}

n_passed=0 n_failed=0 n_not_run=0
if ! GOARCH="" "$go" build -p 2 -o "$out/checker" corpora/import/testdata/checker/main.go; then
    echo "test_real_go: the checker does not build" >&2
    exit 1
fi
[ $# -gt 0 ] || set -- $all_cases
for name in "$@"; do
    why=$(obstacle "$name")
    if [ -n "$why" ]; then
        echo "test_real_go: NOT RUN, $name: $why"
        n_not_run=$((n_not_run + 1))
    elif build "$name" "$out/$name" &&
        "$bakeoff" import pcdata "$out/$name" -o "$out/$name.txt" &&
        said=$("$out/checker" "$out/$name" "$out/$name.txt"); then
        echo "test_real_go: $name: $said"
        n_passed=$((n_passed + 1))
    else
        echo "test_real_go: FAILED, $name"
        n_failed=$((n_failed + 1))
    fi
done
echo "test_real_go: $n_passed passed, $n_failed failed, $n_not_run not run"
[ $n_failed -eq 0 ] || exit 1
[ $n_passed -gt 0 ] || exit 77
