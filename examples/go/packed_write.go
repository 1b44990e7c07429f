package pctab

import (
	"math"
	"sort"
)

// The writer makes the same choices as the one in C, so that both write the same bytes. It writes a list
// where possible, because lists are faster. Otherwise it writes one block, or several whose size it
// searches for.

// AppendPacked appends a table in packed-starts. It returns false when the blocks of a record have
// 2 GiB or more.
func AppendPacked(dst []byte, runs []Run, textLen uint32) ([]byte, bool) {
	w := bitWriter{dst: dst}
	all := stretch{runs: runs, end: len(runs), quanta: textLen}
	list, ok := chooseList(&all)
	if ok && !list.isLong {
		list.put(&w, &all)
	} else if c, fits := chooseSplit(&all); !fits {
		return dst, false
	} else if ok && (c.blockShift > 0 || list.nbits <= c.nbits+listMoreBits) {
		list.put(&w, &all)
	} else {
		c.put(&w, &all)
	}
	w.align()
	return w.dst, true
}

// Lists are faster than blocks, so they may be larger by this many bits.
const listMoreBits = 24

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

// noFit is the size of a form that is not possible.
const noFit = math.MaxUint64

// countFull returns the number of buckets of 2^low quanta with more than bucketMax starts, or more
// than maxFull if one has too many or they are more.
func countFull(s *stretch, low uint) uint64 {
	full := uint64(0)
	for i := s.first + 1; i < s.end; {
		end := i + 1
		for end < s.end && s.startOf(end)>>low == s.startOf(i)>>low {
			end++
		}
		if end-i > bucketMax {
			full++
		}
		if end-i > bucketMax+maxMore || full > maxFull {
			return maxFull + 1
		}
		i = end
	}
	return full
}

// Counts are faster than Elias-Fano lists: they may take a bit more for so many runs.
const runsOfSurcharge = 2

// chooseSearch finds the search and the low bits with which the starts take the fewest bits, and
// returns those bits.
func (b *blockForm) chooseSearch(s *stretch) uint64 {
	n := uint64(s.end - s.first - 1)
	best, bestBits := uint64(noFit), uint64(noFit)
	for low := uint(0); low <= maxLow; low++ {
		buckets := uint64(bucketsOf(s.quanta, low))
		if buckets+n > maxUpperBits {
			continue
		}
		ofList := buckets + n + n*uint64(low)
		if ofList+n/runsOfSurcharge < best {
			best, bestBits = ofList+n/runsOfSurcharge, ofList
			b.low, b.full = low, eliasFano
		}
		if buckets > maxBuckets {
			continue
		}
		full := countFull(s, low)
		if full > maxFull {
			continue
		}
		if ofCounts := 2*buckets + fullBits*full + n*uint64(low); ofCounts < best {
			best, bestBits = ofCounts, ofCounts
			b.low, b.full = low, uint(full)
		}
	}
	return bestBits
}

// A valueForm is how values are stored: (value - least) / unit of the base, in `width` bits.
type valueForm struct {
	base  int // index of valueBases
	least uint32
	width uint
}

// A valueRange has the least and the largest value of a stretch, and the bits of all.
type valueRange struct {
	min, max int32
	any      uint32
}

func rangeOf(s *stretch) valueRange {
	r := valueRange{math.MaxInt32, math.MinInt32, 0}
	for _, run := range s.runs[s.first:s.end] {
		if run.Value < r.min {
			r.min = run.Value
		}
		if run.Value > r.max {
			r.max = run.Value
		}
		r.any |= uint32(run.Value)
	}
	return r
}

// form returns how values are stored with a base and a bias of so many bits, if that is possible.
func (r *valueRange) form(b int, biasBits uint) (f valueForm, ok bool) {
	base := &valueBases[b]
	least := uint32(base.base)
	if biasBits > 0 {
		least = uint32(r.min)
	}
	if biasBits < 32 {
		bias := int64(r.min) - int64(base.base)
		if bias < 0 || r.any%base.unit != 0 || biasBits > 0 && bias>>biasBits != 0 {
			return f, false
		}
	}
	return valueForm{b, least, width((uint32(r.max) - least) / base.unit)}, true
}

