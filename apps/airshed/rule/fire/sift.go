package fire

import (
	"cmp"
	"errors"
	"io"
	"maps"
	"slices"
	"time"
)

// A Reason is why a row does not count.
type Reason string

// The reasons.
const (
	Unreadable       Reason = "unreadable"
	UnknownSatellite Reason = "unknown_satellite"         // the list of satellites must be brought up to date
	LowConfidence    Reason = "low_confidence"            //
	NotVegetation    Reason = "not_vegetation"            // the final processing says volcano, static source or offshore
	StaticSource     Reason = "static_source"             // our own mask says so
	Repeated         Reason = "repeated"                  // the same pixel came twice, in two answers or from two processings
	SeenTwice        Reason = "seen_by_another_satellite" // the same fire, counted for the satellite that saw it strongest
)

// A Problem is a row that could not be read.
type Problem struct {
	Line int    `json:"line"`
	Why  Reason `json:"reason"`
	Text string `json:"text"`
}

// maxProblems is how many rows that could not be read are named; all are counted.
const maxProblems = 20

// A File is what was read from one file. Rows is the sum of the detections and
// of all that was dropped.
type File struct {
	Instrument Instrument     `json:"instrument"`
	Rows       int            `json:"rows"`
	Detections []Detection    `json:"-"`
	Dropped    map[Reason]int `json:"dropped"`
	Problems   []Problem      `json:"problems,omitempty"` // the first of them
}

// Read reads a whole file. Every readable row is there, sure or not: Sift comes
// after, and Coverage wants the unsure ones too.
func Read(r io.Reader, known Constellation) (File, error) {
	rows, err := NewReader(r, known)
	if err != nil {
		return File{}, err
	}
	return rows.all()
}

// all reads every row.
func (f *Reader) all() (File, error) {
	all := File{Instrument: f.instrument, Dropped: map[Reason]int{}}
	for {
		row, err := f.Next()
		switch {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return File{}, err
		}
		all.Rows++
		if row.Why == "" {
			all.Detections = append(all.Detections, row.Detection)
			continue
		}
		all.Dropped[row.Why]++
		if len(all.Problems) < maxProblems {
			all.Problems = append(all.Problems, Problem{row.Line, row.Why, row.Text})
		}
	}
}

// A Policy is what counts as a fire, and as the same one.
type Policy struct {
	Version string        `json:"version"`
	Least   Confidence    `json:"least_confidence"` // what is less sure does not count
	Near    float64       `json:"near_km"`          // this near to each other, included,
	Within  time.Duration `json:"within_ns"`        // and within this time, included, two satellites saw one fire
}

// Standard is the policy as it began. Of nominal VIIRS detections fewer than
// 1.2 % are no fire.
func Standard() Policy {
	return Policy{Version: "fire-2026-1", Least: Nominal, Near: 1, Within: 2 * time.Hour}
}

// Sifted is what counts of some detections, in order of time, and what does not.
type Sifted struct {
	Policy  string         `json:"policy"`
	Rows    int            `json:"rows"` // detections there were: kept and dropped
	Kept    []Detection    `json:"-"`
	Dropped map[Reason]int `json:"dropped"`
	Masked  map[string]int `json:"masked,omitempty"`       // of those dropped as static, by the source's name
	Mixed   []Satellite    `json:"mixed_stages,omitempty"` // of these both preliminary and final rows are among the kept
}

// Sift leaves out what should not be counted: the unsure, what is known to be no
// field, and what is there twice. The order of the detections does not matter.
func (p Policy) Sift(ds []Detection, known Constellation, mask Mask) Sifted {
	s := Sifted{Policy: p.Version, Rows: len(ds), Dropped: map[Reason]int{}, Masked: map[string]int{}}
	left := make([]Detection, 0, len(ds))
	for _, d := range ds {
		site, masked := mask.Covers(d)
		switch {
		case d.Confidence < p.Least:
			s.Dropped[LowConfidence]++
		case d.Kind > Vegetation:
			s.Dropped[NotVegetation]++
		case masked:
			s.Dropped[StaticSource]++
			s.Masked[site.Name]++
		default:
			left = append(left, d)
		}
	}
	once := withoutRepeats(left)
	s.drop(Repeated, len(left)-len(once))
	s.Kept = p.withoutTwins(once, known)
	s.drop(SeenTwice, len(once)-len(s.Kept))
	s.Mixed = mixed(s.Kept, known)
	return s
}

