package reportagent_test

import (
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/reportagent/rest"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// formOf is a form with files, by field and name, and other fields, and its content type.
func formOf(t *testing.T, files map[string][]byte, fields ...string) (body []byte, kind string) {
	t.Helper()
	var out bytes.Buffer
	form := multipart.NewWriter(&out)
	for i := 0; i+1 < len(fields); i += 2 {
		_ = form.WriteField(fields[i], fields[i+1]) // a buffer takes everything
	}
	for field, content := range files {
		w, err := form.CreateFormFile(field, field+".bin")
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(content)
	}
	_ = form.Close()
	return out.Bytes(), form.FormDataContentType()
}

// sendFiles sends a form with files.
func (r rig) sendFiles(t *testing.T, role identity.Role, path string, files map[string][]byte, fields ...string) platformtest.Answer {
	t.Helper()
	body, kind := formOf(t, files, fields...)
	return r.sendForm(t, role, r.URL+path, bytes.NewReader(body), kind)
}

func (r rig) sendForm(t *testing.T, role identity.Role, address string, body io.Reader, kind string) platformtest.Answer {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", kind)
	return r.Do(t, role, req)
}

// TestARunThatIsSentSlowlyArrives promises that a run which takes longer to send than a server waits for an ordinary form is
// brought in all the same, at first and as a newer one.
func TestARunThatIsSentSlowlyArrives(t *testing.T) {
	r := newRig(t, false)
	const ordinary = 300 * time.Millisecond
	server := httptest.NewUnstartedServer(r.Config.Handler)
	server.Config.ReadTimeout = ordinary
	server.Start()
	t.Cleanup(server.Close)
	send := func(path string, files map[string][]byte, fields ...string) string {
		body, kind := formOf(t, files, fields...)
		out, in := io.Pipe()
		go func() {
			_, _ = in.Write(body[:len(body)/2])
			time.Sleep(3 * ordinary)
			_, _ = in.Write(body[len(body)/2:]) // who is not waited for has lost the connection by then
			_ = in.Close()
		}()
		made := r.sendForm(t, identity.Analyst, server.URL+path, out, kind)
		if made.Status != http.StatusSeeOther {
			t.Fatalf("%s: got %d %s", path, made.Status, made.Body)
		}
		return made.Header.Get("Location")
	}
	files := map[string][]byte{"outline": []byte(pagesOutline), "zip": zipped(t, small())}
	at := send("/reportagent/reports", files, "title", "Outlook 2050")
	send(at+"/data", map[string][]byte{"zip": zipped(t, small())})
}

const pagesOutline = "# Results\n\n## Energy\n<!-- Section instructions: energy use by fuel -->\n\n### Overall\n\n" +
	"## Transport\n\n### Overall\n\n" +
	"## Steam engines\n"

// onPages has an analyst bring a report in on the page, and returns where it is.
func (r rig) onPages(t *testing.T) string {
	t.Helper()
	made := r.sendFiles(t, identity.Analyst, "/reportagent/reports", map[string][]byte{"outline": []byte(pagesOutline),
		"zip": zipped(t, small())}, "title", "Outlook 2050")
	at := made.Header.Get("Location")
	if made.Status != http.StatusSeeOther || !strings.HasPrefix(at, "/reportagent/reports/RPT-") {
		t.Fatalf("got %d %s %s", made.Status, at, made.Body)
	}
	return at
}

// draftOnPages has an analyst press a button that drafts, and waits until that is done.
func (r rig) draftOnPages(t *testing.T, at string, form url.Values) {
	t.Helper()
	for range 2 { // pressed twice, it is one drafting
		if got := r.Post(t, identity.Analyst, at+"/drafts", form); got.Status != http.StatusSeeOther {
			t.Fatalf("got %d %s", got.Status, got.Body)
		}
	}
	wait.Until(t, "the drafts are written", func() bool {
		return r.Number(t, `select count(*)::int from gavel.job where state = 'running'`) == 0
	})
}

var wasForm = regexp.MustCompile(`name="was" value="([0-9a-f]{64})"`)

// was is the hash of the text that a section's page has.
func (r rig) was(t *testing.T, at string) string {
	t.Helper()
	m := wasForm.FindStringSubmatch(r.Get(t, identity.Analyst, at).Body)
	if m == nil {
		t.Fatal("the page has no form for the text")
	}
	return m[1]
}

// TestAReportIsBroughtInAndDraftedOnItsPages promises the way from an empty list to a draft: who may bring a report in sees the form,
// the page says how each section stands and which scenarios are missing, a button that is pressed twice drafts once, every number of a
// section opens a card with its cell or formula, and what has no data is said, not made up.
func TestAReportIsBroughtInAndDraftedOnItsPages(t *testing.T) {
	r := newRig(t, false)
	r.Work(t, r.App.Work)
	r.Get(t, identity.Analyst, "/reportagent").Holds(t, 200, "No report yet", `name="outline"`, `name="zip"`)
	officer := r.Get(t, identity.Officer, "/reportagent")
	officer.Holds(t, 200, "Ask an analyst")
	officer.Lacks(t, `type="file"`)
	r.Get(t, identity.HR, "/reportagent").Holds(t, 403)
	r.sendFiles(t, identity.Analyst, "/reportagent/reports", map[string][]byte{"outline": []byte("no heading"), "zip": []byte("no zip")}).
		Holds(t, 422, "The report was not brought in")
	at := r.onPages(t)
	r.Get(t, identity.Auditor, "/reportagent").Holds(t, 200, "Outlook 2050", "0 / 6")
	first := r.Get(t, identity.Analyst, at)
	first.Holds(t, 200, "Outlook 2050", "Not written", "Draft all sections", "A scenario is missing", "Give a newer run")
	r.Get(t, identity.Officer, at).Lacks(t, "Draft all sections", "Give a newer run")
	r.draftOnPages(t, at, url.Values{"after": {"none"}})
	if n := r.Number(t, `select count(*)::int from gavel.job`); n != 1 {
		t.Errorf("%d draftings began", n)
	}
	drafted := r.Get(t, identity.Auditor, at)
	drafted.Holds(t, 200, "Draft", "Templates", "No data")
	r.Get(t, identity.Auditor, at+"?state=blocked").Holds(t, 200, "Steam engines")
	energy := r.Get(t, identity.Auditor, at+"/sections/energy")
	energy.Holds(t, 200, "popovertarget=\"fact-F", "popover", "energy/use_by_fuel.csv", "record 1, column 2025",
		"The check found nothing wrong", "Computed as: difference", "<svg", "energy use by fuel", "Templates")
	energy.Lacks(t, "Edit the text", "needs an analyst")
	for _, card := range regexp.MustCompile(`popovertarget="(fact-F\d+)"`).FindAllStringSubmatch(energy.Body, -1) {
		if strings.Count(energy.Body, `id="`+card[1]+`"`) != 1 {
			t.Errorf("%s is no card, or two", card[1])
		}
	}
	r.Get(t, identity.Analyst, at+"/sections/energy%2Foverall").Holds(t, 200, "Overall")
	r.Get(t, identity.Analyst, at+"/sections/steam-engines").Holds(t, 200, "can&#39;t be written")
	r.Get(t, identity.Auditor, at+"?lang=hi").Holds(t, 200, "मसौदा", "परिदृश्य")
	paper := r.Get(t, identity.Auditor, at+"/paper")
	paper.Holds(t, 200, "Figures are of scenarios", "energy/use_by_fuel.csv")
	r.Get(t, identity.Auditor, at+"/coverage").Holds(t, 200, "changes are told", "Largest changes not told", "A scenario is missing")
	r.Get(t, identity.Auditor, at+"/contradictions").Holds(t, 200, "No contradiction was found")
	r.Get(t, identity.Auditor, at+"/contradictions?with=x").Holds(t, 404)
	other := r.onPages(t)
	r.Get(t, identity.Auditor, other+"/contradictions?with="+at[len("/reportagent/reports/"):]).Holds(t, 200, "No contradiction was found")
	for _, nowhere := range []string{"/reports/RPT-00000000", "/reports/x", "/drafts/DRAFT-00000000", "/drafts/x"} {
		r.Get(t, identity.Analyst, "/reportagent"+nowhere).Holds(t, 404)
	}
	r.Get(t, identity.Analyst, at+"/sections/nothing").Holds(t, 404)
	r.Get(t, identity.HR, at).Holds(t, 403)
}

// TestASectionIsWorkedOnOnItsPage promises, on the page alone: words that were not taken are still there, a typed number is found before
// anything else, versions differ word by word, a score of two needs a sentence, another's scores are hidden until one has scored, a
// note shows the change that answers it, who asks for a signature does not sign, and what is asked about is said.
func TestASectionIsWorkedOnOnItsPage(t *testing.T) {
	r := newRig(t, false)
	r.Work(t, r.App.Work)
	at := r.onPages(t)
	r.draftOnPages(t, at, url.Values{"after": {"none"}})
	at += "/sections/transport"
	post := func(role identity.Role, under string, want int, pairs ...string) platformtest.Answer {
		t.Helper()
		form := url.Values{}
		for i := 0; i+1 < len(pairs); i += 2 {
			form.Set(pairs[i], pairs[i+1])
		}
		got := r.Post(t, role, at+under, form)
		if got.Status != want {
			t.Fatalf("%s %s: got %d, want %d\n%s", role, under, got.Status, want, got.Main())
		}
		return got
	}
	scores := []string{"version", "1", "accuracy", "5", "completeness", "2", "clarity", "4", "data_use", "5"}
	post(identity.Officer, "/rating", 422, scores...).Holds(t, 422, "Your scores were not saved", "needs a sentence")
	post(identity.Officer, "/rating", 303, append(scores, "words", "Nothing of trains.")...)
	post(identity.Officer, "/rating", 422, "version", "1", "accuracy", "9").Holds(t, 422, "all four scores")
	post(identity.Officer, "/notes", 303, "version", "1", "text", "Say that trains are left out.")
	hidden := r.Get(t, identity.Analyst, at)
	hidden.Holds(t, 200, "Say that trains are left out.", "shown once you scored: 1")
	hidden.Lacks(t, "Nothing of trains.")
	r.Get(t, identity.Auditor, at).Holds(t, 200, "Nothing of trains.")
	post(identity.Analyst, "/text", 412, "was", strings.Repeat("0", 64), "text", "My own words.").Holds(t, 412, "My own words.",
		"Your words were not saved")
	text := r.section(t, strings.Split(at, "/")[3], "transport").Text
	post(identity.Analyst, "/text", 303, "was", r.was(t, at), "text", text+"\r\n\r\nCars rise by 999 million.")
	r.Get(t, identity.Analyst, at).Holds(t, 200, "What the check found", "A number is typed", "Must be put right", "<ins>")
	post(identity.Analyst, "/sign-off", 409).Holds(t, 409, "Nobody was asked to sign", "found something wrong")
	post(identity.Analyst, "/text", 303, "was", r.was(t, at), "text", text+"\n\nTrains are left out.")
	post(identity.Analyst, "/notes/answer", 422, "note", "1", "became", "declined").Holds(t, 422, "why the note is not followed")
	post(identity.Analyst, "/notes/answer", 303, "note", "1", "became", "done", "answer", "Said at the end.")
	answered := r.Get(t, identity.Officer, at)
	answered.Holds(t, 200, "Done in version 3", "Said at the end.", "Trains", "Not enough")
	post(identity.Officer, "/notes/verdict", 303, "note", "1", "verdict", "accepted")
	r.Get(t, identity.Officer, at).Holds(t, 200, "Its author accepts that.")
	post(identity.Officer, "/checks", 422, "note", "1", "phrase", " x ")
	post(identity.Officer, "/checks", 303, "note", "1", "phrase", "Steam Trains")
	r.Get(t, identity.Analyst, at).Holds(t, 200, "Something that every text has to mention is missing", "Every text has to mention",
		"Steam Trains")
	post(identity.Analyst, "/sign-off", 409)
	post(identity.Officer, "/checks/end", 303, "check", "1")
	post(identity.Officer, "/checks/end", 409, "check", "1")
	post(identity.Officer, "/text", 403)
	post(identity.Officer, "/sign-off", 403)
	post(identity.Analyst, "/sign-off", 303)
	r.Get(t, identity.Officer, at).Holds(t, 200, "Waiting for a signature", "/proposals/P-")
	post(identity.Analyst, "/rating", 303, "version", "3", "accuracy", "5", "completeness", "4", "clarity", "4", "data_use", "5")
	one := strings.TrimSuffix(at, "/sections/transport")
	r.Get(t, identity.Auditor, one+"/evaluation").Holds(t, 200, "overall 4 of 5", "left out here: 1")
	r.newRunOnPages(t, one)
}

// newRunOnPages gives a report a newer run on its page, and drafts only what that changes.
func (r rig) newRunOnPages(t *testing.T, at string) {
	t.Helper()
	files := small()
	files["energy/use_by_fuel.csv"] = bytes.ReplaceAll(files["energy/use_by_fuel.csv"], []byte("80.0,10.0"), []byte("80.0,130.0"))
	r.Get(t, identity.Auditor, at+"/changes").Holds(t, 200, "Nothing changed")
	given := r.sendFiles(t, identity.Analyst, at+"/data", map[string][]byte{"zip": zipped(t, files)})
	if given.Status != http.StatusSeeOther || given.Header.Get("Location") != at+"/changes" {
		t.Fatalf("got %d %s", given.Status, given.Body)
	}
	changes := r.Get(t, identity.Analyst, at+"/changes")
	changes.Holds(t, 200, "Conclusions that turn", "Sentences that are false now", "<del>−134.5", "<ins>−14.5",
		"Draft these sections again")
	r.Get(t, identity.Auditor, at).Holds(t, 200, "A newer model run changes this report")
	r.draftOnPages(t, at, url.Values{"only_changed": {"yes"}, "after": {"x"}})
	r.Get(t, identity.Analyst, at+"/changes").Holds(t, 200, "Nothing changed")
}

var saidForm = regexp.MustCompile(`"state":"(\w+)","rev":(\d+)`)

// TestWhatIsTypedIsKeptAndOverwritesNothing promises: what somebody types is kept as they type, seen by nobody else and written nowhere; a
// second window of theirs overwrites nothing; where the text changed meanwhile that is said, both stand side by side, and only a person
// puts theirs over it; what is sent is no longer kept. What was read is marked, and what came after is set against it.
func TestWhatIsTypedIsKeptAndOverwritesNothing(t *testing.T) {
	r := newRig(t, false)
	r.Work(t, r.App.Work)
	at := r.onPages(t)
	r.draftOnPages(t, at, url.Values{"after": {"none"}})
	at += "/sections/transport"
	id, was := strings.Split(at, "/")[3], r.was(t, at)
	keep := func(role identity.Role, rev, was, text, want string) {
		t.Helper()
		got := r.Post(t, role, at+"/unsent", url.Values{"rev": {rev}, "was": {was}, "text": {text}})
		if said := saidForm.FindStringSubmatch(got.Body); len(said) != 3 || said[1]+" "+said[2] != want {
			t.Fatalf("kept %q over %s: got %d %s, want %s", text, rev, got.Status, got.Body, want)
		}
	}
	keep(identity.Analyst, "0", was, "Trains", "saved 1")
	keep(identity.Analyst, "1", was, "Trains are left", "saved 2")
	keep(identity.Analyst, "1", was, "From another window", "elsewhere 1")
	r.Post(t, identity.Officer, at+"/unsent", url.Values{"rev": {"0"}, "was": {was}, "text": {"x"}}).Holds(t, 403)
	r.Get(t, identity.Analyst, at).Holds(t, 200, "Trains are left", "Saved at", "Discard what I typed")
	r.Get(t, identity.Officer, at).Lacks(t, "Trains are left")
	if n := r.Number(t, `select count(*)::int from reportagent.version where section = 'transport'`); n != 1 {
		t.Errorf("typing wrote %d versions", n)
	}
	var wrote rest.ReportSectionBody
	r.ask(t, "editor", http.MethodPut, rest.Base+"/"+id+"/sections/transport",
		map[string]any{"was": was, "text": "Devi was here."}, &wrote)
	keep(identity.Analyst, "2", was, "Trains are left out.", "elsewhere 3")
	r.Get(t, identity.Analyst, at).Holds(t, 200, "changed elsewhere", "Devi was here.", "Trains are left out.", "Put my words over")
	late := r.Post(t, identity.Analyst, at+"/text", url.Values{"was": {was}, "text": {"Trains are left out."}})
	late.Holds(t, 412, "Trains are left out.")
	r.Post(t, identity.Analyst, at+"/unsent/rebase",
		url.Values{"rev": {"3"}, "was": {wrote.Hash}, "text": {"Trains are left out."}}).Holds(t, 303)
	r.Post(t, identity.Analyst, at+"/text", url.Values{"was": {r.was(t, at)}, "text": {"Trains are left out."}}).Holds(t, 303)
	if n := r.Number(t, `select count(*)::int from reportagent.unsent`); n != 0 {
		t.Errorf("%d texts are kept that were sent", n)
	}
	r.Post(t, identity.Officer, at+"/read", url.Values{"version": {"1"}}).Holds(t, 303)
	r.Post(t, identity.Officer, at+"/read", url.Values{"version": {"9"}}).Holds(t, 303)
	r.Get(t, identity.Officer, at).Holds(t, 200, "You have read up to version 1", "Mark version 3 as read", "<ins>")
	r.Get(t, identity.Officer, strings.TrimSuffix(at, "/sections/transport")).Holds(t, 200, "New to you")
	r.Post(t, identity.Officer, at+"/read", url.Values{"version": {"3"}}).Holds(t, 303)
	r.Get(t, identity.Officer, at).Holds(t, 200, "You have read the newest version")
}