// chooseBase returns the form that makes the bias and n values smallest. The bias has moreBits more
// bits than that of a record of blocks.
func chooseBase(s *stretch, n uint64, moreBits uint) (form valueForm) {
	r := rangeOf(s)
	best := uint64(noFit)
	for b, base := range valueBases {
		f, ok := r.form(b, uint(8*base.biasBytes)+moreBits)
		if nbits := 8*uint64(base.biasBytes) + n*uint64(f.width); ok && nbits < best {
			form, best = f, nbits
		}
	}
	return form
}

// A listForm is how a list stores a table.
type listForm struct {
	isWide, isLong bool
	nbits          uint64
	values         valueForm
}

func biasBytesOf(bias uint32) uint {
	return (width(bias|1) + 7) / 8
}

func chooseList(all *stretch) (list listForm, ok bool) {
	n, lane := uint64(all.end), laneBits(all.quanta)
	nStarts := n - 1
	isLong := nStarts > maxList || nStarts*uint64(lane) > lanesBits
	if nStarts > uint64(maxLong(lane)) {
		return list, false
	}
	head := uint64(shortHeadBits)
	if isLong {
		head = listHeadBits
	}
	r := rangeOf(all)
	best := uint64(noFit)
	for b := 0; b < shortBases; b++ {
		f, fits := r.form(b, 0)
		if nbits := head + n*uint64(f.width); fits && f.width <= maxShortWidth && nbits < best {
			best, list = nbits, listForm{isLong: isLong, values: f}
		}
	}
	w := width(uint32(r.max) - uint32(r.min))
	wide := listHeadBits + 8*uint64(biasBytesOf(uint32(r.min))) + n*uint64(w)
	if !isLong && w <= maxWideWidth && wide < best {
		best, list = wide, listForm{isWide: true, values: valueForm{0, uint32(r.min), w}}
	}
	list.nbits = best + nStarts*uint64(lane)
	return list, best != noFit
}

func (list *listForm) put(w *bitWriter, all *stretch) {
	v, n := &list.values, uint32(all.end-1)
	unit := valueBases[v.base].unit
	if list.isWide {
		unit = 1
		bytes := biasBytesOf(v.least)
		w.put(noShortList, 3)
		w.put(wideList, 2)
		w.put(n, 3)
		w.put(uint32(v.width), 5)
		w.put(uint32(bytes), 3)
		w.put(v.least, 8*bytes)
	} else if list.isLong {
		w.put(noShortList, 3)
		w.put(longList, 2)
		w.put(uint32(v.base), 2)
		w.put(uint32(v.width), 4)
		w.put(n, 5)
	} else {
		w.put(n, 3)
		w.put(uint32(v.base), 2)
		w.put(uint32(v.width), 4)
	}
	for _, run := range all.runs[1:] {
		w.put(run.PC, uint(laneBits(all.quanta)-1))
		w.put(0, 1)
	}
	for _, run := range all.runs {
		w.put((uint32(run.Value)-v.least)/unit, v.width)
	}
}

