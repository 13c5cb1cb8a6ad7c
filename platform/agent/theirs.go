package agent

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

// WordsShown is the kind of the record that somebody was shown what another person said to an agent.
const WordsShown audit.Kind = "words_shown"

// TalkOf is whom a conversation is sealed for whose brief names nobody: itself. What a person says to an agent never stands in plain,
// and leaves with no case file that others could read.
func TalkOf(run string) seal.Subject { return seal.Subject{Type: "talk", ID: run} }

// Theirs is the code of the refusal to show words that are another person's.
const Theirs = "words_theirs"

// anothers reports whether a run belongs to a conversation that somebody else has with an agent. The top of its tree tells: what one
// agent reads it tells the others.
func anothers(ctx context.Context, tx pgx.Tx, actor identity.Actor, run string) (yes bool, err error) {
	const talk = `select exists (select from gavel.run r join gavel.run top on top.org = r.org and top.id = r.root
			join gavel_sys.agent_spec s on s.sha256 = top.spec
		where r.id = $1 and top.for_id <> '' and top.for_id <> $2 and convert_from(s.body, 'UTF8')::jsonb -> 'chat' = 'true'::jsonb)`
	if err := tx.QueryRow(ctx, talk, run, actor.ID).Scan(&yes); err != nil {
		return false, fmt.Errorf("whose words run %s holds: %w", run, err)
	}
	return yes, nil
}

// anothers is the same in a transaction of its own.
func (b *books) anothers(ctx context.Context, actor identity.Actor, run string) (yes bool, err error) {
	err = b.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		yes, err = anothers(ctx, tx, actor, run)
		return err
	})
	return yes, err
}

// speaks refuses words from somebody else than the person whose conversation it is: the agent would take them for theirs.
func speaks(ctx context.Context, tx pgx.Tx, actor identity.Actor, run string) error {
	yes, err := anothers(ctx, tx, actor, run)
	if err == nil && yes {
		err = fault.New(fault.Refused, "this is somebody else's conversation with an agent").
			WithNext("begin a conversation of your own").Because("talk_theirs")
	}
	return err
}

// own refuses what is said in a conversation that is somebody else's.
func (b *books) own(ctx context.Context, actor identity.Actor, run string) error {
	yes, err := b.anothers(ctx, actor, run)
	if err == nil && yes {
		err = fault.New(fault.Refused, "what somebody said to an agent is theirs").
			WithNext("an auditor is shown it who gives a reason").Because("words_theirs")
	}
	return err
}

// Disclose opens what was said in one step of another person's conversation, for somebody who may and who says why. That they were
// shown it is on record before they are.
func (s *Store) Disclose(ctx context.Context, actor identity.Actor, run string, seq int, reason string) (p Payload, err error) {
	for _, act := range []string{"run.words", "run.others"} {
		if err := s.rules.May(actor, act); err != nil {
			return p, err
		}
	}
	if err := CheckRunID(run); err != nil {
		return p, err
	}
	why, err := audit.NewReason(reason)
	if err != nil {
		return p, err
	}
	if p, err = s.payload(ctx, actor.Org, run, seq); err != nil {
		return p, err
	}
	return p, s.noteLook(ctx, actor, run, seq, why)
}

// noteLook puts a look at another person's words on record.
func (s *Store) noteLook(ctx context.Context, actor identity.Actor, run string, seq int, why audit.Reason) error {
	const insert = `insert into gavel.run_disclosure (org, run_id, seq, at, actor_id, actor_name, reason, salt, record_id)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`
	f, err := s.books.facts(ctx, actor.Org, run)
	if err != nil {
		return err
	}
	err = s.books.db.InOrg(ctx, actor.Org, func(tx pgx.Tx) error {
		at := s.clock.Now()
		rec, err := audit.Append(ctx, tx, audit.Record{At: at, Kind: WordsShown, App: f.App, Actor: actor, Subject: run, Body: struct {
			Case   string `json:"case"`
			Seq    int    `json:"seq"`
			Reason string `json:"reason_sha256"`
		}{f.Case, seq, why.SHA256}})
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, insert, actor.Org, run, seq, at, actor.ID, actor.Name, why.Text, why.Salt, rec)
		return err
	})
	if err != nil {
		return fmt.Errorf("record a look at step %d of %s: %w", seq, run, err)
	}
	return nil
}
