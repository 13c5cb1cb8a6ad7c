package gatepass_test

import (
	"bytes"
	"cmp"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/offline"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
	"github.com/gavelhq/gavel/apps/gatepass/rule/token"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

var partitions = flag.Int("partitions", 20, "how many random partitions of two gates and the server are tried")

// pair puts a guard with a shift on a device of their own, and says as whom they ask.
func (r *rig) pair(t *testing.T, guard string) string {
	t.Helper()
	device, session := "dev_"+ulidOf(guard), "ses_"+ulidOf(guard)
	person := people()[guard].ID
	r.Set(t, `insert into gavel.person (org, id, issuer, subject, name, email, roles, first_seen_at, last_seen_at)
		values ($1, $2, 'local', $2, $3, '', '{gate}', now(), now())`, postgrestest.North, person, guard)
	r.Set(t, `insert into gavel.device (org, id, secret_sha256, name, paired_by, paired_at, seen_at)
		values ($1, $2, sha256($2::text::bytea), $3, 'admin', now(), now())`, postgrestest.North, device, "Device of "+guard)
	r.Set(t, `insert into gavel.session (org, id, secret_sha256, kind, person, roles, orgs, device, label, began_at, seen_at, ends_at)
		values ($1, $2, sha256($2::text::bytea), 'shift', $3, '{gate}', array[$1::text], $4, '', now(), now(), now() + '8 hours')`,
		postgrestest.North, session, person, device)
	return guard
}

// ulidOf is the end of an id that is somebody's.
func ulidOf(name string) string {
	end := "9" + strings.TrimPrefix(name, "guard")
	return strings.Repeat("0", 26-len(end)) + end
}

// A device is a gate's: its key, its book of events, and what it goes by while it is alone.
type device struct {
	as     string
	id     string
	key    ed25519.PrivateKey
	seq    int64
	prev   replay.Digest
	gate   offline.Gate
	cursor string
	queue  []string
	linked bool
	off    time.Duration
	last   time.Time
	photo  string
}

// station makes a device one whose events are believed.
func (r *rig) station(t *testing.T, as string) *device {
	t.Helper()
	public, private, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	at := r.Want(t, 200, as, http.MethodPost, rest.Base+"/gate/stations", map[string]string{
		"public_key": base64.StdEncoding.EncodeToString(public)})
	return &device{as: as, id: at.JSON["id"].(string), key: private, linked: true}
}

// sync asks the server what has changed, and believes it.
func (d *device) sync(t *testing.T, r *rig) {
	t.Helper()
	var b rest.BundleBody
	a := r.Want(t, 200, d.as, http.MethodGet, rest.Base+"/gate/bundle?since="+d.cursor, nil)
	if err := json.Unmarshal([]byte(a.Body), &b); err != nil {
		t.Fatal(err)
	}
	g := &d.gate
	if b.Whole {
		g.List, g.Revoked, g.Keys = offline.List{}, token.Revoked{}, token.Keys{}
	}
	for _, k := range b.Keys {
		raw, _ := base64.StdEncoding.DecodeString(k.Public)
		g.Keys[k.ID] = raw
	}
	var delta offline.Delta
	for _, e := range b.Passes {
		delta.Put = append(delta.Put, offline.Entry{Pass: number.Number(e.Pass), Token: e.Token, Status: e.Status, Returnable: e.Returnable,
			From: time.UnixMilli(e.From), Until: time.UnixMilli(e.Until), DueBack: time.UnixMilli(e.DueBack),
			Since: time.UnixMilli(e.Since)})
	}
	for _, n := range b.Gone {
		delta.Gone = append(delta.Gone, number.Number(n))
	}
	g.List = g.List.With(delta)
	for n, v := range b.Revoked {
		g.Revoked[number.Number(n)] = v
	}
	g.Org, g.Skew, g.Rules, d.cursor = b.Org, d.off, offline.Standard(), b.Next
}

// write signs what the device lets through.
func (d *device) write(t *testing.T, n number.Number, kind pass.Event, at time.Time) string {
	t.Helper()
	d.seq++
	text, err := replay.Sign(replay.Event{ID: fmt.Sprintf("%s-%d", d.id, d.seq), Device: d.id, Seq: d.seq, Prev: d.prev, Pass: n,
		Kind: kind, At: at, Guard: people()[d.as].ID, Photo: cmp.Or(d.photo, string(replay.DigestOf("photo")))}, d.key)
	if err != nil {
		t.Fatal(err)
	}
	d.prev = replay.DigestOf(text)
	return text
}

// send hands events over and returns what became of them.
func (d *device) send(t *testing.T, r *rig, events ...string) (out rest.EventsBody) {
	t.Helper()
	a := r.Want(t, 200, d.as, http.MethodPost, rest.Base+"/gate/events:batch", map[string]any{"events": events})
	if err := json.Unmarshal([]byte(a.Body), &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// A walk is one random partition: a server, two gates, two passes, and everything that any gate let through, in truth.
type walk struct {
	*rig
	rng    *rand.Rand
	gates  []*device
	passes []number.Number
	codes  map[number.Number]string
	truth  map[number.Number][]replay.Known
	met    map[string]int
	photo  []byte
}

// scan holds a pass before a gate's camera.
func (w *walk) scan(t *testing.T, d *device, n number.Number) {
	t.Helper()
	if d.linked && len(d.queue) == 0 {
		if a := w.rig.scan(t, d.as, "scan", w.codes[n], w.photo, "event_id", fmt.Sprintf("on-%d", w.rng.Int64())); a.Status == 200 {
			w.met["online"]++
		}
		d.sync(t, w.rig)
		return
	}
	now := time.Now().Add(d.off).Truncate(time.Millisecond)
	v := d.gate.Judge(w.codes[n], now)
	kind, ok := map[offline.Word]pass.Event{offline.GoOut: pass.ScanExit, offline.GoIn: pass.ScanReturn}[v.Word]
	if !ok {
		return
	}
	when := d.gate.DateOf(n, now)
	text := d.write(t, n, kind, when)
	d.queue = append(d.queue, text)
	d.gate.Done = append(d.gate.Done, offline.Done{Pass: n, Event: kind, At: when})
	if when.After(d.last) {
		d.last = when
	}
	w.truth[n] = append(w.truth[n], replay.Known{Event: replay.Event{At: d.last, Device: d.id, Seq: d.seq, Kind: kind},
		Digest: replay.DigestOf(text)})
}

// deliver sends a part of what a gate has not had confirmed; now and then the confirmation is lost, and the part is sent again.
func (w *walk) deliver(t *testing.T, d *device, from, upTo int) {
	t.Helper()
	for _, o := range d.send(t, w.rig, d.queue[from:upTo]...).Results {
		w.met[string(o.Fate)]++
	}
	if w.rng.IntN(4) == 0 {
		w.met["confirmation lost"]++
		return
	}
	d.queue, d.gate.Done = slices.Delete(d.queue, from, upTo), slices.Delete(d.gate.Done, from, upTo)
	d.sync(t, w.rig)
}

// TestTwoGatesAndTheServerUnderRandomPartitions promises, against the real server and its database: every event once, every clash a
// question and nothing else, nobody both in and out, whoever came back to the network first.
func TestTwoGatesAndTheServerUnderRandomPartitions(t *testing.T) {
	r := newRig(t, durable.Clock{})
	a, b := r.pair(t, "guard0"), r.pair(t, "guard1")
	met := map[string]int{}
	for round := range *partitions {
		w := &walk{rig: r, rng: rand.New(rand.NewPCG(uint64(round), 7)), met: met, photo: face(t, 8, 8), codes: map[number.Number]string{},
			truth: map[number.Number][]replay.Known{}}
		for range 2 {
			n := number.Number(r.approved(t))
			w.passes, w.codes[n] = append(w.passes, n), r.code(t, n)
		}
		for _, as := range []string{a, b} {
			d := r.station(t, as)
			d.linked = w.rng.IntN(3) == 0
			d.off = time.Duration(w.rng.IntN(120_000)-60_000) * time.Millisecond
			d.sync(t, r)
			w.gates = append(w.gates, d)
		}
		w.run(t)
		if t.Failed() {
			t.Fatalf("in round %d", round)
		}
	}
	if !t.Failed() {
		fmt.Printf("%d partitions of two gates and a server: every event once, every clash a question, nobody both in and out; met %v\n",
			*partitions, met)
	}
	for _, must := range []string{"applied", "question", "duplicate", "online", "confirmation lost", "settled"} {
		if met[must] == 0 {
			t.Errorf("no partition ever met %q: they prove less than they claim", must)
		}
	}
}

func (w *walk) run(t *testing.T) {
	for range 10 + w.rng.IntN(20) {
		d := w.gates[w.rng.IntN(2)]
		switch w.rng.IntN(8) {
		case 0:
			d.linked = !d.linked
		case 1, 2:
			if n := len(d.queue); d.linked && n > 0 {
				from := w.rng.IntN(n)
				w.deliver(t, d, from, from+1+w.rng.IntN(n-from))
			}
		default:
			w.scan(t, d, w.passes[w.rng.IntN(2)])
		}
	}
	for _, d := range w.gates { // the network is back
		for len(d.queue) > 0 {
			w.deliver(t, d, 0, len(d.queue))
		}
	}
	w.met["settled"] += w.Number(t, `select count(*)::int from gatepass.question where answer = 'fits' and number = any ($1)`, w.numbers())
	for _, n := range w.passes {
		w.check(t, n)
	}
}

func (w *walk) numbers() (all []string) {
	for _, n := range w.passes {
		all = append(all, string(n))
	}
	return all
}

// check holds what the server has of a pass against what happened.
func (w *walk) check(t *testing.T, n number.Number) {
	t.Helper()
	w.truth[n] = append(w.truth[n], w.rows(t, n)...)
	known := w.Texts(t, `select digest from gatepass.arrival where number = $1 and held = ''`, n)
	signed := 0
	for _, k := range w.truth[n] {
		if k.Seq == 0 {
			continue
		}
		signed++
		if !slices.Contains(known, string(k.Digest)) {
			t.Errorf("%s: %s happened and is not known", n, k.Digest)
		}
	}
	if signed != len(known) {
		t.Errorf("%s: %d events happened and %d are known", n, signed, len(known))
	}
	clashes, last := walked(w.truth[n])
	asked := w.Texts(t, `select q.event from gatepass.question q join gavel.proposal p on p.org = q.org and p.id = q.proposal
		where q.number = $1 and q.settled_at is null and q.ended_at is null and p.state = 'open'`, n)
	slices.Sort(clashes)
	slices.Sort(asked)
	if !slices.Equal(asked, clashes) {
		t.Errorf("%s: asked is %v, want %v", n, asked, clashes)
	}
	k := w.Call(t, "hr", http.MethodGet, rest.Base+"/hr/gatepass/"+string(n), nil).JSON
	want := map[pass.Event]string{"": "approved", pass.ScanExit: "exited", pass.ScanReturn: "returned"}[last]
	history := k["status_history"].([]any)
	if k["status"] != want || history[len(history)-1].(map[string]any)["status"] != want {
		t.Errorf("%s: it is %v, want %s; %v", n, k["status"], want, history)
	}
	moment := func(field string) time.Time { return must(time.Parse(time.RFC3339, k[field].(string))) }
	if k["return_time"] != nil && moment("return_time").Before(moment("exit_time")) {
		t.Errorf("%s came back before it went: %v, %v", n, k["exit_time"], k["return_time"])
	}
}

// rows are the scans that the server took itself.
func (w *walk) rows(t *testing.T, n number.Number) (all []replay.Known) {
	t.Helper()
	for _, text := range w.Texts(t, `select jsonb_build_object('digest', 'scan/' || s.key, 'kind', s.kind, 'at', s.at)::text
		from gatepass.scan s join gatepass.pass p on p.org = s.org and p.id = s.pass_id where p.number = $1`, n) {
		var one struct {
			Digest replay.Digest
			Kind   pass.Event
			At     time.Time
		}
		if err := json.Unmarshal([]byte(text), &one); err != nil {
			t.Fatal(err)
		}
		all = append(all, replay.Known{Event: replay.Event{Kind: one.Kind, At: one.At}, Digest: one.Digest})
	}
	return all
}

// walked is the clashes of a pass, found by walking through what happened by the clock: out, then back, and nothing else fits.
func walked(scans []replay.Known) (clashes []string, last pass.Event) {
	all := slices.Clone(scans)
	slices.SortStableFunc(all, func(a, b replay.Known) int {
		if c := a.At.Compare(b.At); c != 0 {
			return c
		}
		return strings.Compare(fmt.Sprintf("%s %09d %s", a.Device, a.Seq, a.Digest), fmt.Sprintf("%s %09d %s", b.Device, b.Seq, b.Digest))
	})
	next := []pass.Event{pass.ScanExit, pass.ScanReturn}
	for _, k := range all {
		if len(next) > 0 && k.Kind == next[0] {
			last, next = next[0], next[1:]
			continue
		}
		clashes = append(clashes, string(k.Digest))
	}
	return clashes, last
}

// decide answers a proposal.
func (r *rig) decide(t *testing.T, as, proposal string, v review.Verdict) {
	t.Helper()
	who := people()[as]
	p, err := r.Deps.Reviews.Get(t.Context(), who, proposal)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Deps.Reviews.Decide(t.Context(), who, review.Decision{ID: "test-" + store.NewID(time.Now()), Proposal: p.ID,
		ShownSHA256: p.ShownSHA256, Verdict: v, Reason: "The photos were looked at."})
	if err != nil {
		t.Fatal(err)
	}
}

// code is what a pass's QR says.
func (r *rig) code(t *testing.T, n number.Number) string {
	t.Helper()
	kept, desk := r.behind()
	ref := must(store.ParseRef(string(n)))
	text, err := desk.Code(t.Context(), postgrestest.North, must(kept.Get(t.Context(), postgrestest.North, ref)))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestWhatIsHeldAtTheDoorIsAskedAbout promises that a forged event, one of a device that was revoked meanwhile and one
// that nobody can read are kept and asked about, that nothing comes of them, and that an administrator can let the signed ones count.
func TestWhatIsHeldAtTheDoorIsAskedAbout(t *testing.T) {
	r := newRig(t, durable.Clock{})
	d := r.station(t, r.pair(t, "guard0"))
	d.sync(t, r)
	first, second := number.Number(r.approved(t)), number.Number(r.approved(t))
	out := d.write(t, first, pass.ScanExit, time.Now())
	forged := out[:len(out)-8] + "AAAAAAAA"
	for want, text := range map[string]string{"forged": forged, "unreadable": "GE1.nonsense"} {
		got := d.send(t, r, text).Results[0]
		if string(got.Reason) != want || got.Fate != replay.Question {
			t.Errorf("%s: %+v", want, got)
		}
	}
	r.Set(t, `update gavel.device set revoked_at = now(), revoked_by = 'admin' where id = $1`, "dev_"+ulidOf("guard0"))
	d.as = r.pair(t, "guard1") // the device was paired again, and its old queue is still there
	later := d.write(t, second, pass.ScanExit, time.Now())
	for _, o := range d.send(t, r, out, later).Results {
		if o.Reason != replay.DeviceRevoked {
			t.Errorf("of a revoked device: %+v", o)
		}
	}
	if n := r.Number(t, `select count(*)::int from gatepass.pass where status <> 'approved'`); n != 0 {
		t.Errorf("%d passes moved by what was held", n)
	}
	kept, _ := r.behind()
	for n, verdict := range map[number.Number]review.Verdict{first: review.Approve, second: review.Reject} {
		q := r.Texts(t, `select proposal from gatepass.question where number = $1 and ended_at is null and reason = 'device_revoked'`, n)
		if len(q) != 1 {
			t.Fatalf("%s: %d questions", n, len(q))
		}
		r.decide(t, "admin", q[0], verdict)
	}
	status := func(n number.Number) pass.Status {
		return must(kept.Get(t.Context(), postgrestest.North, must(store.ParseRef(string(n))))).Status
	}
	if status(first) != pass.Exited || status(second) != pass.Approved {
		t.Errorf("counted: %s, left: %s", status(first), status(second))
	}
	if again := d.send(t, r, out, later, forged).Results; again[0].Fate != replay.Duplicate || again[1].Fate != replay.Duplicate ||
		again[2].Fate != replay.Duplicate {
		t.Errorf("sent again: %+v", again)
	}
	hand := func(as string, times int) platformtest.Answer {
		return r.Call(t, as, http.MethodPost, rest.Base+"/gate/events:batch", map[string]any{"events": slices.Repeat([]string{out}, times)})
	}
	wants(t, hand("hr", 1), 403, "role_forbidden")
	wants(t, hand(d.as, 501), 422, "validation")
}

// TestAnAnswerThatWasLostIsNoSecondExit promises that an event which the server took online, and which the gate signed because the answer
// did not reach it, happens once and is no question.
func TestAnAnswerThatWasLostIsNoSecondExit(t *testing.T) {
	r := newRig(t, durable.Clock{})
	d := r.station(t, r.pair(t, "guard0"))
	d.sync(t, r)
	n := number.Number(r.approved(t))
	text := d.write(t, n, pass.ScanExit, time.Now())
	wants(t, r.scan(t, d.as, "scan-exit", string(n), face(t, 8, 8), "event_id", d.id+"-1"), 200, "")
	if got := d.send(t, r, text).Results[0]; got.Fate != replay.Duplicate {
		t.Errorf("%+v", got)
	}
	next := d.write(t, n, pass.ScanReturn, time.Now())
	if got := d.send(t, r, next).Results[0]; got.Fate != replay.Applied {
		t.Errorf("the next of the device: %+v", got)
	}
	if q := r.Number(t, `select count(*)::int from gatepass.question`); q != 0 {
		t.Errorf("%d questions", q)
	}
}

// TestThePhotoOfAnEventComesLater promises that the photo which a signed event names is taken once, that another is not, and that the pass
// shows it.
func TestThePhotoOfAnEventComesLater(t *testing.T) {
	r := newRig(t, durable.Clock{})
	d := r.station(t, r.pair(t, "guard0"))
	d.sync(t, r)
	n := number.Number(r.approved(t))
	file := face(t, 24, 24)
	d.photo = string(replay.DigestOf(string(file)))
	text := d.write(t, n, pass.ScanExit, time.Now())
	d.send(t, r, text)
	hand := func(file []byte) platformtest.Answer {
		var body bytes.Buffer
		form := multipart.NewWriter(&body)
		_ = form.WriteField("event", string(replay.DigestOf(text)))
		w := must(form.CreateFormFile("photo", "photo.jpg"))
		_, _ = w.Write(file)
		_ = form.Close()
		return r.sendForm(t, d.as, "/gate/event-photos", form.FormDataContentType(), &body)
	}
	wants(t, hand(face(t, 8, 8)), 422, "other_photo")
	for range 2 {
		wants(t, hand(file), 204, "")
	}
	all := r.Call(t, "hr", http.MethodGet, rest.Base+"/gate/photos/"+string(n), nil)
	k := r.Call(t, "hr", http.MethodGet, rest.Base+"/hr/gatepass/"+string(n), nil)
	if all.JSON["total"] != 1.0 || !strings.Contains(all.Body, k.JSON["exit_photo_id"].(string)) {
		t.Errorf("photos: %s; the pass shows %v", all.Body, k.JSON["exit_photo_id"])
	}
}

// TestAGateIsToldWhatItNeedsAndNothingElse promises that a gate's list has the passes in use of its site, that a later word has only what
// changed, and that what was revoked is said.
func TestAGateIsToldWhatItNeedsAndNothingElse(t *testing.T) {
	r := newRig(t, durable.Clock{})
	d := r.station(t, r.pair(t, "guard0"))
	r.create(t, "hr", "person_name", "Waits Still")
	listed, revoked := r.approved(t), r.approved(t)
	d.sync(t, r)
	if len(d.gate.List) != 2 {
		t.Errorf("listed: %v", slices.Sorted(maps.Keys(d.gate.List)))
	}
	body := r.Want(t, 200, d.as, http.MethodGet, rest.Base+"/gate/bundle", nil).Body
	if !strings.Contains(body, "Asha Rao") || strings.Contains(body, "Waits Still") || strings.Contains(body, "To the bank") {
		t.Errorf("told: %s", body)
	}
	code := r.code(t, number.Number(revoked))
	// What was committed while an older transaction was under way, in whatever database of the cluster, is sent twice.
	wait.Until(t, "no transaction is under way that is older than the passes", func() bool {
		d.sync(t, r)
		return !strings.Contains(r.Want(t, 200, d.as, http.MethodGet, rest.Base+"/gate/bundle?since="+d.cursor, nil).Body, listed)
	})
	wants(t, r.act(t, "admin", revoked, "delete", `{"reason":"The visit is called off."}`), 200, "")
	delta := r.Want(t, 200, d.as, http.MethodGet, rest.Base+"/gate/bundle?since="+d.cursor, nil).Body
	if strings.Contains(delta, `"whole":true`) || !bytes.Contains([]byte(delta), []byte(`"gone":["`+revoked+`"]`)) ||
		strings.Contains(delta, listed) {
		t.Errorf("what changed: %s", delta)
	}
	d.sync(t, r)
	if v := d.gate.Judge(code, time.Now()); v.Word != offline.Stop || v.Reason != offline.Revoked {
		t.Errorf("the revoked code: %+v", v)
	}
	wants(t, r.Call(t, "hr", http.MethodGet, rest.Base+"/gate/bundle", nil), 403, "role_forbidden")
	wants(t, r.Call(t, "gate", http.MethodPost, rest.Base+"/gate/stations", map[string]string{
		"public_key": base64.StdEncoding.EncodeToString(make([]byte, 32))}), 403, "role_forbidden")
}
