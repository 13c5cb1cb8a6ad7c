package gate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/rule/gate"
	"github.com/gavelhq/gavel/apps/netra/rule/gazette"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/pii"
	"github.com/gavelhq/gavel/platform/pii/piitest"
)

var received = time.Date(2026, 2, 3, 14, 58, 29, 0, signal.India())

func door(t *testing.T) gate.Gate {
	t.Helper()
	from := received.AddDate(-2, 0, 0)
	book, err := gazette.NewBook([]gazette.Entry{{LGD: 272, Name: "Imphal West", State: "Manipur", From: from,
		Tags:       []signal.Tag{signal.Capital},
		ReviewedBy: "A. Officer", ReviewedOn: from}})
	if err != nil {
		t.Fatal(err)
	}
	return gate.Gate{Book: book, Received: received, Kept: 400 * 24 * time.Hour}
}

func report() signal.Report {
	return signal.Report{EventID: "e1", Source: "desk", SourceType: "news", EventType: "riot", At: received.Add(-time.Hour),
		District: "imphal west",
		State:    "Manipur", Summary: "Stones thrown at a market"}
}

func TestAReportBecomesASignalOfItsDistrict(t *testing.T) {
	s, kinds, why := door(t).Pass(report())
	if kinds != nil || why != "" || s.LGD != 272 || s.Geo != 1.4 || s.Severity != 2 || s.At.Location() != time.UTC {
		t.Errorf("got %+v, %v, %q", s, kinds, why)
	}
}

// TestPersonalDataIsStoppedInEveryField promises that nothing of a report passes that holds some, wherever it stands, and that
// what is told of it is kinds alone.
func TestPersonalDataIsStoppedInEveryField(t *testing.T) {
	const mobile = "call 9876543210 now"
	for name, set := range map[string]func(*signal.Report){
		"summary": func(r *signal.Report) { r.Summary = mobile }, "id": func(r *signal.Report) { r.EventID = mobile },
		"source": func(r *signal.Report) { r.Source = mobile }, "source type": func(r *signal.Report) { r.SourceType = mobile },
		"event type": func(r *signal.Report) { r.EventType = mobile }, "district": func(r *signal.Report) { r.District = mobile },
		"state": func(r *signal.Report) { r.State = mobile },
	} {
		r := report()
		set(&r)
		s, kinds, why := door(t).Pass(r)
		if kinds[pii.Mobile] != 1 || why != "" || s.ID != "" {
			t.Errorf("%s: got %+v, %v, %q", name, s, kinds, why)
		}
	}
}

// TestTheSuiteIsStopped promises that the personal data of the suite comes in no more through the gate than through the finder.
func TestTheSuiteIsStopped(t *testing.T) {
	g, missed, all := door(t), 0, 0
	for _, c := range piitest.Positives(20, 40) {
		if len(c.Text) > signal.MaxSummary || len(pii.Find(c.Text)) == 0 {
			continue
		}
		all++
		r := report()
		r.Summary = c.Text
		if s, kinds, _ := g.Pass(r); kinds == nil || s.ID != "" {
			missed++
		}
	}
	if missed != 0 || all < 300 {
		t.Errorf("%d of %d texts with personal data came in", missed, all)
	}
}

// TestWhatCannotBeWeighedIsRefusedWithAReason promises the reasons, among them those of times that are late or lie ahead.
func TestWhatCannotBeWeighedIsRefusedWithAReason(t *testing.T) {
	for want, set := range map[string]func(*signal.Report){
		"older than signals are kept": func(r *signal.Report) { r.At = received.AddDate(-2, 0, 1) },
		"more than 5m0s ahead":        func(r *signal.Report) { r.At = received.Add(6 * time.Minute) },
		"district is not known":       func(r *signal.Report) { r.District = "Atlantis" },
		"is not known; name its":      func(r *signal.Report) { r.EventType, r.Summary = "weather", "It rains" },
		"longer than 280":             func(r *signal.Report) { r.Summary = strings.Repeat("stones ", 60) },
		"longer than 200 bytes":       func(r *signal.Report) { r.SourceType = strings.Repeat("x", 201) },
		"a character that is none":    func(r *signal.Report) { r.Summary = "a\x00b" },
		"an id and a source":          func(r *signal.Report) { r.EventID = "" },
	} {
		r := report()
		set(&r)
		if s, kinds, why := door(t).Pass(r); !strings.Contains(why, want) || kinds != nil || s.ID != "" ||
			strings.Contains(why, "event e1") {
			t.Errorf("got %+v, %v, %q, want %q", s, kinds, why, want)
		}
	}
	soon := report()
	soon.At = received.Add(4 * time.Minute)
	if _, _, why := door(t).Pass(soon); why != "" {
		t.Errorf("clocks differ by four minutes: got %q", why)
	}
}
