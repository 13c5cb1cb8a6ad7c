package hook

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
)

// Kinds lists what webhooks can be told of, in the order people read them: records
// of the log by their kind. What is not here, the calls of models say, comes by the
// thousand and is followed with GET /v1/events. Records about webhooks are not
// here either: telling of a message would make the next one.
func Kinds() []string { return slices.Clone(kinds) }

var kinds = []string{
	string(audit.CaseStep), "evidence", "facts", string(audit.Snapshot),
	"proposal", string(audit.Decision), string(audit.Act), "attention", "delegation",
	"concern_link", "objection",
	"run_order", "run_end", string(audit.Removal),
	string(audit.Refusal), string(audit.Export), string(audit.Erasure), "legal_hold", "token", "policy_set",
}

// checkKinds refuses kinds that nobody is told of, and puts the others in order.
func checkKinds(sent []string) ([]string, error) {
	var chosen []string
	for _, k := range kinds {
		if slices.Contains(sent, k) {
			chosen = append(chosen, k)
		}
	}
	for _, k := range sent {
		if !slices.Contains(kinds, k) {
			return nil, fault.New(fault.Invalid, "no webhook is told of %.40q", k).WithNext("choose from: %s", strings.Join(kinds, ", "))
		}
	}
	if len(chosen) == 0 {
		return nil, fault.New(fault.Invalid, "a webhook is told of one kind of event at least").
			WithNext("choose from: %s", strings.Join(kinds, ", "))
	}
	return chosen, nil
}
