package program

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/review"
)

// leads sees to it that everything a person may meet of an open proposal leads with its
// finding: inbox row, card, terminal, API, and what a mail to staff would carry of it. The
// clock of a test may be so quick that the proposal ends meanwhile; then lists are not asked.
func leads(t *testing.T, base, token, id string) finding.Finding {
	t.Helper()
	desk := setup{environ: []string{"GAVEL_SERVER=" + base, "GAVEL_TOKEN=" + token}}
	get := func(path string) string {
		t.Helper()
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, base+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		body, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			t.Fatalf("%s: %d %s, %v", path, res.StatusCode, body, err)
		}
		return string(body)
	}
	var read struct {
		Finding *finding.Finding
		State   string
	}
	if err := json.Unmarshal([]byte(get("/v1/proposals/"+id)), &read); err != nil || read.Finding == nil {
		t.Fatalf("the API says nothing of what %s found: %v", id, err)
	}
	f := *read.Finding
	if err := f.Check(); err != nil {
		t.Errorf("%s: %v", id, err)
	}
	whole := []string{f.First("en"), f.Value.Words.En, f.Limit.Words.En, f.Sure.Words.En, f.Change.En}
	for _, p := range f.Unknown {
		whole = append(whole, p.Text.En)
	}
	says := func(where, text string, want ...string) {
		t.Helper()
		for _, one := range want {
			if !strings.Contains(text, one) {
				t.Errorf("%s of %s does not say %q", where, id, one)
			}
		}
	}
	says("the card", html.UnescapeString(get("/proposals/"+id+"?lang=en")), whole...)
	shown := desk.run(t, "show", id)
	says("the terminal", shown.out+shown.talk, append(whole, f.Says.En)...)
	row, items, listed := html.UnescapeString(get("/inbox?lang=en")), get("/v1/inbox"), desk.run(t, "inbox")
	if err := json.Unmarshal([]byte(get("/v1/proposals/"+id)), &read); err != nil {
		t.Fatal(err)
	}
	if read.State == string(review.Open) {
		says("the row", row, f.First("en"))
		says("the API's inbox", items, `"says"`, f.Subject.Name)
		says("the terminal's inbox", listed.out+listed.talk, f.Subject.Name)
	}
	mail := strings.Join(f.MailLines("en"), "\n")
	says("the mail", mail, f.Plain.En, f.Sure.Words.En)
	if f.Subject.Kind == finding.Person && strings.Contains(mail, f.Subject.Name) {
		t.Errorf("the mail of %s names %s", id, f.Subject.Name)
	}
	if f.Subject.Link != "" {
		get(f.Subject.Link) // it leads to a page
	}
	t.Logf("%s: %s", id, f.First("en"))
	return f
}
