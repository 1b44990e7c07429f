package pctab

import (
	"math"
	"sort"
)

// The writer chooses as the one in C does, so that both write the same bytes: a list where one is
// possible, since it is the faster one; otherwise one block, or several, whose size is searched for.

// AppendPacked appends a table in packed-starts. It returns false when the blocks of a record have
// 2 GiB or more.
func AppendPacked(dst []byte, runs []Run, textLen uint32) ([]byte, bool) {
	w := bitWriter{dst: dst}
	all := stretch{runs: runs, end: len(runs), quanta: textLen}
	if form, ok := chooseList(&all); ok {
		putList(&w, &all, form)
	} else if c, ok := chooseSplit(&all); ok {
		c.put(&w, &all)
	} else {
		return dst, false
	}
	w.align()
	return w.dst, true
}

// A stretch is the runs that touch some quanta of the text: runs[first] covers their start, those
// after it, up to end, start among them.
type stretch struct {
	runs          []Run
	first, end    int
	start, quanta uint32
}

func (s *stretch) startOf(run int) uint32 {
	return s.runs[run].PC - s.start
}

// noFit is the size of what is not possible.
const noFit = math.MaxUint64

// countsFit reports whether no bucket of 2^low quanta has more than max starts.
func countsFit(s *stretch, low uint, max int) bool {
	for i := s.first + 1; i+max < s.end; i++ {
		if s.startOf(i)>>low == s.startOf(i+max)>>low {
			return false
		}
	}
	return true
}

// chooseLow tries all low bits of a start with one search, and returns where the starts take the
// fewest bits, and those bits.
func chooseLow(s *stretch, search uint) (low uint, nbits uint64) {
	nStarts := uint64(s.end - s.first - 1)
	nbits = noFit
	for l := uint(0); l <= maxLow; l++ {
		n := uint64(bucketsOf(s.quanta, l))
		upper, most := n<<(search+1), uint64(64)
		if search == eliasFano {
			upper, most = n+nStarts, maxUpperBits
		}
		if upper > most {
			continue
		}
		if search != eliasFano && !countsFit(s, l, 1<<(2<<search)-1) {
			break
		}
		if size := upper + nStarts*uint64(l); size < nbits {
			low, nbits = l, size
		}
	}
	return low, nbits
}

// A valueForm is how values are stored: (value - least) / unit of the base, in `width` bits.
type valueForm struct {
	base  int // index of valueBases
	least uint32
	width uint
}

// chooseBase returns the form that makes the bias and n values smallest, of those with a base that
// fits all values of the stretch and at most maxWidth bits. The bias has moreBits more bits than
// that of a list.
func chooseBase(s *stretch, n uint64, moreBits, maxWidth uint) (form valueForm, ok bool) {
	min, max, any := int32(math.MaxInt32), int32(math.MinInt32), uint32(0)
	for _, run := range s.runs[s.first:s.end] {
		if run.Value < min {
			min = run.Value
		}
		if run.Value > max {
			max = run.Value
		}
		any |= uint32(run.Value)
	}
	best := uint64(noFit)
	for b, base := range valueBases {
		least, biasBits := uint32(base.base), base.biasBits+moreBits
		if biasBits > 0 {
			least = uint32(min)
		}
		if biasBits < 32 {
			bias := int64(min) - int64(base.base)
			if bias < 0 || any%base.unit != 0 || biasBits > 0 && bias>>biasBits != 0 {
				continue
			}
		}
		w := width((uint32(max) - least) / base.unit)
		nbits := uint64(base.biasBits) + n*uint64(w)
		if w <= maxWidth && nbits < best {
			form, best = valueForm{b, least, w}, nbits
		}
	}
	return form, best != noFit
}

func chooseList(all *stretch) (form valueForm, ok bool) {
	most, s := uint(maxWidth), startBits(all.quanta)
	if all.end == 1 {
		most = 0
	}
	limit := word1Bits/s + word2Bits/s
	if limit > maxList {
		limit = maxList
	}
	if uint(all.end-1) > limit {
		return form, false
	}
	return chooseBase(all, uint64(all.end), 0, most)
}

func putList(w *bitWriter, all *stretch, form valueForm) {
	base := &valueBases[form.base]
	w.put(uint32(all.end-1), 4)
	w.put(uint32(form.base), 3)
	w.put(uint32(form.width), 4)
	for _, run := range all.runs[1:] {
		w.put(run.PC, startBits(all.quanta))
	}
	w.put(form.least-uint32(base.base), base.biasBits)
	for _, run := range all.runs {
		w.put((uint32(run.Value)-form.least)/base.unit, form.width)
	}
}

// A splitForm is how a table is split. Values of blocks are less `least`, and divided by the unit.
type splitForm struct {
	base              int // index of valueBases
	least             uint32
	blockShift        uint // 0: one block has the whole text
	offBits, biasBits uint
}

// value returns the value of a run as blocks count it.
func (c *splitForm) value(run Run) uint32 {
	return (uint32(run.Value) - c.least) / valueBases[c.base].unit
}

