package reportagent_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rest"
	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/wording"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/model/scripted"
)

var wholeReport = flag.Bool("whole-report", false, "have all 40 sections of the made-up run worded, not six of them")

// A stopwatch counts for how long at least one request is being answered.
type stopwatch struct {
	of    http.Handler
	mu    sync.Mutex
	n     int
	since time.Time
	spent time.Duration
	calls int
}

func (w *stopwatch) ServeHTTP(out http.ResponseWriter, r *http.Request) {
	w.move(1)
	defer w.move(-1)
	w.of.ServeHTTP(out, r)
}

func (w *stopwatch) move(by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.n == 0 {
		w.since = time.Now()
	}
	if w.n += by; w.n == 0 {
		w.spent += time.Since(w.since)
	}
	if by > 0 {
		w.calls++
	}
}

// teller is a model that looks at every chart of its section and hands in what code says of them, and what the sections below say.
func teller(s scripted.Seen) (scripted.Answer, bool) {
	m := sectionOf.FindStringSubmatch(s.Task)
	if m == nil || strings.Contains(s.Last, `"accepted":true`) || strings.Contains(s.Last, "is done") {
		return scripted.Answer{Text: `{"note":"Done."}`}, true
	}
	var brief struct {
		Charts []struct {
			Chart string `json:"chart_id"`
		}
		Below []wording.Told `json:"sections_below"`
	}
	var said []string
	asked := 0
	for _, one := range s.Messages {
		if at := strings.Index(one.Text, `{"charts"`); at >= 0 && one.Role == "user" {
			_ = json.NewDecoder(strings.NewReader(one.Text[at:])).Decode(&brief) // what is no brief has no charts
		}
		var got struct {
			Insights []struct {
				Text string `json:"text_template"`
			} `json:"key_insights"`
		}
		if at := strings.Index(one.Text, `{"chart_id"`); at >= 0 && one.Role == "tool" {
			_ = json.NewDecoder(strings.NewReader(one.Text[at:])).Decode(&got)
			for _, i := range got.Insights {
				said = append(said, i.Text)
			}
		}
		asked += len(one.Calls)
	}
	if asked < len(brief.Charts) {
		return scripted.Answer{Calls: []scripted.Call{{Name: "get_chart_data", Args: map[string]any{"chart_id": brief.Charts[asked].Chart,
			"options": map[string]any{"top_n": 5}}}}}, true
	}
	for _, b := range brief.Below {
		said = append(said, b.Text)
	}
	return scripted.Answer{Calls: []scripted.Call{{Name: "write_section_draft", Args: map[string]any{"section_id": m[1],
		"content": strings.Join(said, " ")}}}}, true
}

// TestAReportIsWordedByAModel promises that a model which looks at every chart and says true things of them words the sections of the
// made-up run, that nothing in them does not hold, and that every row which is cited opens and says the number. The last line is how long
// that takes of a model without delay, and how much of it nobody waits for the model.
func TestAReportIsWordedByAModel(t *testing.T) {
	r := newRig(t, true)
	mind, err := scripted.New(scripted.Config{Reply: teller})
	if err != nil {
		t.Fatal(err)
	}
	watch := &stopwatch{of: mind}
	r.thinkWith(t, watch)
	run, outline := madeup.Make(1), runOutline
	if *wholeReport {
		outline = string(run.Outline())
	}
	made := r.bring(t, outline, run.Files())
	began := time.Now()
	r.drafted(t, made.ID, map[string]any{})
	took := time.Since(began)
	r.rested(t)
	var doc rest.ReportDocumentBody
	r.ask(t, "auditor", http.MethodGet, rest.Base+"/"+made.ID+"/document", nil, &doc)
	worded := r.Number(t, `select count(distinct section)::int from reportagent.version where how = $1`, store.Model)
	if all := len(doc.Ledger.Sections); worded < all*9/10 {
		t.Errorf("a model worded %d of %d sections: %v", worded, all,
			r.Texts(t, `select section || ' ' || became from reportagent.wording order by 1`))
	}
	for _, e := range doc.Ledger.Sections {
		if s := r.section(t, made.ID, e.ID); len(s.Findings) > 0 {
			t.Errorf("%s: %+v", e.ID, s.Findings)
		}
	}
	r.answers(t, doc)
	fmt.Printf("sections=%d charts=%d seconds=%.1f model_calls=%d outside=%.1f %%\n", len(doc.Ledger.Sections), len(run.Charts),
		took.Seconds(), watch.calls, 100*(1-watch.spent.Seconds()/took.Seconds()))
}
