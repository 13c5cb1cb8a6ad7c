package review

import "time"

// SignalName is the signal that wakes the workflow that waits for a decision.
const SignalName = "decision"

// Decided is what that signal says. It only wakes: the act's row, made in the
// decision's transaction, is what authorises.
type Decided struct {
	Key        string    `json:"key"` // of the act that was proposed: how the workflow knows the call
	Proposal   string    `json:"proposal"`
	Decision   string    `json:"decision,omitempty"`
	State      State     `json:"state"`
	ArgsSHA256 string    `json:"args_sha256"` // of the arguments as approved or edited
	NotBefore  time.Time `json:"not_before,omitzero"`
}
