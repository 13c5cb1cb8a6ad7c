package check

import (
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fault"
)

// An Exception is a person's word that a check does not count for somebody, or
// for a whole van, until a day.
type Exception struct {
	Subject string     `json:"subject"` // an employee's or a vanpool's id
	Check   Name       `json:"check"`
	Until   fleet.Date `json:"until"` // the last day it holds, at the van's site
	Reason  string     `json:"reason"`
	By      string     `json:"by"` // the person who granted it
}

// MaxReason bounds a reason, in bytes.
const MaxReason = 2000

// Valid refuses an exception that could not be defended later: without an end,
// a reason or a name.
func (e Exception) Valid() error {
	_, errE := fleet.ParseEmployee(e.Subject)
	_, errV := fleet.ParseVanpool(e.Subject)
	switch {
	case errE != nil && errV != nil:
		return fault.New(fault.Invalid, "exception for %.60q: name an employee or a vanpool", e.Subject)
	case e.Check == "" || e.By == "":
		return fault.New(fault.Invalid, "an exception names its check and who granted it")
	case e.Until == 0:
		return fault.New(fault.Invalid, "an exception has a last day")
	case strings.TrimSpace(e.Reason) == "" || len(e.Reason) > MaxReason:
		return fault.New(fault.Invalid, "an exception has a reason of at most %d bytes", MaxReason)
	}
	return nil
}

// Exceptions finds exceptions by subject and check. The zero value has none.
type Exceptions struct {
	by map[subjectCheck]Exception
}

type subjectCheck struct {
	subject string
	check   Name
}

// NewExceptions indexes exceptions. Of several for one subject and check the one
// that lasts longest counts. Invalid ones are refused, not skipped: a lost
// exception is a person wrongly accused.
func NewExceptions(all []Exception) (Exceptions, error) {
	x := Exceptions{by: make(map[subjectCheck]Exception, len(all))}
	for _, e := range all {
		if err := e.Valid(); err != nil {
			return Exceptions{}, err
		}
		k := subjectCheck{e.Subject, e.Check}
		if old, ok := x.by[k]; !ok || e.Until > old.Until {
			x.by[k] = e
		}
	}
	return x, nil
}

// For is the exception that covers a finding on a day, if there is one.
func (x Exceptions) For(f Finding, van fleet.VanpoolID, on fleet.Date) (Exception, bool) {
	for _, subject := range []string{string(f.Employee), string(van)} {
		if e, ok := x.by[subjectCheck{subject, f.Check}]; ok && subject != "" && on <= e.Until {
			return e, true
		}
	}
	return Exception{}, false
}

// excuse marks the findings that a person has excused. A verdict all of whose
// findings are excused passes: somebody decided it, so it is certain. Missing
// records are not excused; there is nothing to forgive in them.
func (x Exceptions) excuse(v Verdict, today fleet.Date) Verdict {
	if len(x.by) == 0 || len(v.Findings) == 0 {
		return v
	}
	live := Least - 1
	for i, f := range v.Findings {
		e, ok := x.For(f, v.Vanpool, today)
		if !ok || f.Route == ToData {
			live = max(live, f.Confidence.within())
			continue
		}
		v.Findings[i].Excused = &e
		v.Against = append(v.Against, NewEvidence("exception",
			"subject", e.Subject, "check", e.Check, "until", e.Until.String(), "by", e.By))
	}
	if live >= Least {
		v.Confidence, v.WouldChange = live, changes(v.Findings)
		return v
	}
	v.Label, v.Confidence, v.WouldChange = Pass, Certain, ""
	v.For, v.Against = v.Against, v.For
	return v
}
