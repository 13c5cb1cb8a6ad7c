package seal_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/seal/sealtest"
)

func TestSealedContentComesBack(t *testing.T) {
	r := newRig(t)
	for _, tt := range []struct {
		name string
		m    seal.Matter
		text string
	}{
		{"one person", about(rider("R-7")), "she was at home"},
		{"the same person again", about(rider("R-7")), "and at work"},
		{"nothing", about(rider("R-7")), ""},
		{"two people", about(rider("R-7"), rider("R-8")), "they share a van"},
		{"a conversation", seal.Matter{Subjects: []seal.Subject{rider("R-7")}, Conversation: "run_1", Case: "case_1", Purpose: "mail"},
			"hello"},
	} {
		e := r.mustSeal(tt.m, tt.text)
		if got, err := r.open(r.Vault, e); err != nil || got != tt.text {
			t.Errorf("%s: got %q, %v", tt.name, got, err)
		}
		part, err := r.SealBlob(t.Context(), north, tt.m, []byte(tt.text))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := r.OpenBlob(t.Context(), north, "mail", part.Ciphertext); err != nil || string(got) != tt.text {
			t.Errorf("%s as a blob: got %q, %v", tt.name, got, err)
		}
		if raw, err := r.blobs.Bytes(t.Context(), part.Ciphertext, 1<<20); err != nil || blob.Sum(raw) != part.Ciphertext ||
			!strings.HasPrefix(part.Key, "key_") {
			t.Errorf("%s: %s is not the address of the sealed bytes: %v", tt.name, part.Ciphertext, err)
		}
	}
	if got := column[string](r, `select owner from gavel.seal_key where owner not like 'set:%' order by owner`); !slices.Equal(got,
		[]string{"conversation:run_1", "rider:R-7"}) {
		t.Errorf("keys of %q, want one for the person and one for the conversation", got)
	}
}

