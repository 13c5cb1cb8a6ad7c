// Package notice is who is told what about a pass: the kinds of notice, who reads each, how grave it
// is, and the key by which it is told once. Its words are in the message files, in every language, under Key.
package notice

import (
	"slices"
	"strconv"

	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
)

// A Type is a kind of notice.
type Type string

// The types.
const (
	Created   Type = "pass_created"
	Approved  Type = "pass_approved"
	Rejected  Type = "pass_rejected"
	Exited    Type = "pass_exited"
	Returned  Type = "pass_returned"
	Deleted   Type = "pass_deleted"
	Overdue   Type = "pass_overdue"
	Expiring  Type = "pass_expiring"
	SLABreach Type = "approval_sla_breach"
	Watchlist Type = "watchlist_hit"
)

// A Reader is whom a notice is for.
type Reader string

// The readers. Creator, Host, Delegate and Head are single people; the others are everybody who has the role at the
// pass's site.
const (
	HR       Reader = "hr"
	Admin    Reader = "admin"
	Gate     Reader = "gate"
	Creator  Reader = "creator"
	Host     Reader = "host"
	Delegate Reader = "delegate"
	Head     Reader = "head"
)

// A Severity is how grave a notice is. The zero value is no severity, and is never written.
type Severity string

// The severities.
const (
	Info     Severity = "info"
	Warn     Severity = "warn"
	Critical Severity = "critical"
)

// A Kind is what is known of a type.
type Kind struct {
	Type     Type
	To       []Reader // who is told first stands first
	Severity Severity // of the first; later steps of a ladder may be graver
}

// Kinds is every kind, in the order of a pass's life. What the creator is told stands in the feed of the
// role, too: they may have gone home.
func Kinds() []Kind {
	return []Kind{
		{Created, []Reader{Admin}, Info},
		{Approved, []Reader{Creator, HR}, Info},
		{Rejected, []Reader{Creator, HR}, Info},
		{Exited, []Reader{Creator, HR, Host}, Info},
		{Returned, []Reader{Creator, HR}, Info},
		{Deleted, []Reader{Creator, HR}, Info},
		{Expiring, []Reader{Creator, HR}, Info},
		{Overdue, []Reader{Creator, HR, Admin}, Warn},
		{SLABreach, []Reader{Admin}, Warn},
		{Watchlist, []Reader{Admin, Gate}, Critical},
	}
}

// Of is what is known of a type; false where there is no such type.
func Of(t Type) (Kind, bool) {
	all := Kinds()
	i := slices.IndexFunc(all, func(k Kind) bool { return k.Type == t })
	if i < 0 {
		return Kind{}, false
	}
	return all[i], true
}

// Key is where a type's words stand in the message files.
func (t Type) Key() string { return "gatepass.notice." + string(t) }

// A Notice is one thing to tell.
type Notice struct {
	Type     Type
	Pass     number.Number
	Version  int // of the pass that it tells of
	Step     int // of a ladder: the first is 0
	To       []Reader
	Severity Severity
}

// New is a notice of a type as the table has it; its zero value where there is no such type.
func New(t Type, pass number.Number, version int) Notice {
	k, ok := Of(t)
	if !ok {
		return Notice{}
	}
	return Notice{Type: t, Pass: pass, Version: version, To: k.To, Severity: k.Severity}
}

// Once is the key by which a notice is told once, however often it is sent: pass, type, version, and the step of a ladder,
// whose later steps tell of the same version.
func (n Notice) Once() string {
	key := string(n.Pass) + "/" + string(n.Type) + "/" + strconv.Itoa(n.Version)
	if n.Step > 0 {
		key += "/" + strconv.Itoa(n.Step)
	}
	return key
}

// For reports whether a notice is in the feed of a role: HR, Admin or Gate.
func (n Notice) For(role Reader) bool { return slices.Contains(n.To, role) }
