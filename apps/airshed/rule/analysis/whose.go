package analysis

import (
	"encoding/hex"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/fire"
	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
	"github.com/gavelhq/gavel/apps/airshed/rule/plume"
	"github.com/gavelhq/gavel/apps/airshed/rule/quality"
	"github.com/gavelhq/gavel/apps/airshed/rule/surge"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Whose is the second version of the verdict: three statements, and what they let
// anybody say and do. Shares are percent to 0.1, probabilities to 0.01.
type Whose struct {
	likelihood.Finding

	Policy  string              `json:"policy"`
	Asked   float64             `json:"asked"`   // of both probabilities, for a complaint
	Why     []likelihood.Reason `json:"why_not"` // no probability was worked out
	States  []WhoseShare        `json:"states"`  // by probability, the greatest first
	Members []likelihood.Member `json:"members"`
	Matter  likelihood.Matter   `json:"matter"`
	Data    WhoseData           `json:"data"`
	Where   []WhoseDistrict     `json:"where,omitempty"` // in the first state, the most first
	Between *Between            `json:"between,omitempty"`

	// Together is how the other pollutants went with PM2.5, which supports or speaks
	// against, and decides nothing.
	Together []Companion `json:"together,omitempty"`
}

// A WhoseData is how good the data are, and the figures it goes by, in percent to 0.1.
type WhoseData struct {
	Grade      likelihood.Grade  `json:"grade"`
	Lacks      []likelihood.Lack `json:"lacks"`         // that make it low
	Partial    []likelihood.Lack `json:"partial"`       // that keep it from being high
	Wind       float64           `json:"wind_percent"`  // of the way that it was known for, by influence
	Cloud      float64           `json:"cloud_percent"` // of the passes it was known for
	Effective  float64           `json:"effective_fires"`
	Still      float64           `json:"still_percent"` // of the hours with too little wind
	Flags      []quality.Flag    `json:"flags"`
	Doubts     []Doubt           `json:"doubts,omitempty"` // the readings behind the flags
	Days       int               `json:"days"`             // the air was on its way
	Afternoons int               `json:"afternoons"`       // of these, with rows of a pass by day
	States     int               `json:"states"`           // from which any smoke could have come
}

// A WhoseShare is one state's. Where all smoke could have come from one state only its
// share is no range, and none is given.
type WhoseShare struct {
	State  string   `json:"state"`
	P      float64  `json:"p"`
	Low    *float64 `json:"low"`
	Median *float64 `json:"median"`
	High   *float64 `json:"high"`
	Fires  int      `json:"fires"`
	// Between is fires that only watching satellites saw.
	Between int `json:"between,omitempty"`
}

// Whose answers one episode of the board by the second version alone, which is much
// less work than all of Analyse.
func (d *Dataset) Whose(key surge.Key) (a Analysis, err error) {
	f, err := d.episode(key)
	if err != nil {
		return Analysis{}, err
	}
	track := d.air.trackOf(f.Episode.Site)
	a = Analysis{Version: Version, At: d.found.At, Key: key, Station: track.Station(), Episode: f.Episode}
	var at []plume.Hour
	at, a.Window = hours(track, f.Episode)
	a.Whose, err = d.whose(track, f.Episode, at)
	return a, err
}

// statements answers an episode by the second method, in both forms.
func (d *Dataset) statements(t surge.Track, e surge.Episode, at []plume.Hour) (Attribution, *Whose, error) {
	w, err := d.whose(t, e, at)
	if err != nil {
		return Attribution{}, nil, err
	}
	return d.attribution(w), w, nil
}

// whose answers an episode by the second method.
func (d *Dataset) whose(t surge.Track, e surge.Episode, at []plume.Hour) (*Whose, error) {
	if d.rules.Whose == nil {
		return nil, fault.New(fault.Invalid, "these rules have no second version of the verdict")
	}
	p, s := *d.rules.Whose, t.Station()
	doubts := d.doubts(t, e.PeakIndexAt)
	q := likelihood.Question{
		At: plume.Point{Lat: s.Lat, Lon: s.Lon}, Hours: at, Week: d.week(t, e), Land: d.land, Zone: fire.India(),
		Flags: quality.Flags(doubts), Looked: d.looked.Covers(d.rules.way(at)), Digest: d.digest(),
	}
	from, to := days(d.rules.way(at))
	q.Fires = d.weighable(from.AddDate(0, 0, -p.Week), to, func(p plume.Place) string { return p.State })
	q.Fires = append(q.Fires, d.watchedFires(from, to)...)
	var err error
	if q.Passes, err = d.looks(from, to); err != nil {
		return nil, err
	}
	a, err := p.Answer(q, d.grid)
	if err != nil {
		return nil, err
	}
	w := printed(p, a)
	w.Between, w.Together = d.between(from, to), d.together(e)
	if w.Where, err = d.where(q, w.State); err != nil {
		return nil, err
	}
	w.Data.Doubts = d.doubted(doubts, e.PeakIndexAt)
	return w, nil
}

// days is a time from the beginning of its first day in India to the end of its last.
func days(way plume.Span) (from, to time.Time) {
	midnight := func(t time.Time) time.Time {
		y, m, d := t.In(fire.India()).Date()
		return time.Date(y, m, d, 0, 0, 0, 0, fire.India())
	}
	return midnight(way.From), midnight(way.To).AddDate(0, 0, 1)
}

// week is the hours whose PM2.5 says whether smoke mattered: those for which fires were
// looked for on the way, the last being the last of the surge.
func (d *Dataset) week(t surge.Track, e surge.Episode) (out []plume.Hour) {
	for i := 1 - d.rules.Whose.Week*24; i <= 0; i++ {
		h := e.PeakIndexAt.Plus(i)
		at := middle(h)
		looked := plume.Span{From: at.Add(-time.Duration(d.rules.Plume.Hours) * time.Hour), To: at}
		if v := t.PM25(h); v >= 0 && d.looked.Covers(looked) {
			out = append(out, plume.Hour{Time: at, PM25: v.Float()})
		}
	}
	return out
}

// weighable is the fires that count of some time, under names that their places have.
func (d *Dataset) weighable(from, to time.Time, name func(plume.Place) string) (out []likelihood.Fire) {
	for _, k := range d.fires.between(from, to.Add(-time.Nanosecond)) {
		f := plume.Fire{At: plume.Point{Lat: k.At.Lat, Lon: k.At.Lon}, Time: k.Time, FRP: d.rules.Satellites.Power(k),
			Night: k.Light == fire.Night}
		out = append(out, likelihood.Fire{Fire: f, State: name(named(k.Place))})
	}
	return out
}

// looks is the passes of some days, and the cloud over each state at each of them.
func (d *Dataset) looks(from, to time.Time) (out []likelihood.Pass, err error) {
	c, err := d.expected(plume.Span{From: from, To: to}).Cover(d.fires.raw, from, to, nil)
	if err != nil {
		return nil, err
	}
	for _, p := range c.Passes {
		out = append(out, likelihood.Pass{Time: p.At(), Delivered: p.Rows > 0, Cloud: d.cloudOver(p.At())})
	}
	return out, nil
}

// cloudOver is the mean cloud over each state for which there is a figure near a moment.
func (d *Dataset) cloudOver(at time.Time) map[string]float64 {
	sums, n := map[string]float64{}, map[string]float64{}
	for i, c := range d.from.Cloud {
		if c.Time.Sub(at).Abs() <= cloudWithin && d.under[i] != "" {
			sums[d.under[i]] += c.Fraction
			n[d.under[i]]++
		}
	}
	for state := range sums {
		sums[state] /= n[state]
	}
	return sums
}

// lay says in which state every figure of cloud and every half degree of land lies.
func (d *Dataset) lay() {
	state := func(p plume.Point) string {
		if d.rules.Places == nil {
			return ""
		}
		return named(d.rules.Places(fire.Point{Lat: p.Lat, Lon: p.Lon})).State
	}
	for _, c := range d.from.Cloud {
		d.under = append(d.under, state(plume.Point{Lat: c.Lat, Lon: c.Lon}))
	}
	d.land = likelihood.LandOf(d.area(), state)
}

// digest is that of the whole file.
func (d *Dataset) digest() (out [32]byte) {
	for _, in := range d.inputs {
		if in.Part == wholeFile {
			b, _ := hex.DecodeString(in.SHA256) // it was made so
			copy(out[:], b)
		}
	}
	return out
}

// printed is an answer as it is printed. The word and the act go by what was found, not
// by what is printed of it.
func printed(p likelihood.Policy, a likelihood.Answer) *Whose {
	w := &Whose{Finding: p.Finding(a, Abroad), Policy: a.Policy, Asked: p.Complaint, Why: orEmpty(a.Why), States: []WhoseShare{},
		Members: a.Members, Matter: a.Matter, Data: graded(a.Data)}
	for _, s := range a.States {
		one := WhoseShare{State: s.State, P: round(s.P, hundredths), Fires: s.Fires, Between: s.Between}
		if !slices.Contains(a.Data.Lacks, likelihood.OneState) {
			one.Low, one.Median, one.High = ptr(100*s.Low, tenths), ptr(100*s.Median, tenths), ptr(100*s.High, tenths)
		}
		w.States = append(w.States, one)
	}
	w.P = round(w.P, hundredths)
	w.Matter.M, w.Matter.Least = round(w.Matter.M, hundredths), round(w.Matter.Least, tenths)
	for i := range w.Members {
		m := &w.Members[i]
		m.Turn, m.Speed = round(m.Turn, tenths), round(m.Speed, hundredths)
		for j := range m.Shares {
			m.Shares[j] = percent(m.Shares[j])
		}
	}
	return w
}

// graded is how good the data are, as it is printed.
func graded(d likelihood.Data) WhoseData {
	return WhoseData{Grade: d.Grade, Lacks: d.Lacks, Partial: d.Partial, Wind: percent(d.Wind), Cloud: percent(d.Cloud),
		Effective: round(d.Effective, tenths), Still: percent(d.Still), Flags: d.Flags, Days: d.Days, Afternoons: d.Afternoons,
		States: d.States}
}
