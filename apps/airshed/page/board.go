package page

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/casework/survey"
	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/job"
	"github.com/gavelhq/gavel/platform/web"
)

// A boardView is what stands now.
type boardView struct {
	now   nowView
	past  []store.Episode // those that are over, the last first
	late  []evidence.Freshness
	fresh int // sources that came in time
	spare int // that never came: nobody uses them here yet

	handed bool  // what is shown was handed in, with its readings
	fault  error // why a scan was not started
}

// A nowView is the part of the board that moves by itself.
type nowView struct {
	newest *store.Scan // the last that was begun, nil where there was none
	read   *store.Scan // the one whose board is shown: the newest data of the last scans
	board  analysis.Board
	going  []store.Episode
	words  report.Speech
	lake   bool // there is a lake that can be looked at
}

// pastOnBoard is how many past episodes the board lists.
const pastOnBoard = 8

// board is the first page: what stands now, and what was.
func (g *Pages) board(w http.ResponseWriter, r *http.Request) error {
	return g.showBoard(w, r, http.StatusOK, nil)
}

func (g *Pages) showBoard(w http.ResponseWriter, r *http.Request, status int, refused error) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	p := g.TitledPage(r, "air.board_title")
	v := boardView{fault: refused}
	if v.now, err = g.readNow(r.Context(), actor, p); err != nil {
		return err
	}
	all, err := g.Store.Episodes(r.Context(), actor, store.Cursor{}, pastOnBoard+len(v.now.going))
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.Over && len(v.past) < pastOnBoard {
			v.past = append(v.past, e)
		}
	}
	sources, err := g.Store.Fresh(r.Context(), actor)
	if err != nil {
		return err
	}
	v.sort(sources)
	return g.Site.Render(w, r, status, p, boardScreen(p, v))
}

// sort tells sources that are late from those that came. One that never came is not used
// here yet and raises no alarm: what a scan missed stands with the scan.
func (v *boardView) sort(sources []evidence.Freshness) {
	v.handed = v.now.read != nil && v.now.read.Kind == store.Handed
	for _, f := range sources {
		switch {
		case !f.Silent():
			v.fresh++
		case f.Last.IsZero():
			v.spare++
		default:
			v.late = append(v.late, f)
		}
	}
}

// boardNow is what stands now alone, when notices say that a scan moved.
func (g *Pages) boardNow(w http.ResponseWriter, r *http.Request) error {
	actor, err := frame.WhoAsks(r)
	if err != nil {
		return err
	}
	p := g.TitledPage(r, "air.board_title")
	v, err := g.readNow(r.Context(), actor, p)
	if err != nil {
		return err
	}
	return g.Site.Region(w, r, p, v.region(p))
}

func (g *Pages) readNow(ctx context.Context, actor identity.Actor, p *web.Page) (v nowView, err error) {
	if v.words, err = frame.Speech(p); err != nil {
		return v, err
	}
	v.lake = g.surveyor.Watches(actor.Org)
	last, err := g.Store.Scans(ctx, actor, store.Cursor{}, 1)
	if err != nil || len(last) == 0 {
		return v, err
	}
	v.newest = &last[0]
	if v.going, err = g.Store.Going(ctx, actor); err != nil {
		return v, err
	}
	slices.SortStableFunc(v.going, func(a, b store.Episode) int { return cmp.Compare(b.Peak, a.Peak) }) // the worst first
	v.read, v.board, err = g.Store.Newest(ctx, actor)
	return v, err
}

// region hears of every scan, so that one somebody else starts appears.
func (v nowView) region(p *web.Page) web.Region {
	return web.Region{ID: "now", Object: store.ScanJob.Live("*"), Src: frame.HomeAt + "/now", Announce: true, Body: nowScreen(p, v)}
}

// after is what the form says it knew, so that pressed twice it starts one scan.
func (v nowView) after() string {
	if v.newest == nil {
		return "none"
	}
	return v.newest.ID
}

func (v nowView) running() bool { return v.newest != nil && v.newest.State == job.Running }

// age is how old the data are that are shown.
func (v nowView) age(p *web.Page) time.Duration { return p.Now.Sub(v.board.At) }

// old reports whether the data are so old that what is shown may be over.
func (v nowView) old(p *web.Page) bool { return v.age(p) > survey.Current }

// unseen reports whether the newest data say nothing about an episode any more.
func (v nowView) unseen(e store.Episode) bool { return e.AsOf.Before(v.board.At) }

// leftBy counts the stations that were left out by why.
func leftBy(all []analysis.Left) (out []analysis.Tally) {
	for _, l := range all {
		i := slices.IndexFunc(out, func(t analysis.Tally) bool { return t.Name == string(l.Why) })
		if i < 0 {
			i = len(out)
			out = append(out, analysis.Tally{Name: string(l.Why)})
		}
		out[i].Count++
	}
	return out
}
