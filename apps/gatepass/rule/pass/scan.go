package pass

import (
	"errors"
	"time"
)

// Direction is which scan a pass is up for: in, for who is out, and out for everybody else. A guard holds the camera and
// need not know.
func Direction(p Pass) Event {
	if p.Status == Exited {
		return ScanReturn
	}
	return ScanExit
}

// Look is what a guard is told before anything is done: the scan that a pass is up for, and why it would be refused; no code where it would
// not be. It is taken as given that a photo will be taken.
func (r Rules) Look(p Pass, by Actor, now time.Time, watched bool) (Event, Code) {
	e := Direction(p)
	_, err := r.Apply(p, Request{Event: e, By: by, At: now, SiteID: p.SiteID, Photo: "to be taken", Watched: watched})
	if no, refused := errors.AsType[*Refusal](err); refused {
		return e, no.Code
	}
	return e, ""
}

// QR says whether a pass has a code to show. Who may see the pass may know that it was deleted: it is the code that is gone.
func QR(p Pass) error {
	if p.HasQR() {
		return nil
	}
	no := refuse("show_qr", NoQR)
	no.Current = p.Status
	return no
}
