package audit_test

import (
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

func steps(v audit.Verification) string {
	var b strings.Builder
	for _, s := range v.Steps {
		b.WriteString(s.Name)
		switch {
		case s.Open:
			b.WriteString("?")
		case !s.OK:
			b.WriteString("!")
		}
		b.WriteString(" ")
		if s.Found == "" || s.Proves == "" || s.DoesNot == "" {
			b.WriteString("(wordless) ")
		}
	}
	return strings.TrimSpace(b.String())
}

// TestARecordIsVerifiedStepByStep promises that each step holds for what is
// genuine, and that the step which does not hold is the one that fails.
func TestARecordIsVerifiedStepByStep(t *testing.T) {
	_, stranger, err := audit.NewKey(origin)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		trusted func(r *rig) []audit.Verifier
		publish bool
		change  func(t *testing.T, r *rig, s shelf)
		want    string
	}{
		{name: "genuine", publish: true, want: "content place inclusion signature published"},
		{name: "a key that the person was given", publish: true, trusted: func(r *rig) []audit.Verifier {
			return []audit.Verifier{stranger,
				r.public}
		},
			want: "content place inclusion signature published"},
		{name: "a key that they were not", publish: true, trusted: func(*rig) []audit.Verifier { return []audit.Verifier{stranger} },
			want: "content place inclusion signature! published"},
		{name: "not published yet", want: "content place inclusion signature published?"},
		{name: "a copy that was taken away", publish: true, change: func(t *testing.T, _ *rig, s shelf) {
			s.remove(t, "log/checkpoint/40")
		}, want: "content place inclusion signature published!"},
		{name: "a copy that was changed", publish: true, change: func(t *testing.T, _ *rig, s shelf) {
			s.change(t, "log/checkpoint/40", func(text string) string { return strings.Replace(text, "\n40\n", "\n41\n", 1) })
		}, want: "content place inclusion signature published!"},
		{name: "a text that was changed", publish: true, change: func(t *testing.T, r *rig, _ shelf) {
			r.admin(t, `update gavel.record set json = replace(json, 'approve', 'reject') where `+at("20"))
		}, want: "content place inclusion! signature published"},
		{name: "a signature that was changed", publish: true, change: func(t *testing.T, r *rig, _ shelf) {
			r.admin(t, `update gavel_sys.log_checkpoint set note = overlay(note placing 'AAAA' from length(note) - 20) where size = 40`)
		}, want: "content place inclusion signature! published"},
		{name: "a tile that was changed", publish: true, change: func(t *testing.T, r *rig, _ shelf) {
			r.admin(t, `update gavel_sys.log_tile set `+flipByte("hashes", "5"))
		}, want: "content inclusion!"},
	} {
		r, s := newRig(t), newShelf(t)
		id := r.fill(t, 39)[19]
		r.drain(t)
		if tt.publish {
			publish(t, r.publisher(t, s, ""))
		}
		if tt.change != nil {
			tt.change(t, r, s)
		}
		var trusted []audit.Verifier
		if tt.trusted != nil {
			trusted = tt.trusted(r)
		}
		err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
			v, err := audit.Verify(t.Context(), tx, id, trusted, s)
			if err != nil || steps(v) != tt.want || v.OK() == strings.ContainsAny(tt.want, "!?") || v.Failed() != strings.Count(tt.want,
				"!") {
				t.Errorf("%s: got %s, %v; want %s", tt.name, steps(v), err, tt.want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func TestAnotherOrganisationsRecordCannotBeVerified(t *testing.T) {
	r := newRig(t)
	id := r.append(t, record(1))[0]
	r.drain(t)
	err := r.db.App.InOrg(t.Context(), postgrestest.South, func(tx pgx.Tx) error {
		_, err := audit.Verify(t.Context(), tx, id, nil, nil)
		return err
	})
	if !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v, want not found", err)
	}
}
