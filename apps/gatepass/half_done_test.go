package gatepass_test

import (
	"bytes"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/casework"
	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/rule/number"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/replay"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/platformtest"
	"github.com/gavelhq/gavel/platform/review"
)

// evented sends the photo of an event that was replayed.
func (r *rig) evented(t *testing.T, as, digest string, file []byte) platformtest.Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("event", digest)
	if file != nil {
		w := must(form.CreateFormFile("photo", "photo.jpg"))
		_, _ = w.Write(file)
	}
	_ = form.Close()
	return r.sendForm(t, as, "/gate/event-photos", form.FormDataContentType(), &body)
}

// TestADeedIsDoneWholeOrNotAtAll promises that where any part of the record cannot be written, nobody was let out or in, nothing was
// decided and nothing replayed: what is asked for is done with everything that belongs to it, its history, its notices and its place in
// the log, or not at all; and that the same is done once the record is whole again.
func TestADeedIsDoneWholeOrNotAtAll(t *testing.T) {
	r := newRig(t, durable.Clock{})
	d := r.station(t, r.pair(t, "guard0"))
	things := []map[string]any{{"name": "Laptop", "qty": 1, "returnable": true}}
	out, back, alone := r.approved(t, "items", things), r.approved(t, "items", things), number.Number(r.approved(t))
	wants(t, r.scan(t, "gate", "scan-exit", back, face(t, 8, 8)), 200, "")
	var waits [3]string
	for i := range waits {
		waits[i] = r.create(t, "hr")["pass_number"].(string)
	}
	file := face(t, 24, 24)
	d.photo = string(replay.DigestOf(string(file)))
	left := d.write(t, alone, pass.ScanExit, time.Now())
	again := d.write(t, alone, pass.ScanExit, time.Now()) // which becomes a question
	key := base64.StdEncoding.EncodeToString(must2(ed25519.GenerateKey(nil)))
	post := func(as, path string, body any) func() platformtest.Answer {
		return func() platformtest.Answer { return r.Call(t, as, http.MethodPost, rest.Base+path, body) }
	}
	later := time.Now().Add(50 * time.Hour).UTC().Format(time.RFC3339)
	const setup, record, outbox, proposal, cases = "gavel.setting", "gavel.record", "gavel.outbox", "gavel.proposal", "gavel.case"
	for _, tt := range []struct {
		name  string
		do    func() platformtest.Answer
		needs []string
		done  int
	}{
		{"create", post("hr", "/hr/gatepass/create", map[string]any{"person_name": "Asha Rao", "description": "Bank", "is_returnable": true,
			"items": things}), []string{setup, "gatepass.watch", "gatepass.counter", "gatepass.pass", "gatepass.item", "gatepass.event",
			"gatepass.notice", cases, proposal, record, outbox}, 201},
		{"approve", post("admin", "/admin/gatepass/"+waits[0]+"/approve", map[string]any{"valid_until": later}), []string{setup,
			"gatepass.pass", "gatepass.event", "gatepass.notice", proposal, "gavel.decision", record}, 200},
		{"reject", post("admin", "/admin/gatepass/"+waits[1]+"/reject", `{}`), []string{setup, "gatepass.pass", "gatepass.event", proposal,
			"gavel.decision", record}, 200},
		{"delete", post("admin", "/admin/gatepass/"+waits[2]+"/delete", `{}`), []string{setup, "gatepass.pass", "gatepass.event", proposal,
			record, outbox}, 200},
		{"leave", func() platformtest.Answer { return r.scan(t, "gate", "scan-exit", out, file) }, []string{setup, "gatepass.pass",
			"gatepass.item", "gatepass.event", "gatepass.scan", "gatepass.photo", "gatepass.watch", "gatepass.arrival", record,
			outbox}, 200},
		{"return", func() platformtest.Answer {
			return r.scan(t, "gate", "scan-return", back, file, "items", `[{"item_id":"1","qty":1}]`)
		}, []string{"gatepass.pass", "gatepass.item", "gatepass.event", "gatepass.scan", "gatepass.photo", record, outbox}, 200},
		{"recall", post("admin", "/admin/gatepass/"+out+"/recall", `{"reason":"Lost."}`), []string{setup, "gatepass.pass", proposal}, 200},
		{"replay", post(d.as, "/gate/events:batch", map[string]any{"events": []string{left, again}}), []string{setup, "gatepass.pass",
			"gatepass.gate", "gavel.device", "gatepass.arrival", "gatepass.event", "gatepass.question", cases, proposal, record,
			outbox}, 200},
		{"photo", func() platformtest.Answer { return r.evented(t, d.as, string(replay.DigestOf(left)), file) }, []string{setup,
			"gatepass.pass", "gatepass.arrival", "gatepass.photo", outbox}, 204},
		{"station", post(d.as, "/gate/stations", map[string]string{"public_key": key}), []string{setup, "gavel.device",
			"gatepass.gate"}, 200},
		{"bundle", func() platformtest.Answer { return r.Call(t, d.as, http.MethodGet, rest.Base+"/gate/bundle", nil) }, []string{setup,
			"gatepass.pass", "gatepass.signing_key", "gatepass.scan"}, 200},
		{"watch", post("admin", "/admin/watchlist", `{"name":"X Y","level":"ask","reason":"x"}`), []string{"gatepass.watch"}, 201},
	} {
		before := r.written(t)
		for _, table := range tt.needs {
			r.without(t, table, func() {
				if a := tt.do(); a.Status < 500 {
					t.Errorf("%s without %s: got %d: %.400s", tt.name, table, a.Status, a.Body)
				}
			})
			if after := r.written(t); after != before {
				t.Fatalf("%s without %s is half done: %s, and was %s", tt.name, table, after, before)
			}
		}
		if a := tt.do(); a.Status != tt.done {
			t.Errorf("%s once the record is whole again: got %d, want %d: %.400s", tt.name, a.Status, tt.done, a.Body)
		}
	}
}

