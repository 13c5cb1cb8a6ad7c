package casework

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// A whyAgain is why people are asked about a case once more. A case that needs a
// person is never left without a question to one, so the answer that does not settle
// it brings another; whoever gets it reads what became of the last.
type whyAgain string

// What became of the last question.
const (
	againRejected  whyAgain = "rejected"
	againSentBack  whyAgain = "sent_back"
	againExpired   whyAgain = "expired"
	againFailed    whyAgain = "failed"     // it was approved, and could not be done
	againUndone    whyAgain = "undone"     // it was approved, and called off
	againLooked    whyAgain = "looked"     // the van was looked at again, and something still does not pass
	againNotLooked whyAgain = "not_looked" // it was to be looked at again, and could not be
)

// again is why the question comes once more, and what was said then; nothing where
// the last answer is no reason.
func (q question) again(c lifecycle.Case, couldLook bool) (whyAgain, string) {
	looked := q.Act.State == act.Done && q.choice() == lifecycle.LookAgain && c.Trigger == lifecycle.ByPerson
	switch {
	case q.Proposal.State == review.Rejected:
		return againRejected, q.Made.Reason
	case q.Proposal.State == review.SentBack:
		return againSentBack, q.Made.Reason
	case q.Proposal.State == review.Expired:
		return againExpired, ""
	case q.Act.State == act.Failed:
		return againFailed, q.Act.Reason
	case q.Act.State == act.Undone:
		return againUndone, ""
	case looked && !couldLook:
		return againNotLooked, ""
	case looked:
		return againLooked, ""
	}
	return "", ""
}

// askedBefore is why people are asked what becomes of the case once more, and what
// was said then. What was taken back because the case moved on is no answer.
func (s *step) askedBefore(ctx context.Context) (whyAgain, saidThen, error) {
	before, err := s.saidBefore(ctx, tool.Env{})
	if err != nil {
		return "", "", err
	}
	return before[0].again, before[0].said, nil
}

// said is why something is asked once more, and what was said then.
type said struct {
	again whyAgain
	said  saidThen
}

// mostSaid bounds how many answered questions are looked back at: a case is asked about a
// handful of times.
const mostSaid = 50

// saidBefore is what the record has to say about the questions before: first of the last
// one that was answered, or of none. A card that is before people already was made when
// that was another: for it follow what it may have been made with, the answers to
// every question before it, and none.
func (s *step) saidBefore(ctx context.Context, e tool.Env) ([]said, error) {
	all, err := s.asked(ctx, toolSettle)
	if err != nil {
		return nil, fmt.Errorf("what was asked before about %s: %w", s.file.Ref, err)
	}
	if own := slices.IndexFunc(all, func(q question) bool { return q.Proposal.ID == e.Proposal }); own >= 0 {
		all = all[own+1:]
	}
	all = slices.DeleteFunc(all, func(q question) bool { return q.Proposal.State == review.Open })
	all = all[:min(len(all), mostSaid)]
	could, err := s.couldLook(ctx)
	if err != nil {
		return nil, err
	}
	var out []said
	for _, q := range all {
		for _, looked := range []bool{could, !could} { // the second is for a card from before the last look
			why, words := q.again(s.life, looked)
			out = append(out, said{why, saidThen(words)})
		}
	}
	return append(out, said{}), nil
}

// couldLook reports whether the van could be looked at the last time it was to be.
func (s *step) couldLook(ctx context.Context) (could bool, err error) {
	const look = `select not coalesce((event->>'failed')::bool, false) from poolpatrol.case_event where case_id = $1 and key like 'looked:%'
		order by n desc, at desc limit 1`
	err = s.tx.QueryRow(ctx, look, s.file.ID).Scan(&could)
	if errors.Is(err, pgx.ErrNoRows) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("whether %s could be looked at: %w", s.life.Vanpool, err)
	}
	return could, nil
}

// noteFailed says in the case's history of every act that people approved and that
// could not be done, once: who approved it believes that it was.
func (s *step) noteFailed(ctx context.Context) error {
	all, err := s.asked(ctx, "")
	slices.Reverse(all)
	for _, q := range all {
		if q.Act.State != act.Failed {
			continue
		}
		ch := casefile.Change{Key: "pp:not_done:" + q.Proposal.ID, WaitingFor: s.file.WaitingFor,
			Entry: entry(s.file.Org, "pool_not_done", q.Proposal.ID+": "+q.Act.Reason, s.at)}
		changed, done, err := casefile.Apply(ctx, s.tx, s.file.ID, ch)
		if err != nil {
			return fmt.Errorf("note what was not done on %s: %w", s.file.Ref, err)
		}
		if done {
			s.file = changed
		}
	}
	return err
}
