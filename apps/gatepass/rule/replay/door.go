package replay

import "time"

// A door lets events in, one by one, and remembers those it has let in.
type door struct {
	h        History
	now      time.Time
	skew     time.Duration
	digests  map[Digest]bool
	ids      map[string]Known
	bySeq    map[seqKey]Known
	wantPrev map[seqKey]Digest // what the next event of a device says its predecessor was
}

type seqKey struct {
	device string
	seq    int64
}

// know adds events that the server has.
func (d *door) know(all []Known) {
	if d.digests == nil {
		d.digests, d.ids, d.bySeq, d.wantPrev = map[Digest]bool{}, map[string]Known{}, map[seqKey]Known{}, map[seqKey]Digest{}
	}
	for _, k := range all {
		d.digests[k.Digest] = true
		if k.Held == Unreadable || k.Held == UnknownDevice || k.Held == Forged {
			continue // it says what it likes, and takes nobody's id or number
		}
		if _, taken := d.ids[k.ID]; !taken {
			d.ids[k.ID] = k
		}
		if k.Seq > 0 && k.Held != SeqReused && k.Held != ChainBroken && k.Held != IDReused {
			d.bySeq[seqKey{k.Device, k.Seq}] = k
			d.wantPrev[seqKey{k.Device, k.Seq - 1}] = k.Prev
		}
	}
}

// take looks at one event: what became of it, and what is to be known of it if it is new.
func (d *door) take(text string) (Outcome, Known, bool) {
	digest := DigestOf(text)
	e, sealed, err := open(text)
	o := Outcome{Digest: digest, ID: e.ID, Fate: Applied}
	if d.digests[digest] {
		o.Fate = Duplicate
		return o, Known{}, false
	}
	device, known := d.h.Devices[e.Device]
	k := Known{Event: e, Digest: digest, Site: device.Site, Received: d.now}
	switch {
	case err != nil:
		k.Held = Unreadable
	case !known:
		k.Held = UnknownDevice
	case !sealed.SignedBy(device.Key):
		k.Held = Forged
	default:
		k.Held = d.hold(device, k)
	}
	switch {
	case k.Held == TakenOnline:
		o.Fate = Duplicate
	case k.Held != "":
		o.Fate, o.Reason = Question, k.Held
	}
	return o, k, true
}

// hold says why an event that a device did sign is held; no reason where it is let in.
func (d *door) hold(device Device, k Known) Reason {
	at := seqKey{k.Device, k.Seq}
	before, followed := d.bySeq[seqKey{k.Device, k.Seq - 1}]
	_, taken := d.bySeq[at]
	next, hasNext := d.wantPrev[at]
	_, pass := d.h.Passes[k.Pass]
	first, named := d.ids[k.ID]
	same := first.Seq == 0 && first.Pass == k.Pass && first.Kind == k.Kind
	switch {
	case named && !same:
		return IDReused
	case taken:
		return SeqReused
	case followed && before.Digest != k.Prev || hasNext && next != k.Digest:
		return ChainBroken
	case named:
		return TakenOnline
	case !device.Revoked.IsZero() && !d.now.Before(device.Revoked):
		return DeviceRevoked
	case k.At.After(d.now.Add(d.skew)):
		return ClockAhead
	case !pass:
		return UnknownPass
	}
	return ""
}
