package seal_test

import (
	"archive/zip"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/seal/sealtest"
)

const planted = "Zubeida Quiñonez-Ravn, 14 Elm"

// settle puts a person into every kind of place there is: a row people work
// with, a sealed column, a sealed part of a record, a sealed blob, a bundle of
// sealed things, and the reason of a hold. It returns the blobs.
func settle(t *testing.T, r *rig, s seal.Subject) []blob.Digest {
	t.Helper()
	var letter seal.Envelope
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) (err error) {
		if _, err := tx.Exec(t.Context(), `insert into gavel.rider (org, id, name) values ('north', $1, $2)`, s.String(),
			planted); err != nil {
			return err
		}
		if letter, err = r.Seal(t.Context(), tx, north, about(s), []byte("Dear "+planted)); err != nil {
			return err
		}
		if _, err = tx.Exec(t.Context(), `insert into gavel.letter (org, id, body) values ('north', $1, $2)`, s.String(),
			letter.Bytes()); err != nil {
			return err
		}
		_, err = audit.Append(t.Context(), tx, audit.Record{At: r.clock(), Kind: audit.Decision, Actor: admin(north),
			Subject: "case_1", Body: map[string]any{"letter": letter.Part()}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	talk := seal.Matter{Subjects: []seal.Subject{s}, Conversation: "run_" + s.ID, Purpose: "mail"}
	part, err := r.SealBlob(t.Context(), north, talk, []byte(`{"from":"`+planted+`"}`))
	if err != nil {
		t.Fatal(err)
	}
	bundle, err := r.blobs.PutBytes(t.Context(), zipped(t, letter.Bytes()))
	if err != nil {
		t.Fatal(err)
	}
	h, err := r.Hold(t.Context(), admin(north), seal.Target{Subject: s}, "suit of "+planted, r.clock().AddDate(0, 0, 1))
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Release(t.Context(), admin(north), h.ID, planted+" settled"); err != nil {
		t.Fatal(err)
	}
	return []blob.Digest{part.Ciphertext, bundle}
}

func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("letter")
	if err != nil {
		t.Fatal(err)
	}
	_, _ = f.Write(data)
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestAnErasedPersonIsReadableNowhere(t *testing.T) {
	r := newRig(t)
	blobs := settle(t, r, rider("R-7"))
	before := sealtest.Database(t, r.db.AdminURL, planted)
	if len(before.Finds) != 3 { // the rider's row, the hold's reason and its release
		t.Fatalf("before the erasure it is found in %v", before.Finds)
	}
	if got, err := r.OpenBlob(t.Context(), north, "mail", blobs[0]); err != nil || !strings.Contains(string(got), planted) {
		t.Fatalf("before the erasure: %q, %v", got, err)
	}
	digests := column[string](r, `select json from gavel.record where kind = 'decision'`)

	r.mustErase(rider("R-7"))

	tables, files := sealtest.Database(t, r.db.AdminURL, planted), sealtest.Folder(t, r.dir, planted)
	for _, f := range append(tables.Finds, files.Finds...) {
		t.Error(f)
	}
	if tables.Tables < 12 || tables.Values < before.Values || files.Files != 3 { // two blobs, one of them a zip of one
		t.Errorf("the search was shallow: %+v %+v", tables, files)
	}
	if _, err := r.OpenBlob(t.Context(), north, "mail", blobs[0]); !errors.Is(err, seal.ErrErased) || !fault.Is(err, fault.NotFound) {
		t.Errorf("the blob: got %v", err)
	} else if words, _ := fault.Words(err); words != "this was erased on 2026-03-04" {
		t.Errorf("a person is told %q", words)
	}
	if left := column[int](r, `select count(*) from gavel.seal_key where wrapped is not null or master is not null`); left[0] != 0 {
		t.Errorf("%d keys are left", left[0])
	}
	if got := column[string](r, `select json from gavel.record where kind = 'decision'`); !reflect.DeepEqual(got, digests) {
		t.Error("the log changed")
	}
	if raw, err := r.blobs.Bytes(t.Context(), blobs[0], 1<<20); err != nil || blob.Sum(raw) != blobs[0] {
		t.Errorf("the blob's bytes no longer match their address: %v", err)
	}
}

func TestErasingLeavesOthersAlone(t *testing.T) {
	r := newRig(t)
	alone, both := r.mustSeal(about(rider("B")), "of B"), r.mustSeal(about(rider("A"), rider("B")), "of A and B")
	apart := r.mustSeal(about(rider("B"), rider("C")), "of B and C")
	talk := func(who string) seal.Matter {
		return seal.Matter{Subjects: []seal.Subject{rider(who)}, Conversation: "run_1", Purpose: "mail"}
	}
	said, replied := r.mustSeal(talk("A"), "A said"), r.mustSeal(talk("B"), "B, to that")
	done := r.mustErase(rider("A"))

	for name, tt := range map[string]struct {
		e    seal.Envelope
		gone bool
	}{
		"B's own": {alone, false}, "B with C": {apart, false},
		"A with B": {both, true}, "what A said": {said, true}, "B in the same conversation": {replied, true},
	} {
		if _, err := r.open(r.Vault, tt.e); errors.Is(err, seal.ErrErased) != tt.gone || !tt.gone && err != nil {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if done.Keys != 2 || done.Objects != 3 || done.Others != 1 {
		t.Errorf("got %+v, want 2 keys, 3 objects and B as one other", done)
	}
	if _, err := r.seal(about(rider("B")), "more"); err != nil {
		t.Errorf("B goes on: %v", err)
	}
	for name, m := range map[string]seal.Matter{
		"A": about(rider("A")), "A with C": about(rider("A"), rider("C")), "the conversation": talk("B"),
	} {
		if _, err := r.seal(m, "more"); !errors.Is(err, seal.ErrErased) {
			t.Errorf("%s goes on after the erasure: %v", name, err)
		}
	}
}

func TestAnErasureIsOnRecord(t *testing.T) {
	r := newRig(t)
	settle(t, r, rider("R-7"))
	var sent string
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) (err error) {
		e, err := r.Seal(t.Context(), tx, north, about(rider("R-7")), []byte("x"))
		if err != nil {
			return err
		}
		sent, err = r.NoteExport(t.Context(), tx, north, seal.Export{
			Bundle: blob.Sum([]byte("bundle")), Case: "case_1", To: "Tribunal, third bench", Objects: []blob.Digest{e.Digest()}})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	done := r.mustErase(rider("R-7"))
	recs := r.records(audit.Erasure)
	if len(recs) != 1 {
		t.Fatalf("%d records, want 1", len(recs))
	}
	list := ""
	for _, d := range column[string](r, `select distinct object from gavel.sealed where subject = 'rider:R-7' order by 1`) {
		list += d + "\n"
	}
	want := fmt.Sprintf(`{"exports":1,"ground":"request","keys":2,"listed":["%s"],"objects":3,"objects_sha256":"%x","others":0,`+
		`"reference":"DSR-2026-014","rows":[{"name":"seal.holds","rows":1},{"name":"riders","rows":1}],`+
		`"unreached":[{"at":"%s","bundle":"%s","case":"case_1","id":"%s"}]}`,
		strings.Join(strings.Fields(list), `","`), sha256.Sum256([]byte(list)),
		done.Unreached[0].At.Format("2006-01-02T15:04:05Z07:00"), blob.Sum([]byte("bundle")), sent)
	if recs[0] != want {
		t.Errorf("the record says\n%s, want\n%s", recs[0], want)
	}
	if strings.Contains(recs[0], "Tribunal") {
		t.Error("the recipient's name is in the log")
	}
	all, err := r.Exports(t.Context(), admin(north), rider("R-7"))
	if err != nil || len(all) != 1 || all[0].To != "Tribunal, third bench" {
		t.Errorf("whom to tell: %v, %v", all, err)
	}
	read, err := r.ErasureOf(t.Context(), admin(north), rider("R-7"))
	done.Unreached[0].To = "" // is not in the record
	if err != nil || !reflect.DeepEqual(read, done) {
		t.Errorf("read back %+v, %v; want %+v", read, err, done)
	}
}

func TestErasingTwiceIsErasingOnce(t *testing.T) {
	r := newRig(t)
	settle(t, r, rider("R-7"))
	var wg sync.WaitGroup
	done := make([]seal.Erasure, 8)
	for i := range done {
		wg.Go(func() {
			var err error
			if done[i], err = r.Erase(t.Context(), admin(north), asked(rider("R-7"))); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range done {
		if done[i].Record != done[0].Record || done[i].Keys != 2 || !done[i].At.Equal(done[0].At) {
			t.Errorf("%d: got %+v, want %+v", i, done[i], done[0])
		}
	}
	if got := r.records(audit.Erasure); len(got) != 1 {
		t.Errorf("%d records, want 1", len(got))
	}
}

func TestRowsThatCameBackAreErasedAndRecordedAgain(t *testing.T) {
	r := newRig(t)
	first := r.mustErase(rider("R-7")) // nothing was there, and that is on record, too
	if first.Keys != 0 || first.Record == "" {
		t.Errorf("got %+v", first)
	}
	r.exec(`insert into gavel.rider (org, id, name) values ('north', 'rider:R-7', $1)`, planted)
	second := r.mustErase(rider("R-7"))
	if second.Record == first.Record || second.Rows[1].Rows != 1 {
		t.Errorf("got %+v", second)
	}
	if third := r.mustErase(rider("R-7")); third.Record != second.Record {
		t.Errorf("got %+v, want the second again", third)
	}
	if found := sealtest.Database(t, r.db.AdminURL, planted); len(found.Finds) != 0 {
		t.Error(found.Finds)
	}
}

func TestOnlyAPersonWhoAdministersMayErase(t *testing.T) {
	r := newRig(t)
	e := r.mustSeal(about(rider("R-7")), "x")
	kinds := []identity.Kind{identity.Person, identity.Agent, identity.Machine, identity.System, ""}
	for _, kind := range kinds {
		for _, role := range append(identity.Roles(), "") {
			a := identity.Actor{Kind: kind, ID: "x", Org: north, Roles: []identity.Role{role}}
			if kind == identity.Person && role == identity.OrgAdmin {
				continue
			}
			_, err := r.Erase(t.Context(), a, asked(rider("R-7")))
			_, held := r.Hold(t.Context(), a, seal.Target{Subject: rider("R-7")}, "x", r.clock().AddDate(1, 0, 0))
			released := r.Release(t.Context(), a, "hold_x", "x")
			for act, err := range map[string]error{"erase": err, "hold": held, "release": released} {
				if !fault.Is(err, fault.Refused) && !(kind == "" && fault.Is(err, fault.SignIn)) {
					t.Errorf("%s as %s may %s: %v", kind, role, act, err)
				}
			}
		}
	}
	if _, err := r.Erase(t.Context(), admin(south), asked(rider("R-7"))); err != nil {
		t.Fatal(err) // south has its own R-7, about whom it knows nothing
	}
	if _, err := r.open(r.Vault, e); err != nil {
		t.Errorf("it is gone after refusals and another organisation's erasure: %v", err)
	}
	for _, req := range []seal.Request{
		{Subject: rider("R-7")}, {Subject: rider("R-7"), Ground: "whim"}, {Subject: rider(""), Ground: seal.Mistake},
		{Subject: rider("R-7"), Ground: seal.Mistake, Reference: "asked by Asha Rao"},
	} {
		if _, err := r.Erase(t.Context(), admin(north), req); !fault.Is(err, fault.Invalid) {
			t.Errorf("%+v: got %v", req, err)
		}
	}
}

// TestAnErasureIsInForceEverywhereAtOnce promises that no process goes on
// opening with a key it saw before: there is no cache to wait for.
func TestAnErasureIsInForceEverywhereAtOnce(t *testing.T) {
	r := newRig(t)
	masters := seal.NewMaster("m1")
	here, there := r.vault(masters), r.vault(masters)
	r.Vault = here
	e := r.mustSeal(about(rider("R-7")), "x")
	for _, v := range []*seal.Vault{here, there} {
		if _, err := r.open(v, e); err != nil {
			t.Fatal(err)
		}
	}
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error { // a long transaction that has opened it already
		if _, err := there.Open(t.Context(), tx, north, "mail", e); err != nil {
			return err
		}
		r.mustErase(rider("R-7"))
		_, err := there.Open(t.Context(), tx, north, "mail", e)
		return err
	})
	if !errors.Is(err, seal.ErrErased) {
		t.Errorf("in a transaction that is still open: got %v", err)
	}
	for _, v := range []*seal.Vault{here, there} {
		if _, err := r.open(v, e); !errors.Is(err, seal.ErrErased) {
			t.Errorf("got %v", err)
		}
	}
}

func TestAnEraserThatFailsStopsEverything(t *testing.T) {
	r := newRig(t)
	e := r.mustSeal(about(rider("R-7")), "x")
	boom := errors.New("boom")
	bad := map[string]func(context.Context, pgx.Tx, seal.Subject, time.Time) (seal.Reach, error){
		"an error": func(context.Context, pgx.Tx, seal.Subject, time.Time) (seal.Reach, error) { return seal.Reach{}, boom },
		"a bad count": func(context.Context, pgx.Tx, seal.Subject, time.Time) (seal.Reach, error) {
			return seal.Reach{Rows: -1}, nil
		},
		"a quotation": func(context.Context, pgx.Tx, seal.Subject, time.Time) (seal.Reach, error) {
			return seal.Reach{Left: `"`}, nil
		},
		"a long story": func(context.Context, pgx.Tx, seal.Subject, time.Time) (seal.Reach, error) {
			return seal.Reach{Left: strings.Repeat("x", 81)}, nil
		},
		"parts of no case": func(context.Context, pgx.Tx, seal.Subject, time.Time) (seal.Reach, error) {
			return seal.Reach{Rows: 1, Blanked: []seal.Blanked{{Case: "case_1", What: "entries", Listed: []string{"1"}}}}, nil
		},
		"no parts of a case": func(context.Context, pgx.Tx, seal.Subject, time.Time) (seal.Reach, error) {
			return seal.Reach{Rows: 1, Cases: []string{"case_1"}, Blanked: []seal.Blanked{{Case: "case_1", What: "entries"}}}, nil
		},
		"too many parts at once": func(context.Context, pgx.Tx, seal.Subject, time.Time) (seal.Reach, error) {
			return seal.Reach{Cases: []string{"case_1"},
				Blanked: []seal.Blanked{{Case: "case_1", What: "entries", Listed: make([]string, seal.MostBlanked+1)}}}, nil
		},
	}
	for name, fn := range bad {
		v := r.with(riders, seal.Eraser{Name: "bad", Erase: fn})
		if _, err := v.Erase(t.Context(), admin(north), asked(rider("R-7"))); err == nil || !strings.Contains(err.Error(), "eraser bad") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := r.open(r.Vault, e); err != nil || len(r.records(audit.Erasure)) != 0 {
		t.Errorf("half of it was done: %v", err)
	}
}

// TestTheLargestErasureFitsItsRecord promises that an erasure is never refused
// because its record would be too long.
func TestTheLargestErasureFitsItsRecord(t *testing.T) {
	r := newRig(t)
	var erasers []seal.Eraser
	for i := range 24 {
		erasers = append(erasers, seal.Eraser{Name: strings.Repeat("e", 36) + fmt.Sprintf("_%02d", i),
			Erase: func(context.Context, pgx.Tx, seal.Subject, time.Time) (seal.Reach, error) {
				most := slices.Repeat([]string{strings.Repeat("é", 15)}, seal.MostBlanked)
				return seal.Reach{Rows: 1 << 40, Left: strings.Repeat("é", 40), Cases: []string{"case_1"},
						Blanked: []seal.Blanked{{Case: "case_1", What: strings.Repeat("w", 40), Listed: most,
							Left: strings.Repeat("0", 64)}}},
					nil
			}})
	}
	r.Vault = r.with(erasers...)
	who := rider(strings.Repeat("x", 120))
	id := "case_" + strings.Repeat("y", 55)
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		for range 30 {
			e, err := r.Seal(t.Context(), tx, north, seal.Matter{Subjects: []seal.Subject{who}, Case: id, Purpose: "mail"}, []byte("x"))
			if err != nil {
				return err
			}
			x := seal.Export{Bundle: e.Digest(), Case: id, To: "x", Objects: []blob.Digest{e.Digest()}}
			if _, err := r.NoteExport(t.Context(), tx, north, x); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	done, err := r.Erase(t.Context(), admin(north), seal.Request{Subject: who, Ground: seal.CourtOrder, Reference: strings.Repeat("9", 60)})
	if err != nil || done.Objects != 30 || done.Exports != 30 || len(done.Listed) != 20 || len(done.Unreached) != 8 {
		t.Errorf("got %+v, %v", done, err)
	}
}
