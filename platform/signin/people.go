package signin

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// An outcome is how the last form on a page of people ended.
type outcome struct {
	done   string     // what was done: the end of its message's key
	secret string     // shown this once
	fault  error      // what the person can mend
	typed  url.Values // what a refused form held, so that nobody writes it twice
}

// tabs are the pages beside each other, as far as this reader may open them.
func (p pages) tabs(r *http.Request) []web.NavItem {
	var seen []web.NavItem
	for _, tab := range []web.NavItem{
		{Section: "people", Key: "people.tab.people", Path: PeoplePath, Act: "person.read"},
		{Section: "tokens", Key: "people.tab.tokens", Path: tokensPath, Act: "token.read"},
		{Section: "devices", Key: "people.tab.devices", Path: devicesPath, Act: "device.pair"},
		{Section: "shifts", Key: "people.tab.shifts", Path: shiftsPath, Act: "shift.open"},
	} {
		if p.store.rules.May(From(r.Context()), tab.Act) == nil {
			seen = append(seen, tab)
		}
	}
	return seen
}

// mendable reports whether the person can put it right on the form.
func mendable(err error) bool {
	switch fault.KindOf(err) {
	case fault.Invalid, fault.TooLarge, fault.Conflict, fault.NotFound, fault.TooMany:
		return true
	}
	return fault.Is(err, fault.Refused)
}

// A shown page is one of these, with an answer's status and how a form ended.
type shown func(w http.ResponseWriter, r *http.Request, status int, o outcome) error

// answer follows a form: to the page that says what came of it, or to the same form
// with what was wrong and what was typed.
func (p pages) answer(w http.ResponseWriter, r *http.Request, page string, show shown, err error, o outcome) error {
	if err == nil {
		return p.send(w, r, page, o)
	}
	if !mendable(err) {
		return err
	}
	return show(w, r, web.Status(fault.KindOf(err)), outcome{fault: err, typed: r.PostForm})
}

func (p pages) people(w http.ResponseWriter, r *http.Request) error {
	return p.peoplePage(w, r, http.StatusOK, p.receive(w, r, PeoplePath))
}

func (p pages) peoplePage(w http.ResponseWriter, r *http.Request, status int, o outcome) error {
	actor := From(r.Context())
	all, err := p.store.People(r.Context(), actor)
	if err != nil {
		return err
	}
	page := p.page(r, "people.title", "people")
	mayEnd := p.store.rules.May(actor, "person.change") == nil
	return p.site.Render(w, r, status, page, peopleBody(page, p.tabs(r), all, mayEnd, o))
}

func (p pages) signOutOther(w http.ResponseWriter, r *http.Request) error {
	_, err := p.store.EndSessions(r.Context(), From(r.Context()), r.PathValue("id"))
	return p.answer(w, r, PeoplePath, p.peoplePage, err, outcome{done: "signed_out"})
}

func (p pages) tokens(w http.ResponseWriter, r *http.Request) error {
	return p.tokensPage(w, r, http.StatusOK, p.receive(w, r, tokensPath))
}

// A tokensView is what the page of tokens shows.
type tokensView struct {
	all      []Token
	scopes   []string // that there are
	mayIssue bool
}

func (p pages) tokensPage(w http.ResponseWriter, r *http.Request, status int, o outcome) error {
	actor := From(r.Context())
	all, err := p.store.Tokens(r.Context(), actor)
	if err != nil {
		return err
	}
	page := p.page(r, "tokens.title", "people")
	mayIssue := p.store.rules.May(actor, "token.issue") == nil
	return p.site.Render(w, r, status, page, tokensBody(page, p.tabs(r), tokensView{all: all, scopes: p.store.rules.Scopes(),
		mayIssue: mayIssue}, o))
}

