# Builds Go programs with patched sources of Go 1.19, whose own files stay as they are: sourced by
# other scripts.
#
# The go command takes patched sources from an overlay. Its cache is keyed by the content of sources, but for
# tools of a release it is keyed by their version alone: the wrapper of a patched linker adds a checksum, also
# of bakeoff, which the linker may run.
# shellcheck shell=bash

# find_go: sets goroot and the environment; returns 77 when Debian's packages are missing.
find_go() {
    goroot=${GOROOT:-/usr/lib/go-1.19}
    local package
    for package in golang-1.19-go:bin/go golang-1.19-src:src/runtime/symtab.go; do
        if [[ ! -e $goroot/${package#*:} ]]; then
            echo "$goroot/${package#*:} is missing (Debian: ${package%:*})"
            return 77
        fi
    done
    if [[ $("$goroot/bin/go" version) != *" go1.19"*" linux/amd64" ]]; then
        echo "$goroot is not Go 1.19 for linux/amd64"
        return 77
    fi
    export GOROOT=$goroot GOCACHE=${GOCACHE:-$root/build/go-cache} GOFLAGS="" GO111MODULE=auto GOPROXY=off \
        CGO_ENABLED=0 GOENV=off
    unset GOPATH GOOS GOARCH GOAMD64 GODEBUG GOGC GOMAXPROCS
}

# patch_linker OUT PATCH [NAME=VALUE...]: builds OUT/link, on the unpatched runtime, and OUT/toolexec, which replaces
# the linker.
patch_linker() {
    local out=$1
    "$root"/corpora/record/go/patch.py "$goroot" "$out/linker" "${@:2}" &&
        "$goroot/bin/go" build -overlay "$out/linker/overlay.json" -o "$out/link" cmd/link || return
    cat >"$out/toolexec.new" <<END
#!/bin/sh
case \$1 in
*/link)
    tool=\$1
    shift
    [ "\$1" != -V=full ] || exec echo "\$("\$tool" -V=full) patched $(cat "$out/link" "$bakeoff" | cksum)"
    exec "$out/link" "\$@"
    ;;
esac
exec "\$@"
END
    chmod +x "$out/toolexec.new" && mv "$out/toolexec.new" "$out/toolexec"
}
