package review

import (
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// ETag names what a person has before them: the document and whether it still
// waits. It changes when there is something else to decide on, or nothing any
// more, and not when somebody else has signed or is looking.
func (p Proposal) ETag() string {
	version := "1"
	switch {
	case !p.ErasedAt.IsZero():
		version = "3"
	case p.State != Open:
		version = "2"
	}
	return `"` + p.ShownSHA256[:min(16, len(p.ShownSHA256))] + "-" + version + `"`
}

// Confirm takes an If-Match header for a decision and returns the digest that the
// decision is bound to. Unconfirmed where the sender does not say what they were
// shown, Stale where it is not what is there.
func (p Proposal) Confirm(ifMatch string) (shownSHA256 string, err error) {
	tag := strings.TrimSpace(ifMatch)
	switch {
	case tag == "" || tag == "*":
		return "", fault.New(fault.Unconfirmed, "say which version of %s you decide on", p.ID).
			WithNext("read it, and send its ETag as If-Match")
	case tag != p.ETag():
		return "", changedSince(p.ID)
	}
	return p.ShownSHA256, nil
}

// changedSince says that a proposal is not the version that somebody decided on.
func changedSince(id string) error {
	return fault.New(fault.Stale, "%s is not what you were shown; nothing was done", id).WithNext("read it again, then decide").
		Because("proposal_changed", "id", id)
}
