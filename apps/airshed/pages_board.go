package airshed

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/analysis"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// A boardView is what stands now.
type boardView struct {
	now   nowView
	past  []Episode // those that are over, the last first
	late  []evidence.Freshness
	fresh int   // sources that came in time
	spare int   // that never came, and that what is shown did not need: it was handed in
	fault error // why a scan was not started
}

// A nowView is the part of the board that moves by itself.
type nowView struct {
	newest *Scan // the last that was begun, nil where there was none
	read   *Scan // the one whose board is shown: the newest data of the last scans
	board  analysis.Board
	going  []Episode
	words  report.Speech
	lake   bool // there is a lake that can be looked at
}

// pastOnBoard is how many past episodes the board lists.
const pastOnBoard = 8

// board is the first page: what stands now, and what was.
func (g *pages) board(w http.ResponseWriter, r *http.Request) error {
	return g.showBoard(w, r, http.StatusOK, nil)
}

func (g *pages) showBoard(w http.ResponseWriter, r *http.Request, status int, refused error) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	p := g.titledPage(r, "air.board_title")
	v := boardView{fault: refused}
	if v.now, err = g.readNow(r.Context(), actor, p); err != nil {
		return err
	}
	all, err := g.app.store.Episodes(r.Context(), actor, place{}, pastOnBoard+len(v.now.going))
	if err != nil {
		return err
	}
	for _, e := range all {
		if e.Over && len(v.past) < pastOnBoard {
			v.past = append(v.past, e)
		}
	}
	sources, err := g.app.store.Fresh(r.Context(), actor)
	if err != nil {
		return err
	}
	v.sort(sources)
	return g.site.Render(w, r, status, p, boardScreen(p, v))
}

// sort tells sources that are late from those that came. A file that was handed in brings
// its readings with it: what never came was not needed for it, and is not missing.
func (v *boardView) sort(sources []evidence.Freshness) {
	handed := v.now.read != nil && v.now.read.Kind == Handed
	for _, f := range sources {
		switch {
		case !f.Silent():
			v.fresh++
		case handed && f.Last.IsZero():
			v.spare++
		default:
			v.late = append(v.late, f)
		}
	}
}

// boardNow is what stands now alone, when notices say that a scan moved.
func (g *pages) boardNow(w http.ResponseWriter, r *http.Request) error {
	actor, err := whoAsks(r)
	if err != nil {
		return err
	}
	p := g.titledPage(r, "air.board_title")
	v, err := g.readNow(r.Context(), actor, p)
	if err != nil {
		return err
	}
	return g.site.Region(w, r, p, v.region(p))
}

func (g *pages) readNow(ctx context.Context, actor identity.Actor, p *web.Page) (v nowView, err error) {
	if v.words, err = speech(p); err != nil {
		return v, err
	}
	v.lake = g.app.lake != nil && g.app.lakeOf == actor.Org
	last, err := g.app.store.Scans(ctx, actor, place{}, 1)
	if err != nil || len(last) == 0 {
		return v, err
	}
	v.newest = &last[0]
	if v.going, err = g.app.store.Going(ctx, actor); err != nil {
		return v, err
	}
	slices.SortStableFunc(v.going, func(a, b Episode) int { return cmp.Compare(b.Peak, a.Peak) }) // the worst first
	v.read, v.board, err = g.app.store.Newest(ctx, actor)
	return v, err
}

// boardsAsked is among how many scans the newest data are looked for: somebody may
// have handed in files of other years since.
const boardsAsked = 40

// Newest is the scan with the newest data, and what all stations showed in it; nil
// where no scan is done.
func (s *Store) Newest(ctx context.Context, actor identity.Actor) (scan *Scan, board analysis.Board, err error) {
	if err := s.rules.May(actor, actRead); err != nil {
		return nil, board, err
	}
	const newest = `select id from (select id, began_at, board from airshed.scan where board is not null order by began_at desc, id desc limit $1) b
		order by (board::json ->> 'at')::timestamptz desc nulls last, began_at desc limit 1`
	var id string
	err = s.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error { return tx.QueryRow(ctx, newest, boardsAsked).Scan(&id) })
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, board, nil
	}
	if err != nil {
		return nil, board, err
	}
	one, err := s.Scan(ctx, actor, id)
	if err != nil {
		return nil, board, err
	}
	board, err = s.boardOf(ctx, actor, id)
	return &one, board, err
}

// boardOf reads what all stations showed in a scan.
func (s *Store) boardOf(ctx context.Context, actor identity.Actor, id string) (board analysis.Board, err error) {
	body, err := s.Board(ctx, actor, id)
	if err != nil {
		return board, err
	}
	if err := json.Unmarshal(body, &board); err != nil {
		return board, fault.From(fault.Internal, err, "the board of %s cannot be read", id)
	}
	return board, nil
}

// region hears of every scan, so that one somebody else starts appears.
func (v nowView) region(p *web.Page) web.Region {
	return web.Region{ID: "now", Object: liveScan("*"), Src: homeAt + "/now", Announce: true, Body: nowScreen(p, v)}
}

// after is what the form says it knew, so that pressed twice it starts one scan.
func (v nowView) after() string {
	if v.newest == nil {
		return "none"
	}
	return v.newest.ID
}

func (v nowView) running() bool { return v.newest != nil && v.newest.State == ScanRunning }

// age is how old the data are that are shown.
func (v nowView) age(p *web.Page) time.Duration { return p.Now.Sub(v.board.At) }

// old reports whether the data are so old that what is shown may be over.
func (v nowView) old(p *web.Page) bool { return v.age(p) > current }

// unseen reports whether the newest data say nothing about an episode any more.
func (v nowView) unseen(e Episode) bool { return e.AsOf.Before(v.board.At) }

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

// liveScan is the name under which open pages hear of a scan.
func liveScan(id string) string { return "scan_" + id }

// tell has pages that show a scan fetch themselves again, once it is committed.
func (s *Store) tell(ctx context.Context, tx pgx.Tx, org identity.Org, scan string) error {
	const notify = `select pg_notify('gavel_live', json_build_object('org', $1::text, 'object', $2::text, 'version', $3::bigint)::text)`
	_, err := tx.Exec(ctx, notify, org, liveScan(scan), s.clock.Now().UnixMilli())
	return err
}
