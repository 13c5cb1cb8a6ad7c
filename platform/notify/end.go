package notify

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/notify/address"
	"github.com/gavelhq/gavel/platform/review"
)

// ends are how a mail's end is called by its act, and on its case. Why an act ended
// goes with a case whomever it is about, so it does not repeat what a mail server
// said: that may quote an address.
var ends = map[State]struct {
	act   act.State
	why   string
	entry string
}{
	Sent:          {act.Done, "", EntrySent},
	Undeliverable: {act.Failed, "The mail was not sent; its entry says why.", EntryUndeliverable},
	Unknown: {act.Unknown, "The connection broke while the mail was handed over, and nobody can say whether it was taken.",
		EntryUnknown},
}

// end writes down how a mail ended: its act, the mail, an entry of its case and,
// where nobody can say, the question to a person, all in one transaction.
func (s *Sender) end(ctx context.Context, j job, state State, words string) error {
	ctx = context.WithoutCancel(ctx)
	at := s.Post.clock.Now().UTC().Truncate(time.Microsecond)
	words = tidy(words)
	if !j.HasCase {
		return s.Post.db.InOrg(ctx, j.Org, func(tx pgx.Tx) error { return s.close(ctx, tx, j, state, words, at) })
	}
	end := act.End{State: ends[state].act, Reason: ends[state].why, Then: func(tx pgx.Tx, a act.Act) error {
		if err := s.close(ctx, tx, j, state, words, at); err != nil {
			return err
		}
		return s.tellCase(ctx, tx, j, state, words, at, a)
	}}
	if state == Unknown {
		end.Reason = cmp.Or(j.why, end.Reason)
	}
	if state == Sent {
		end.Result = json.RawMessage(`{"sent":true}`)
	}
	if _, err := s.Acts.Finish(ctx, j.Org, j.ID, j.fence, end, nil); err != nil {
		return fmt.Errorf("end mail %s as %s: %w", j.ID, state, err)
	}
	return nil
}

// close gives a mail its last state, if it is still ours. Of a mail that is an act
// its act knows whose it is: what is known to have happened is written down even if
// the next has just looked at the row.
func (s *Sender) close(ctx context.Context, tx pgx.Tx, j job, state State, words string, at time.Time) error {
	const update = `update gavel.mail set state = $4, reason = $5, ended_at = $6 where org = $1 and id = $2
		and (tries = $3 or case_id is not null) and ended_at is null`
	tag, err := tx.Exec(ctx, update, j.Org, j.ID, j.Tries, state, words, at)
	if err == nil && tag.RowsAffected() == 0 {
		return fault.New(fault.Conflict, "mail %s is no longer ours to end", j.ID)
	}
	return err
}

// tellCase says on the case how a mail ended, and asks a person where nobody knows.
func (s *Sender) tellCase(ctx context.Context, tx pgx.Tx, j job, state State, words string, at time.Time, a act.Act) error {
	m, _, err := read(ctx, tx, j.Org, j.ID)
	if err != nil {
		return err
	}
	text := mark(m)
	if words != "" {
		text += ": " + words
	}
	if err := enter(ctx, tx, m, ends[state].entry, text, at); err != nil {
		return err
	}
	if state == Unknown {
		if err := question(ctx, tx, m, a, at); err != nil {
			return err
		}
	}
	return s.wake(ctx, tx, m, state)
}

// SignalName is how a case's workflow is told how a mail of the case ended, with a
// Signal.
const SignalName = "mail_ended"

// A Signal says that the end of a mail is on record. A workflow tells a repeat by
// Mail, and one meant for an earlier case of the same key by Case.
type Signal struct {
	Case  casefile.CaseID `json:"case"`
	Mail  string          `json:"mail"`
	State State           `json:"state"`
}

// wake tells the workflow of the mail's case. A closed case has none any more.
func (s *Sender) wake(ctx context.Context, tx pgx.Tx, m Mail, state State) error {
	if s.Cases == nil {
		return nil
	}
	of, err := casefile.Lock(ctx, tx, m.Case)
	if err != nil || of.State == casefile.Closed {
		return err
	}
	return s.Cases.Signal(ctx, tx, of, SignalName, Signal{Case: m.Case, Mail: m.ID, State: state})
}

