package console

import (
	"regexp"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/notify"
	letters "github.com/gavelhq/gavel/platform/notify/inbound/letter"
	"github.com/gavelhq/gavel/platform/web"
)

// first is when the first mail of a kind came back; zero for none.
func (l letterView) first(kind letters.Kind) time.Time {
	for _, m := range l.came { // in the order they came
		if m.Kind == kind {
			return m.ReceivedAt
		}
	}
	return time.Time{}
}

// answered is when the first answer came, by mail or on a page; zero for none.
func (l letterView) answered() time.Time {
	at := l.first(letters.Written)
	for _, r := range l.replies {
		if at.IsZero() || r.At.Before(at) {
			at = r.At
		}
	}
	return at
}

// bounced is when it came back; zero if it did not.
func (l letterView) bounced() time.Time { return l.first(letters.Bounced) }

// letterStages is the life of a letter: sent, delivered, opened and answered, as far as
// anybody knows. Whoever answers has opened it; nothing in a letter tells on its reader.
func letterStages(p *web.Page, l letterView) []Stage {
	sent := Stage{Name: p.T("letter.state." + l.stateName()), Reach: Current}
	if l.EndedAt != nil {
		sent.Reach, sent.At, sent.Bad = Reached, *l.EndedAt, l.State != notify.Sent
	}
	if l.State != notify.Sent {
		return []Stage{sent}
	}
	if at := l.bounced(); !at.IsZero() {
		return []Stage{sent, {Name: p.T("letter.bounced"), Reach: Reached, At: at, Bad: true}}
	}
	delivered, opened, answered := l.first(letters.Delivered), l.first(letters.Receipt), l.answered()
	known := func(name string, at time.Time, follows bool) Stage {
		if at.IsZero() && !follows {
			return Stage{Name: p.T("letter." + name + "_unknown")}
		}
		return Stage{Name: p.T("letter." + name), Reach: Reached, At: at}
	}
	reply := !answered.IsZero()
	return []Stage{sent, known("delivered", delivered, !opened.IsZero() || reply), known("opened", opened, reply),
		known("replied", answered, false)}
}

func (l letterView) stateName() string {
	if l.held {
		return "held"
	}
	return string(l.State)
}

// letterLook is where a letter stands, for a badge.
func letterLook(p *web.Page, l letterView) (look, icon, word string) {
	switch {
	case l.Erased && l.State == notify.Sent:
		return "plain", "slash", p.T("letter.erased_short")
	case l.State == notify.Undeliverable || l.State == notify.Unknown:
		return "bad", "stop", p.T("letter.state." + l.stateName())
	case l.State != notify.Sent:
		return "info", "clock", p.T("letter.state." + l.stateName())
	case !l.bounced().IsZero():
		return "bad", "stop", p.T("letter.bounced")
	case !l.answered().IsZero():
		return "ok", "chat", p.T("letter.replied")
	case !l.first(letters.Receipt).IsZero():
		return "ok", "eye", p.T("letter.opened")
	case !l.first(letters.Delivered).IsZero():
		return "ok", "check", p.T("letter.delivered")
	}
	return "ok", "check", p.T("letter.state.sent")
}

// letterTo is whom a letter goes to: by name, or by the id where that is all there is.
func letterTo(l letterView) string {
	if l.Name != "" {
		return l.Name
	}
	_, id, _ := strings.Cut(l.Recipient, ":")
	return id
}

// letterTitle is what a letter is called: its subject, without the reference of its case,
// which stands beside it.
func letterTitle(p *web.Page, l letterView) string {
	if l.Erased {
		return p.T("letter.erased_title")
	}
	at := strings.LastIndex(l.Subject, " [")
	if at > 0 && strings.HasSuffix(l.Subject, "]") {
		return l.Subject[:at]
	}
	return l.Subject
}

// letterHeading is to whom a letter goes, and about what.
func letterHeading(p *web.Page, l letterView) string {
	return p.T("letter.heading", "who", letterTo(l), "what", letterTitle(p, l))
}

// ownLink is a link with something in it that only its reader is to have.
var ownLink = regexp.MustCompile(`(https?://[^\s<>"?#]+[?#])[^\s<>"]+`)

// letterText is what a letter says, without what opens a page for its reader alone: whoever
// has such a link can answer in their place.
func letterText(l letterView) string {
	return ownLink.ReplaceAllString(strings.TrimSpace(l.Text), "$1…")
}

// sentAt is when a letter left, or when it was written where it has not.
func sentAt(l letterView) time.Time {
	if l.EndedAt != nil {
		return *l.EndedAt
	}
	return l.QueuedAt
}
