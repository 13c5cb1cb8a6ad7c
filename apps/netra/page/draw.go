package page

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/chart"
	"github.com/gavelhq/gavel/platform/web"
)

// look is what drawings of a page are told, for a desk or for a phone.
func look(p *web.Page, id string, width int) chart.Look {
	l := chart.Look{ID: id, Width: width, Zone: p.Org.Zone, Class: "wide-only"}
	if width < chart.Middle {
		l.ID, l.Class = id+"-p", "phone-only"
	}
	for i := range l.Months {
		l.Months[i] = p.T(fmt.Sprintf("month.%02d", i+1))
	}
	return l
}

// tileMap draws every district, of a size.
func tileMap(p *web.Page, all []casework.Moved, window, width int) string {
	states := map[string][]casework.Moved{}
	var names []string
	for _, m := range all {
		if states[m.State] == nil {
			names = append(names, m.State)
		}
		states[m.State] = append(states[m.State], m)
	}
	at := placesOf(names)
	var blocks []chart.TileBlock
	for _, name := range names {
		b := chart.TileBlock{Name: name, Band: at[name].band, At: at[name].at}
		some := states[name]
		slices.SortFunc(some, func(a, b casework.Moved) int { return a.LGD - b.LGD })
		for _, m := range some {
			b.Tiles = append(b.Tiles, tileOf(p, m, window))
		}
		blocks = append(blocks, b)
	}
	return string(chart.TileMap(look(p, "districts", width), p.T("netra.map"), p.T("netra.map_text"), blocks))
}

func tileOf(p *web.Page, m casework.Moved, window int) chart.Tile {
	t := chart.Tile{Short: abbreviated(m.Name), Value: "–", Href: p.Href(districtAt(m.LGD, "", window)),
		Name: p.T("netra.tile_none", "district", m.Name)}
	if r := m.Now(); r.Score.Known {
		t.Class, t.Value = int(r.Band)+1, figure(r.Score.Value, 0)
		t.Thin = m.Coverage.Thin()
		t.Name = p.T("netra.tile", "district", m.Name, "score", figure(r.Score.Value, 2), "band", p.T("netra.band."+r.Band.String()))
		if t.Thin {
			t.Name += ", " + p.T("netra.thin")
		}
	}
	return t
}

// tileLegend says what the shades mean: the bands with their limits, as the organisation has set them.
func tileLegend(p *web.Page, limits score.Thresholds) []chart.Entry {
	var words [chart.TileClasses]string
	for i, b := range score.Bands() {
		words[i] = p.T("netra.band."+b.String()) + ", " + bandLimits(p, limits, b)
	}
	return chart.TileLegend(words, p.T("netra.no_data"), p.T("netra.thin"))
}

// bandLimits says in words where a band begins and ends.
func bandLimits(p *web.Page, limits score.Thresholds, b score.Band) string {
	low, high := limits.Bounds(b)
	from, to := strconv.FormatFloat(low, 'g', -1, 64), strconv.FormatFloat(high, 'g', -1, 64)
	switch b {
	case score.Baseline:
		return p.T("netra.band_under", "high", to)
	case score.Critical:
		return p.T("netra.band_over", "low", from)
	default:
		return p.T("netra.band_between", "low", from, "high", to)
	}
}

// historyChart draws the scores of the days before: as they come out by today's method, and as they were given out.
func historyChart(p *web.Page, v districtView, width int) string {
	again := chart.DateLine{Name: p.T("netra.computed")}
	for _, r := range append(slices.Clone(v.Past), v.Now()) {
		again.Times, again.Values = append(again.Times, r.AsOf), append(again.Values, casework.Value(r))
	}
	given := chart.DateLine{Name: p.T("netra.given_out"), Dots: true}
	for _, f := range slices.Backward(v.frozen) {
		if f.Score != nil {
			given.Times, given.Values = append(given.Times, f.AsOf), append(given.Values, *f.Score)
		}
	}
	t, n := v.Limits, strconv.Itoa(len(again.Times)+len(given.Times))
	return string(chart.Dates(look(p, "history", width), p.T("netra.history"), p.T("netra.history_alt", "n", n),
		score.MostComposite, t[:], []chart.DateLine{again, given}, v.marks(p)))
}

// times are the moments of the history, and the scores at each: computed again, and as given out; not a number where there is none.
func (v districtView) times() (times []time.Time, again, given []float64) {
	type point struct{ again, given float64 }
	all := map[time.Time]point{}
	for _, r := range append(slices.Clone(v.Past), v.Now()) {
		all[r.AsOf] = point{casework.Value(r), math.NaN()}
	}
	for _, f := range v.frozen {
		p, there := all[f.AsOf]
		if !there {
			p.again = math.NaN()
		}
		if p.given = math.NaN(); f.Score != nil {
			p.given = *f.Score
		}
		all[f.AsOf] = p
	}
	for at := range all {
		times = append(times, at)
	}
	slices.SortFunc(times, time.Time.Compare)
	for _, at := range times {
		again, given = append(again, all[at].again), append(given, all[at].given)
	}
	return times, again, given
}

// marks are the moments from which scores were given out by another method, and those at which a correction was accepted.
func (v districtView) marks(p *web.Page) (out []chart.DateMark) {
	for i := len(v.frozen) - 1; i > 0; i-- { // the newest is first
		if older, newer := v.frozen[i], v.frozen[i-1]; older.ProfileHash != newer.ProfileHash {
			out = append(out, chart.DateMark{At: newer.AsOf, Name: p.T("netra.method_changed", "profile", newer.Profile)})
		}
	}
	for _, c := range v.corrected {
		if c.State == store.CorrectionAccepted && c.DecidedAt != nil {
			out = append(out, chart.DateMark{At: *c.DecidedAt, Name: p.T("netra.mark_corrected")})
		}
	}
	return out
}

// shownAt is the hour of a signal: an exact time with a place and a rare event can tell who was meant.
func shownAt(p *web.Page, t time.Time) string { return p.Moment(signal.Shown(t)) }
