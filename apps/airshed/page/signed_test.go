package page

import (
	"net/http"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/page/frame"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/signin"
	"github.com/gavelhq/gavel/platform/web"
)

// TestWhatIsSignedIsReadWithItsSources promises that the report before officers is read from
// the bytes that would be filed: with the cards of the analyst's report, a map and curves, and
// a way back to the decision and to the case. Looking at it hands nothing out.
func TestWhatIsSignedIsReadWithItsSources(t *testing.T) {
	s := newStage(t)
	r := s.registry(t)
	at := reportsAt + "/" + r.file.Ref
	page := s.Get(t, identity.Officer, at+"?draft=1&proposal=P-7")
	page.Holds(t, http.StatusOK, r.file.Ref, "You sign exactly draft 1", `href="/proposals/P-7"`, `href="/cases/`+string(r.in.Case)+`"`,
		`class="fact-card"`, "form=json", "<svg")
	drafts := s.Get(t, identity.Analyst, "/airshed/episodes/"+s.Texts(t, `select key from airshed.case`)[0]+"/report")
	if got, want := strings.Count(page.Body, `class="fact-card"`), strings.Count(drafts.Body, `class="fact-card"`); got == 0 ||
		got != want {
		t.Errorf("what is signed has %d cards, what the analyst reads %d", got, want)
	}
	if strings.Count(page.Body, "<svg") <= strings.Count(drafts.Body, "<svg") {
		t.Error("what is signed has no map and no curves")
	}
	if n := r.Texts(t, `select count(*)::text from gavel.record where kind = 'export'`)[0]; n != "0" {
		t.Errorf("reading it is %s exports on record", n)
	}
	s.Get(t, identity.Officer, at).Holds(t, http.StatusOK, "You sign exactly draft 1")
	s.Get(t, identity.Officer, at+"?lang=hi").Holds(t, http.StatusOK, "आप ठीक मसौदा 1 पर हस्ताक्षर करते हैं")
	s.Get(t, identity.Officer, at+"?draft=9").Holds(t, http.StatusNotFound)
	s.Get(t, identity.Officer, at+"?draft=x").Holds(t, http.StatusUnprocessableEntity)
	s.Get(t, identity.Officer, at+"?proposal=javascript:1").Lacks(t, "/proposals/javascript")
	s.Get(t, identity.ProgrammeManager, at).Holds(t, http.StatusForbidden)
}

// TestPaperHasMapAndCurves promises that a report on paper has its map and curves, and every
// byte of the page that was kept around them, in both languages.
func TestPaperHasMapAndCurves(t *testing.T) {
	s := newStage(t)
	r := s.registry(t)
	actor := airshedtest.Person(identity.Officer)
	for _, lang := range []report.Lang{report.English, report.Hindi} {
		one, kept, err := s.Store.ReportFile(t.Context(), actor, r.file.Ref, 0, lang)
		if err != nil {
			t.Fatal(err)
		}
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "/", nil)
		if err != nil {
			t.Fatal(err)
		}
		req = req.WithContext(signin.As(req.Context(), actor))
		page, err := s.pages.episodes.Illustrated(req, actor, one, web.Lang(lang), kept)
		if err != nil {
			t.Fatal(err)
		}
		before, drawn, there := strings.Cut(string(page), `<style>`+frame.PictureStyle())
		drawn, after, _ := strings.Cut(drawn, "</main>")
		if !there || before+"</main>"+after != string(kept) {
			t.Errorf("%s: what was kept is not there byte for byte", lang)
		}
		if n := strings.Count(drawn, "<svg class=\"chart"); n < 2 {
			t.Errorf("%s: %d drawings", lang, n)
		}
	}
}