func must2[A, B any](a A, _ B, err error) A {
	if err != nil {
		panic(err)
	}
	return a
}

// written is what state says, and what gates write.
func (r *rig) written(t *testing.T) string {
	t.Helper()
	return r.state(t) + " | " + r.Texts(t, `select concat_ws(' ', (select count(*) from gatepass.scan),
		(select count(*) from gatepass.arrival), (select count(*) from gatepass.gate),
		(select count(*) from gatepass.question), (select count(*) from gatepass.notice),
		(select count(*) from gavel.decision), (select sum(last) from gatepass.counter),
		(select string_agg(status, ',' order by number) from gatepass.pass))`)[0]
}

// TestADeviceStandsAtAGateThatIsThere promises that a device signs for a gate which a site has, by its own name or the one that is said;
// that where gates have names one must be said; that the same key is the same station, and another pairing's key is nobody else's.
func TestADeviceStandsAtAGateThatIsThere(t *testing.T) {
	r := newRig(t, durable.Clock{})
	guard, other := r.pair(t, "guard0"), r.pair(t, "guard1")
	at := func(as, key, gate string) platformtest.Answer {
		return r.Call(t, as, http.MethodPost, rest.Base+"/gate/stations", map[string]string{"public_key": key, "gate_id": gate})
	}
	key := func() string { return base64.StdEncoding.EncodeToString(must2(ed25519.GenerateKey(nil))) }
	one := key()
	first := at(guard, one, "")
	wants(t, first, 200, "")
	if again := at(guard, one, ""); again.JSON["id"] != first.JSON["id"] {
		t.Errorf("the same key is another station: %s, %s", again.Body, first.Body)
	}
	wants(t, at(other, one, ""), 403, "conflict")
	wants(t, at(guard, strings.Repeat("=", 44), ""), 422, "validation")
	wants(t, at(guard, key(), "west"), 422, "validation") // gates have no names yet
	r.twoSites(t)
	if a := at(guard, key(), ""); a.Status != 422 || !strings.Contains(a.Body, "at which gate") {
		t.Errorf("which gate is guessed: %s", a.Body)
	}
	wants(t, at(guard, key(), "west"), 422, "validation")
	if a := at(guard, key(), "east"); a.Status != 200 || a.JSON["site_id"] != "depot" || a.JSON["gate_id"] != "east" {
		t.Errorf("at the gate that is said: %s", a.Body)
	}
	r.Set(t, `update gavel.device set name = 'north' where id = $1`, "dev_"+ulidOf("guard1"))
	if a := at(other, key(), ""); a.Status != 200 || a.JSON["site_id"] != "main" || a.JSON["gate_id"] != "north" {
		t.Errorf("at the gate it is called after: %s", a.Body)
	}
	wants(t, r.Call(t, guard, http.MethodGet, rest.Base+"/gate/bundle?site_id=moon", nil), 422, "validation")
	if a := r.Want(t, 200, guard, http.MethodGet, rest.Base+"/gate/bundle?site_id=depot", nil); a.JSON["site_id"] != "depot" {
		t.Errorf("the bundle of a site: %.300s", a.Body)
	}
}

