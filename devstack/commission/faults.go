package commission

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"time"
)

// Faults are what goes wrong with the next reports. They are for tests, and a
// restart forgets them.
type Faults struct {
	Status int `json:"status,omitempty"`  // answered instead of receiving
	Times  int `json:"times,omitempty"`   // how many more times; once where it is not said
	Drop   int `json:"drop,omitempty"`    // reports that are received and never answered
	SlowMS int `json:"slow_ms,omitempty"` // every answer waits this long
}

const (
	maxFaults     = 1 << 10 // bytes of a wish for faults
	maxFaultTimes = 1000
	maxSlowMS     = 60_000
)

// fits reports whether the faults can be done.
func (f Faults) fits() bool {
	return (f.Status == 0 && f.Times == 0 || f.Status >= 400 && f.Status <= 599) &&
		f.Times >= 0 && f.Times <= maxFaultTimes && f.Drop >= 0 && f.Drop <= maxFaultTimes && f.SlowMS >= 0 && f.SlowMS <= maxSlowMS
}

func (d *Desk) showFaults(w http.ResponseWriter, _ *http.Request) {
	d.mu.Lock()
	now := d.faults
	d.mu.Unlock()
	answer(w, http.StatusOK, now)
}

// setFaults puts faults in the place of those before; {} ends them.
func (d *Desk) setFaults(w http.ResponseWriter, r *http.Request) {
	var wish Faults
	read := json.NewDecoder(io.LimitReader(r.Body, maxFaults))
	read.DisallowUnknownFields()
	if err := read.Decode(&wish); err != nil || !wish.fits() {
		refuse(w, http.StatusBadRequest, "faults are {\"status\":400 to 599,\"times\":up to %d,\"drop\":up to %d,\"slow_ms\":up to %d}",
			maxFaultTimes, maxFaultTimes, maxSlowMS)
		return
	}
	if wish.Status != 0 && wish.Times == 0 {
		wish.Times = 1
	}
	d.mu.Lock()
	d.faults = wish
	d.mu.Unlock()
	answer(w, http.StatusOK, wish)
}

// A happening is what goes wrong with one report.
type happening struct {
	status int
	drop   bool
	slow   time.Duration
}

// nextFault takes what happens to the next report off what is left.
func (d *Desk) nextFault() happening {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := happening{slow: time.Duration(d.faults.SlowMS) * time.Millisecond}
	switch {
	case d.faults.Times > 0:
		now.status = d.faults.Status
		if d.faults.Times--; d.faults.Times == 0 {
			d.faults.Status = 0
		}
	case d.faults.Drop > 0:
		d.faults.Drop--
		now.drop = true
	}
	return now
}

// wait lets a slow answer take its time, and reports whether the other side
// waited for it.
func (h happening) wait(ctx context.Context) bool {
	if h.slow == 0 {
		return true
	}
	timer := time.NewTimer(h.slow)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}
