package page

import (
	"cmp"
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/rule/score"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// boardRows is how many districts the board lists before it is asked for all.
const boardRows = 40

// A boardView is the scores of all districts, those that moved most first.
type boardView struct {
	window int
	state  string // that the list is narrowed to; empty for all
	all    []casework.Moved
	rows   []casework.Moved // of the list, as many as are shown
	hidden int              // that are not shown
	none   int              // districts without a score
	worth  validationView   // what alarms of this window were worth
	thin   int              // districts of which less than usual is heard
}

// board is the first page.
func (g *Pages) board(w http.ResponseWriter, r *http.Request) error {
	p := g.page(r)
	p.Title = p.T("netra.title")
	v, err := g.readBoard(r)
	if err != nil {
		return err
	}
	return g.site.Render(w, r, http.StatusOK, p, boardScreen(p, v))
}

func (g *Pages) readBoard(r *http.Request) (v boardView, err error) {
	actor, err := g.who(r)
	if err != nil {
		return v, err
	}
	if v.window, err = windowIn(r); err != nil {
		return v, err
	}
	if v.worth, err = g.worth(r.Context(), actor, v.window); err != nil {
		return v, err
	}
	v.all, err = g.desk.Board(r.Context(), actor, v.window, score.V2())
	if fault.Is(err, fault.Conflict) { // no district is known yet
		return v, nil
	}
	if err != nil {
		return v, err
	}
	v.state = r.URL.Query().Get("state")
	for _, m := range v.all {
		switch {
		case !m.Now().Score.Known:
			v.none++
		case m.Coverage.Thin():
			v.thin++
		}
		if v.state == "" || m.State == v.state {
			v.rows = append(v.rows, m)
		}
	}
	slices.SortStableFunc(v.rows, byChange)
	if len(v.rows) > boardRows && r.URL.Query().Get("all") == "" {
		v.hidden = len(v.rows) - boardRows
		v.rows = v.rows[:boardRows]
	}
	return v, nil
}

// byChange puts first what moved most, up before down, then what is higher; districts without a score are last.
func byChange(a, b casework.Moved) int {
	x, y := a.Change(), b.Change()
	return cmp.Or(
		known(b.Now().Score)-known(a.Now().Score), cmp.Compare(math.Abs(y.Value), math.Abs(x.Value)), cmp.Compare(y.Value, x.Value),
		cmp.Compare(b.Now().Score.Value, a.Now().Score.Value), cmp.Compare(a.LGD, b.LGD))
}

func known(n score.Number) int {
	if n.Known {
		return 1
	}
	return 0
}

// states are those that the list can be narrowed to.
func (v boardView) states() (out []string) {
	for _, m := range v.all {
		out = append(out, m.State)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// limits are where bands begin; all districts were told by the same.
func (v boardView) limits() score.Thresholds {
	if len(v.all) == 0 {
		return score.Usual()
	}
	return v.all[0].Limits
}

// address is the board with what narrows it.
func (v boardView) address(path string, more ...string) string {
	narrowed := []string{"window", strconv.Itoa(v.window)}
	if v.state != "" {
		narrowed = append(narrowed, "state", v.state)
	}
	return web.Address(path, append(narrowed, more...)...)
}

// boardFile is the list as a file: all districts, in the order of the page.
func (g *Pages) boardFile(w http.ResponseWriter, r *http.Request) error {
	if _, err := g.who(r, actExport); err != nil {
		return err
	}
	v, err := g.readBoard(r)
	if err != nil {
		return err
	}
	rows := [][]string{{"district_lgd", "district", "state", "score", "change", "threshold", "status", "trend", "cognitive", "network",
		"physical", "signal_count", "heard_24h", "usual_24h", "window_hours", "timestamp", "profile", "profile_hash"}}
	all := slices.Clone(v.all)
	slices.SortStableFunc(all, byChange)
	for _, m := range all {
		if v.state == "" || m.State == v.state {
			rows = append(rows, boardLine(m))
		}
	}
	return sendCSV(w, "netra-districts", governance(g.page(r)), rows)
}

// boardLine is a district in the file. Numbers have a minus as machines write it.
func boardLine(m casework.Moved) []string {
	r := m.Now()
	number := func(n score.Number) string {
		if !n.Known {
			return ""
		}
		return strconv.FormatFloat(n.Value, 'f', 2, 64)
	}
	line := []string{strconv.Itoa(m.LGD), m.Name, m.State, number(r.Score), number(m.Change()), r.Band.String(), string(r.Status),
		string(r.Trend)}
	for _, l := range r.Layers {
		line = append(line, strconv.FormatFloat(float64(l.Printed)/100, 'f', 2, 64))
	}
	return append(line, strconv.FormatInt(r.Signals, 10), strconv.FormatInt(m.Coverage.Heard, 10),
		strconv.FormatFloat(m.Coverage.Usual, 'f', -1, 64), strconv.FormatFloat(r.WindowHours, 'f', -1, 64), stamp(r.AsOf), r.Profile,
		r.ProfileHash)
}