// A splitForm is how a table is split. Values of blocks are less `least`, and divided by the unit.
type splitForm struct {
	base              int // index of valueBases
	least             uint32
	blockShift        uint // 0: one block has the whole text
	offBits, biasBits uint
	nbits             uint64 // of a record of one block
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
	full     uint // full buckets, or eliasFano
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
	best := n * uint64(all)
	if all > maxLowWidth {
		best = noFit
	}
	nHighs := 1
	for low := all; low > 0; {
		low--
		nHighs += apart[low+1]
		if nHighs > maxHighs {
			break
		}
		number, high := width(uint32(nHighs-1)), all-low
		if nHighs == 1 && all > maxLowWidth {
			number = 1
		}
		nbits := highBits + uint64(nHighs)*uint64(high) + n*uint64(low+number)
		if number > 0 && high < 32 && nbits < best {
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
	best := b.chooseSearch(s)
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
	form := chooseBase(all, uint64(all.end), headBiasBits)
	c := splitForm{base: form.base, least: form.least}
	if b, ok := c.chooseBlock(all); ok {
		c.nbits = oneHeadBits + 8*uint64(valueBases[c.base].biasBytes) + headBiasBits + b.nbits
		return c, true
	}
	form = chooseBase(all, uint64(all.end/runsOfBlock+1), 0)
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
		c.putForm(w, oneBlock)
		b.putDescription(w)
		c.putBias(w, headBiasBits)
		c.putBlock(w, all, &b)
		return
	}
	c.putForm(w, blocks)
	w.put(uint32(c.blockShift), 5)
	w.put(uint32(c.offBits), 5)
	w.put(uint32(c.biasBits), 6)
	c.putBias(w, 0)
	c.blocks(all, func(_ *stretch, b *blockForm, off, _ uint64) {
		b.putDescription(w)
		w.put(uint32(off), c.offBits)
		w.put(b.bias, c.biasBits)
	})
	w.align()
	c.blocks(all, func(s *stretch, b *blockForm, _, _ uint64) {
		if b.nStarts > 0 {
			w.align()
			c.putBlock(w, s, b)
		}
	})
}

func (c *splitForm) putForm(w *bitWriter, form uint32) {
	w.put(noShortList, 3)
	w.put(form, 2)
	w.put(uint32(c.base), 3)
}

// putBias writes the bias, of moreBits more bits than that of a record of blocks.
func (c *splitForm) putBias(w *bitWriter, moreBits uint) {
	base := &valueBases[c.base]
	bias := uint64(c.least - uint32(base.base))
	nbits := uint(8 * base.biasBytes)
	w.put(uint32(bias&(1<<nbits-1)), nbits)
	w.put(uint32(bias>>nbits), moreBits)
}

// putDescription writes a description. A single run has 0 bits.
func (b *blockForm) putDescription(w *bitWriter) {
	w.put(uint32(b.nStarts), 6)
	w.put(uint32(b.low), 4)
	w.put(uint32(b.lowWidth), 5)
	w.put(uint32(b.number), 3)
	w.put(uint32(b.full), 2)
}

// putBuckets writes an Elias-Fano list, or counts and the full buckets.
func (b *blockForm) putBuckets(w *bitWriter, s *stretch) {
	var full bitWriter
	i := s.first + 1
	for bucket := uint32(0); bucket < bucketsOf(s.quanta, b.low); bucket++ {
		n := uint32(0)
		for i < s.end && s.startOf(i)>>b.low == bucket {
			n++
			i++
		}
		if b.full == eliasFano {
			for ; n > 0; n-- {
				w.put(0, 1)
			}
			w.put(1, 1)
		} else if n > bucketMax {
			w.put(bucketMax, 2)
			full.put(bucket, 5)
			full.put(n-bucketMax, 4)
		} else {
			w.put(n, 2)
		}
	}
	full.align()
	if b.full != eliasFano {
		for at := uint(0); at < fullBits*b.full; at++ {
			w.put(uint32(full.dst[at/8]>>(at%8)&1), 1)
		}
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
	b.putBuckets(w, s)
	for i, run := range s.runs[s.first:s.end] {
		if i > 0 {
			w.put(s.startOf(s.first+i)&lowMask(b.low), b.low)
		}
		b.putField(w, c.value(run)-b.bias)
	}
	if len(b.highs) > 0 {
		w.put(uint32(b.highBits), highBits)
	}
	for _, high := range b.highs {
		w.put(high, b.highBits)
	}
}
