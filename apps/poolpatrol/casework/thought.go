package casework

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/casework/mind"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/post"
	"github.com/gavelhq/gavel/apps/poolpatrol/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/inbound"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
	"github.com/gavelhq/gavel/platform/seal"
)

// A Thought is something left to do that an agent is asked about first.
type Thought struct {
	Key   string `json:"key"` // of what is to be done, and the agent's task
	Agent string `json:"agent"`
}

// mostThoughts bounds how many agents work on one case at once.
const mostThoughts = 4

// thinkerOf is the agent that is asked before something is done; none where code
// does it alone, or no model is there to ask.
func (a *Work) thinkerOf(kind lifecycle.ActionKind) string {
	who, route := "", mind.RouteLarge
	switch kind {
	case readReply:
		who, route = mind.AgentClassify, mind.RouteSmall
	case lifecycle.SaveDraft:
		who = mind.AgentOutreach
	case explainAudit:
		who = mind.AgentManager
	}
	if who == "" || a.routed == nil || !a.routed(route) || kind == explainAudit && !a.routed(mind.RouteSmall) {
		return ""
	}
	return who
}

// todo is what steps of a case left to be done, in order: what code does alone, and
// what agents are asked about first.
func (a *Work) todo(ctx context.Context, tx pgx.Tx, org identity.Org,
	id casefile.CaseID) (code []lifecycle.Action, ask []Thought, err error) {
	rows, _ := tx.Query(ctx, `select action from poolpatrol.case_todo where case_id = $1 and done_at is null order by n, key`, id)
	all, err := pgx.CollectRows(rows, func(row pgx.CollectableRow) (do lifecycle.Action, err error) {
		var text []byte
		if err := row.Scan(&text); err != nil {
			return do, err
		}
		return do, json.Unmarshal(text, &do)
	})
	for _, do := range all {
		who := a.thinkerOf(do.Kind)
		if who == mind.AgentOutreach {
			if who, err = drafterFor(ctx, tx, org, id, do.Employee); err != nil {
				break
			}
		}
		if who == "" {
			code = append(code, do)
		} else if len(ask) < mostThoughts {
			ask = append(ask, Thought{Key: do.Key, Agent: who})
		}
	}
	return code, ask, err
}

// drafterFor is who drafts an answer to somebody: no agent where they did not write a
// mail, or wrote of what a person answers from an empty page.
func drafterFor(ctx context.Context, tx pgx.Tx, org identity.Org, id casefile.CaseID, who fleet.EmployeeID) (string, error) {
	mails, err := inbound.OfCase(ctx, tx, org, id)
	from := func(m inbound.Mail) bool {
		return m.Sender == store.RiderType+":"+string(who) && m.State == inbound.Accepted && m.Kind != letter.Bounced
	}
	if err != nil || !slices.ContainsFunc(mails, from) {
		return "", err
	}
	const may = `select not coalesce((select no_draft from poolpatrol.reading where case_id = $1 and employee_id = $2 order by at desc
		limit 1), false)`
	var drafts bool
	if err := tx.QueryRow(ctx, may, id, who).Scan(&drafts); err != nil || !drafts {
		return "", err
	}
	return mind.AgentOutreach, nil
}

// Thoughts are what came of asking an agent: its run.
type Thoughts struct {
	Key   string      `json:"key"`
	Run   string      `json:"run"`
	State agent.State `json:"state"`
}

// Heed does what was left to be done, with what an agent said, as far as it may
// count. An agent that came to nothing is one that was not asked.
func (s *Steps) Heed(ctx context.Context, in casefile.Input, t Thoughts) error {
	a := s.work
	what, err := a.todoBy(ctx, in, t.Key)
	if err != nil || what == nil {
		return err
	}
	said := ""
	if t.State == agent.Done {
		if said, err = a.runs.Answer(ctx, in.Org, t.Run); err != nil && !errors.Is(err, seal.ErrErased) && !fault.Is(err, fault.NotFound) {
			return err
		}
	} else {
		a.log.WarnContext(ctx, "an agent came to nothing; a person sees to it", slog.String("case", string(in.Case)),
			slog.String("run", t.Run), slog.String("state", string(t.State)))
	}
	err = a.follow(ctx, in, *what, t.Run, said)
	if err != nil && !fault.KindOf(err).Retryable() {
		a.log.ErrorContext(ctx, "what an agent said could not be followed", slog.String("case", string(in.Case)), slog.String("run", t.Run),
			slog.Any("error", err))
		err = a.do(ctx, in, *what) // as if nobody had been asked
	}
	if err != nil {
		return err
	}
	return a.doneWith(ctx, in, t.Key)
}