// TestAPhotoThatNoEventNamesIsNotTaken promises that what comes after an event is a photo, of an event that is there, and is kept once, on
// the way out and on the way back.
func TestAPhotoThatNoEventNamesIsNotTaken(t *testing.T) {
	r := newRig(t, durable.Clock{})
	d := r.station(t, r.pair(t, "guard0"))
	n := number.Number(r.approved(t))
	d.photo = string(replay.DigestOf("no picture"))
	out := d.write(t, n, pass.ScanExit, time.Now())
	file := face(t, 30, 20)
	d.photo = string(replay.DigestOf(string(file)))
	back := d.write(t, n, pass.ScanReturn, time.Now())
	d.send(t, r, out, back)
	digest := func(text string) string { return string(replay.DigestOf(text)) }
	wants(t, r.evented(t, d.as, digest("another"), file), 404, "not_found")
	wants(t, r.evented(t, d.as, digest(out), file), 422, "other_photo")
	wants(t, r.evented(t, d.as, digest(out), []byte("no picture")), 422, "unsupported_photo_format")
	wants(t, r.evented(t, d.as, digest(back), nil), 422, "other_photo")
	wants(t, r.evented(t, "hr", digest(back), file), 403, "role_forbidden")
	wants(t, r.sendForm(t, d.as, "/gate/event-photos", "text/plain", strings.NewReader("x")), 400, "not_multipart")
	cut := strings.NewReader("--x\r\ncut")
	wants(t, r.sendForm(t, d.as, "/gate/event-photos", "multipart/form-data; boundary=x", cut), 400, "not_multipart")
	if n := r.Number(t, `select count(*)::int from gatepass.photo`); n != 0 {
		t.Fatalf("%d of what was refused is kept", n)
	}
	wants(t, r.evented(t, d.as, digest(back), file), 204, "")
	k := r.Want(t, 200, "hr", http.MethodGet, rest.Base+"/hr/gatepass/"+string(n), nil)
	if kind := r.Texts(t, `select kind from gatepass.photo`); len(kind) != 1 || kind[0] != "return" || k.JSON["return_photo_id"] == nil {
		t.Errorf("the photo is %v, and the pass shows %v", kind, k.JSON["return_photo_id"])
	}
}

// TestWithoutAPlaceForPhotosOnlyASupervisorsWordLetsOut promises that a server which keeps no photos takes none: nobody leaves on one that
// would be lost, and who oversees gates can still let somebody out by their word.
func TestWithoutAPlaceForPhotosOnlyASupervisorsWordLetsOut(t *testing.T) {
	r := newRig(t, durable.Clock{})
	number := r.approved(t)
	without := r.Deps
	without.Vault = nil
	if err := r.App.Open(without); err != nil {
		t.Fatal(err)
	}
	a := r.scan(t, "gate", "scan-exit", number, face(t, 9, 9))
	if wants(t, a, 500, "unavailable"); a.Header.Get("Retry-After") == "" {
		t.Error("nobody is told when to come again")
	}
	kept, _ := r.behind()
	bare := &casework.Desk{}
	bare.Open(casework.Config{Store: kept, Cases: r.Deps.Cases, Reviews: r.Deps.Reviews})
	scan := casework.Scanning{Event: pass.ScanExit, Scanned: number, Photo: face(t, 9, 9)}
	if _, err := bare.Scan(t.Context(), people()["gate"], scan); !fault.Is(err, fault.Unavailable) {
		t.Errorf("with a photo: %v", err)
	}
	scan.Photo, scan.Override = nil, "The camera is broken."
	if _, err := bare.Scan(t.Context(), people()["gate"], scan); err == nil {
		t.Error("a guard's word lets somebody out")
	}
	if k, err := bare.Scan(t.Context(), people()["supervisor"], scan); err != nil || k.Status != pass.Exited {
		t.Errorf("by a supervisor's word: %v, %s", err, k.Status)
	}
}