// kindUnknown is the kind of the question whether an act happened, as agents ask
// it too.
const kindUnknown = "act_unknown"

// question asks a person whether a mail has arrived. Nothing follows from the
// answer by itself, except that it is on record. A closed case asks nobody.
func question(ctx context.Context, tx pgx.Tx, m Mail, a act.Act, at time.Time) error {
	of, err := casefile.Lock(ctx, tx, m.Case)
	if err != nil || of.State == casefile.Closed {
		return err
	}
	name, _, _ := address.ParseMessageID(m.MessageID)
	found := act.UnsettledOf(finding.Subject{Kind: "mail", Name: name, Of: strings.ReplaceAll(m.Kind, "_", " "), Link: "/cases/" +
		string(m.Case)})
	doc, err := json.Marshal(map[string]any{"finding": found, "act": a.Key, "args": a.Args, "case": a.Case, "line": "Send " + mark(m),
		"tool": a.Tool,
		"question": "Has this mail arrived? Ask the recipient or the mail server's keeper. Approve if it has, reject if it has not. " +
			"Nothing is sent again either way."})
	if err != nil {
		return err
	}
	var b pgx.Batch
	err = review.ProposeLater(&b, &review.Proposal{Org: m.Org, Case: string(m.Case), Kind: kindUnknown, App: a.App, Key: a.Key + "/unknown",
		Run: a.Run, Call: a.Call, Gate: review.ByAnother, Args: a.Args, ArgsSHA256: a.ArgsSHA256, Shown: doc, ShownSHA256: act.Digest(doc),
		RequestedBy: identity.Gavel(m.Org).ID, Allowed: []review.Verdict{review.Approve, review.Reject}, CreatedAt: at,
		Deciders: []identity.Role{identity.Officer, identity.ProgrammeManager, identity.HR, identity.PassAdmin}})
	if err != nil {
		return err
	}
	return tx.SendBatch(ctx, &b).Close()
}

// release gives a mail up for another try after a while. As Queued nothing was
// handed over, for certain; as Sending somebody must ask first. The act goes last:
// whoever claims it in between finds the mail not due yet.
func (s *Sender) release(ctx context.Context, j job, as State, after time.Duration, words string) error {
	ctx = context.WithoutCancel(ctx)
	if err := s.putBack(ctx, j, as, after, words); err != nil || !j.HasCase {
		return err
	}
	if as == Queued {
		return s.Acts.GiveBack(ctx, j.Org, j.ID, j.fence)
	}
	return s.Acts.Release(ctx, j.Org, j.ID, j.fence)
}

// putBack makes a mail due again, a little sooner or later than asked so that many
// do not come at once.
func (s *Sender) putBack(ctx context.Context, j job, as State, after time.Duration, words string) error {
	// Nothing was tried of a mail that is queued again under a pause: its time begins
	// when it does.
	const update = `update gavel.mail set state = $4, reason = $5,
		due_at = clock_timestamp() + make_interval(secs => $6 * (1 + random() / 4)),
		first_try_at = case when $7 then null else first_try_at end
		where org = $1 and id = $2 and tries = $3 and ended_at is null`
	err := s.Post.db.InOrg(context.WithoutCancel(ctx), j.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(ctx, update, j.Org, j.ID, j.Tries, as, tidy(words), after.Seconds(), j.held)
		return err
	})
	if err != nil {
		return fmt.Errorf("put back mail %s: %w", j.ID, err)
	}
	return nil
}

// maxReason is how much is kept of a mail server's words, in characters.
const maxReason = 1_000

// quoted is an address in what a mail server said.
var quoted = regexp.MustCompile(`[^\s<>"'(),;:\[\]]+@[^\s<>"'(),;:\[\]]+`)

// tidy is words that can be stored and shown: without the addresses that mail
// servers like to quote, since a case's entries leave in bundles.
func tidy(words string) string {
	words = quoted.ReplaceAllString(words, "[address]")
	words = strings.Join(strings.Fields(strings.ToValidUTF8(strings.ReplaceAll(words, "\x00", ""), "\uFFFD")), " ")
	if r := []rune(words); len(r) > maxReason {
		return string(r[:maxReason])
	}
	return words
}
