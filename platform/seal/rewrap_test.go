package seal_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
)

func TestRotationMovesEveryKeyAndChangesNoEnvelope(t *testing.T) {
	r := newRig(t)
	older, newer := seal.NewMaster("m1"), seal.NewMaster("m2")
	r.Vault = r.vault(older)
	var all []seal.Envelope
	err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
		for i := range 1203 { // more than two batches
			e, err := r.Seal(t.Context(), tx, north, about(rider(fmt.Sprint("R-", i))), []byte("x"))
			if err != nil {
				return err
			}
			all = append(all, e)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	err = r.db.App.InOrg(t.Context(), south, func(tx pgx.Tx) error {
		_, err := r.Seal(t.Context(), tx, south, about(rider("R-1")), []byte("x"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r.mustErase(rider("R-5"))

	r.Vault = r.vault(newer + "," + older)
	if moved, err := r.Rewrap(t.Context(), r.db.System); err != nil || moved != 1203 { // one is destroyed, one is south's
		t.Fatalf("moved %d, %v; want 1203", moved, err)
	}
	if used, err := seal.Usage(t.Context(), r.db.System); err != nil || !maps.Equal(used, map[string]int{"m2": 1203}) {
		t.Errorf("used %v, %v", used, err)
	}
	if moved, err := r.Rewrap(t.Context(), r.db.System); err != nil || moved != 0 {
		t.Errorf("again: moved %d, %v", moved, err)
	}
	after := r.vault(newer)
	for i, e := range all {
		_, err := r.open(after, e)
		if gone := i == 5; gone && !errors.Is(err, seal.ErrErased) || !gone && err != nil {
			t.Fatalf("%d: got %v", i, err)
		}
	}
}

// TestABackupOpensNothingOnceTheOldMasterKeyIsGone promises what makes an
// erasure final: a wrapped key that survives in an old copy of the database is
// worthless without the master key of its time.
func TestABackupOpensNothingOnceTheOldMasterKeyIsGone(t *testing.T) {
	r := newRig(t)
	older, newer := seal.NewMaster("m1"), seal.NewMaster("m2")
	r.Vault = r.vault(older)
	e := r.mustSeal(about(rider("R-7")), "x")
	r.exec(`create table backup as table gavel.seal_key`)
	r.mustErase(rider("R-7"))
	restore := func() {
		r.exec(`alter table gavel.seal_key disable trigger stays`)
		r.exec(`update gavel.seal_key k set master = b.master, wrapped = b.wrapped, destroyed_at = null from backup b where b.id = k.id`)
	}
	restore()
	if _, err := r.open(r.Vault, e); err != nil {
		t.Fatalf("a backup with its master key opens it, and the document says so: %v", err)
	}
	if _, err := r.open(r.vault(newer), e); !fault.Is(err, fault.Unavailable) {
		t.Errorf("without the old master key: got %v", err)
	}
}

func TestADestroyedKeyCannotBePutBackByTheApplication(t *testing.T) {
	r := newRig(t)
	r.mustSeal(about(rider("R-7")), "x")
	kept := column[[]byte](r, `select wrapped from gavel.seal_key`)[0]
	r.mustErase(rider("R-7"))
	for _, sql := range []string{
		`update gavel.seal_key set master = 'm1', wrapped = $1, destroyed_at = null`,
		`update gavel.seal_key set owner = encode($1, 'hex')`,
		`delete from gavel.seal_key where wrapped <> $1`,
		`delete from gavel.sealed where $1::bytea is not null`,
		`update gavel.sealed set subject = encode($1, 'hex')`,
		`delete from gavel.erasure where $1::bytea is not null`,
	} {
		err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), sql, kept)
			return err
		})
		if err == nil || !(strings.Contains(err.Error(), "stays so") || strings.Contains(err.Error(), "permission denied")) {
			t.Errorf("%s: got %v", sql, err)
		}
	}
}

func TestAMissingMasterKeyStopsRotationAndIsNamed(t *testing.T) {
	r := newRig(t)
	r.mustSeal(about(rider("R-7")), "x")
	_, err := r.vault(seal.NewMaster("m2")).Rewrap(t.Context(), r.db.System)
	if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "master key m1") {
		t.Errorf("got %v", err)
	}
}

func TestExportsThatMakeNoSenseAreRefused(t *testing.T) {
	r := newRig(t)
	good := seal.Export{Bundle: blob.Sum([]byte("x")), To: "tribunal"}
	for name, spoil := range map[string]func(*seal.Export){
		"no bundle":    func(x *seal.Export) { x.Bundle = blob.Digest{} },
		"nobody":       func(x *seal.Export) { x.To = " " },
		"a long name":  func(x *seal.Export) { x.To = strings.Repeat("x", 201) },
		"a bad case":   func(x *seal.Export) { x.Case = "a b" },
		"too much":     func(x *seal.Export) { x.Objects = make([]blob.Digest, 200_001) },
		"nothing, yes": func(*seal.Export) {},
	} {
		x := good
		spoil(&x)
		err := r.db.App.InOrg(t.Context(), north, func(tx pgx.Tx) error {
			_, err := r.NoteExport(t.Context(), tx, north, x)
			return err
		})
		if (err == nil) != (name == "nothing, yes") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestAnAdministratorMovesTheKeysOfTheirOwnOrganisation and no other's, nor learns
// how many those are; who runs the installation moves all.
func TestAnAdministratorMovesTheKeysOfTheirOwnOrganisation(t *testing.T) {
	r := newRig(t)
	older, newer := seal.NewMaster("m1"), seal.NewMaster("m2")
	r.Vault = r.vault(older)
	r.mustSeal(about(rider("R-7")), "x")
	err := r.db.App.InOrg(t.Context(), south, func(tx pgx.Tx) error {
		_, err := r.Seal(t.Context(), tx, south, about(rider("R-7")), []byte("x"))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	r.Vault = r.vault(newer + "," + older)
	officer := admin(north)
	officer.Roles = []identity.Role{identity.Officer, identity.Auditor}
	if _, err := r.RewrapBy(t.Context(), officer); !fault.Is(err, fault.Refused) {
		t.Errorf("an officer rotates: got %v", err)
	}
	done, err := r.RewrapBy(t.Context(), admin(north))
	if err != nil || done.Moved != 1 || done.Master != "m2" || !maps.Equal(done.Left, map[string]int{"m2": 1}) {
		t.Errorf("north: got %+v, %v", done, err)
	}
	if used, err := seal.Usage(t.Context(), r.db.System); err != nil || !maps.Equal(used, map[string]int{"m1": 1, "m2": 1}) {
		t.Errorf("after north: %v, %v; want south's where it was", used, err)
	}
	done, err = r.RewrapAll(t.Context(), r.db.System)
	if err != nil || done.Moved != 1 || !maps.Equal(done.Left, map[string]int{"m2": 2}) {
		t.Errorf("all: got %+v, %v", done, err)
	}
	const kept = `select org || ' ' || actor_id || ' ' || subject || ' ' || (json::json ->> 'body') from gavel.record
		where kind = 'seal_keys' order by id`
	want := []string{`north p:admin master:m2 {"master":"m2","moved":1}`, `- gavel master:m2 {"master":"m2","moved":1}`}
	if got := column[string](r, kept); !slices.Equal(got, want) {
		t.Errorf("the log says %q, want %q", got, want)
	}
}
