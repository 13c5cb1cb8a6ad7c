package rest_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/netra/casework"
	"github.com/gavelhq/gavel/apps/netra/casework/analyst"
	"github.com/gavelhq/gavel/apps/netra/casework/correction"
	"github.com/gavelhq/gavel/apps/netra/netratest"
	"github.com/gavelhq/gavel/apps/netra/page"
	"github.com/gavelhq/gavel/apps/netra/rest"
	"github.com/gavelhq/gavel/apps/netra/rule/feed"
	"github.com/gavelhq/gavel/apps/netra/rule/signal"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// roads are the ways texts can come in: in each field, in each form, and in lines that cannot be read.
func roads(t *testing.T, now time.Time, texts []string) map[string]rest.BringBody {
	t.Helper()
	quoted := func(text string) string { return `"` + strings.ReplaceAll(text, `"`, `""`) + `"` }
	all := map[string]rest.BringBody{}
	lines := func(name string, format feed.Format, head string, line func(i int, text string) string) {
		b := strings.Builder{}
		b.WriteString(head)
		for i, text := range texts {
			b.WriteString(line(i, text) + "\n")
		}
		all[name] = rest.BringBody{Name: "feed", Format: format, Lines: b.String()}
	}
	for name, set := range map[string]func(r *signal.Report, i int, x string){
		"summary": func(r *signal.Report, _ int, x string) { r.Summary = x }, "event id": func(r *signal.Report, _ int,
			x string) {
			r.EventID = x
		},
		"source": func(r *signal.Report, _ int, x string) { r.Source = x }, "type": func(r *signal.Report, _ int,
			x string) {
			r.EventType = x
		},
		"source type": func(r *signal.Report, _ int, x string) { r.SourceType = x },
		"district":    func(r *signal.Report, _ int, x string) { r.LGD, r.District = 0, x },
		"address": func(r *signal.Report, i int, x string) {
			r.EventID, r.URL = fmt.Sprintf("u%d", i), "https://news.example/?q="+x
		},
	} {
		lines(name, feed.NDJSON, "", func(i int, x string) string {
			r := signal.Report{EventID: "e", Source: "desk", EventType: "riot", At: now.Add(-time.Hour), LGD: 272, Summary: "Stones thrown"}
			set(&r, i, x)
			return marshal(t, r)
		})
	}
	lines("no JSON", feed.NDJSON, "", func(_ int, x string) string { return "{" + x })
	lines("no time", feed.NDJSON, "", func(_ int, x string) string { return `{"event_id":"t","timestamp":` + marshal(t, x) + `}` })
	lines("csv", feed.CSV, "event_id,source,event_type,timestamp,district_lgd,event_summary\n", func(_ int, x string) string {
		return "c,desk,riot," + now.Format(time.RFC3339) + ",272," + quoted(x)
	})
	lines("acled's notes", feed.ACLED, "event_id_cnty,event_date,event_type,sub_event_type,admin1,admin2,notes,actor1,fatalities\n",
		func(i int, x string) string {
			return fmt.Sprintf("IND%d,%s,Riots,Mob violence,Manipur,Imphal West,%s,%s,0", i, now.Format(time.DateOnly), quoted(x),
				quoted(x))
		})
	lines("mapped", feed.Mapped, "a,b,c\n", func(_ int, x string) string { return "m," + quoted(x) + "," + now.Format(time.RFC3339) })
	mapped := all["mapped"]
	mapped.Mapping = api.Raw(`{"format":"csv","columns":{"event_id":"a","event_summary":"b","timestamp":"c"},"fixed":{"source":"x","event_type":"riot","district_lgd":"272"}}`)
	all["mapped"] = mapped
	return all
}

func marshal(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func cut(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most])
	}
	return s
}

// TestAScanAfterARunFindsNothing promises that personal data which the rules know, sent by every road there is, is afterwards in
// no row of the database and in no line of the log. What becomes of it in cases, bundles and prompts stands beside briefings and
// corrections (TestNoCaseNoBundleAndNoPromptHoldsPersonalData).
func TestAScanAfterARunFindsNothing(t *testing.T) {
	r := netratest.New(t)
	r.App.Messages = page.Messages()
	var log netratest.Log
	answers := rest.New(r.Store, casework.New(r.Store), analyst.New(r.Store, casework.New(r.Store)),
		correction.New(r.Store, casework.New(r.Store)))
	s := stage{r, r.Serve(t, platformtest.Serves{API: []api.Part{answers}, Routes: answers.Routes,
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		As: map[string]identity.Actor{"analyst": netratest.Person(identity.Analyst), "officer": netratest.Person(identity.Officer),
			"feed": netratest.Person(identity.Analyst)}})}
	s.Want(t, http.StatusOK, "officer", http.MethodPost, rest.DistrictsAddress, rest.ImportBody{File: districts})
	texts, needles := netratest.Planted(t, 41, 20)
	ways := roads(t, r.Store.Now(), texts)
	for _, body := range ways {
		s.Want(t, http.StatusCreated, "feed", http.MethodPost, rest.IngestsAddress, body)
	}
	for _, x := range texts[:20] { // and in questions
		s.Want(t, http.StatusNotFound, "analyst", http.MethodPost, rest.AnalyzeAddress, rest.AskBody{District: cut(x, 100),
			State: cut(x, 100)})
		s.Call(t, "analyst", http.MethodPost, "/netra/analyze", "{"+x)
	}
	if n := r.Number(t, `select count(*) from netra.quarantine`); n < len(texts) {
		t.Errorf("%d lines were stopped, fewer than the %d summaries", n, len(texts))
	}
	rows := netratest.Everything(t, r.DB.AdminURL)
	found := 0
	for _, needle := range needles {
		for where, text := range map[string]string{"the database": rows, "the log": log.String()} {
			if strings.Contains(text, needle) {
				found++
				t.Errorf("%s holds %q", where, needle)
			}
		}
	}
	fmt.Printf("pii=%d of %d pieces of personal data, sent %d times by %d roads, are in %d bytes of database and %d of log\n", found,
		len(needles), len(ways)*len(texts), len(ways), len(rows), len(log.String()))
}
