package audit_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/gowebpki/jcs"
	"github.com/jackc/pgx/v5"
	"pgregory.net/rapid"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// written is the text that Append would commit.
func written(rec audit.Record) (audit.RecordID, string, error) {
	b := &pgx.Batch{}
	id, err := audit.AppendLater(b, rec)
	if err != nil {
		return "", "", err
	}
	args := b.QueuedQueries[0].Arguments
	return id, args[len(args)-1].(string), nil
}

// bodies draws JSON objects of all sorts, with names and texts that canonical
// form is about: escapes, signs beyond ASCII, names that sort differently in
// UTF-8 and UTF-16.
func bodies() *rapid.Generator[map[string]any] {
	texts := rapid.OneOf(rapid.StringMatching(`[a-z_]{0,12}`), rapid.String(),
		rapid.SampledFrom([]string{"<&>", "é", "\u2028", "\U0001F600", "\uFB33", "\"\\/\b\n", "\x7f", "नमस्ते"}))
	safe := texts.Filter(func(s string) bool { return !strings.ContainsRune(s, 0) })
	value := rapid.OneOf(
		rapid.Map(safe, func(s string) any { return s }),
		rapid.Map(rapid.Int64Range(-(1<<53-1), 1<<53-1), func(n int64) any { return n }),
		rapid.Map(rapid.Bool(), func(b bool) any { return b }),
		rapid.Just[any](nil),
	)
	nested := rapid.OneOf(value,
		rapid.Map(rapid.SliceOfN(value, 0, 4), func(v []any) any { return v }),
		rapid.Map(rapid.MapOfN(safe, value, 0, 4), func(v map[string]any) any { return v }))
	return rapid.MapOfN(safe, nested, 0, 6)
}

// TestARecordIsCanonicalJSON promises that what is hashed is RFC 8785 and can be
// read back.
func TestARecordIsCanonicalJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rec := record(rapid.IntRange(0, 1e6).Draw(t, "n"))
		body := bodies().Draw(t, "body")
		rec.Body = body
		id, text, err := written(rec)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := jcs.Transform([]byte(text)); err != nil || string(again) != text {
			t.Fatalf("got %s\nwant %s, %v", text, again, err)
		}
		gotID, got, err := audit.ParseRecord([]byte(text))
		if err != nil || gotID != id {
			t.Fatalf("read back: %s, %v\n%s", gotID, err, text)
		}
		if !got.At.Equal(rec.At.Truncate(time.Microsecond)) || got.Kind != rec.Kind || got.App != rec.App ||
			got.Actor.ID != rec.Actor.ID || got.Actor.Kind != rec.Actor.Kind || got.Actor.Org != rec.Actor.Org ||
			got.Subject != rec.Subject {
			t.Fatalf("got %+v, want %+v", got, rec)
		}
		want, _ := json.Marshal(body)
		if canonical, _ := jcs.Transform(want); string(got.Body.(json.RawMessage)) != string(canonical) {
			t.Fatalf("body: got %s, want %s", got.Body, canonical)
		}
	})
}

// TestARecordHasOneSpelling promises that no second text passes for a record.
func TestARecordHasOneSpelling(t *testing.T) {
	_, text, err := written(record(1))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ name, from, to string }{
		{"a space", `"app":`, `"app": `},
		{"members in another order", `"app":"airshed","at"`, `"at"`},
		{"an escape", `airshed`, `\u0061irshed`},
		{"a member we do not know", `"v":1`, `"u":0,"v":1`},
		{"another version", `"v":1`, `"v":2`},
		{"a version as text", `"v":1`, `"v":"1"`},
		{"another form of time", `Z","body"`, `+00:00","body"`},
		{"a kind in capitals", `"kind":"decision"`, `"kind":"Decision"`},
		{"a longer text", `}`, `}}`},
		{"an id of something else", `"id":"rec_`, `"id":"cas_`},
	} {
		changed := strings.Replace(text, tt.from, tt.to, 1)
		if changed == text {
			t.Fatalf("%s: nothing to change in %s", tt.name, text)
		}
		if _, _, err := audit.ParseRecord([]byte(changed)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want invalid", tt.name, err)
		}
	}
}

