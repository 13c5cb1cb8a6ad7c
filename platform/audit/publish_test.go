package audit_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/disk"
	"github.com/gavelhq/gavel/platform/fault"
)

// A shelf is a real store in a folder that the test can reach into.
type shelf struct {
	*blob.Store
	dir string
}

func newShelf(t testing.TB) shelf {
	t.Helper()
	dir := t.TempDir()
	folder, err := disk.Open("file://" + dir)
	if err != nil {
		t.Fatal(err)
	}
	return shelf{blob.New(folder, blob.Config{}), dir}
}

func (s shelf) file(name string) string { return filepath.Join(s.dir, "named", name) }

// change overwrites a file behind the store's back.
func (s shelf) change(t testing.TB, name string, fn func(string) string) {
	t.Helper()
	text, err := os.ReadFile(s.file(name))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(s.file(name)); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.file(name), []byte(fn(string(text))), 0o600); err != nil {
		t.Fatal(err)
	}
}

// remove takes a file away behind the store's back.
func (s shelf) remove(t testing.TB, name string) {
	t.Helper()
	if err := os.Remove(s.file(name)); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) publisher(t testing.TB, s shelf, witness string) *audit.Publisher {
	t.Helper()
	p, err := audit.NewPublisher(audit.PublisherConfig{System: r.db.System, Shelf: s, Witness: witness, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func publish(t testing.TB, p *audit.Publisher) {
	t.Helper()
	if err := p.Publish(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func (r *rig) fsckWith(t testing.TB, s shelf) audit.Report {
	t.Helper()
	report, err := audit.Fsck(t.Context(), audit.FsckConfig{System: r.db.System, Trusted: []audit.Verifier{r.public}, Shelf: s})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func TestCheckpointsAreCopiedOutOnce(t *testing.T) {
	r, s := newRig(t), newShelf(t)
	p := r.publisher(t, s, "")
	publish(t, p) // an empty log has nothing to say
	var newest audit.Checkpoint
	for i := range 3 {
		r.append(t, record(i))
		r.drain(t)
		publish(t, p)
		publish(t, r.publisher(t, s, "")) // another server, a moment later
		var err error
		if newest, err = audit.Newest(t.Context(), r.db.System); err != nil {
			t.Fatal(err)
		}
	}
	latest, _, err := s.GetNamed(t.Context(), "log/latest")
	if err != nil || string(latest) != newest.Note {
		t.Errorf("latest: %v\n%s\nwant\n%s", err, latest, newest.Note)
	}
	if n := one[int](t, r, `select count(*) from gavel_sys.log_published`); n != 3 {
		t.Errorf("%d publications noted, want 3", n)
	}
	if report := r.fsckWith(t, s); !report.Clean() || report.Published != 3 {
		t.Errorf("fsck: %d compared, %v", report.Published, report.Findings)
	}
}

func TestManyPublishersAgree(t *testing.T) {
	r, s := newRig(t), newShelf(t)
	for i := range 5 {
		r.append(t, record(i))
		r.drain(t)
		var wg sync.WaitGroup
		for range 4 {
			p := r.publisher(t, s, "")
			wg.Go(func() {
				if err := p.Publish(t.Context()); err != nil {
					t.Error(err)
				}
			})
		}
		wg.Wait()
	}
	if report := r.fsckWith(t, s); !report.Clean() || report.Published != 5 {
		t.Errorf("fsck: %d compared, %v", report.Published, report.Findings)
	}
}

// TestAContradictionOutsideIsNotPublishedOver promises that a publisher which
// finds another history outside says so and leaves it as it is.
func TestAContradictionOutsideIsNotPublishedOver(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(t *testing.T, r *rig, s shelf)
		want   string
	}{
		{"the database was cut", func(t *testing.T, r *rig, _ shelf) {
			r.admin(t, `delete from gavel_sys.log_checkpoint where size = 3; delete from gavel_sys.log_published where size = 3`)
		}, "was cut or restored"},
		{"the copy was changed", func(t *testing.T, _ *rig, s shelf) {
			s.change(t, "log/checkpoint/3", func(text string) string { return strings.Replace(text, "\n3\n", "\n4\n", 1) })
		}, "is not the one in this database"},
		{"latest is another log's", func(t *testing.T, _ *rig, s shelf) {
			s.change(t, "log/latest", func(text string) string { return strings.Replace(text, "gavel.test", "other.test", 1) })
		}, "none of ours"},
		{"latest is nothing", func(t *testing.T, _ *rig, s shelf) {
			s.change(t, "log/latest", func(string) string { return "hello" })
		}, "none of ours"},
	} {
		r, s := newRig(t), newShelf(t)
		p := r.publisher(t, s, "")
		for i := range 2 {
			r.append(t, record(i))
			r.drain(t)
			publish(t, p)
		}
		tt.change(t, r, s)
		err := p.Publish(t.Context())
		if !fault.Is(err, fault.Conflict) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: got %v, want a conflict that says %q", tt.name, err, tt.want)
		}
		if report := r.fsckWith(t, s); report.Clean() {
			t.Errorf("%s: fsck finds nothing", tt.name)
		}
	}
}

// TestTheWitnessIsToldAndNeverWaitedFor promises that the outside address gets
// each published checkpoint, that one which is away is told the newest when it
// is back, and that the copies do not wait for it.
func TestTheWitnessIsToldAndNeverWaitedFor(t *testing.T) {
	var mu sync.Mutex
	var told []string
	away := true
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		if away {
			w.WriteHeader(http.StatusServiceUnavailable)
			return
		}
		text, _ := io.ReadAll(req.Body)
		told = append(told, req.Method+" "+string(text))
	}))
	defer server.Close()
	r, s := newRig(t), newShelf(t)
	p := r.publisher(t, s, server.URL)
	r.append(t, record(1))
	r.drain(t)
	if err := p.Publish(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("while it is away: %v, want unavailable", err)
	}
	if report := r.fsckWith(t, s); !report.Clean() || report.Published != 1 {
		t.Errorf("the copy waited for the witness: %d, %v", report.Published, report.Findings)
	}
	r.append(t, record(2))
	r.drain(t)
	mu.Lock()
	away = false
	mu.Unlock()
	publish(t, p)
	publish(t, p) // nothing new, nothing told
	newest, err := audit.Newest(t.Context(), r.db.System)
	if err != nil || len(told) != 1 || told[0] != "POST "+newest.Note {
		t.Errorf("told %q, %v; want the newest checkpoint, once", told, err)
	}
}

func TestPublishersRunUntilTheyAreStopped(t *testing.T) {
	r, s := newRig(t), newShelf(t)
	r.append(t, record(1))
	r.drain(t)
	ctx, stop := context.WithCancel(t.Context())
	tick, done := make(chan time.Time), make(chan error)
	p := r.publisher(t, s, "")
	go func() { done <- p.Run(ctx, tick) }()
	tick <- time.Now()
	tick <- time.Now() // taken when the first is done
	stop()
	if err := <-done; err != nil {
		t.Error(err)
	}
	if _, _, err := s.GetNamed(t.Context(), "log/checkpoint/2"); err != nil {
		t.Error(err)
	}
}

func TestOnlySafeOutsideAddressesAreAccepted(t *testing.T) {
	for address, ok := range map[string]bool{
		"":                              true,
		"https://witness.example/log":   true,
		"http://127.0.0.1:8080/x":       true,
		"http://witness.example/log":    false,
		"ftp://witness.example":         false,
		"https://user:pw@witness.test/": false,
		"witness.example":               false,
		"https://":                      false,
	} {
		_, err := audit.NewPublisher(audit.PublisherConfig{Witness: address})
		if ok != (err == nil) || err != nil && (!fault.Is(err, fault.Invalid) || strings.Contains(err.Error(), "pw")) {
			t.Errorf("%q: got %v, want accepted %v", address, err, ok)
		}
	}
}
