package audit_test

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/fault"
)

// A looked shelf counts how often it is read, and does not answer while it is away.
type looked struct {
	audit.Shelf
	reads int
	away  bool
}

func (l *looked) GetNamed(ctx context.Context, name string) ([]byte, blob.ETag, error) {
	l.reads++
	if l.away {
		return nil, "", fault.New(fault.Unavailable, "the store is away")
	}
	return l.Shelf.GetNamed(ctx, name)
}

// copied is a sequencer of a log whose checkpoints are published.
func (r *rig) copied(t testing.TB, s audit.Shelf, logger *slog.Logger) *audit.Sequencer {
	t.Helper()
	seq, err := audit.NewSequencer(audit.SequencerConfig{System: r.db.System, Signer: r.secret, Now: time.Now, Logger: logger, Shelf: s})
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// files are everything on the shelf.
func (s shelf) files(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(s.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		all[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// backTo2 is a restore: everything is as it was at two entries.
const backTo2 = `delete from gavel_sys.log_published where size > 2; delete from gavel_sys.log_checkpoint where size > 2;
	delete from gavel.record r using gavel.record_place p where p.org = r.org and p.record_id = r.id and p.seq >= 2;
	delete from gavel.record_place where seq >= 2;
	update gavel_sys.log_tile set hashes = substring(hashes for 64) where level = 0 and n = 0`

// restored is a log of five published entries whose database was put back to two.
func restored(t *testing.T) (*rig, shelf) {
	t.Helper()
	r, s := newRig(t), newShelf(t)
	p, seq := r.publisher(t, s, ""), r.copied(t, s, quiet)
	r.append(t, record(0))
	drain(t, seq) // the key's record and this
	publish(t, p)
	r.append(t, record(1), record(2), record(3))
	drain(t, seq)
	publish(t, p)
	r.admin(t, backTo2)
	if report := r.fsck(t); !report.Clean() || report.Size != 2 {
		t.Fatalf("in itself a restored database is well: %d entries, %v", report.Size, report.Findings)
	}
	return r, s
}

func TestARestoredLogSignsAndPublishesNothing(t *testing.T) {
	r, s := restored(t)
	before := s.files(t)
	p, seq := r.publisher(t, s, ""), r.copied(t, s, quiet)
	for range 3 {
		r.append(t, record(11), record(12)) // people go on working
		if n, err := seq.Drain(t.Context()); n != 0 || !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(),
			"restored from an older copy") {
			t.Errorf("took in %d, %v; want a conflict", n, err)
		}
		if err := p.Publish(t.Context()); !fault.Is(err, fault.Conflict) {
			t.Errorf("published: %v", err)
		}
	}
	if newest, err := audit.Newest(t.Context(), r.db.System); err != nil || newest.Tree.N != 2 {
		t.Errorf("it signed checkpoint %d, %v", newest.Tree.N, err)
	}
	if !maps.Equal(s.files(t), before) {
		t.Error("what is published has changed")
	}
	report := r.fsckWith(t, s)
	if text := findings(report); report.Waiting != 6 || !strings.Contains(text, "entries 2 to 4 are in the published copy and not here") {
		t.Errorf("fsck: %d waiting, %s", report.Waiting, text)
	}
	if f := r.look(t, audit.CheckConfig{Key: r.public, Shelf: s}, 0)[isPublished]; f.Status != doctor.Fail ||
		!strings.Contains(f.Detail, "records wait") || !strings.Contains(f.Fix, "log-restored") {
		t.Errorf("the doctor says %+v", f)
	}
	r.drain(t) // a program of before went on regardless, beyond what was published
	if err := p.Publish(t.Context()); !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), "two histories") {
		t.Errorf("a forked log is published: %v", err)
	}
	r.append(t, record(13))
	if n, err := seq.Drain(t.Context()); n != 0 || !fault.Is(err, fault.Conflict) {
		t.Errorf("a forked log took in %d, %v", n, err)
	}
	if text := findings(r.fsckWith(t, s)); !maps.Equal(s.files(t), before) ||
		!strings.Contains(text, "entry 2 is another one in the published copy than here") {
		t.Errorf("a forked log: fsck says %s", text)
	}
}

func findings(r audit.Report) string {
	var all []string
	for _, f := range r.Findings {
		all = append(all, f.Text)
	}
	return strings.Join(all, "; ")
}

// TestWhileThePublishedCopyCannotBeReadRecordsWait promises besides that this is
// logged when it begins and when it ends, and not twice a second.
func TestWhileThePublishedCopyCannotBeReadRecordsWait(t *testing.T) {
	r, s := newRig(t), &looked{Shelf: newShelf(t), away: true}
	var out bytes.Buffer
	seq := r.copied(t, s, slog.New(slog.NewTextHandler(&out, nil)))
	ctx, stop := context.WithCancel(t.Context())
	tick, done := make(chan time.Time), make(chan error)
	go func() { done <- seq.Run(ctx, tick) }()
	for i := range 4 {
		r.append(t, record(i))
		tick <- time.Now() // taken when the one before is done
	}
	if n := one[int](t, r, `select count(*) from gavel_sys.log_checkpoint`); n != 0 {
		t.Errorf("%d checkpoints were signed", n)
	}
	tick <- time.Now()
	stop()
	<-done
	if n := strings.Count(out.String(), "level=ERROR"); n != 1 || !strings.Contains(out.String(), "cannot be read") {
		t.Errorf("logged %d times:\n%s", n, &out)
	}
	s.away = false
	if n, err := seq.Drain(t.Context()); n != 4 || err != nil {
		t.Errorf("when it is back: took in %d, %v; want 4", n, err)
	}
	r.expectClean(t, 5)
}

// TestALogIsHeldAgainstItsCopyAgainWhenItsTurnWasLost promises that a sequencer
// looks when it starts, when another had the turn and when the database is another
// than it was; while it goes on by itself it need not.
func TestALogIsHeldAgainstItsCopyAgainWhenItsTurnWasLost(t *testing.T) {
	r, files := newRig(t), newShelf(t)
	s := &looked{Shelf: files}
	seq, p := r.copied(t, s, quiet), r.publisher(t, files, "")
	step := func(name string, want int) {
		t.Helper()
		s.reads = 0
		r.append(t, record(1))
		if _, err := seq.Drain(t.Context()); err != nil || s.reads != want {
			t.Errorf("%s: the copy was read %d times, %v; want %d", name, s.reads, err, want)
		}
		publish(t, p)
	}
	step("at the start", 1)
	step("by itself", 0)
	step("by itself", 0)
	r.append(t, record(2))
	drain(t, r.copied(t, files, quiet))
	publish(t, p)
	step("after another server's turn", 1)
	step("by itself", 0)
	r.admin(t, backTo2) // under a running server
	r.append(t, record(3))
	if n, err := seq.Drain(t.Context()); n != 0 || !fault.Is(err, fault.Conflict) {
		t.Errorf("after a failover to an older copy it took in %d, %v", n, err)
	}
}

func TestAnOperatorLetsARestoredLogGoOn(t *testing.T) {
	r, s := restored(t)
	before := s.files(t)
	kept, _, err := s.GetNamed(t.Context(), "log/checkpoint/5")
	if err != nil {
		t.Fatal(err)
	}
	p, seq := r.publisher(t, s, ""), r.copied(t, s, quiet)
	r.append(t, record(11), record(12))
	resume := func(reason string) (audit.Lost, error) {
		return audit.Resume(t.Context(), r.db.System, s, reason, time.Now())
	}
	if _, err := resume(" "); !fault.Is(err, fault.Invalid) {
		t.Errorf("without a reason: %v", err)
	}
	lost, err := resume("the disk was lost")
	if err != nil || lost.From != 2 || lost.Upto != 5 {
		t.Fatalf("got %+v, %v", lost, err)
	}
	if report := r.fsckWith(t, s); !report.Clean() || report.Size != 5 {
		t.Errorf("before a server went on: %d entries, %v", report.Size, report.Findings)
	}
	if n, err := seq.Drain(t.Context()); n != 3 || err != nil {
		t.Errorf("took in %d, %v; want what waited and the record of this", n, err)
	}
	publish(t, p)
	report, err := audit.Fsck(t.Context(), audit.FsckConfig{System: r.db.System, Trusted: []audit.Verifier{r.public}, Shelf: s,
		Known: []string{string(kept)}})
	if err != nil || !report.Clean() || report.Size != 8 || len(report.Lost) != 1 || report.Lost[0].Record != lost.Record ||
		report.Lost[0].Reason != "the disk was lost" {
		t.Errorf("who kept a checkpoint can follow: %+v, %v", report, err)
	}
	after := s.files(t)
	for name, text := range before {
		if after[name] != text && !strings.HasSuffix(name, "log/latest") {
			t.Errorf("%s was overwritten", name)
		}
	}
	if _, err := resume("again"); !fault.Is(err, fault.Conflict) {
		t.Errorf("with nothing lost: %v", err)
	}
}

// TestALogThatCannotGoOnSaysWhy promises that nobody's word makes two histories one.
func TestALogThatCannotGoOnSaysWhy(t *testing.T) {
	for name, tt := range map[string]struct {
		spoil func(t *testing.T, r *rig, s shelf)
		want  string
	}{
		"it went on by itself":         {func(t *testing.T, r *rig, _ shelf) { r.append(t, record(11)); r.drain(t) }, "two histories"},
		"and beyond what is published": {func(t *testing.T, r *rig, _ shelf) { r.fill(t, 9); r.drain(t) }, "two histories"},
		"the hashes are gone": {func(t *testing.T, _ *rig, s shelf) {
			if err := os.RemoveAll(s.file("log/leaves")); err != nil {
				t.Fatal(err)
			}
		}, "does not hold the hashes of entries 2 to 4"},
	} {
		t.Run(name, func(t *testing.T) {
			r, s := restored(t)
			tt.spoil(t, r, s)
			if _, err := audit.Resume(t.Context(), r.db.System, s, "x", time.Now()); !fault.Is(err, fault.Conflict) ||
				!strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, want a conflict that says %q", err, tt.want)
			}
			if n := one[int](t, r, `select count(*) from gavel_sys.log_lost`); n != 0 {
				t.Errorf("%d losses noted", n)
			}
		})
	}
}
