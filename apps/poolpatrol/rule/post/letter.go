package post

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/platform/fault"
)

// A Letter is a mail as its recipient reads it.
type Letter struct {
	Kind     Kind
	To       fleet.EmployeeID
	Template Template // of First and Again
	Subject  string
	Text     string
	Deadline time.Time // printed in Text; zero where none is
}

// An Office is who writes.
type Office struct {
	Programme string // "The vanpool programme"
	Portal    string // where records are corrected
	Contact   string // a person, by mail or telephone
	Appeal    string // where to turn if you think we are wrong
	Zone      *time.Location
}

// maxName bounds a first name in a letter, in characters.
const maxName = 60

// Compose writes a letter from a template. No model has a hand in it. deadline
// is when a reply is due, for letters that ask for one, or the records are looked
// at, for Portal: it is printed and kept with the letter, and comes from the
// lifecycle's rules like the clock itself. A draft is worded for one reply: Answered.
func Compose(k Kind, o Own, from Office, deadline time.Time) (Letter, error) {
	l := Letter{Kind: k, To: o.Employee, Subject: "Your vanpool membership [" + string(o.Case) + "]"}
	var body []string
	switch k {
	case First, Again, Answer:
		t, err := TemplateFor(o.Checks)
		if err != nil {
			return Letter{}, err
		}
		if deadline.IsZero() {
			return Letter{}, fault.New(fault.Invalid, "a letter that asks for a reply says by when")
		}
		l.Template, l.Deadline = t, deadline
		body = asking(k, t, o, from, deadline)
	case Rechecking:
		body = []string{"Thank you for your reply. We are looking at the records again and will write to you with the result. You do " +
			"not need to do anything now."}
	case Portal:
		if deadline.IsZero() {
			return Letter{}, fault.New(fault.Invalid, "a letter that asks for a change says until when the records have time")
		}
		l.Deadline = deadline
		body = []string{"Thank you for telling us. Please make the change in the Employee Portal, if you have not done so yet:\n" +
			from.Portal,
			"We look at the records again when they change, at " + Moment(deadline, from.Zone) + " at the latest."}
	case Closing:
		body = []string{"Nothing more is asked of you about your membership in " + string(o.Vanpool) +
			". This review is closed. Thank you for your patience."}
	case Removed:
		if o.Last == 0 {
			return Letter{}, fault.New(fault.Invalid, "a letter that ends a membership says with which day")
		}
		body = []string{"Your membership in " + string(o.Vanpool) + " ends with " + o.Last.Day().Format("Monday 2 January 2006") +
			". A person of the programme decided this, after the records had been checked once more."}
	default:
		return Letter{}, fault.New(fault.Invalid, "a letter of the kind %.40q has no template", k)
	}
	l.Text = framed(o, from, body...)
	return l, nil
}

// Answered is a letter that a person approved, in its frame: a greeting, by when to
// reply, and where to turn.
func Answered(subject, body string, o Own, from Office, deadline time.Time) (Letter, error) {
	subject, body = strings.TrimSpace(subject), strings.TrimSpace(body)
	if subject == "" || body == "" || strings.ContainsAny(subject, "\r\n") || len(body) > MaxReply {
		return Letter{}, fault.New(fault.Invalid, "a mail has a subject of one line, and a text of at most %d bytes", MaxReply)
	}
	return Letter{Kind: Draft, To: o.Employee, Subject: subject, Deadline: deadline,
		Text: framed(o, from, body, "If you have anything to add, please reply by "+Moment(deadline, from.Zone)+".")}, nil
}

// framed is a text between a greeting and where to turn.
func framed(o Own, from Office, body ...string) string {
	return strings.Join(append(append([]string{greeting(o.FirstName)}, body...), closing(from, o)...), "\n\n") + "\n"
}

func asking(k Kind, t Template, o Own, from Office, deadline time.Time) []string {
	opening := "We regularly check that every vanpool fits the people in it. For your membership in " + string(o.Vanpool) +
		" something does not fit, and we would like to hear from you before anything else happens."
	if k == Answer {
		opening = "Thank you for your question about your membership in " + string(o.Vanpool) +
			". This is what the rules say, and what they were applied to."
	}
	if k == Again {
		opening = "We have looked again at your membership in " + string(o.Vanpool) +
			". Something still does not fit, and we would like to hear from you."
	}
	what := map[Template][]string{
		ShiftMismatch: {shiftSentence(o)}, LocationMismatch: {locationSentence(o)}, BothMismatch: {shiftSentence(o), locationSentence(o)},
	}[t]
	out := append([]string{opening}, what...)
	out = append(out, "What we hold about you:\n"+holding(o),
		"What you can do: if this is out of date, correct it in the Employee Portal ("+from.Portal+") and reply to tell us. If it is "+
			"right, or if you have a question, just reply to this mail.",
		"Please reply by "+Moment(deadline,
			from.Zone)+". If we hear nothing we look at the records once more, and a person of the programme decides what happens then.")
	if o.Offer != "" {
		out = append(out, "You may also like to know: "+o.Offer)
	}
	return out
}

func shiftSentence(o Own) string {
	s := "The working hours we have for you and the hours the van runs for are too far apart to share the way to work on most days."
	if o.VanHours != "" {
		s += " The van runs for these hours: " + o.VanHours + "."
	}
	return s
}

func locationSentence(o Own) string {
	return "The home we have for you is " + o.Miles + " miles from the van's pickup. The programme allows " + o.Limit + " miles."
}

// holding is what we hold about the recipient that the letter is about, and no
// more.
func holding(o Own) string {
	var out []string
	if o.ShiftHours != "" && slices.Contains(o.Checks, "shift") {
		out = append(out, "- your working hours: "+strings.TrimSpace(o.ShiftName+" "+o.ShiftHours))
	}
	if o.ZIP != "" && slices.Contains(o.Checks, "location") {
		out = append(out, "- the ZIP code of your home: "+o.ZIP)
	}
	return strings.Join(append(out, "- your vanpool: "+string(o.Vanpool)), "\n")
}

func greeting(first string) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, first)
	if name = strings.TrimSpace(name); name == "" || len([]rune(name)) > maxName {
		return "Hello,"
	}
	return "Dear " + name + ","
}

func closing(from Office, o Own) []string {
	var out []string
	if o.Page != "" {
		out = append(out, "You need not write a mail. On this page you can see where this stands, and answer two questions while it is "+
			"open:\n"+o.Page+
			"\nThe address is for you alone: whoever has it can read the page and answer.")
	}
	return append(out,
		"If you would rather talk to a person: "+from.Contact+". If you think we are wrong: "+from.Appeal+".",
		from.Programme+"\nYour reference: "+string(o.Case))
}

// Moment writes a moment as people read it: "09:00 on Monday 9 March 2026
// (America/Los_Angeles)".
func Moment(t time.Time, zone *time.Location) string {
	if zone == nil {
		zone = time.UTC
	}
	return t.In(zone).Format("15:04 on Monday 2 January 2006") + " (" + zone.String() + ")"
}

// Fair reports whether a letter may still be sent at a moment: what it prints
// must leave the recipient the whole time, but for the slack a busy queue needs.
// A letter that waited longer is written again.
func (l Letter) Fair(now time.Time, patience, slack time.Duration) bool {
	return l.Deadline.IsZero() || l.Deadline.Sub(now) >= patience-slack
}
