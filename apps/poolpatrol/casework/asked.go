package casework

import (
	"context"
	"encoding/json"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/lifecycle"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/programme"
	"github.com/gavelhq/gavel/platform/review"
)

// A question is something people were asked about a case, with what of its arguments the
// case goes by.
type question struct {
	review.Question
	args struct {
		Employee *fleet.EmployeeID `json:"employee_id"`
		Asked    string            `json:"asked"`   // the key of what it was left by
		Replies  int               `json:"replies"` // there were when it was asked
	}
}

// about is whom it is about; empty where it is about the case.
func (q question) about() fleet.EmployeeID {
	if q.args.Employee == nil {
		return ""
	}
	return *q.args.Employee
}

// choice is what people were to decide, as it was approved.
func (q question) choice() lifecycle.Choice {
	var final struct{ Choice lifecycle.Choice }
	_ = json.Unmarshal(q.Final(), &final) // what was erased has none
	return final.Choice
}

func asQuestion(q review.Question) question {
	out := question{Question: q}
	_ = json.Unmarshal(q.Proposal.Args, &out.args) // what was erased says nothing
	return out
}

// asked is what people were asked about the case by one of its tools, or by all for none,
// newest first.
func (s *step) asked(ctx context.Context, tool string) (out []question, err error) {
	if s.questions == nil {
		if s.questions, err = review.Questions(ctx, s.tx, s.file.Org, s.file.ID, programme.Name); err != nil {
			return nil, err
		}
	}
	for _, q := range s.questions {
		if tool == "" || q.Proposal.Tool == tool {
			out = append(out, asQuestion(q))
		}
	}
	return out, nil
}

// isNoted reports whether the case knows of an event, by its key.
func (s *step) isNoted(ctx context.Context, key string) (bool, error) {
	if s.noted == nil {
		rows, _ := s.tx.Query(ctx, `select key from poolpatrol.case_event where case_id = $1`, s.file.ID)
		all, err := pgx.CollectRows(rows, pgx.RowTo[string])
		if err != nil {
			return false, err
		}
		s.noted = map[string]bool{}
		for _, k := range all {
			s.noted[k] = true
		}
	}
	return s.noted[key], nil
}