func TestManyEnvelopesOpenAtOnceAndTheBadOnesDoNotStopTheRest(t *testing.T) {
	r := newRig(t)
	good, gone, also := r.mustSeal(about(rider("R-1")), "one"), r.mustSeal(about(rider("R-2")), "two"), r.mustSeal(about(rider("R-1")),
		"three")
	r.mustErase(rider("R-2"))
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		got, err := r.OpenAll(t.Context(), tx, north, "mail", []seal.Envelope{good, gone, {}, also})
		if err != nil {
			return err
		}
		if string(got[0].Plain) != "one" || !errors.Is(got[1].Err, seal.ErrErased) || !fault.Is(got[2].Err, fault.NotFound) ||
			string(got[3].Plain) != "three" {
			t.Errorf("got %v", got)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestAnotherOrganisationCannotOpenOrSealWithOurKeys(t *testing.T) {
	r := newRig(t)
	e := r.mustSeal(about(rider("R-7")), "she was at home")
	for _, tt := range []struct{ inside, as identity.Org }{{south, north}, {south, south}, {north, south}} {
		err := r.db.App.InOrg(t.Context(), tt.inside, func(tx pgx.Tx) error {
			_, err := r.Open(t.Context(), tx, tt.as, "mail", e)
			return err
		})
		if !fault.Is(err, fault.NotFound) || errors.Is(err, seal.ErrErased) {
			t.Errorf("inside %s as %s: got %v, want not found", tt.inside, tt.as, err)
		}
	}
	part, err := r.SealBlob(t.Context(), north, about(rider("R-7")), []byte("x"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.OpenBlob(t.Context(), south, "mail", part.Ciphertext); !fault.Is(err, fault.NotFound) {
		t.Errorf("a blob: got %v, want not found", err)
	}
	// Even a superuser who copies the key's row across gets nothing.
	r.exec(`insert into gavel.seal_key (org, id, owner, master, wrapped, made_at)
		select 'south', id, owner, master, wrapped, made_at from gavel.seal_key`)
	err = r.db.App.InOrg(t.Context(), south, func(tx pgx.Tx) error {
		_, err := r.Open(t.Context(), tx, south, "mail", e)
		return err
	})
	if !errors.Is(err, seal.ErrTampered) {
		t.Errorf("with a copied key: got %v", err)
	}
	err = r.db.App.InOrg(t.Context(), south, func(tx pgx.Tx) error {
		_, err := r.Seal(t.Context(), tx, north, about(rider("R-9")), []byte("x"))
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "row-level security") {
		t.Errorf("sealing for another organisation: got %v", err)
	}
}

func TestATamperedBlobIsRefused(t *testing.T) {
	r := newRig(t)
	part, err := r.SealBlob(t.Context(), north, about(rider("R-7")), []byte("she was at home"))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := r.blobs.Bytes(t.Context(), part.Ciphertext, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	forged := bytes.Clone(raw)
	forged[len(forged)-1] ^= 1
	d, err := r.blobs.PutBytes(t.Context(), forged)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.OpenBlob(t.Context(), north, "mail", d); !errors.Is(err, seal.ErrTampered) {
		t.Errorf("one bit: got %v", err)
	}
	if _, err := r.OpenBlob(t.Context(), north, "transcript", part.Ciphertext); !errors.Is(err, seal.ErrTampered) {
		t.Errorf("as something else: got %v", err)
	}
	if d, err = r.blobs.PutBytes(t.Context(), []byte("a letter in plain")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.OpenBlob(t.Context(), north, "mail", d); !fault.Is(err, fault.Invalid) {
		t.Errorf("not sealed at all: got %v", err)
	}
}

func TestWhatIsAskedToBeSealedIsBounded(t *testing.T) {
	r := newRig(t)
	many := make([]seal.Subject, 33)
	for i := range many {
		many[i] = rider("R-" + strings.Repeat("1", i+1))
	}
	for name, m := range map[string]seal.Matter{
		"nobody":          {Purpose: "mail"},
		"too many":        {Subjects: many, Purpose: "mail"},
		"no purpose":      {Subjects: many[:1]},
		"a long purpose":  {Subjects: many[:1], Purpose: strings.Repeat("x", 41)},
		"a bad case":      {Subjects: many[:1], Purpose: "mail", Case: "case 1"},
		"a bad talk":      {Subjects: many[:1], Purpose: "mail", Conversation: "a\nb"},
		"a bad subject":   {Subjects: []seal.Subject{{Type: "rider", ID: "Asha Rao"}}, Purpose: "mail"},
		"a reserved type": {Subjects: []seal.Subject{{Type: "case", ID: "x"}}, Purpose: "mail"},
	} {
		if _, err := r.seal(m, "x"); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v, want invalid", name, err)
		}
	}
	if _, err := r.seal(about(many[0]), strings.Repeat("x", seal.MaxPlain+1)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("too long: got %v", err)
	}
	e := r.mustSeal(about(many[0]), strings.Repeat("x", seal.MaxPlain))
	if got, err := r.open(r.Vault, e); err != nil || len(got) != seal.MaxPlain {
		t.Errorf("the most: got %d bytes, %v", len(got), err)
	}
}

func TestARollbackUndoesTheKeyAndTheIndex(t *testing.T) {
	r := newRig(t)
	no := errors.New("no")
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		if _, err := r.Seal(t.Context(), tx, north, about(rider("R-7")), []byte("x")); err != nil {
			return err
		}
		return no
	})
	if !errors.Is(err, no) {
		t.Fatal(err)
	}
	if n := column[int](r, `select (select count(*) from gavel.seal_key) + (select count(*) from gavel.sealed)`); n[0] != 0 {
		t.Errorf("%d rows are left", n[0])
	}
	r.mustSeal(about(rider("R-7")), "x")
}

func TestSealingForOnePersonAtTheSameMomentMakesOneKey(t *testing.T) {
	r := newRig(t)
	var wg sync.WaitGroup
	keys := make([]seal.KeyID, 12)
	for i := range keys {
		wg.Go(func() {
			e, err := r.seal(about(rider("R-7")), "x")
			if err != nil {
				t.Error(err)
			}
			keys[i] = e.Key()
		})
	}
	wg.Wait()
	if slices.Sort(keys); len(slices.Compact(keys)) != 1 {
		t.Errorf("keys %v", keys)
	}
}

func TestSealingRefusesATransactionThatCouldMissAnErasure(t *testing.T) {
	r := newRig(t)
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		if _, err := tx.Exec(t.Context(), `set transaction isolation level repeatable read`); err != nil {
			return err
		}
		_, err := r.Seal(t.Context(), tx, north, about(rider("R-7")), []byte("x"))
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "repeatable read") {
		t.Errorf("got %v", err)
	}
}

// TestADatabaseAloneReadsNothing promises that who has every table and every
// blob, but no master key, reads nothing that was sealed.
func TestADatabaseAloneReadsNothing(t *testing.T) {
	r := newRig(t)
	const planted = "Zubeida Quinonez-Ravn"
	r.mustSeal(about(rider("R-7")), planted)
	if _, err := r.SealBlob(t.Context(), north, about(rider("R-7")), []byte(planted)); err != nil {
		t.Fatal(err)
	}
	tables, files := sealtest.Database(t, r.db.AdminURL, planted), sealtest.Folder(t, r.dir, planted)
	if len(tables.Finds)+len(files.Finds) > 0 || tables.Values == 0 || files.Files == 0 {
		t.Errorf("%+v %+v", tables, files)
	}
	stranger := r.vault(seal.NewMaster("m1"))
	e := r.mustSeal(about(rider("R-7")), planted)
	if _, err := r.open(stranger, e); !errors.Is(err, seal.ErrTampered) {
		t.Errorf("with another master key of the same name: got %v", err)
	}
	if _, err := r.open(r.vault(seal.NewMaster("m2")), e); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without the master key: got %v", err)
	}
}