func (s *Sifted) drop(why Reason, n int) {
	if n > 0 {
		s.Dropped[why] += n
	}
}

// A pixel is what makes two rows the same: places come with five decimals.
type pixel struct {
	by       Satellite
	at       int64
	lat, lon int32
}

func pixelOf(d *Detection) pixel {
	return pixel{d.Satellite, d.Time.Unix(), micro(d.At.Lat), micro(d.At.Lon)}
}

// withoutRepeats keeps one of the rows about one pixel: the one of the final
// processing if there is one, else the strongest.
func withoutRepeats(ds []Detection) []Detection {
	best := make(map[pixel]int, len(ds))
	for i := range ds {
		key := pixelOf(&ds[i])
		if j, again := best[key]; !again || better(&ds[i], &ds[j]) {
			best[key] = i
		}
	}
	if len(best) == len(ds) {
		return ds
	}
	out := make([]Detection, 0, len(best))
	for _, i := range slices.Sorted(maps.Values(best)) {
		out = append(out, ds[i])
	}
	return out
}

func better(a, b *Detection) bool {
	if a.Standard() != b.Standard() {
		return a.Standard()
	}
	return cmp.Or(cmp.Compare(a.FRP, b.FRP), cmp.Compare(a.Confidence, b.Confidence), cmp.Compare(a.Version, b.Version),
		cmp.Compare(b.Line, a.Line)) > 0
}

// withoutTwins counts a fire once that several satellites saw: the strongest
// detection stays, and with it all other pixels of its own satellite. So no two
// that stay are of different satellites and near each other, and each that goes
// is near one that stays and is at least as strong.
func (p Policy) withoutTwins(ds []Detection, known Constellation) []Detection {
	near := newGrid(p.Near, p.Within)
	var kept []int32
	for _, i := range strongestFirst(ds, known) {
		d := &ds[i]
		twin := near.some(d.At, p.Near, d.Time, func(j int32) bool {
			o := &ds[j]
			return o.Satellite != d.Satellite && d.Time.Sub(o.Time).Abs() <= p.Within && Distance(d.At, o.At) <= p.Near
		})
		if !twin {
			near.add(d.At, d.Time, i)
			kept = append(kept, i)
		}
	}
	slices.SortFunc(kept, func(i, j int32) int { return byTime(&ds[i], &ds[j]) })
	out := make([]Detection, len(kept))
	for n, i := range kept {
		out[n] = ds[i]
	}
	return out
}

// strongestFirst is an order of detections; of equals the satellite that is
// listed first comes first.
func strongestFirst(ds []Detection, known Constellation) []int32 {
	type rank struct {
		power float64
		place int
		at    int32
	}
	ranks := make([]rank, len(ds))
	for i := range ds {
		ranks[i] = rank{known.Power(ds[i]), known.place(ds[i].Satellite), int32(i)}
	}
	slices.SortFunc(ranks, func(a, b rank) int {
		if c := cmp.Or(cmp.Compare(b.power, a.power), a.place-b.place); c != 0 {
			return c
		}
		return byTime(&ds[a.at], &ds[b.at])
	})
	out := make([]int32, len(ranks))
	for i, r := range ranks {
		out[i] = r.at
	}
	return out
}

func byTime(a, b *Detection) int {
	if c := a.Time.Compare(b.Time); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.Satellite, b.Satellite), cmp.Compare(a.At.Lat, b.At.Lat), cmp.Compare(a.At.Lon, b.At.Lon))
}

// mixed names the satellites of which final and preliminary rows stand beside
// each other: their counts are not of one kind.
func mixed(ds []Detection, known Constellation) []Satellite {
	const preliminary, final = 1, 2
	stages := map[Satellite]int{}
	for _, d := range ds {
		if d.Standard() {
			stages[d.Satellite] |= final
		} else {
			stages[d.Satellite] |= preliminary
		}
	}
	var out []Satellite
	for _, s := range known.Sensors {
		if stages[s.Satellite] == preliminary|final {
			out = append(out, s.Satellite)
		}
	}
	return out
}
