package program_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
)

// casesPerCrash is the promise's own number; -short takes fewer.
func casesPerCrash() int {
	if testing.Short() {
		return 40
	}
	return 200
}

func TestNothingIsLostWhenPartsAreKilled(t *testing.T) {
	w := newTown(t)
	for _, tt := range []struct {
		name string
		kill devstack.Part
		away time.Duration
	}{
		{"the worker", devstack.Worker, 2 * time.Second},
		{"the engine", devstack.Temporal, 2 * time.Second},
		{"the database", devstack.Postgres, 12 * time.Second}, // longer than one try of a step may take
	} {
		t.Run(tt.name, func(t *testing.T) { w.surviveKilling(t, tt.kill, tt.away) })
	}
	t.Run("a case opened while the engine is down", w.openWithoutEngine)
	t.Run("two servers and two workers side by side", w.sideBySide)
}

// surviveKilling opens cases, kills a part when a third of them are open, and
// starts it again after a while. Every other case is closed by a person, the
// rest by their date. Each must end, as it should, with each entry once.
func (w *town) surviveKilling(t *testing.T, part devstack.Part, away time.Duration) {
	n := casesPerCrash()
	ids := make([]string, n)
	var g, repair errgroup.Group // the part comes back however many cases wait for it
	g.SetLimit(64)
	for i := range n {
		if i == n/3 {
			w.kill(part)
			repair.Go(func() error {
				time.Sleep(away)
				return w.again(part)
			})
		}
		g.Go(func() error {
			var err error
			ids[i], err = w.oneCase(fmt.Sprintf("%s-%d", part, i), i%2 == 0)
			return err
		})
		time.Sleep(15 * time.Millisecond) // so that some are in every stage when the part dies
	}
	if err := errors.Join(repair.Wait(), g.Wait()); err != nil {
		t.Fatal(err)
	}
	for i, id := range ids {
		if err := w.checkEnded(id, i%2 == 0); err != nil {
			t.Error(err)
		}
	}
}

// oneCase opens a case and sees to its end. People's part is tried again until
// it is taken, as a person would.
func (w *town) oneCase(key string, byPerson bool) (string, error) {
	due := 0
	if !byPerson {
		due = 2
	}
	c, err := w.openUntilTaken(key, due)
	if err != nil {
		return "", err
	}
	if byPerson {
		for {
			if c, err = w.await(c.ID, "waiting"); err != nil {
				return c.ID, err
			}
			status, err := w.call(w.base, "POST", "/v1/cases/"+c.ID+"/close", map[string]string{"reason": "Settled."}, nil,
				"If-Match", fmt.Sprintf(`"%d"`, c.Version))
			if err == nil {
				break
			}
			if status == http.StatusConflict {
				break // it was taken, and the answer was lost
			}
			if status > 0 && status < 500 && status != http.StatusPreconditionFailed && status != http.StatusTooManyRequests {
				return c.ID, err
			}
		}
	}
	_, err = w.await(c.ID, "closed")
	return c.ID, err
}

func (w *town) checkEnded(id string, byPerson bool) error {
	got, err := w.history(id)
	if err != nil {
		return err
	}
	c, err := w.get(id)
	if err != nil {
		return err
	}
	want, status := "opened taken_up closed", "expired"
	if byPerson {
		want, status = "opened taken_up close_asked closed", "done"
	}
	if strings.Join(got, " ") != want || c.Status != status {
		return fmt.Errorf("case %s: history is %v and it is %s, want %s and %s", id, got, c.Status, want, status)
	}
	return nil
}

func (w *town) openWithoutEngine(t *testing.T) {
	w.kill(devstack.Temporal)
	c, err := w.open("no-engine", 0)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := w.get(c.ID); err != nil || got.State != "open" {
		t.Errorf("while the engine is down: got %+v, %v", got, err)
	}
	if err := w.again(devstack.Temporal); err != nil {
		t.Fatal(err)
	}
	if _, err := w.await(c.ID, "waiting"); err != nil {
		t.Error(err)
	}
}

// sideBySide changes a case through one server and watches the other's page.
func (w *town) sideBySide(t *testing.T) {
	second := w.anotherServer()
	w.another("worker")
	w.awaitReady(t, second)
	c, err := w.open("side-by-side", 0)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = w.await(c.ID, "waiting"); err != nil {
		t.Fatal(err)
	}
	notices := w.watch(t, second)
	const note = "Seen through the other server."
	start := time.Now()
	if _, err := w.call(w.base, "POST", "/v1/cases/"+c.ID+"/notes", map[string]string{"text": note}, nil); err != nil {
		t.Fatal(err)
	}
	want, told := fmt.Sprintf(`"object":%q,"version":%d`, c.ID, c.Version+1), false
	for line := range notices {
		if told = strings.Contains(line, want); told {
			break
		}
	}
	if !told {
		t.Fatalf("the stream ended without the notice %s", want)
	}
	wait.Within(t, "a notice at another server", time.Since(start), 2*time.Second)
	if page := w.page(t, second+"/cases/"+c.ID+"/sheet"); !strings.Contains(page, note) {
		t.Error("the other server's page does not show the note")
	}
}

func (w *town) awaitReady(t *testing.T, base string) {
	t.Helper()
	wait.Try(t, func() error {
		res, err := http.Get(base + "/readyz")
		if err != nil {
			return err
		}
		res.Body.Close()
		if res.StatusCode != http.StatusOK {
			return fmt.Errorf("%s answers %s", base, res.Status)
		}
		return nil
	})
}

// watch is the lines of a server's live stream; it ends after a while.
func (w *town) watch(t *testing.T, base string) <-chan string {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	req, err := http.NewRequestWithContext(ctx, "GET", base+"/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cancel)
	if res.StatusCode != http.StatusOK || res.Request.URL.Path != "/live" {
		t.Fatalf("the live stream answered %d at %s", res.StatusCode, res.Request.URL)
	}
	lines := make(chan string, 64)
	go func() {
		defer close(lines)
		defer res.Body.Close()
		for scan := bufio.NewScanner(res.Body); scan.Scan(); {
			lines <- scan.Text()
		}
	}()
	<-lines // the stream's first line: from here on nothing is missed
	return lines
}

func (w *town) page(t *testing.T, address string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), "GET", address, nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+w.token)
	req.Header.Set("Accept", "text/html")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var text strings.Builder
	if _, err := bufio.NewReader(res.Body).WriteTo(&text); err != nil {
		t.Fatal(err)
	}
	return text.String()
}
