// What the runtime's reader needs of the runtime, and what the test calls.

package reader

import "unsafe"

func add(p unsafe.Pointer, x uintptr) unsafe.Pointer {
	return unsafe.Pointer(uintptr(p) + x)
}

// Value returns the value at quantum pc of the record at data[off:].
func Value(data []byte, off, textLen, pc uint32) int32 {
	return pctabValue(unsafe.Pointer(&data[off]), textLen, pc)
}

// Max returns the largest value of the record at data[off:].
func Max(data []byte, off, textLen uint32) int32 {
	return pctabMax(unsafe.Pointer(&data[off]), textLen)
}
