package page

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/rule/reason"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/apps/netra/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/pii"
	"github.com/gavelhq/gavel/platform/web"
)

// mostFrozen is how many of a district's scores that were given out are shown.
const mostFrozen = 120

// A districtView is one district with the reasons of its score.
type districtView struct {
	casework.Dossier

	window int
	worth  validationView // what alarms of this window were worth
	words  string         // why, in sentences
	frozen []store.Frozen // as they were given out, the newest first
	asked  []briefingView // the newest briefings

	corrected []store.Correction // the newest
}

// district is the page of one.
func (g *Pages) district(w http.ResponseWriter, r *http.Request) error {
	p := g.page(r)
	v, err := g.readDistrict(r, p)
	if err != nil {
		return err
	}
	p.Title = v.Name
	return g.site.Render(w, r, http.StatusOK, p, districtScreen(p, v))
}

func (g *Pages) readDistrict(r *http.Request, p *web.Page) (v districtView, err error) {
	actor, err := g.who(r)
	if err != nil {
		return v, err
	}
	if v.window, err = windowIn(r); err != nil {
		return v, err
	}
	lgd, err := districtIn(r)
	if err != nil {
		return v, err
	}
	if v.Dossier, err = g.desk.Dossier(r.Context(), actor, lgd, v.window, score.V2()); err != nil {
		return v, err
	}
	v.frozen, err = g.store.History(r.Context(), actor, store.HistoryQuery{LGD: lgd, WindowHours: v.window, Limit: mostFrozen})
	if err != nil {
		return v, err
	}
	if v.worth, err = g.worth(r.Context(), actor, v.window); err != nil {
		return v, err
	}
	if v.asked, err = g.newest(r.Context(), actor, lgd); err != nil {
		return v, err
	}
	if v.corrected, err = g.corrected(r.Context(), actor, lgd); err != nil {
		return v, err
	}
	told := map[string]string{}
	for id, x := range v.Told {
		told[id] = x.Summary
	}
	v.words, err = reason.Plain(reason.Lang(p.Lang), reason.Story{District: v.Name, LGD: v.LGD, Result: v.Now(), Told: told})
	return v, err
}

// districtIn is the code of the district that an address names.
func districtIn(r *http.Request) (int, error) {
	lgd, err := strconv.Atoi(r.PathValue("lgd"))
	if err != nil || lgd < 1 || lgd > 999_999 {
		return 0, fault.New(fault.NotFound, "no district has the code %.20q", r.PathValue("lgd")).WithNext("see the list of districts")
	}
	return lgd, nil
}

// A pointsRow is one line of the table of points: a signal, or all those that are not named.
type pointsRow struct {
	event               string // empty for the others
	what, kind, source  string // kind and source are empty for the others
	points, relief      string
	severity, age, hour string
	weight              string
	police, stabilises  bool
}

// rows are the lines of a layer's points, which add up to it.
func (v districtView) rows(p *web.Page, l score.LayerScore) (out []pointsRow) {
	for _, c := range l.Contributions {
		x := v.Told[c.ID]
		row := pointsRow{event: c.ID, what: pii.Mask(x.Summary), kind: p.Word("netra.type.", string(x.Type)), source: x.Source,
			points: points(c.Printed), severity: strconv.Itoa(x.Severity), weight: signed(c.Weight, 3),
			police: x.Enforcement, stabilises: c.Weight < 0}
		if row.what == "" {
			row.what, row.kind = row.kind, ""
		}
		if !x.At.IsZero() {
			row.age, row.hour = p.Span(max(v.Now().AsOf.Sub(x.At), 0).Truncate(time.Hour)), shownAt(p, x.At)
		}
		if c.Relief < 0 {
			row.relief, row.points = signed(c.Relief, 2), "0.00"
		}
		out = append(out, row)
	}
	if l.Others.Signals > 0 {
		row := pointsRow{what: p.T("netra.others", "n", web.Numeral(l.Others.Signals)), points: points(l.Others.Printed)}
		if l.Others.Relief < -0.005 {
			row.relief = signed(l.Others.Relief, 2)
		}
		out = append(out, row)
	}
	return out
}

// A lever is something that would change the score, and what it would be then.
type lever struct {
	what   string
	result score.Result
}

// levers are the signals that the score names, and what it would be without each.
func (v districtView) levers() (out []lever) {
	for i, c := range v.Now().Top {
		if i < len(v.Without) {
			out = append(out, lever{pii.Mask(v.Told[c.ID].Summary), v.Without[i]})
		}
	}
	return out
}

// districtFile is the points of a district as a file.
func (g *Pages) districtFile(w http.ResponseWriter, r *http.Request) error {
	if _, err := g.who(r, actExport); err != nil {
		return err
	}
	p := g.page(r)
	v, err := g.readDistrict(r, p)
	if err != nil {
		return err
	}
	decimal := func(x float64, n int) string { return strconv.FormatFloat(x, 'f', n, 64) }
	rows := [][]string{{"district_lgd", "district", "layer", "layer_score", "event_id", "event_summary", "points", "relief", "severity",
		"weight", "hour", "source", "source_type", "profile", "profile_hash", "timestamp"}}
	res := v.Now()
	for _, l := range res.Layers {
		head := []string{strconv.Itoa(v.LGD), v.Name, string(l.Layer), decimal(float64(l.Printed)/100, 2)}
		tail := []string{res.Profile, res.ProfileHash, stamp(res.AsOf)}
		for _, c := range l.Contributions {
			x := v.Told[c.ID]
			line := slices.Concat(head, []string{c.ID, pii.Mask(x.Summary), decimal(float64(c.Printed)/100, 2), decimal(c.Relief, 2),
				strconv.Itoa(x.Severity), decimal(c.Weight, 6), stamp(x.At.Truncate(time.Hour)), x.Source, x.SourceType}, tail)
			rows = append(rows, line)
		}
		others := "all others (" + strconv.FormatInt(l.Others.Signals, 10) + ")"
		rows = append(rows, slices.Concat(head, []string{"", others, decimal(float64(l.Others.Printed)/100, 2),
			decimal(l.Others.Relief, 2), "", "", "", "", ""}, tail))
	}
	return sendCSV(w, "netra-"+strconv.Itoa(v.LGD), governance(p), rows)
}
