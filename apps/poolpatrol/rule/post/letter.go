package post

import (
	"slices"
	"strconv"
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
	Language Language // that it is written in
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

// Compose writes a letter from a template, in the language of its reader. No model has a
// hand in it. deadline is when a reply is due, for letters that ask for one, or the records
// are looked at, for Portal: it is printed and kept with the letter, and comes from the
// lifecycle's rules like the clock itself. A draft is worded for one reply: Answered.
func Compose(k Kind, o Own, from Office, deadline time.Time) (Letter, error) {
	say := o.Language.say
	l := Letter{Kind: k, To: o.Employee, Language: o.Language, Subject: say("subject") + " [" + string(o.Case) + "]"}
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
		body = asking(k, o, from, deadline)
	case Rechecking:
		body = []string{say("rechecking")}
	case Portal:
		if deadline.IsZero() {
			return Letter{}, fault.New(fault.Invalid, "a letter that asks for a change says until when the records have time")
		}
		l.Deadline = deadline
		body = []string{say("portal", "portal", from.Portal), say("portal_by", "moment", o.Language.Moment(deadline, from.Zone))}
	case Closing:
		body = []string{say("closing", "van", string(o.Vanpool))}
	case Removed:
		if o.Last == 0 {
			return Letter{}, fault.New(fault.Invalid, "a letter that ends a membership says with which day")
		}
		body = ending(o)
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
	return Letter{Kind: Draft, To: o.Employee, Language: o.Language, Subject: subject, Deadline: deadline,
		Text: framed(o, from, body, o.Language.say("add_by", "moment", o.Language.Moment(deadline, from.Zone)))}, nil
}

// HoldingReply is an answer that promises nothing: what a person finds before them where no
// model has worded one.
func HoldingReply(l Language) (subject, body string) { return l.say("holding"), l.say("holding_reply") }

// Offered words a van that somebody would fit, for them.
func Offered(l Language, van fleet.VanpoolID, far fleet.Miles, u fleet.Unit) string {
	return l.say("offer_is", "van", string(van), "far", far.About(u), "unit", l.unit(u))
}

// SeatNotice tells the coordinator of a van that a seat is free: of whom, and why, it says
// nothing, and there is no place in it that could.
func SeatNotice(first string, l Language, id fleet.CaseID, van fleet.VanpoolID, last fleet.Date, from Office) Letter {
	o := Own{Case: id, Vanpool: van, FirstName: first, Language: l}
	return Letter{Kind: SeatFree, Language: l, Subject: l.say("seat_subject") + " [" + string(id) + "]",
		Text: framed(o, from, l.say("seat", "van", string(van), "day", l.day(last.Day())), l.say("seat_quiet"))}
}

// framed is a text between a greeting and where to turn.
func framed(o Own, from Office, body ...string) string {
	return strings.Join(append(append([]string{greeting(o)}, body...), closing(from, o)...), "\n\n") + "\n"
}

func asking(k Kind, o Own, from Office, deadline time.Time) []string {
	say := o.Language.say
	out := append([]string{say(string(k), "van", string(o.Vanpool))}, reasons(o)...)
	out = append(out, say("held", "lines", holding(o)), say("do", "portal", from.Portal),
		say("by", "moment", o.Language.Moment(deadline, from.Zone)))
	if o.Offer != "" {
		out = append(out, say("offer", "offer", o.Offer))
	}
	return out
}

// ending says that a membership ends, with which day, who decided, why, what that rests on
// and what its holder said to it.
func ending(o Own) []string {
	say := o.Language.say
	out := []string{say("removed", "van", string(o.Vanpool), "day", o.Language.day(o.Last.Day())), say("removed_by")}
	if why := reasons(o); len(why) > 0 {
		out = append(out, say("why")+" "+strings.Join(why, " "), say("held", "lines", holding(o)))
	} else {
		out = append(out, say("why")+" "+say("why_else"))
	}
	if len(o.Answered) == 0 {
		return append(out, say("wrote_silent"))
	}
	var days []string
	for _, d := range o.Answered {
		days = append(days, o.Language.day(d.Day()))
	}
	return append(out, say("wrote_once", "days", strings.Join(days, ", ")))
}

// reasons are sentences for what does not pass, of what may be written about.
func reasons(o Own) (out []string) {
	if slices.Contains(o.Checks, "shift") {
		out = append(out, shiftSentence(o))
	}
	if slices.Contains(o.Checks, "location") {
		out = append(out, locationSentence(o))
	}
	return out
}

func shiftSentence(o Own) string {
	s := o.Language.say("shift")
	if o.VanHours != "" {
		s += o.Language.say("van_hours", "hours", o.Language.hours(o.VanHours))
	}
	return s
}

func locationSentence(o Own) string {
	return o.Language.say("location", "far", o.Told(o.Miles), "limit", o.Told(o.Limit), "unit", o.Language.unit(o.Unit))
}

// Told is a distance in miles, as the evidence has it, in the unit of the programme.
func (o Own) Told(miles string) string {
	f, err := strconv.ParseFloat(miles, 64)
	if err != nil {
		return miles
	}
	return fleet.ToMiles(f).In(o.Unit)
}

// holding is what we hold about the recipient that the letter is about, and no
// more.
func holding(o Own) string {
	var out []string
	if o.ShiftHours != "" && slices.Contains(o.Checks, "shift") {
		out = append(out, o.Language.say("held_shift", "hours", strings.TrimSpace(o.ShiftName+" "+o.Language.hours(o.ShiftHours))))
	}
	if o.ZIP != "" && slices.Contains(o.Checks, "location") {
		out = append(out, o.Language.say("held_zip", "zip", o.ZIP))
	}
	return strings.Join(append(out, o.Language.say("held_van", "van", string(o.Vanpool))), "\n")
}

func greeting(o Own) string {
	name := strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, o.FirstName)
	if name = strings.TrimSpace(name); name == "" || len([]rune(name)) > maxName {
		return o.Language.say("hello")
	}
	return o.Language.say("dear", "name", name)
}

func closing(from Office, o Own) []string {
	var out []string
	if o.Page != "" {
		out = append(out, o.Language.say("page", "page", o.Page))
	}
	return append(out, o.Language.say("turn", "contact", from.Contact, "appeal", from.Appeal),
		o.Language.say("signed", "programme", from.Programme, "case", string(o.Case)))
}

// Fair reports whether a letter may still be sent at a moment: what it prints
// must leave the recipient the whole time, but for the slack a busy queue needs.
// A letter that waited longer is written again.
func (l Letter) Fair(now time.Time, patience, slack time.Duration) bool {
	return l.Deadline.IsZero() || l.Deadline.Sub(now) >= patience-slack
}
