package filing

import (
	"slices"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/store"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// files are the files of a draft as they are handed out, each with what leaves.
func (r registry) files(t *testing.T, draft int) (all [][]byte) {
	t.Helper()
	for _, page := range append([]report.Lang{""}, report.Langs()...) {
		one, body, err := r.store.ReportFile(t.Context(), airshedtest.Person(identity.Officer), r.file.Ref, draft, page)
		if err != nil {
			t.Fatal(err)
		}
		for range 2 { // a page is opened more than once
			if err := r.store.HandOut(t.Context(), airshedtest.Person(identity.Officer), one, body); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, body)
	}
	return all
}

// known is what whoever brings a file back is told it is.
func (r registry) known(t *testing.T, body []byte) string {
	t.Helper()
	entry, left, err := log.NewReader(log.ReaderConfig{DB: r.DB.App, System: r.DB.System}).FindExport(t.Context(), blob.Sum(body))
	switch {
	case fault.Is(err, fault.NotFound):
		return "not known"
	case err != nil:
		t.Fatal(err)
	case left.Name != r.file.Ref || left.Subject != string(r.in.Case) || left.Size != int64(len(body)) ||
		entry.Record.Actor.Org != r.in.Org:
		t.Errorf("on record is %+v of %+v", left, entry.Record)
	}
	return left.File
}

// TestAReportThatWasFiledIsKnownAgain promises that whoever brings back a file of a report
// learns what it is: a draft before it was filed and filed after it was, also where nobody
// opens it again, one that was replaced a draft for ever, and with a byte changed nothing
// that is known. The log has it once, however often a page is opened.
func TestAReportThatWasFiledIsKnownAgain(t *testing.T) {
	r := newRegistry(t)
	replaced := r.files(t, 1)
	if _, err := r.AskAgain(t.Context(), airshedtest.Person(identity.Analyst), r.file.Ref, true); err != nil {
		t.Fatal(err)
	}
	// in the same second it would be the same bytes
	if _, err := (&Steps{r.Clerk}).Advance(t.Context(), r.in, time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	r.args.Report.SHA256 = caseSaid(r.gathered(t).draft.JSON)
	filed := r.files(t, 2)
	for _, body := range filed {
		if got := r.known(t, body); got != log.Drafted {
			t.Errorf("before it is filed: got %s", got)
		}
	}
	if got, err := r.send(t, "act-1"); err != nil || got.Status != store.Success {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, body := range filed {
		if got := r.known(t, body); got != log.Rehearsed { // the rig's commission is a simulator
			t.Errorf("filed: got %s", got)
		}
		if got := r.known(t, append(slices.Clone(body), ' ')); got != "not known" {
			t.Errorf("changed: got %s", got)
		}
	}
	for _, body := range append(replaced, r.files(t, 1)...) {
		if got := r.known(t, body); got != log.Drafted {
			t.Errorf("a draft that was replaced: got %s", got)
		}
	}
	r.files(t, 0)
	if got := r.Texts(t, `select count(*)::text from gavel.record where kind = 'export'`); !slices.Equal(got, []string{"9"}) {
		t.Errorf("%v departures are on record, want 3 files, each of 2 drafts and of what was filed", got)
	}
}

// TestAReportThatTheCommissionRefusedDoesNotReadAsFiled promises that only what it took
// is called filed.
func TestAReportThatTheCommissionRefusedDoesNotReadAsFiled(t *testing.T) {
	r := newRegistry(t)
	r.commission.Address = ""
	if got, err := r.send(t, "act-1"); err != nil || got.Status != store.PartialSuccess {
		t.Fatalf("got %+v, %v", got, err)
	}
	for _, body := range r.files(t, 0) {
		if got := r.known(t, body); got != log.Drafted {
			t.Errorf("got %s", got)
		}
	}
}
