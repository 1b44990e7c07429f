// PC tables in another encoding than varint-delta. A file with the encoding's reader defines:
//
//	// pctabValue returns the value at quantum pc of a record; pc is below textLen.
//	func pctabValue(record unsafe.Pointer, textLen, pc uint32) int32
//
//	// pctabMax returns the largest value of a record.
//	func pctabMax(record unsafe.Pointer, textLen uint32) int32
//
// Both may load up to 16 bytes after a record: functab follows pctab in memory.

package runtime

import (
	"runtime/internal/sys"
	"unsafe"
)

// pctabRecord returns the record at offset off of the function's module.
func pctabRecord(f funcInfo, off uint32) unsafe.Pointer {
	return add(*(*unsafe.Pointer)(unsafe.Pointer(&f.datap.pctab)), uintptr(off))
}

// pctabRestart returns the PC where the run of targetpc starts if val, its value, is that of a
// sequence to restart; 0 for other values, whose start has no use. Such sequences have a few
// instructions, so going back PC by PC is cheap, and encodings need no search for starts.
func pctabRestart(f funcInfo, off uint32, targetpc uintptr, val int32) uintptr {
	if val != _PCDATA_Restart1 && val != _PCDATA_Restart2 {
		return 0
	}
	entry := f.entry()
	pc := uint32((targetpc - entry) / sys.PCQuantum)
	for pc > 0 && pctabValue(pctabRecord(f, off), f.textLen, pc-1) == val {
		pc--
	}
	return entry + uintptr(pc)*sys.PCQuantum
}
