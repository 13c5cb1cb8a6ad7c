package bucket

import (
	"bytes"
	"encoding/binary"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Loose is a signal as it is kept beside the sums of its hour, where so little was heard that minutes have none: what a window that ends
// within the hour has to know of it, and no name.
type Loose struct {
	Row

	Layers byte // a bit for each
}

// looseLength is how many bytes one takes: when, severity and class, layers, weight.
const looseLength = 5 + 1 + 1 + 8

// AppendLoose writes a signal of a day behind what is there.
func AppendLoose(to []byte, day time.Time, l Loose) []byte {
	var at [8]byte
	binary.BigEndian.PutUint64(at[:], uint64(l.At.Sub(day)/time.Microsecond)) // bytes are in the order of time
	to = append(to, at[3:]...)
	to = append(to, byte(l.Severity)<<3|byte(l.Class), l.Layers)
	return binary.BigEndian.AppendUint64(to, math.Float64bits(l.Weight))
}

// EachLoose shows the signals of a day, as they were written.
func EachLoose(from []byte, day time.Time, show func(Loose)) error {
	if len(from)%looseLength != 0 {
		return fault.New(fault.Internal, "the signals of %s are damaged", day.Format(time.DateOnly))
	}
	for b := range slices.Chunk(from, looseLength) {
		l := Loose{Layers: b[6]}
		l.At = day.Add(looseSince(b))
		l.Severity, l.Class = int(b[5]>>3), Class(b[5]&7)
		l.Weight = math.Float64frombits(binary.BigEndian.Uint64(b[7:]))
		if l.Class >= Classes {
			return fault.New(fault.Internal, "the signals of %s are damaged", day.Format(time.DateOnly))
		}
		show(l)
	}
	return nil
}

// looseSince is how long after the start of its day a signal was.
func looseSince(b []byte) time.Duration {
	return time.Duration(uint64(binary.BigEndian.Uint32(b))<<8|uint64(b[4])) * time.Microsecond
}

// looseHour is the hour of the day in which it was.
func looseHour(b []byte) int { return int(looseSince(b) / time.Hour) }

// LooseCount is how many signals there are.
func LooseCount(all []byte) int64 { return int64(len(all) / looseLength) }

// LooseOf is the signals of an hour of the day, of those that KeepLoose put in order.
func LooseOf(all []byte, hour int) []byte {
	from := func(hour int) int {
		return looseLength * sort.Search(len(all)/looseLength, func(i int) bool { return looseHour(all[i*looseLength:]) >= hour })
	}
	return all[from(hour):from(hour+1)]
}

// KeepLoose is signals in the one order they are kept in, without those of some hours of the day.
func KeepLoose(all []byte, crowded func(hour int) bool) []byte {
	out := make([]byte, 0, len(all))
	all = all[:len(all)/looseLength*looseLength]
	for _, b := range slices.SortedFunc(slices.Chunk(all, looseLength), bytes.Compare) {
		if !crowded(looseHour(b)) {
			out = append(out, b...)
		}
	}
	return out
}