func (p pages) issue(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	life, err := wholes(r.PostForm.Get("days"), "the days it lasts", 24*time.Hour, TokenMostLife)
	var secret string
	if err == nil {
		_, secret, err = p.store.Issue(r.Context(), From(r.Context()), NewToken{
			Name: r.PostForm.Get("name"), Scopes: strings.Fields(strings.Join(r.PostForm["scopes"], " ")), Life: life,
			Reason: r.PostForm.Get("reason")})
	}
	return p.answer(w, r, tokensPath, p.tokensPage, err, outcome{done: "token_issued", secret: secret})
}

// wholes reads a whole number of a unit of time, from one of them to most.
func wholes(typed, what string, unit, most time.Duration) (time.Duration, error) {
	n, err := strconv.Atoi(strings.TrimSpace(typed))
	if err != nil || n < 1 || n > int(most/unit) {
		return 0, fault.New(fault.Invalid, "%s must be a whole number from 1 to %d", what, int(most/unit)).
			Because("number_bounds", "most", strconv.Itoa(int(most/unit)))
	}
	return time.Duration(n) * unit, nil
}

func (p pages) revoke(w http.ResponseWriter, r *http.Request) error {
	err := p.store.Revoke(r.Context(), From(r.Context()), r.PathValue("id"))
	return p.answer(w, r, tokensPath, p.tokensPage, err, outcome{done: "token_revoked"})
}

func (p pages) devices(w http.ResponseWriter, r *http.Request) error {
	return p.devicesPage(w, r, http.StatusOK, p.receive(w, r, devicesPath))
}

func (p pages) devicesPage(w http.ResponseWriter, r *http.Request, status int, o outcome) error {
	all, err := p.store.Devices(r.Context(), From(r.Context()))
	if err != nil {
		return err
	}
	page := p.page(r, "devices.title", "people")
	return p.site.Render(w, r, status, page, devicesBody(page, p.tabs(r), all, p.at(PairPath), o))
}

// at is the whole address of a page, for somebody who sits elsewhere.
func (p pages) at(path string) string { return strings.TrimSuffix(p.door.cfg.PublicURL, "/") + path }

func (p pages) offer(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	offered, err := p.store.MakePairing(r.Context(), From(r.Context()), r.PostForm.Get("name"))
	return p.answer(w, r, devicesPath, p.devicesPage, err, outcome{done: "code_made", secret: offered.Code})
}

func (p pages) revokeDevice(w http.ResponseWriter, r *http.Request) error {
	err := p.store.RevokeDevice(r.Context(), From(r.Context()), r.PathValue("id"))
	return p.answer(w, r, devicesPath, p.devicesPage, err, outcome{done: "device_revoked"})
}

func (p pages) shifts(w http.ResponseWriter, r *http.Request) error {
	return p.shiftsPage(w, r, http.StatusOK, p.receive(w, r, shiftsPath))
}

func (p pages) shiftsPage(w http.ResponseWriter, r *http.Request, status int, o outcome) error {
	actor := From(r.Context())
	open, err := p.store.Shifts(r.Context(), actor)
	if err != nil {
		return err
	}
	guards, err := p.store.guards(r.Context(), actor.Org)
	if err != nil {
		return err
	}
	page := p.page(r, "shifts.title", "people")
	return p.site.Render(w, r, status, page, shiftsBody(page, p.tabs(r), open, guards, o))
}

func (p pages) openShift(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	life, err := wholes(r.PostForm.Get("hours"), "the hours it lasts", time.Hour, ShiftMost)
	var pin string
	if err == nil {
		_, pin, err = p.store.OpenShift(r.Context(), From(r.Context()),
			NewShift{Person: r.PostForm.Get("guard"), Name: r.PostForm.Get("name"), Life: life})
	}
	return p.answer(w, r, shiftsPath, p.shiftsPage, err, outcome{done: "shift_opened", secret: pin})
}

func (p pages) endShift(w http.ResponseWriter, r *http.Request) error {
	err := p.store.EndShift(r.Context(), From(r.Context()), r.PathValue("id"))
	return p.answer(w, r, shiftsPath, p.shiftsPage, err, outcome{done: "shift_ended"})
}