// follow does something with what an agent said of it.
func (a *Work) follow(ctx context.Context, in casefile.Input, what lifecycle.Action, run, said string) error {
	switch what.Kind {
	case readReply:
		return a.readBy(ctx, in, what, run, said)
	case lifecycle.SaveDraft:
		return a.draftBy(ctx, in, what, said)
	case explainAudit:
		return a.explainedBy(ctx, in, what, run, said)
	}
	return fault.New(fault.Internal, "no agent knows how to %s", what.Kind)
}

// todoBy is one thing left to do; nil where it is done.
func (a *Work) todoBy(ctx context.Context, in casefile.Input, key string) (what *lifecycle.Action, err error) {
	err = a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		var text []byte
		err := tx.QueryRow(ctx, `select action from poolpatrol.case_todo where case_id = $1 and key = $2
			and done_at is null`, in.Case, key).Scan(&text)
		if errors.Is(err, pgx.ErrNoRows) {
			return nil
		}
		if err != nil {
			return err
		}
		what = &lifecycle.Action{}
		return json.Unmarshal(text, what)
	})
	return what, err
}

func (a *Work) doneWith(ctx context.Context, in casefile.Input, key string) error {
	return a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, `update poolpatrol.case_todo set done_at = $3 where case_id = $1 and key = $2`, in.Case, key, a.clock.Now())
		return err
	})
}

// readBy lets a reply happen to the case as an agent has read it, as far as code
// follows. Where it said nothing of use a person reads it.
func (a *Work) readBy(ctx context.Context, in casefile.Input, what lifecycle.Action, run, said string) error {
	return a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		s, err := a.hold(ctx, tx, in.Case, a.now())
		if err != nil {
			return err
		}
		var reading post.Reading
		var kept []byte
		if said != "" && json.Unmarshal([]byte(said), &reading) == nil {
			kept = []byte(said)
		}
		r, err := mind.ReplyFor(ctx, tx, in.Org, in.Case, what.Key)
		if err != nil && !fault.Is(err, fault.NotFound) {
			return err
		}
		c, why := post.Heed(post.Mail{Text: r.Words, Verified: true}, reading)
		const note = `insert into poolpatrol.reading (org, case_id, key, employee_id, run_id, said, bucket, sub_label, why, no_draft, at)
			values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict do nothing`
		if _, err := tx.Exec(ctx, note, in.Org, in.Case, what.Key, what.Employee, run, kept, c.Bucket, c.SubLabel, why, c.NoDraft,
			s.at); err != nil {
			return err
		}
		return s.take(ctx, happening{"read:" + what.Key, lifecycle.Event{Kind: lifecycle.Replied, At: s.at, Employee: what.Employee,
			Bucket: c.Bucket}})
	})
}

// draftBy puts an answer before a person, in an agent's words where they are fit
// for it.
func (a *Work) draftBy(ctx context.Context, in casefile.Input, what lifecycle.Action, said string) error {
	var draft struct {
		Body string `json:"body"`
	}
	worded := said != "" && json.Unmarshal([]byte(said), &draft) == nil
	var own []string
	err := a.db.InOrg(ctx, in.Org, func(tx pgx.Tx) error {
		life, err := store.LifeIn(ctx, tx, in.Case)
		if err != nil {
			return err
		}
		own = []string{string(life.ID), string(life.Vanpool), string(what.Employee)}
		return nil
	})
	if err != nil {
		return err
	}
	return a.ask(ctx, in, what, func(s *step) (any, error) {
		args, err := holdingReply(ctx, s, what)
		if body, fit := post.Drafted(draft.Body, own...); worded && fit {
			args.Body = body
		}
		return args, err
	}, toolReview)
}
