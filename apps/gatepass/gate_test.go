package gatepass_test

import (
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"encoding/json"
	"hash/crc32"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/casework"
	"github.com/gavelhq/gavel/apps/gatepass/rest"
	"github.com/gavelhq/gavel/apps/gatepass/rule/watchlist"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/setting"
)

// behind is what the server stands on, for what no address does.
func (r *rig) behind() (*store.Store, *casework.Desk) {
	kept, desk := &store.Store{}, &casework.Desk{}
	kept.Open(store.Config{DB: r.Deps.DB, Clock: r.Deps.Clock, Rules: r.Deps.Rules, Keys: r.Deps.Keys})
	desk.Open(casework.Config{Store: kept, Cases: r.Deps.Cases, Reviews: r.Deps.Reviews, Vault: r.Deps.Vault})
	return kept, desk
}

// TestACodeOpensWhatItNamesAndNoOther promises that a pass is known by its QR, its number as people write it and its short code; that a
// code which was changed, or is of another organisation, is none; and that one whose pass was revoked is dead.
func TestACodeOpensWhatItNamesAndNoOther(t *testing.T) {
	r := newRig(t, durable.Clock{})
	kept, desk := r.behind()
	photo := face(t, 16, 16)
	code := func(number string) string {
		t.Helper()
		ref, err := store.ParseRef(number)
		if err != nil {
			t.Fatal(err)
		}
		k, err := kept.Get(t.Context(), postgrestest.North, ref)
		if err != nil {
			t.Fatal(err)
		}
		text, err := desk.Code(t.Context(), postgrestest.North, k)
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	revoked := r.approved(t)
	dead := code(revoked)
	wants(t, r.act(t, "admin", revoked, "delete", `{"reason":"The visit is called off."}`), 200, "")
	wants(t, r.scan(t, "gate", "scan-exit", dead, photo), 404, "not_found")
	wants(t, r.Call(t, "admin", http.MethodGet, rest.Base+"/qr/"+revoked, nil), 403, "qr_not_available")

	good := code(r.approved(t))
	forged := good[:len(good)-6] + "AAAAAA"
	wants(t, r.scan(t, "gate", "scan-exit", forged, photo), 422, "validation")
	theirs, err := desk.Code(t.Context(), postgrestest.South, func() store.Kept {
		k, _ := kept.Get(t.Context(), postgrestest.North, must(store.ParseRef(r.approved(t))))
		return k
	}())
	if err != nil {
		t.Fatal(err)
	}
	wants(t, r.scan(t, "gate", "scan-exit", theirs, photo), 422, "validation")
	wants(t, r.scan(t, "gate", "scan-exit", good, photo), 200, "")
	third := r.create(t, "hr")
	wants(t, r.act(t, "admin", third["id"].(string), "approve", nil), 200, "")
	written := strings.ReplaceAll(strings.ToLower(third["pass_number"].(string)), "-", " ")
	wants(t, r.scan(t, "gate", "scan", written, photo), 200, "")
	wants(t, r.scan(t, "gate", "scan", strings.ToLower(third["short_code"].(string)), photo), 200, "")
	if a := r.Call(t, "hr", http.MethodGet, rest.Base+"/hr/gatepass/"+third["id"].(string), nil); a.JSON["status"] != "returned" {
		t.Errorf("out and in by one address: %s", a.Body)
	}
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

// TestThingsComeBackInParts promises that a pass stays out while its things are, though its person is in, and ends with the last of them.
func TestThingsComeBackInParts(t *testing.T) {
	r := newRig(t, durable.Clock{})
	photo := face(t, 16, 16)
	number := r.approved(t, "type", "material", "items", []map[string]any{{"name": "Cable", "qty": 2.5, "uom": "m", "returnable": true},
		{"name": "Box", "qty": 1, "returnable": false}})
	wants(t, r.scan(t, "gate", "scan-exit", number, photo), 200, "")
	part := r.scan(t, "gate", "scan-return", number, photo, "items", `[{"item_id":"1","qty":1,"condition":"good"}]`)
	wants(t, part, 200, "")
	if part.JSON["status"] != "exited" || part.JSON["items_open"] != true || part.JSON["person_back"] != true {
		t.Errorf("in parts: %s", part.Body)
	}
	wants(t, r.scan(t, "gate", "scan-return", number, photo, "items", `[{"item_id":"1","qty":2}]`), 422, "validation")
	all := r.scan(t, "gate", "scan-return", number, photo, "items", `[{"item_id":"1","qty":1.5,"condition":"lost"}]`)
	wants(t, all, 200, "")
	if all.JSON["status"] != "returned" || all.JSON["items_open"] != false {
		t.Errorf("the last: %s", all.Body)
	}
}

// TestWhoIsWatchedIsLookedAt promises that the very name is refused when a pass is made and at the gate, that one like it is asked about in
// what the administrator reads first, and that nobody else is troubled.
func TestWhoIsWatchedIsLookedAt(t *testing.T) {
	r := newRig(t, durable.Clock{})
	kept, _ := r.behind()
	admin := people()["admin"]
	early := r.approved(t, "person_name", "Vikram Singh Chauhan")
	for _, w := range []watchlist.Row{{Name: "Vikram Singh Chauhan", Level: watchlist.Hard, Reason: "x"}, {Name: "Mohammed Iqbal Ansari",
		Level: watchlist.Ask, Reason: "x"}} {
		if _, err := kept.Watch(t.Context(), admin, w); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := kept.Watch(t.Context(), people()["hr"], watchlist.Row{Name: "X", Level: watchlist.Ask}); !fault.Is(err, fault.Refused) {
		t.Errorf("anybody adds to the watchlist: %v", err)
	}
	wants(t, r.Call(t, "hr", http.MethodPost, rest.Base+"/hr/gatepass/create", map[string]any{"person_name": "CHAUHAN, Vikram Singh",
		"description": "x", "is_returnable": true}), 422,
		"watchlist_hit")
	wants(t, r.scan(t, "gate", "scan-exit", early, face(t, 9, 9)), 403, "watchlist_hit")
	alike := r.create(t, "hr", "person_name", "Mohammad Iqbal Ansari")
	p, err := r.Deps.Reviews.Get(t.Context(), admin, alike["proposal_id"].(string))
	if err != nil || p.Finding() == nil || len(p.Finding().Against) != 1 || p.Finding().Subject.Name != "Mohammad Iqbal Ansari" {
		t.Errorf("%v: %s", err, p.Shown)
	}
	if n := r.Number(t, `select count(*)::int from gatepass.notice where type = 'watchlist_hit' and to_admin and to_gate`); n != 1 {
		t.Errorf("%d were told of it", n)
	}
}

// TestAPassIsDecidedThroughAnyDoor promises that the decision on its proposal, by whatever face it is made, is what approves or rejects a
// pass, in one with it; that nobody decides on what they made; and that what was taken back is decided no more.
func TestAPassIsDecidedThroughAnyDoor(t *testing.T) {
	r := newRig(t, durable.Clock{})
	who := people()
	decide := func(as, id string, v review.Verdict) error {
		t.Helper()
		p, err := r.Deps.Reviews.Get(t.Context(), who[as], id)
		if err != nil {
			t.Fatal(err)
		}
		_, err = r.Deps.Reviews.Decide(t.Context(), who[as], review.Decision{ID: "test-" + store.NewID(time.Now()), Proposal: id,
			ShownSHA256: p.ShownSHA256, Verdict: v,
			Reason: "It was checked."})
		return err
	}
	status := func(pass map[string]any) any {
		t.Helper()
		return r.Want(t, 200, "admin", http.MethodGet, rest.Base+"/admin/gatepass/"+pass["pass_number"].(string), nil).JSON["status"]
	}
	over := time.Now().Add(2 * time.Second)
	late := r.create(t, "hr", "valid_until", over.Format(time.RFC3339Nano))
	yes, no, own, gone := r.create(t, "hr"), r.create(t, "hr"), r.create(t, "both"), r.create(t, "hr")
	if err := decide("admin", yes["proposal_id"].(string), review.Approve); err != nil || status(yes) != "approved" {
		t.Errorf("%v: it is %v", err, status(yes))
	}
	if err := decide("admin", no["proposal_id"].(string), review.Reject); err != nil || status(no) != "rejected" {
		t.Errorf("%v: it is %v", err, status(no))
	}
	if err := decide("both", own["proposal_id"].(string), review.Approve); !fault.Is(err, fault.Refused) || status(own) != "pending" {
		t.Errorf("one's own: %v, it is %v", err, status(own))
	}
	wants(t, r.act(t, "admin", gone["pass_number"].(string), "delete", nil), 200, "")
	if err := decide("admin", gone["proposal_id"].(string), review.Approve); !fault.Is(err, fault.Conflict) {
		t.Errorf("what was deleted: %v", err)
	}
	wait.Until(t, "its time is over", func() bool { return time.Now().After(over) })
	if err := decide("admin", late["proposal_id"].(string), review.Approve); !fault.Is(err, fault.Conflict) || status(late) != "pending" {
		t.Errorf("what is over: %v, it is %v", err, status(late))
	}
	if n := r.Number(t, `select count(*)::int from gavel.proposal p join gatepass.pass g on g.org = p.org and g.proposal = p.id
		where (p.state = 'open') <> (g.status = 'pending' and g.deleted_at is null)`); n != 0 {
		t.Errorf("%d passes and proposals say different things", n)
	}
	if n := r.Number(t, `select count(*)::int from gatepass.event e where not exists (select from gavel.record r where r.org = e.org
		and r.id = e.record_id)`); n != 0 {
		t.Errorf("%d events are in no log", n)
	}
}

// TestAPassIsGoodInItsTimeAndAtItsSite promises that nobody leaves before or after it, nor at another site's gate.
func TestAPassIsGoodInItsTimeAndAtItsSite(t *testing.T) {
	r := newRig(t, durable.Clock{})
	two := `{"sites":[{"id":"main","name":"Main","tz":"Asia/Kolkata","opens":"","shuts":"","gates":["north"]},` + "\n" +
		`{"id":"depot","name":"Depot","tz":"UTC","opens":"09:00","shuts":"17:00","gates":["east"]}],"grace_minutes":15,"photo_bytes":4096}`
	settings := setting.NewStore(setting.Config{DB: r.Deps.DB, Clock: r.Deps.Clock, Rules: r.Deps.Rules,
		Kinds: []setting.Kind{store.SetupKind}})
	if _, err := settings.Set(t.Context(), people()["admin"], store.SetupKind, "", json.RawMessage(two), setting.AnyVersion); err != nil {
		t.Fatal(err)
	}
	photo, now := face(t, 9, 9), time.Now()
	early := r.approved(t, "valid_from", now.Add(2*time.Hour).Format(time.RFC3339), "valid_until", now.Add(4*time.Hour).
		Format(time.RFC3339))
	wants(t, r.scan(t, "gate", "scan-exit", early, photo), 403, "not_yet_valid")
	over := r.approved(t)
	r.Set(t, `update gatepass.pass set valid_from = now() - interval '2 days', valid_until = now() - interval '1 day'
		where number = $1`, over)
	wants(t, r.scan(t, "gate", "scan-exit", over, photo), 403, "expired")
	depot := r.approved(t, "site_id", "depot", "valid_until", now.Add(40*time.Hour).Format(time.RFC3339))
	wants(t, r.scan(t, "gate", "scan-exit", depot, photo, "gate_id", "north"), 403, "wrong_site")
	wants(t, r.scan(t, "gate", "scan-exit", depot, photo, "gate_id", "west"), 422, "validation")
	wants(t, r.scan(t, "gate", "scan-exit", depot, face(t, 400, 400), "gate_id", "east"), 422, "photo_too_large")
	wants(t, r.scan(t, "gate", "scan-exit", depot, photo, "gate_id", "east"), 200, "")
	wants(t, r.Call(t, "hr", http.MethodPost, rest.Base+"/hr/gatepass/create", map[string]any{"person_name": "A", "description": "x",
		"is_returnable": true, "site_id": "moon"}), 422,
		"validation")
}

// TestPhotosThatUnpackToGigabytesAreRefusedAtOnce promises a plain refusal of pictures that would fill the machine, or are something else
// as well.
func TestPhotosThatUnpackToGigabytesAreRefusedAtOnce(t *testing.T) {
	r := newRig(t, durable.Clock{})
	number := r.approved(t)
	heic := append([]byte{0, 0, 0, 24}, "ftypheic\x00\x00\x00\x00heicmif1"...)
	for name, tt := range map[string]struct {
		file []byte
		code string
	}{
		"a PNG of 60,000 pixels a side": {bomb(60_000, 60_000, 8), "photo_too_large"},
		"one of 16 bits within 50 MP":   {bomb(7000, 7000, 16), "photo_too_large"},
		"a HEIC that is cut off":        {heic, "photo_corrupt"},
		"an archive behind a picture":   {append(bomb(8, 8, 8), "PK\x03\x04rest"...), "photo_corrupt"},
		"a page that calls itself JPEG": {append([]byte{0xff, 0xd8, 0xff}, "<script>alert(1)</script>"...), "photo_corrupt"},
		"a WebP, which is not taken": {[]byte("RIFF\x24\x00\x00\x00WEBPVP8 \x18\x00\x00\x00 some more bytes here"),
			"unsupported_photo_format"},
		"an AVIF, which is not a HEIC":    {append([]byte{0, 0, 0, 24}, "ftypavif\x00\x00\x00\x00avifmif1"...), "unsupported_photo_format"},
		"a GIF":                           {[]byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "unsupported_photo_format"},
		"a JPEG that says a false length": {[]byte{0xff, 0xd8, 0xff, 0xe0, 0xff, 0xff, 1, 2, 3}, "photo_corrupt"},
	} {
		if a := r.scan(t, "gate", "scan-exit", number, tt.file); a.Status != 422 || a.JSON["code"] != tt.code {
			t.Errorf("%s: got %d %v, want %s: %s", name, a.Status, a.JSON["code"], tt.code, a.Body)
		}
	}
	if n := r.Number(t, `select count(*)::int from gavel.sealed`); n != 0 {
		t.Errorf("%d of what was refused is kept", n)
	}
}

// bomb is a PNG of a size, with next to nothing in it.
func bomb(w, h uint32, depth byte) []byte {
	var out bytes.Buffer
	out.WriteString("\x89PNG\r\n\x1a\n")
	chunk := func(kind string, data []byte) {
		_ = binary.Write(&out, binary.BigEndian, uint32(len(data)))
		body := append([]byte(kind), data...)
		out.Write(body)
		_ = binary.Write(&out, binary.BigEndian, crc32.ChecksumIEEE(body))
	}
	head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, w), h)
	chunk("IHDR", append(head, depth, 6, 0, 0, 0))
	var packed bytes.Buffer
	z := zlib.NewWriter(&packed)
	_, _ = z.Write(make([]byte, 9*8*8))
	_ = z.Close()
	chunk("IDAT", packed.Bytes())
	chunk("IEND", nil)
	return out.Bytes()
}
