package console

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// stamp is a moment for a time element, in the page's zone.
func stamp(p *web.Page, t time.Time) string { return t.In(p.Org.Zone).Format(time.RFC3339) }

func waitingWords(p *web.Page, one casefile.Case) string {
	switch {
	case one.State == casefile.Closed:
		return p.T("case.waiting_none")
	case one.WaitingFor == "":
		return p.T("case.being_worked")
	default:
		return p.Word("waiting.", one.WaitingFor)
	}
}

// kindLabel says what an entry did. A plain note needs no label; a closing
// entry carries how the case ended.
func kindLabel(p *web.Page, e casefile.Entry) string {
	switch e.Kind {
	case "note":
		return ""
	case "closed":
		return p.T("entry.closed", "how", p.Word("status.", e.Text))
	default:
		return p.Word("entry.", e.Kind)
	}
}

func actorIcon(kind identity.Kind) string {
	switch kind {
	case identity.Agent:
		return "agent"
	case identity.Machine:
		return "source"
	default:
		return "run"
	}
}

// onField reports whether an error belongs beside the field and not above the
// forms.
func onField(err error) bool {
	return fault.Is(err, fault.Invalid) || fault.Is(err, fault.TooLarge)
}

func fieldFault(f caseFile, act string) error {
	if f.form.act == act && f.form.fault != nil && onField(f.form.fault) {
		return f.form.fault
	}
	return nil
}

func errorAttr(f caseFile, act string) templ.Attributes {
	if fieldFault(f, act) == nil {
		return nil
	}
	return templ.Attributes{"data-error": true}
}

// fieldAttrs mark a field that was refused, and one that came back with what
// was typed: live.js leaves such a form alone.
func fieldAttrs(f caseFile, act string) templ.Attributes {
	attrs := templ.Attributes{}
	if fieldFault(f, act) != nil {
		attrs["aria-invalid"] = "true"
	}
	if typed(f, act) != "" {
		attrs["data-kept"] = true
	}
	return attrs
}

func described(f caseFile, act, hint, problem string) string {
	if fieldFault(f, act) == nil {
		return hint
	}
	return hint + " " + problem
}

// typed is what a refused form had in its field, so that nobody writes twice.
func typed(f caseFile, act string) string {
	if f.form.act != act || f.form.done {
		return ""
	}
	return f.form.typed
}

// words are what a page tells about an error, and what to do about it: the words of its
// reason where it has one.
func words(p *web.Page, err error) string {
	if _, ok := fault.ReasonOf(err); ok {
		return p.Said(err)
	}
	return ownWords(err)
}

// ownWords are an error's own, in English.
func ownWords(err error) string {
	text, next := fault.Words(err)
	if next == "" {
		return text
	}
	return text + "; " + next
}

// helpKey is the message that says what to do about a refused act. The page
// already shows the case as it is now, so a stale act needs no going back.
func helpKey(err error) string {
	if fault.Is(err, fault.Stale) || fault.Is(err, fault.Unconfirmed) {
		return "acts.stale_help"
	}
	return "error." + fault.KindOf(err).Code() + ".help"
}

// longFilter refuses a filter by its name that no page of ours writes.
func longFilter(name string) error {
	return fault.New(fault.Invalid, "the filter %s is longer than %d bytes or holds a zero byte", name, maxFilter).
		Because("filter_too_long", "n", strconv.Itoa(maxFilter))
}

// noPageAt refuses a place in a list at which no page of it begins.
func noPageAt[S ~string](place S) error {
	return fault.New(fault.Invalid, "the list has no page that begins at %.60q", place).Because("no_such_page_of_list")
}