func TestTwoRecordsOfTheSameThingHaveDifferentHashes(t *testing.T) {
	rec := record(1)
	_, a, _ := written(rec)
	_, b, _ := written(rec)
	if audit.Leaf([]byte(a)) == audit.Leaf([]byte(b)) {
		t.Error("two records have one hash")
	}
	form := func(text string) (f struct{ Nonce string }) {
		if err := json.Unmarshal([]byte(text), &f); err != nil {
			t.Fatal(err)
		}
		return f
	}
	if len(form(a).Nonce) != 22 || form(a).Nonce == form(b).Nonce {
		t.Errorf("nonces %q and %q: want two of 128 bits", form(a).Nonce, form(b).Nonce)
	}
}

func TestNoNameReachesTheLog(t *testing.T) {
	rec := record(1)
	rec.Actor.Name = "Shanta Rao"
	rec.Body = map[string]any{"letter": audit.Sealed{Ciphertext: blob.Sum([]byte("x")), Key: "key_1"}}
	_, text, err := written(rec)
	if err != nil || strings.Contains(text, "Rao") {
		t.Errorf("got %s, %v", text, err)
	}
	if want := `{"letter":{"ct_sha256":"` + blob.Sum([]byte("x")).String() + `","key":"key_1"}}`; !strings.Contains(text, want) {
		t.Errorf("got %s, want %s in it", text, want)
	}
}

// TestARecordThatCannotBeDefendedIsRefused promises that nothing ambiguous,
// boundless or anonymous is committed.
func TestARecordThatCannotBeDefendedIsRefused(t *testing.T) {
	deep := any("x")
	for range 20 {
		deep = []any{deep}
	}
	body := func(v any) func(*audit.Record) { return func(r *audit.Record) { r.Body = v } }
	raw := func(s string) func(*audit.Record) { return body(json.RawMessage(s)) }
	for _, tt := range []struct {
		name   string
		change func(*audit.Record)
		want   fault.Kind
	}{
		{"nobody", func(r *audit.Record) { r.Actor = identity.Actor{} }, fault.Invalid},
		{"an actor with a quote", func(r *audit.Record) { r.Actor.ID = `a"b` }, fault.Invalid},
		{"an organisation that is none", func(r *audit.Record) { r.Actor.Org = "North!" }, fault.Invalid},
		{"no kind", func(r *audit.Record) { r.Kind = "" }, fault.Invalid},
		{"a kind in capitals", func(r *audit.Record) { r.Kind = "Decision" }, fault.Invalid},
		{"no subject", func(r *audit.Record) { r.Subject = "" }, fault.Invalid},
		{"a subject with a space", func(r *audit.Record) { r.Subject = "van 14" }, fault.Invalid},
		{"an app in capitals", func(r *audit.Record) { r.App = "Airshed" }, fault.Invalid},
		{"no time", func(r *audit.Record) { r.At = time.Time{} }, fault.Invalid},
		{"a body that is a list", body([]int{1}), fault.Invalid},
		{"a body that is text", body("x"), fault.Invalid},
		{"a body that is no JSON", body(map[string]any{"x": math.NaN()}), fault.Invalid},
		{"half a number", body(map[string]any{"x": 0.5}), fault.Invalid},
		{"a number beyond doubles", body(map[string]any{"x": int64(1) << 53}), fault.Invalid},
		{"a negative one", body(map[string]any{"x": -(int64(1) << 53)}), fault.Invalid},
		{"a power of ten", raw(`{"x":1e3}`), fault.Invalid},
		{"the same name twice", raw(`{"x":1,"x":2}`), fault.Invalid},
		{"half a surrogate", raw(`{"x":"\ud800"}`), fault.Invalid},
		{"a zero character", body(map[string]any{"x": "a\x00b"}), fault.Invalid},
		{"nested beyond reading", body(map[string]any{"x": deep}), fault.Invalid},
		{"a long body", body(map[string]any{"x": strings.Repeat("y", 33000)}), fault.TooLarge},
		{"a very long body", body(map[string]any{"x": strings.Repeat("y", 1e6)}), fault.TooLarge},
	} {
		rec := record(1)
		tt.change(&rec)
		if _, _, err := written(rec); !fault.Is(err, tt.want) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.want)
		}
	}
}

func TestARecordIsPartOfItsTransaction(t *testing.T) {
	r := newRig(t)
	undone := fmt.Errorf("undone")
	err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		if _, err := audit.Append(t.Context(), tx, record(1)); err != nil {
			return err
		}
		return undone
	})
	if err == nil || r.drain(t) != 0 || one[int](t, r, `select count(*) from gavel.record where org = 'north'`) != 0 {
		t.Errorf("got %v; want nothing left of what was rolled back", err)
	}
}

