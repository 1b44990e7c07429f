package pctab

import (
	"math"
	"sort"
)

// The writer chooses as the one in C does, so that both write the same bytes: a whole record where
// one is possible, since it is the faster one; otherwise blocks, whose size is searched for.

// AppendCounted appends a table in counted-buckets. It returns false when the blocks of a split
// record have 2 GiB or more.
func AppendCounted(dst []byte, runs []Run, textLen uint32) ([]byte, bool) {
	w := bitWriter{dst: dst}
	all := stretch{runs: runs, end: len(runs), quanta: textLen}
	if values, low, ok := chooseWhole(&all); ok {
		putWhole(&w, &all, values, low)
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

// chooseLow returns the low bits of a start, from least to most, that make counts and low parts
// smallest with at most maxBuckets buckets and at most three starts in each, and the bits that
// these take. Starts i and i + 3 are in one bucket unless they differ above their low bits.
func chooseLow(s *stretch, least, most uint, maxBuckets uint32) (low uint, nbits uint64) {
	nStarts := uint64(s.end - s.first - 1)
	for i := s.first + 1; i+maxCount < s.end; i++ {
		if limit := width(s.startOf(i)^s.startOf(i+maxCount)) - 1; limit < most {
			most = limit
		}
	}
	nbits = noFit
	for l := least; l <= most; l++ {
		n := bucketsOf(s.quanta, l)
		size := 2*uint64(n) + uint64(l)*nStarts
		if n <= maxBuckets && size < nbits {
			low, nbits = l, size
		}
	}
	return low, nbits
}

// A valueForm is how values are stored: (value - least) >> shift of the base, in `width` bits.
type valueForm struct {
	base  int // index of valueBases
	least uint32
	width uint
}

// chooseBase returns the form that makes the bias and n values smallest, of those with a base that
// fits all values of the stretch and at most maxWidth bits.
func chooseBase(s *stretch, n uint64, maxWidth uint) (form valueForm, ok bool) {
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
		least := uint32(base.base)
		if base.biasBytes > 0 {
			least = uint32(min)
		}
		if base.biasBytes < 4 {
			bias := int64(min) - int64(base.base)
			if bias < 0 || any&lowMask(base.shift) != 0 {
				continue
			}
			if base.biasBytes > 0 && bias>>(8*base.biasBytes) != 0 {
				continue
			}
		}
		w := width((uint32(max) - least) >> base.shift)
		nbits := 8*uint64(base.biasBytes) + n*uint64(w)
		if w <= maxWidth && nbits < best {
			form, best = valueForm{b, least, w}, nbits
		}
	}
	return form, best != noFit
}

func chooseWhole(all *stretch) (form valueForm, low uint, ok bool) {
	if all.end == 1 {
		form, ok = chooseBase(all, 1, 0)
		return form, 0, ok
	}
	form, ok = chooseBase(all, uint64(all.end), maxWidth)
	if !ok {
		return form, 0, false
	}
	low, nbits := chooseLow(all, 0, maxLow, maxBuckets)
	return form, low, nbits != noFit
}

func putCounts(w *bitWriter, s *stretch, low uint) {
	i := s.first + 1
	for bucket := uint32(0); bucket < bucketsOf(s.quanta, low); bucket++ {
		count := uint32(0)
		for i < s.end && s.startOf(i)>>low == bucket {
			count++
			i++
		}
		w.put(count, 2)
	}
}

func putWhole(w *bitWriter, all *stretch, form valueForm, low uint) {
	base := &valueBases[form.base]
	w.put(uint32(low), 4)
	w.put(uint32(form.width), 4)
	w.put(uint32(form.base), 3)
	if form.width > 0 {
		putCounts(w, all, low)
	}
	w.put(form.least-uint32(base.base), 8*base.biasBytes)
	for i, run := range all.runs {
		if i > 0 {
			w.put(run.PC&lowMask(low), low)
		}
		w.put((uint32(run.Value)-form.least)>>base.shift, form.width)
	}
}

// A splitForm is how a table is split. Values of blocks are less `least`, and shifted.
type splitForm struct {
	base              int // index of valueBases
	least             uint32
	blockShift        uint
	offBits, biasBits uint
}

// value returns the value of a run as blocks count it.
func (c *splitForm) value(run Run) uint32 {
	return (uint32(run.Value) - c.least) >> valueBases[c.base].shift
}

// A blockForm is how a block is stored.
type blockForm struct {
	bias         uint32
	nbits        uint64 // from its offset on
	width        uint   // 0: a single run, which has no bits
	low          uint   // of each start
	listed       bool
	clusterLow   uint
	highs        []uint32 // ascending; none: not clustered
	clustersBits uint     // before the block's offset
}

// offset returns the block's offset in bytes if the block before it ends at bit `end`; 0 for a
// single run.
func (b *blockForm) offset(end uint64) uint64 {
	if b.width == 0 {
		return 0
	}
	return (end + uint64(b.clustersBits) + 7) / 8
}

// chooseClusters sorts a block's values and finds the split into high and low parts that takes the
// fewest bits: each distinct high part once, and its number with each value. It returns the bits of
// all values without those of high parts.
func (b *blockForm) chooseClusters(values []uint32) uint64 {
	sort.Slice(values, func(i, j int) bool { return values[i] < values[j] })
	var apart [33]int // neighbours whose highest different bit is this one
	for i := 1; i < len(values); i++ {
		apart[width(values[i]^values[i-1])]++
	}
	n := uint64(len(values))
	b.width = width(values[len(values)-1])
	if b.width == entryWidth32 {
		b.width = 32
	}
	best := n * uint64(b.width)
	nHighs, clustered := 1, false
	for low := b.width; low > 0; {
		low--
		nHighs += apart[low+1]
		if nHighs > maxClusters {
			break
		}
		nbits := clusterHeadBits + uint64(nHighs)*uint64(b.width-low) +
			n*uint64(low+width(uint32(nHighs-1)))
		if nbits < best {
			best, b.clusterLow, clustered = nbits, low, true
		}
	}
	if !clustered {
		return best
	}
	for _, v := range values {
		high := v >> b.clusterLow
		if len(b.highs) == 0 || high != b.highs[len(b.highs)-1] {
			b.highs = append(b.highs, high)
		}
	}
	b.clustersBits = clusterHeadBits + uint(len(b.highs))*(b.width-b.clusterLow)
	return best - uint64(b.clustersBits)
}

// chooseBlock returns false when the block holds too many starts for its size.
func (c *splitForm) chooseBlock(s *stretch) (b blockForm, ok bool) {
	n := s.end - s.first
	if n > maxCount<<maxBucketShift+1 {
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
	if n == 1 {
		return b, true
	}
	for i := range values {
		values[i] -= b.bias
	}
	b.nbits = b.chooseClusters(values)
	k := c.blockShift
	least := leastLow(k)
	most := least + listed - 1
	if most > k {
		most = k
	}
	low, startsBits := chooseLow(s, least, most, 1<<maxBucketShift)
	b.low = low
	listedBits := listBits + uint64(k)*uint64(n-1)
	if n-1 <= maxList && listedBits < startsBits {
		startsBits, b.low, b.listed = listedBits, k, true
	}
	if startsBits == noFit {
		return b, false
	}
	b.nbits += startsBits
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
		if b.width > 0 {
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
	return end + n*uint64(entryBits+c.offBits+c.biasBits)
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

// chooseSplit starts from blocks of some 40 runs. The size is halved until the runs fit (they fit
// 16 quanta), then halved or doubled while that saves bits.
func chooseSplit(all *stretch) (splitForm, bool) {
	const runsOfBlock = 40
	form, _ := chooseBase(all, uint64(all.end/runsOfBlock+1), 32)
	c := splitForm{
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
	base := &valueBases[c.base]
	w.put(uint32(c.blockShift-minBlockShift), 4)
	w.put(splitWidth, 4)
	w.put(uint32(c.offBits), 5)
	w.put(uint32(c.biasBits), 6)
	w.put(uint32(c.base), 3)
	w.put(c.least-uint32(base.base), 8*base.biasBytes)
	c.blocks(all, func(_ *stretch, b *blockForm, off, _ uint64) { c.putEntry(w, b, off) })
	w.align()
	c.blocks(all, func(s *stretch, b *blockForm, off, end uint64) {
		if b.width > 0 {
			w.put(0, uint(8*off-end)-b.clustersBits)
			b.putClusters(w)
			c.putBlock(w, s, b)
		}
	})
}

func (c *splitForm) putEntry(w *bitWriter, b *blockForm, off uint64) {
	low, clustered, width := uint(0), uint32(0), b.width
	if b.listed {
		low = listed
	} else if b.width > 0 {
		low = b.low - leastLow(c.blockShift)
	}
	if len(b.highs) > 0 {
		clustered = 1
	}
	if width == 32 {
		width = entryWidth32
	}
	w.put(uint32(width), 5)
	w.put(clustered, 1)
	w.put(uint32(low), 3)
	w.put(b.bias, c.biasBits)
	w.put(uint32(off), c.offBits)
}

func (b *blockForm) putClusters(w *bitWriter) {
	if len(b.highs) == 0 {
		return
	}
	for i := len(b.highs) - 1; i >= 0; i-- {
		w.put(b.highs[i], b.width-b.clusterLow)
	}
	w.put(uint32(len(b.highs)-1), 4)
	w.put(uint32(b.clusterLow), 5)
}

func (b *blockForm) putValue(w *bitWriter, v uint32) {
	if len(b.highs) == 0 {
		w.put(v, b.width)
		return
	}
	high := sort.Search(len(b.highs), func(i int) bool { return b.highs[i] >= v>>b.clusterLow })
	w.put(v&lowMask(b.clusterLow), b.clusterLow)
	w.put(uint32(high), width(uint32(len(b.highs)-1)))
}

func (c *splitForm) putBlock(w *bitWriter, s *stretch, b *blockForm) {
	if b.listed {
		w.put(uint32(s.end-s.first-2), listBits)
	} else {
		putCounts(w, s, b.low)
	}
	for i := s.first; i < s.end; i++ {
		if i > s.first {
			w.put(s.startOf(i)&lowMask(b.low), b.low)
		}
		b.putValue(w, c.value(s.runs[i])-b.bias)
	}
}
