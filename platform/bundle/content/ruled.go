package content

import (
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
)

// A ruled call is what a turn's record says became of one call, as package agent
// writes it.
type ruledCall struct {
	Call       string `json:"call"`
	Tool       string `json:"tool"`
	ArgsSHA256 string `json:"args_sha256"`
	Verdict    string `json:"verdict"` // "act": it may run; "ask": a person decides
	Policy     *struct {
		Call       bool `json:"call"`
		Unattended bool `json:"unattended"`
	} `json:"policy"`
}

const (
	verdictAct = "act"
	verdictAsk = "ask"
)

// ruledAs says why a record does not let a call go that way, or nothing. The
// record is that of a turn, or of policy's answers alone; both name a run's
// calls. A call that no run made is asked for by policy's answers alone, in a
// record about the case. Without a digest any arguments will do.
func ruledAs(r *bundle.Reader, id audit.RecordID, run string, want ruledCall) string {
	p, ok := r.Record(id)
	if !ok {
		return fmt.Sprintf("rests on record %.40s, which is not proven in this bundle", id)
	}
	raw, _ := p.Record.Body.(json.RawMessage)
	var turn struct {
		Case  string      `json:"case"`
		Calls []ruledCall `json:"calls"`
	}
	about, told := run, p.Record.Kind == audit.ModelCall || p.Record.Kind == audit.Policy
	if run == "" {
		about, told = r.Manifest().Case, p.Record.Kind == audit.Policy
	}
	if !told || json.Unmarshal(raw, &turn) != nil || turn.Case != r.Manifest().Case || p.Record.Subject != about ||
		run == r.Manifest().Case {
		return fmt.Sprintf("rests on record %s, which is about another run or case", p.ID)
	}
	fits := func(c ruledCall) bool {
		allowed := c.Policy != nil && c.Policy.Call && (c.Policy.Unattended || want.Verdict != verdictAct)
		return c.Call == want.Call && c.Tool == want.Tool && (want.ArgsSHA256 == "" || c.ArgsSHA256 == want.ArgsSHA256) &&
			c.Verdict == want.Verdict && allowed
	}
	if !slices.ContainsFunc(turn.Calls, fits) {
		return fmt.Sprintf("rests on record %s, which does not say so of this call with these arguments", p.ID)
	}
	return ""
}

// blankets are erasures that blanked every ended part of a kind, whatever its
// name.
type blankets []erasure

func blanketsOf(r *bundle.Reader, what string) blankets { return erasuresOf(r, what) }

// judge says what is wrong with a part that ended at a moment, or nothing. erased
// is when it says that it was erased, and words what it must have lost by then.
func (b blankets) judge(ended, erased *time.Time, words ...string) (rec erasure, wrong string) {
	for _, one := range b {
		covers := ended != nil && !ended.After(one.Record.At)
		switch {
		case covers && erased == nil:
			return one, fmt.Sprintf("has its words, and record %s says that they were erased", one.ID)
		case covers && erased.Equal(one.Record.At):
			if slices.ContainsFunc(words, func(w string) bool { return w != "" }) {
				return one, "is said to be erased and still has words"
			}
			return one, ""
		}
	}
	if erased != nil {
		return rec, "has lost its words, and no record of the log in this bundle says that they were erased"
	}
	return rec, ""
}