// A blockForm is how a block is stored.
type blockForm struct {
	bias     uint32
	nbits    uint64
	nStarts  int // 0: a single run, which has no bits
	low      uint
	search   uint
	lowWidth uint
	number   uint     // bits
	highBits uint     // of each high part
	highs    []uint32 // ascending; none: a field is a value less the bias
}

// offset returns the block's offset in bytes if the block before it ends at bit `end`; 0 for a
// single run.
func (b *blockForm) offset(end uint64) uint64 {
	if b.nStarts == 0 {
		return 0
	}
	return (end + 7) / 8
}

// chooseHighs sorts a block's values and finds the split into high and low parts that takes the
// fewest bits: each distinct high part once, and its number with each value. It returns the bits of
// all values.
func (b *blockForm) chooseHighs(values []uint32) uint64 {
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	var apart [33]int // neighbours whose highest different bit is this one
	for i := 1; i < len(values); i++ {
		apart[width(values[i]^values[i-1])]++
	}
	n, all := uint64(len(values)), width(values[len(values)-1])
	b.lowWidth = all
	if all == lowWidth32 {
		b.lowWidth = 32
	}
	best := n * uint64(b.lowWidth)
	nHighs := 1
	for low := all; low > 0; {
		low--
		nHighs += apart[low+1]
		if nHighs > maxHighs {
			break
		}
		number, high := width(uint32(nHighs-1)), all-low
		nbits := highBits + uint64(nHighs)*uint64(high) + n*uint64(low+number)
		if number > 0 && high < 32 && low != lowWidth32 && nbits < best {
			best, b.lowWidth, b.number, b.highBits = nbits, low, number, high
		}
	}
	for _, v := range values {
		if b.number == 0 {
			break
		}
		high := v >> b.lowWidth
		if len(b.highs) == 0 || high != b.highs[len(b.highs)-1] {
			b.highs = append(b.highs, high)
		}
	}
	return best
}

// Counts are faster than Elias-Fano lists: they may take a bit more for so many runs.
const runsOfSurcharge = 2

// chooseBlock returns false when the block holds too many starts.
func (c *splitForm) chooseBlock(s *stretch) (b blockForm, ok bool) {
	n := s.end - s.first
	if n > maxStarts+1 {
		return b, false
	}
	values := make([]uint32, 0, n)
	b.bias = math.MaxUint32
	for _, run := range s.runs[s.first:s.end] {
		v := c.value(run)
		values = append(values, v)
		if v < b.bias {
			b.bias = v
		}
	}
	if c.blockShift == 0 {
		b.bias = 0
	}
	b.nStarts = n - 1
	if n == 1 {
		return b, true
	}
	for i := range values {
		values[i] -= b.bias
	}
	best := uint64(noFit)
	for search := uint(0); search < nSearches; search++ {
		low, nbits := chooseLow(s, search)
		if nbits == noFit {
			continue
		}
		surcharge := uint64(0)
		if search == eliasFano {
			surcharge = uint64(n / runsOfSurcharge)
		}
		if nbits+surcharge < best {
			best, b.low, b.search = nbits, low, search
		}
	}
	if best == noFit {
		return b, false
	}
	b.nbits = best + b.chooseHighs(values)
	return b, true
}

// blocks calls f for each block in order, with its form and offset, until f or a block fails. It
// returns the bit where the last block ends.
func (c *splitForm) blocks(all *stretch, f func(s *stretch, b *blockForm, off, end uint64)) (uint64, bool) {
	s := stretch{runs: all.runs, end: 1}
	end := uint64(0)
	for number := uint32(0); number < bucketsOf(all.quanta, c.blockShift); number++ {
		s.start += s.quanta
		s.quanta = blockQuanta(all.quanta, c.blockShift, number)
		s.first = s.end - 1
		for s.end < len(s.runs) && s.startOf(s.end) < s.quanta {
			s.end++
		}
		if s.first+1 < s.end && s.startOf(s.first+1) == 0 {
			s.first++
		}
		b, ok := c.chooseBlock(&s)
		if !ok {
			return 0, false
		}
		off := b.offset(end)
		f(&s, &b, off, end)
		if b.nStarts > 0 {
			end = 8*off + b.nbits
		}
	}
	return end, true
}

// measure sets the widths of the index and returns the bits of index and blocks.
func (c *splitForm) measure(all *stretch) uint64 {
	largestOff, largestBias := uint64(0), uint32(0)
	end, ok := c.blocks(all, func(_ *stretch, b *blockForm, off, _ uint64) {
		if off > largestOff {
			largestOff = off
		}
		if b.bias > largestBias {
			largestBias = b.bias
		}
	})
	if !ok {
		return noFit
	}
	c.offBits = width64(largestOff)
	c.biasBits = width(largestBias)
	n := uint64(bucketsOf(all.quanta, c.blockShift))
	return end + n*uint64(blockBits+c.offBits+c.biasBits)
}