// TestOnlyTheTimesOfAPassAreEdited promises that who approves may set other times and nothing else: not the pass, not its version, nothing
// that an approval does not have; and that a time which is none is refused.
func TestOnlyTheTimesOfAPassAreEdited(t *testing.T) {
	r := newRig(t, durable.Clock{})
	who := people()["admin"]
	mine, other := r.create(t, "hr"), r.create(t, "hr")["pass_number"].(string)
	p, err := r.Deps.Reviews.Get(t.Context(), who, mine["proposal_id"].(string))
	if err != nil {
		t.Fatal(err)
	}
	var was map[string]any
	if err := json.Unmarshal(p.Args, &was); err != nil {
		t.Fatal(err)
	}
	edit := func(field string, value any) error {
		args := map[string]any{}
		for k, v := range was {
			args[k] = v
		}
		args[field] = value
		_, err := r.Deps.Reviews.Decide(t.Context(), who, review.Decision{ID: "test-" + store.NewID(time.Now()), Proposal: p.ID,
			ShownSHA256: p.ShownSHA256, Verdict: review.Edit, Edit: must(json.Marshal(args)), Reason: "Until later."})
		return err
	}
	for field, value := range map[string]any{"number": other, "version": 7, "person_name": "Somebody", "valid_until": "soon"} {
		if err := edit(field, value); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s as %v: %v", field, value, err)
		}
	}
	if n := r.Number(t, `select count(*)::int from gatepass.pass where status <> 'pending'`); n != 0 {
		t.Fatalf("%d passes moved", n)
	}
	later := time.Now().Add(70 * time.Hour).UTC().Truncate(time.Second)
	if err := edit("valid_until", later); err != nil {
		t.Fatal(err)
	}
	number := mine["pass_number"].(string)
	a := r.Want(t, 200, "admin", http.MethodGet, rest.Base+"/admin/gatepass/"+number, nil)
	if a.JSON["status"] != "approved" || a.JSON["valid_until"] != later.Format(time.RFC3339) {
		t.Errorf("it is %v until %v, want %s", a.JSON["status"], a.JSON["valid_until"], later)
	}
}

// TestACaseEndsAsItsPassDid promises that the case of a pass is closed with how the pass ended, that of a pass which still has a way to go
// stays open, and that the case of a question is closed once the question has its answer.
func TestACaseEndsAsItsPassDid(t *testing.T) {
	r := newRig(t, durable.Clock{})
	_, desk := r.behind()
	d := r.station(t, r.pair(t, "guard0"))
	deleted, rejected := r.create(t, "hr")["pass_number"].(string), r.create(t, "hr")["pass_number"].(string)
	over, back, out := r.approved(t), r.approved(t), r.approved(t)
	wants(t, r.act(t, "admin", deleted, "delete", nil), 200, "")
	wants(t, r.act(t, "admin", rejected, "reject", nil), 200, "")
	for _, n := range []string{back, out} {
		wants(t, r.scan(t, "gate", "scan-exit", n, face(t, 8, 8)), 200, "")
	}
	wants(t, r.scan(t, "gate", "scan-return", back, face(t, 8, 8)), 200, "")
	r.Set(t, `update gatepass.pass set valid_from = now() - interval '2 days', valid_until = now() - interval '1 day'
		where number = $1`, over)
	d.send(t, r, d.write(t, number.Number(out), pass.ScanExit, time.Now()))
	asked := r.Texts(t, `select c.ref from gatepass.question q join gavel.case c on c.id = q.case_id`)
	if len(asked) != 1 {
		t.Fatalf("%d questions", len(asked))
	}
	look := func(ref string) string {
		t.Helper()
		now, err := desk.Steps().LookAtPass(t.Context(), r.caseOf(t, ref), time.Now())
		if err != nil {
			t.Fatal(err)
		}
		is := r.Texts(t, `select state || ' ' || status from gavel.case where ref = $1`, ref)[0]
		if strings.HasPrefix(is, "closed") != now.Over {
			t.Errorf("%s is %s, and over is %t", ref, is, now.Over)
		}
		return is
	}
	for ref, want := range map[string]string{deleted: "closed deleted", rejected: "closed rejected", over: "closed expired",
		back: "closed returned"} {
		if got := look(ref); got != want {
			t.Errorf("%s is %q, want %q", ref, got, want)
		}
	}
	for _, ref := range []string{out, asked[0]} {
		if got := look(ref); !strings.HasPrefix(got, "open") {
			t.Errorf("%s is %q", ref, got)
		}
	}
	q := r.Texts(t, `select proposal from gatepass.question`)[0]
	p, err := r.Deps.Reviews.Get(t.Context(), people()["admin"], q)
	if err != nil {
		t.Fatal(err)
	}
	_, err = r.Deps.Reviews.Decide(t.Context(), people()["admin"], review.Decision{ID: "let-it-count", Proposal: q,
		ShownSHA256: p.ShownSHA256, Verdict: review.Approve, Reason: "Why not."})
	if err == nil {
		t.Error("an event that happened twice was let count")
	}
	r.decide(t, "admin", q, review.Reject)
	if got := look(asked[0]); got != "closed settled" {
		t.Errorf("the question is %q", got)
	}
	if again := look(deleted); again != "closed deleted" {
		t.Errorf("looked at again it is %q", again)
	}
}
