package agent

import (
	"bytes"
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
)

// AskAgainRecord is the kind of the record that a step was put to a model again:
// words left the house once more.
const AskAgainRecord audit.Kind = "asked_again"

// MostAskedAgain is how often a step is put to the model in one go.
const MostAskedAgain = 10

// An AskedAgain is a new answer to an old step. It is a new answer, never proof
// of what the old one was or should have been: nothing of it is carried out or
// kept.
type AskedAgain struct {
	Model  model.Identity `json:"model"`
	Usage  model.Usage    `json:"usage"`
	Stop   model.Stop     `json:"stop"`
	Same   bool           `json:"same"`            // word for word and call for call what is on record
	Tools  []string       `json:"tools"`           // what it wished for, in order
	Args   []string       `json:"args_sha256"`     // digests of the arguments as written
	Answer string         `json:"answer"`          // empty for those who may not read these words
	Wanted []Wanted       `json:"wanted"`          // empty for those who may not read these words
	Error  string         `json:"error,omitempty"` // why there is no answer
}

// Reask puts one step of a run to the model again, so many times: the same
// words, with the tools and the route as they are today. A step below zero means
// the newest.
func Reask(ctx context.Context, s *Steps, actor identity.Actor, run string, seq, times int) ([]AskedAgain, int, error) {
	if err := s.rules.May(actor, "run.reask"); err != nil {
		return nil, 0, err
	}
	if err := CheckRunID(run); err != nil {
		return nil, 0, err
	}
	if times < 1 || times > MostAskedAgain {
		return nil, 0, fault.New(fault.Invalid, "a step is asked again 1 to %d times, not %d", MostAskedAgain, times)
	}
	t, was, err := s.again(ctx, actor.Org, run, seq)
	if err != nil {
		return nil, 0, err
	}
	route, err := s.routes.Find(t.spec.Route)
	if err != nil {
		return nil, 0, err
	}
	if err := t.noteAsking(ctx, actor, times); err != nil {
		return nil, 0, err
	}
	theirs, err := s.books.anothers(ctx, actor, run)
	if err != nil {
		return nil, 0, err
	}
	req := t.request(route, was)
	all := make([]AskedAgain, times)
	for i := range all {
		if all[i], err = t.askOnce(ctx, route, req, was); err != nil {
			return nil, 0, err
		}
		if theirs || s.rules.May(actor, "run.words") != nil {
			all[i].Answer, all[i].Wanted = "", []Wanted{}
		}
	}
	return all, t.in.Seq, nil
}

// again is a turn as it stood before a step, and the step's own node.
func (s *Steps) again(ctx context.Context, org identity.Org, run string, seq int) (*turn, node, error) {
	f, err := s.books.facts(ctx, org, run)
	if err != nil {
		return nil, node{}, err
	}
	spec, err := s.books.spec(ctx, org, f.Spec)
	if err != nil {
		return nil, node{}, err
	}
	if seq < 0 {
		const newest = `select seq from gavel.run where id = $1`
		if err := s.books.db.InOrg(ctx, org, func(tx pgx.Tx) error { return tx.QueryRow(ctx, newest, run).Scan(&seq) }); err != nil {
			return nil, node{}, fmt.Errorf("newest step of %s: %w", run, err)
		}
	}
	was, _, err := s.books.nodeOf(ctx, org, run, seq)
	if err != nil {
		return nil, was, err
	}
	c, err := s.books.chain(ctx, org, was.Parent)
	if err != nil {
		return nil, was, err
	}
	return &turn{Steps: s, in: turnInput{Org: org, Run: run, Seq: seq}, facts: f, spec: spec, chain: c, began: s.clock.Now()}, was, nil
}

// request is what the model is told: the words of the time, the tools of today.
func (t *turn) request(route model.Route, was node) model.Request {
	req := model.Request{Model: route.Model, System: t.spec.system(), Messages: append(t.chain.messages(was.Late), was.Before...),
		Params: route.Params, Agent: t.facts.App + "/" + t.facts.Agent}
	if was.Compacts {
		req.Messages = append(req.Messages, userSays(summarise))
		return req
	}
	req.Tools = t.tools()
	if t.spec.Answer != nil {
		req.Answer = &model.AnswerSpec{Name: t.spec.Name, Schema: t.spec.Answer}
	}
	return req
}

// askOnce asks once. A model that does not answer is a result too.
func (t *turn) askOnce(ctx context.Context, route model.Route, req model.Request, was node) (AskedAgain, error) {
	ctx, stop := context.WithTimeout(ctx, t.modelTimeout)
	defer stop()
	res, err := t.call(ctx, route, req)
	a := AskedAgain{Model: res.Identity, Usage: res.Usage, Stop: res.Stop, Tools: []string{}, Args: []string{}, Wanted: []Wanted{}}
	if err != nil {
		a.Error, _ = fault.Words(err)
		return a, ctx.Err()
	}
	a.Answer = res.Message.Text()
	for i, c := range res.Message.Calls {
		a.Tools, a.Args = append(a.Tools, c.Name), append(a.Args, act.Digest([]byte(c.Args)))
		a.Wanted = append(a.Wanted, Wanted{callID(t.in.Seq, i), c.Name, c.Args})
	}
	a.Same = sameWords(res.Message, was.Answer)
	return a, nil
}

// sameWords compares two answers, whatever ids a vendor gave the calls.
func sameWords(a, b model.Message) bool {
	plain := func(m model.Message) []byte {
		calls := make([]model.Call, len(m.Calls))
		for i, c := range m.Calls {
			calls[i] = model.Call{Name: c.Name, Args: c.Args}
		}
		out, err := canonical(struct {
			Text  string
			Calls []model.Call
		}{m.Text(), calls})
		if err != nil {
			return nil
		}
		return out
	}
	one := plain(a)
	return one != nil && bytes.Equal(one, plain(b))
}

// noteAsking puts on record that the words of a step go to a model again, and
// at whose wish. The answer is not recorded.
func (t *turn) noteAsking(ctx context.Context, actor identity.Actor, times int) error {
	return t.books.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		_, err := audit.Append(ctx, tx, audit.Record{At: t.began, Kind: AskAgainRecord, App: t.facts.App, Actor: actor, Subject: t.facts.ID,
			Body: struct {
				Case  string `json:"case"`
				Route string `json:"route"`
				Seq   int    `json:"seq"`
				Times int    `json:"times"`
			}{t.facts.Case, t.spec.Route, t.in.Seq, times}})
		return err
	})
}