func width64(x uint64) uint {
	if x > math.MaxUint32 {
		return 32 + width(uint32(x>>32))
	}
	return width(uint32(x))
}

func clampBlockShift(shift uint) uint {
	switch {
	case shift < minBlockShift:
		return minBlockShift
	case shift > maxBlockShift:
		return maxBlockShift
	}
	return shift
}

// chooseSplit chooses one block if the runs fit. Otherwise it starts from blocks of some 40 runs.
// The size is halved until the runs fit (those of 16 quanta do), then halved or doubled while that
// saves bits.
func chooseSplit(all *stretch) (splitForm, bool) {
	const runsOfBlock = 40
	form, _ := chooseBase(all, uint64(all.end), headBiasBits, 32)
	c := splitForm{base: form.base, least: form.least}
	if _, ok := c.chooseBlock(all); ok {
		return c, true
	}
	form, _ = chooseBase(all, uint64(all.end/runsOfBlock+1), headBiasBits, 32)
	c = splitForm{
		base:       form.base,
		least:      form.least,
		blockShift: clampBlockShift(width64(uint64(all.quanta) * runsOfBlock / uint64(all.end))),
	}
	best := c.measure(all)
	for best == noFit {
		c.blockShift--
		best = c.measure(all)
	}
	for _, step := range []int{-1, 1} {
		better := false
		for {
			tried := c
			tried.blockShift = uint(int(c.blockShift) + step)
			if tried.blockShift != clampBlockShift(tried.blockShift) {
				break
			}
			nbits := tried.measure(all)
			if nbits >= best {
				break
			}
			c, best, better = tried, nbits, true
		}
		if better {
			break
		}
	}
	return c, c.offBits <= maxOffsetBits
}

func (c *splitForm) put(w *bitWriter, all *stretch) {
	if c.blockShift == 0 {
		b, _ := c.chooseBlock(all)
		w.put(oneBlock, 4)
		w.put(uint32(c.base), 3)
		b.putDescription(w)
		c.putBias(w)
		c.putBlock(w, all, &b)
		return
	}
	w.put(blocks, 4)
	w.put(uint32(c.base), 3)
	w.put(uint32(c.blockShift), 5)
	w.put(uint32(c.offBits), 5)
	w.put(uint32(c.biasBits), 6)
	c.putBias(w)
	c.blocks(all, func(_ *stretch, b *blockForm, off, _ uint64) {
		b.putDescription(w)
		w.put(b.bias, c.biasBits)
		w.put(uint32(off), c.offBits)
	})
	w.align()
	c.blocks(all, func(s *stretch, b *blockForm, _, _ uint64) {
		if b.nStarts > 0 {
			w.align()
			c.putBlock(w, s, b)
		}
	})
}

func (c *splitForm) putBias(w *bitWriter) {
	base := &valueBases[c.base]
	bias := c.least - uint32(base.base)
	w.put(bias&lowMask(base.biasBits), base.biasBits)
	w.put(bias>>base.biasBits, headBiasBits)
}

// putDescription writes 0 bits for a single run.
func (b *blockForm) putDescription(w *bitWriter) {
	lowWidth := b.lowWidth
	if lowWidth == 32 {
		lowWidth = lowWidth32
	}
	w.put(uint32(b.nStarts), 6)
	w.put(uint32(b.low), 4)
	w.put(uint32(lowWidth), 5)
	w.put(uint32(b.number), 3)
	w.put(uint32(b.search), 2)
}

func (b *blockForm) putUpperParts(w *bitWriter, s *stretch) {
	i := s.first + 1
	for bucket := uint32(0); bucket < bucketsOf(s.quanta, b.low); bucket++ {
		n := uint32(0)
		for i < s.end && s.startOf(i)>>b.low == bucket {
			n++
			i++
		}
		if b.search != eliasFano {
			w.put(n, 2<<b.search)
			continue
		}
		for ; n > 0; n-- {
			w.put(0, 1)
		}
		w.put(1, 1)
	}
}

func (b *blockForm) putField(w *bitWriter, v uint32) {
	if len(b.highs) == 0 {
		w.put(v, b.lowWidth)
		return
	}
	high := sort.Search(len(b.highs), func(i int) bool { return b.highs[i] >= v>>b.lowWidth })
	w.put(v&lowMask(b.lowWidth), b.lowWidth)
	w.put(uint32(high), b.number)
}

func (c *splitForm) putBlock(w *bitWriter, s *stretch, b *blockForm) {
	b.putUpperParts(w, s)
	for i := s.first + 1; i < s.end; i++ {
		w.put(s.startOf(i)&lowMask(b.low), b.low)
	}
	for _, run := range s.runs[s.first:s.end] {
		b.putField(w, c.value(run)-b.bias)
	}
	if len(b.highs) > 0 {
		w.put(uint32(b.highBits), highBits)
	}
	for _, high := range b.highs {
		w.put(high, b.highBits)
	}
}
