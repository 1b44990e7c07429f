// Records the lookups of PC tables of a program, from the start of main to its end or os.Exit(0).
//
// The environment variable PCTAB_RECORDING names the file to write; PCTAB_SKIP is the number of
// lookups to leave out first. Lookups are recorded in static memory: recording is possible in signal
// handlers and in the collector, which must not allocate, and pages that are not used cost nothing.
//
// The file has u64 magic, u64 lookups seen, u64 lookups skipped, and then four u32 for each lookup:
// offset of the function from the text's start, offset of the table in pctab, PC in the function in
// bytes, and the kind of lookup in 2 bits with the number of the thread above. All are little-endian.

package runtime

import (
	"runtime/internal/atomic"
	"unsafe"
)

const (
	recordMiss    = 0 // not in the caller's cache
	recordHit     = 1 // in the caller's cache
	recordNoCache = 2
	recordWhole   = 3 // reads the whole table

	recordMagic = 0x31636572746370 // "pctrec1"
	recordMax   = 1 << 20
)

var recording struct {
	on      uint32
	path    string
	seen    uint64
	skip    uint64
	lookups [recordMax][4]uint32
}

func recordLookup(f funcInfo, off uint32, targetpc uintptr, kind uint32) {
	if atomic.Load(&recording.on) == 0 {
		return
	}
	i := atomic.Xadd64(&recording.seen, 1) - 1 - recording.skip
	if i < recordMax {
		thread := uint32(getg().m.id)
		recording.lookups[i] = [4]uint32{f.entryoff, off, uint32(targetpc - f.entry()), kind | thread<<2}
	}
}

func startRecording() {
	recording.path = gogetenv("PCTAB_RECORDING")
	if skip, ok := atoi(gogetenv("PCTAB_SKIP")); ok && skip > 0 {
		recording.skip = uint64(skip)
	}
	if recording.path != "" {
		atomic.Store(&recording.on, 1)
	}
}

func writeRecording() {
	if !atomic.Cas(&recording.on, 1, 0) {
		return
	}
	const create = 0x241 // O_WRONLY | O_CREAT | O_TRUNC
	path := []byte(recording.path + "\x00")
	fd := open(&path[0], create, 0o644)
	if fd < 0 {
		println("cannot write the recording:", recording.path)
		exit(2)
	}
	head := [3]uint64{recordMagic, recording.seen, recording.skip}
	n := uint64(0)
	if recording.seen > recording.skip {
		n = recording.seen - recording.skip
	}
	if n > recordMax {
		n = recordMax
	}
	writeAll(fd, unsafe.Pointer(&head), unsafe.Sizeof(head))
	writeAll(fd, unsafe.Pointer(&recording.lookups), uintptr(n)*unsafe.Sizeof(recording.lookups[0]))
	closefd(fd)
}

func writeAll(fd int32, p unsafe.Pointer, n uintptr) {
	for n > 0 {
		written := write(uintptr(fd), p, int32(n))
		if written <= 0 {
			println("cannot write the recording:", recording.path)
			exit(2)
		}
		p = add(p, uintptr(written))
		n -= uintptr(written)
	}
}
