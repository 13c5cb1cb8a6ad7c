package policy

import (
	"slices"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
)

// An Act is something a person or a program may or may not do outside of tools:
// read cases, decide, issue a token. Every page and every address of the API needs
// one. Most are the platform's; an application declares those of its own pages.
type Act struct {
	Name    string // "case.read"; an application's begins with its name: "poolpatrol.van.read"
	Words   string // "read cases": the end of "your role may not …"
	Persons bool   // only a person may, whatever the policies say
	Reads   bool   // changes nothing, so that who looks as another role may
	Tools   bool   // a program with a person's sign-in for tools may, beside reading
}

// Acts lists the platform's own acts, in the order people read them. Rules.Acts
// has those of the applications too.
func Acts() []Act { return slices.Clone(acts) }

var acts = []Act{
	{Name: "case.read", Words: "read cases", Reads: true},
	{Name: "case.open", Words: "open cases", Tools: true},
	{Name: "case.note", Words: "annotate cases"},
	{Name: "case.ask", Words: "ask questions about cases", Persons: true},
	{Name: "case.name", Words: "say whom a case is about"},
	{Name: "evidence.add", Words: "add evidence and facts to cases"},
	{Name: "case.close", Words: "close cases", Persons: true},
	{Name: "case.export", Words: "take a case out of the system", Persons: true},
	{Name: "case.reveal", Words: "see sealed evidence", Persons: true},
	{Name: "case.link", Words: "tell the person whom a case concerns, and answer them", Persons: true},
	{Name: "mail.read", Words: "read mail that waits for a person", Persons: true, Reads: true},
	{Name: "mail.decide", Words: "accept or discard mail that came in", Persons: true},
	{Name: "list.export", Words: "take a list out as a file"},
	{Name: "events.read", Words: "read what happened as it happens", Reads: true},

	{Name: "inbox.read", Words: "read an inbox", Persons: true, Reads: true},
	{Name: "proposal.read", Words: "read proposals", Reads: true},
	{Name: "proposal.make", Words: "propose", Tools: true},
	{Name: "proposal.decide", Words: "decide proposals", Persons: true},
	{Name: "proposal.assign", Words: "say who decides a proposal", Persons: true},
	{Name: "delegation.change", Words: "let somebody else decide for you", Persons: true},

	{Name: "run.read", Words: "see runs", Reads: true},
	{Name: "run.words", Words: "read what was said in a run", Reads: true},
	{Name: "run.others", Words: "read what somebody else said to an agent", Persons: true},
	{Name: "run.order", Words: "stop, resume or give up a run", Persons: true},
	{Name: "run.say", Words: "write to a run", Persons: true},
	{Name: "run.reask", Words: "put a step to the model again"},
	{Name: "eval.read", Words: "see what agents were measured at", Reads: true},
	{Name: "eval.run", Words: "measure agents, and say what they are compared with"},
	{Name: "mcp.use", Words: "use tools from another program", Tools: true},

	{Name: "audit.read", Words: "read the audit log", Reads: true},
	{Name: "audit.export", Words: "take records out of the system"},
	{Name: "subject.read", Words: "see what is held about a person", Persons: true, Reads: true},
	{Name: "subject.erase", Words: "erase a person's data", Persons: true},
	{Name: "hold.change", Words: "place or release a legal hold", Persons: true},

	{Name: "person.read", Words: "see who has which role", Reads: true},
	{Name: "person.change", Words: "change who has which role", Persons: true},
	{Name: "view_as", Words: "look as another role does", Persons: true},
	{Name: "token.read", Words: "see which tokens there are", Persons: true, Reads: true},
	{Name: "token.issue", Words: "issue or revoke a token", Persons: true},
	{Name: "device.pair", Words: "pair a device", Persons: true},
	{Name: "shift.open", Words: "open or end a guard's shift", Persons: true},
	{Name: "policy.read", Words: "read who may do what", Reads: true},
	{Name: "policy.simulate", Words: "try other policies on past calls", Persons: true, Reads: true},
	{Name: "admin.read", Words: "see how the organisation is set up", Persons: true, Reads: true},
	{Name: "pause.read", Words: "see what is paused", Persons: true, Reads: true},
	{Name: "pause.change", Words: "pause or resume acts", Persons: true},
	{Name: "webhook.read", Words: "see which servers are told what happens", Persons: true, Reads: true},
	{Name: "webhook.change", Words: "say which servers are told what happens", Persons: true},
	{Name: "setting.read", Words: "see what is set for applications", Persons: true, Reads: true},
	{Name: "setting.change", Words: "change what is set for applications, or propose to", Persons: true},
	{Name: "source.read", Words: "see where data comes from", Persons: true, Reads: true},
	{Name: "key.rewrap", Words: "move keys to another master key", Persons: true},
	{Name: "org.change", Words: "change how the organisation is set up", Persons: true},
	{Name: "health.read", Words: "see how the installation is doing", Reads: true},
	{Name: "metrics.read", Words: "read metrics", Reads: true},
}

// actOf finds an act of the platform's by its name.
func actOf(name string) (Act, bool) {
	at := slices.IndexFunc(acts, func(a Act) bool { return a.Name == name })
	if at < 0 {
		return Act{}, false
	}
	return acts[at], true
}

// maxActName is the most bytes of an act's name: what a person can ask about.
const maxActName = 100

// checkActs refuses acts that are not an application's to declare: its name comes
// first in each, so that nobody takes another's, or one of the platform's.
func checkActs(app string, declared []Act) error {
	for i, a := range declared {
		parts := strings.Split(a.Name, ".")
		_, taken := actOf(a.Name)
		switch {
		case len(a.Name) > maxActName:
			return fault.New(fault.TooLarge, "application %s declares the act %.60q…; a name has at most %d bytes", app, a.Name, maxActName)
		case len(parts) < 2 || len(parts) > 3 || parts[0] != app ||
			slices.ContainsFunc(parts, func(p string) bool { return !partForm.MatchString(p) }):
			return fault.New(fault.Invalid, "application %s declares the act %.60q; write %s.noun.verb or %s.verb", app, a.Name, app, app)
		case taken:
			return fault.New(fault.Invalid, "application %s declares the act %s, which is the platform's", app, a.Name)
		case slices.ContainsFunc(declared[:i], func(b Act) bool { return b.Name == a.Name }):
			return fault.New(fault.Invalid, "application %s declares the act %s twice", app, a.Name)
		case a.Words == "":
			return fault.New(fault.Invalid, "application %s does not say in words what the act %s is", app, a.Name)
		}
	}
	return nil
}