func TestARecordForAnotherOrganisationIsRefused(t *testing.T) {
	r := newRig(t)
	for _, org := range []identity.Org{postgrestest.South, audit.Installation} {
		rec := record(1)
		rec.Actor.Org = org
		err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
			_, err := audit.Append(t.Context(), tx, rec)
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "row-level security") {
			t.Errorf("%s: got %v, want a refusal by row-level security", org, err)
		}
	}
}

func TestAnOrganisationReadsItsOwnRecordsOnly(t *testing.T) {
	r := newRig(t)
	south := record(2)
	south.Actor = officer(postgrestest.South)
	later := record(3)
	later.At = later.At.Add(time.Second) // ids order records by the millisecond
	ids := r.append(t, record(1), south, later)
	err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		got, next, err := audit.List(t.Context(), tx, audit.Query{})
		if err != nil || len(got) != 2 || next != "" || got[0].ID != ids[2] || got[1].ID != ids[0] || got[0].Seq != -1 {
			t.Errorf("list: got %v, %q, %v; want the two of north, newest first", got, next, err)
		}
		if _, err := audit.Get(t.Context(), tx, ids[1]); !fault.Is(err, fault.NotFound) {
			t.Errorf("get of south's: %v, want not found", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestListsNarrowAndPage(t *testing.T) {
	r := newRig(t)
	recs := make([]audit.Record, 7)
	for i := range recs {
		recs[i] = record(i)
		recs[i].At = time.Now().Add(time.Duration(i) * time.Second)
		if i%2 == 0 {
			recs[i].Kind, recs[i].Actor.ID, recs[i].Subject = audit.Act, "agent:x", "case_x"
		}
	}
	ids := r.append(t, recs...)
	r.drain(t)
	err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		for _, q := range []audit.Query{{Kind: audit.Act}, {Actor: "agent:x"}, {Subject: "case_x"}} {
			got, _, err := audit.List(t.Context(), tx, q)
			if err != nil || len(got) != 4 || got[0].ID != ids[6] || got[0].Seq != 7 { // entry 0 is the key's
				t.Errorf("%+v: got %d entries, %v; want 4", q, len(got), err)
			}
		}
		first, next, err := audit.List(t.Context(), tx, audit.Query{Limit: 5})
		if err != nil || len(first) != 5 || next != ids[2] {
			t.Errorf("first page: %d, %q, %v", len(first), next, err)
		}
		rest, end, err := audit.List(t.Context(), tx, audit.Query{Limit: 5, Before: next})
		if err != nil || len(rest) != 2 || end != "" || rest[1].ID != ids[0] {
			t.Errorf("second page: %d, %q, %v", len(rest), end, err)
		}
		if _, _, err := audit.List(t.Context(), tx, audit.Query{Limit: 201}); !fault.Is(err, fault.Invalid) {
			t.Errorf("a page of 201: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNothingInTheLogCanBeChanged promises that no login of Gavel, not even the
// tables' owner, changes or removes what was written.
func TestNothingInTheLogCanBeChanged(t *testing.T) {
	r := newRig(t)
	r.append(t, record(1))
	r.drain(t)
	tables := []string{"gavel.record", "gavel.record_place", "gavel_sys.log_checkpoint", "gavel_sys.log_key", "gavel_sys.log_published",
		"gavel_sys.log_tile"}
	change := map[string]string{"gavel.record": "kind = 'act'", "gavel.record_place": "seq = 9", "gavel_sys.log_checkpoint": "note = ''",
		"gavel_sys.log_key": "verifier = ''", "gavel_sys.log_published": "size = 9",
		"gavel_sys.log_tile": `hashes = '\x00'::bytea || hashes`}
	for role, url := range map[string]string{"app": r.db.AppURL, "system": r.db.SystemURL, "owner": r.db.OwnerURL} {
		conn, err := pgx.Connect(t.Context(), url)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close(t.Context())
		if _, err := conn.Exec(t.Context(), `set gavel.org = 'north'`); err != nil {
			t.Fatal(err)
		}
		for _, table := range tables {
			for _, sql := range []string{"update " + table + " set " + change[table], "delete from " + table, "truncate " + table +
				" cascade"} {
				_, err := conn.Exec(t.Context(), sql)
				if err == nil || !strings.Contains(err.Error(), "only added to") && !strings.Contains(err.Error(), "permission denied") {
					t.Errorf("%s: %s: got %v, want a refusal", role, sql, err)
				}
			}
		}
	}
	if report := r.fsck(t); !report.Clean() {
		t.Errorf("after all that: %v", report.Findings)
	}
}
