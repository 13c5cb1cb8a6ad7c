package filing

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/rule/aqi"
	"github.com/gavelhq/gavel/apps/airshed/rule/docket"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
)

// A matter is a case with all that counts of it, as the record has it now.
type matter struct {
	clerk *Clerk
	in    casefile.Input
	at    time.Time

	file     casefile.Case
	episode  store.Episode // with its newest answer
	attempt  int
	renew    bool
	thoughts []string
	draft    *store.Draft  // the newest; nil: there is none
	requests []request     // to people, the newest first
	filing   *store.Filing // that succeeded, else the newest; nil: none
	maybe    int           // the draft that the commission may have; 0: none
	mayBy    string        // the act that put it there
	told     []telling     // whom to tell, once it was filed
}

// A request is something people were asked, and what became of it.
type request struct {
	id      string
	tool    string
	state   review.State
	act     act.State // empty: there is none
	sha256  string    // of the report
	attempt int
	about   string // the state a notice goes to
}

// gather reads a case.
func (c *Clerk) gather(ctx context.Context, in casefile.Input, at time.Time) (*matter, error) {
	m := &matter{clerk: c, in: in, at: at}
	err := c.store.In(ctx, in.Org, func(tx pgx.Tx) error { return m.read(ctx, tx) })
	if err != nil {
		return nil, fmt.Errorf("read case %s: %w", in.Case, err)
	}
	if m.filed() {
		m.told, err = m.tellings(ctx)
	}
	return m, err
}

// read reads it in a transaction, and keeps others from changing it until that ends.
func (m *matter) read(ctx context.Context, tx pgx.Tx) (err error) {
	if m.file, err = casefile.Lock(ctx, tx, m.in.Case); err != nil {
		return err
	}
	return m.readRest(ctx, tx)
}

// readRest reads what there is beside the case itself.
func (m *matter) readRest(ctx context.Context, tx pgx.Tx) (err error) {
	id := m.in.Case
	if m.episode, err = store.EpisodeOfCase(ctx, tx, id); err != nil {
		return err
	}
	row, err := store.CaseRowOf(ctx, tx, id)
	if err != nil {
		return err
	}
	m.attempt, m.renew, m.thoughts = row.Attempt, row.Renew, row.Thoughts
	if m.draft, err = store.NewestDraft(ctx, tx, id); err != nil {
		return err
	}
	if m.requests, err = requestsOf(ctx, tx, m.in.Org, id); err != nil {
		return err
	}
	if m.filing, err = store.NewestFiling(ctx, tx, id); err != nil {
		return err
	}
	m.maybe, m.mayBy, err = store.Unsettled(ctx, tx, id)
	return err
}

// requestsOf are what people were asked in a case, the newest first.
func requestsOf(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID) (out []request, err error) {
	all, err := review.Questions(ctx, tx, org, id, store.Name)
	for _, q := range all {
		if q.Proposal.Tool != toolSend && q.Proposal.Tool != toolNotice {
			continue
		}
		var args struct {
			Report  struct{ SHA256 string }
			Attempt json.Number
			State   string
		}
		_ = json.Unmarshal(q.Proposal.Args, &args) // what was erased, or was asked otherwise, is of no attempt
		attempt, _ := strconv.Atoi(cmp.Or(args.Attempt.String(), "1"))
		out = append(out, request{id: q.Proposal.ID, tool: q.Proposal.Tool, state: q.Proposal.State, act: q.Act.State,
			sha256: args.Report.SHA256, attempt: attempt, about: args.State})
	}
	return out, err
}

// became is what became of a request, as the docket knows it.
func (r request) became() docket.Asked {
	switch r.state {
	case review.Open:
		return docket.Open
	case review.Rejected:
		return docket.Refused
	case review.Expired:
		return docket.Expired
	case review.Approved, review.Edited:
		switch r.act {
		case act.Done:
			return docket.Done
		case act.Failed, act.Undone, act.Unknown:
			return docket.Failed
		}
		return docket.Under
	}
	return docket.Back // with a question, or taken back
}

// current reports whether a request is about what counts now: the newest draft in
// this attempt, or a notice.
func (m *matter) current(r request) bool {
	return r.tool == toolNotice || m.draft != nil && r.sha256 == m.draft.JSON && r.attempt == m.attempt
}

// asked is what became of asking people about the newest draft, in this attempt. What
// is being done of an earlier one comes first.
func (m *matter) asked() docket.Asked {
	newest := docket.NotAsked
	for _, r := range m.requests {
		if r.tool != toolSend {
			continue
		}
		became := r.became()
		if became == docket.Under {
			return became
		}
		if m.current(r) && newest == docket.NotAsked {
			newest = became
		}
	}
	return newest
}

// withdrawn reports whether the question about the newest draft was taken back before
// anybody answered it.
func (m *matter) withdrawn() bool {
	i := slices.IndexFunc(m.requests, func(r request) bool { return r.tool == toolSend && m.current(r) })
	return i >= 0 && m.requests[i].state == review.Withdrawn
}

func (m *matter) filed() bool { return m.filing != nil && m.filing.Status == store.Success }

// standing is the case for the docket.
func (m *matter) standing() docket.Standing {
	category, _ := aqi.CategoryOf(m.episode.Peak)
	s := docket.Standing{Closing: m.file.Status == casefile.StatusClosing, Renew: m.renew, Asked: m.asked(), Speed: m.in.Clock.Speed,
		Answer: docket.Gist{Verdict: m.episode.Verdict, First: m.episode.First, Category: string(category)}}
	if m.draft != nil {
		newest := m.draft.Gist()
		s.Newest, s.Age = &newest, m.at.Sub(m.draft.MadeAt)
		s.Maybe = m.maybe == m.draft.N
		s.Worded, s.Handed = slices.Contains(m.thoughts, m.wordTask()), slices.Contains(m.thoughts, m.fileTask())
	}
	s.Filed = m.filed() && s.Asked != docket.Under // what was done is on record first
	for _, t := range m.told {
		s.Notices = append(s.Notices, t.asked)
	}
	return s
}

// wordTask and fileTask name what the agent is asked about the newest draft.
func (m *matter) wordTask() string { return wordTask(m.draft.N) }
func (m *matter) fileTask() string { return fmt.Sprintf("file-%d-%d", m.draft.N, m.attempt) }
func wordTask(n int) string        { return fmt.Sprintf("word-%d", n) }
