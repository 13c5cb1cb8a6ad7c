package signin

import (
	"net/http"
	"strings"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/web"
)

// showPair is the page a new device opens.
func (p pages) showPair(w http.ResponseWriter, r *http.Request) error {
	return p.pairPage(w, r, http.StatusOK, "", nil)
}

func (p pages) pairPage(w http.ResponseWriter, r *http.Request, status int, typed string, err error) error {
	page := p.page(r, "pair.title", "")
	return p.site.Render(w, r, status, page, pairBody(page, typed, err))
}

// pair takes the code an administrator read out.
func (p pages) pair(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	if err := p.door.strange.take(web.Network(r)); err != nil {
		return err
	}
	typed := r.PostForm.Get("code")
	_, secret, err := p.store.Pair(r.Context(), typed)
	if fault.Is(err, fault.Refused) || fault.Is(err, fault.Conflict) {
		return p.pairPage(w, r, web.Status(fault.KindOf(err)), typed, err)
	}
	if err != nil {
		return err
	}
	p.door.setCookie(w, deviceCookie, strings.TrimPrefix(secret, devicePrefix), deviceMaxAge)
	return seeOther(w, r, DevicePath)
}

// A gateView is what a paired device shows between shifts.
type gateView struct {
	device Device
	shifts []Shift
	chosen string // the shift whose number was typed
	fault  error
}

// showDevice lists the guards on shift; one of them types their number.
func (p pages) showDevice(w http.ResponseWriter, r *http.Request) error {
	return p.gatePage(w, r, http.StatusOK, "", nil)
}

func (p pages) gatePage(w http.ResponseWriter, r *http.Request, status int, chosen string, refused error) error {
	v := visitorOf(r.Context())
	if v.actor.Known() {
		return seeOther(w, r, "/") // the guard is in already, or this is no device
	}
	if v.device.ID == "" {
		return seeOther(w, r, PairPath)
	}
	open, err := p.store.openShifts(r.Context(), v.device.Org)
	if err != nil {
		return err
	}
	page := p.page(r, "gate.title", "")
	return p.site.Render(w, r, status, page, gateBody(page, gateView{device: v.device, shifts: open, chosen: chosen, fault: refused}))
}

// enterShift lets a guard in by the number of their shift.
func (p pages) enterShift(w http.ResponseWriter, r *http.Request) error {
	if err := web.ParseForm(r); err != nil {
		return err
	}
	v := visitorOf(r.Context())
	if v.device.ID == "" {
		return fault.New(fault.SignIn, "this is not a paired device").WithNext("pair it first").Because("device_unpaired")
	}
	shift := r.PostForm.Get("shift")
	c, err := p.store.enter(r.Context(), v.device, shift, r.PostForm.Get("pin"))
	if fault.Is(err, fault.Refused) || fault.Is(err, fault.TooMany) {
		return p.gatePage(w, r, web.Status(fault.KindOf(err)), shift, err)
	}
	if err != nil {
		return err
	}
	p.door.setCookie(w, sessionCookie, c.String(), sessionMaxAge)
	return seeOther(w, r, "/")
}
