package program

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/devstack/commission/commissiontest"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/signin"
)

// officers are the tokens of two who decide.
func officers(t *testing.T) [2]string {
	t.Helper()
	key := make([]byte, 32)
	for i := range key {
		key[i] = byte(i) // testKey is the base64 of these
	}
	second, err := signin.SecondDevToken(key, postgrestest.North, identity.Officer)
	if err != nil {
		t.Fatal(err)
	}
	return [2]string{devToken(t, identity.Officer), second}
}

// as is a terminal of somebody.
func (k *sky) as(token string) setup {
	return setup{environ: append(slices.Clone(k.env), "GAVEL_SERVER="+k.base, "GAVEL_TOKEN="+token)}
}

// asked waits for an open proposal of a tool, and returns its id.
func (k *sky) asked(tool string) (id string) {
	k.t.Helper()
	k.until("a proposal to "+tool, func() bool {
		got := k.ask(`select id from gavel.proposal where app = 'airshed' and tool = $1 and state = 'open' order by n desc limit 1`, tool)
		if len(got) > 0 {
			id = got[0]
		}
		return id != ""
	})
	return id
}

// decide answers a proposal as it stands, as somebody who has read it.
func (k *sky) decide(token, id, verdict, reason string) (status int, text string) {
	k.t.Helper()
	return k.answer(token, id, func(grounds string) map[string]string {
		return map[string]string{"verdict": verdict, "reason": cmp.Or(reason, "It was checked."), "grounds": grounds}
	})
}

// answer sends an answer to a proposal as it stands, given what its case rests on.
func (k *sky) answer(token, id string, say func(grounds string) map[string]string) (status int, text string) {
	k.t.Helper()
	wait.Holds(1, func() bool { // what is shown may change between reading and answering, and is then read again
		req, err := http.NewRequestWithContext(k.t.Context(), "GET", k.base+"/v1/proposals/"+id, nil)
		if err != nil {
			k.t.Fatal(err)
		}
		req.Header.Set("Authorization", "Bearer "+token)
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			k.t.Fatal(err)
		}
		var read struct{ Grounds string }
		err = json.NewDecoder(res.Body).Decode(&read)
		_ = res.Body.Close()
		if err != nil {
			k.t.Fatal(err)
		}
		body, err := json.Marshal(say(read.Grounds))
		if err != nil {
			k.t.Fatal(err)
		}
		status, text = k.call("POST", "/v1/proposals/"+id+"/decisions", token, string(body), "If-Match", res.Header.Get("ETag"),
			"Idempotency-Key", rand.Text())
		return status != http.StatusPreconditionFailed && status != http.StatusServiceUnavailable
	})
	return status, text
}

// approve has two officers approve.
func (k *sky) approve(id string) {
	k.t.Helper()
	for _, token := range officers(k.t) {
		if status, text := k.decide(token, id, "approve", ""); status >= 300 {
			k.t.Fatalf("%s: %d %s", id, status, text)
		}
	}
}

// ends waits until the one case has ended, and returns its ref.
func (k *sky) ends(as string) (ref string) {
	k.t.Helper()
	k.until("the case ends as "+as, func() bool {
		got := k.ask(`select ref from gavel.case where app = 'airshed' and state = 'closed' and status = $1`, as)
		if len(got) > 0 {
			ref = got[0]
		}
		return ref != ""
	})
	return ref
}

// TestASurgeBecomesAFiledReport lives through a case from an object that comes to the
// lake to a receipt: two officers decide on exact bytes, the commission gets these and no
// others, once, a copy lies in the lake, and a stranger can check it all offline.
func TestASurgeBecomesAFiledReport(t *testing.T) {
	desk, address := commissiontest.Start(t)
	k := newSky(t, true, "GAVEL_AIRSHED_COMMISSION="+address)
	k.pause(true)
	k.put("data/november.json", laketest.File(t, laketest.Surge(t)))
	id := k.asked("send_caqm_report_tool")
	tokens := officers(t)
	if status, text := k.decide(devToken(t, identity.Analyst), id, "approve", ""); status != http.StatusForbidden {
		t.Errorf("an analyst decides: %d %s", status, text)
	}
	bare := func(string) map[string]string {
		return map[string]string{"verdict": "approve", "reason": "It was checked."}
	}
	if status, text := k.answer(tokens[0], id, bare); status != http.StatusPreconditionRequired {
		t.Errorf("an officer who does not say on what grounds: %d %s", status, text)
	}
	if status, text := k.decide(tokens[0], id, "approve", ""); status >= 300 {
		t.Fatalf("%d %s", status, text)
	}
	if status, text := k.decide(tokens[0], id, "approve", ""); status < 400 {
		t.Errorf("one officer approves twice: %d %s", status, text)
	}
	time.Sleep(2 * quarter)
	if got := desk.Reports(); len(got) != 0 {
		t.Fatalf("filed on the word of one: %+v", got)
	}
	k.put("data/again.json", laketest.File(t, laketest.Surge(t))) // the same again changes nothing
	if status, text := k.decide(tokens[1], id, "approve", ""); status >= 300 {
		t.Fatalf("%d %s", status, text)
	}
	ref := k.ends("filed")
	all := desk.Reports()
	if len(all) != 1 || all[0].ReportID != ref || all[0].SHA256 != k.ask(`select json from airshed.report`)[0] {
		t.Fatalf("the commission has %+v", all)
	}
	place := k.ask(`select place from airshed.filing where status = 'success' and simulated`)
	if len(place) != 1 || !strings.Contains(place[0], "/reports/caqm_report_") {
		t.Fatalf("the copy lies at %v", place)
	}
	_, key, _ := strings.Cut(place[0], "/reports/")
	copied, _, err := k.bucket.Load(t.Context(), "reports/"+key, 8<<20)
	if err != nil || blob.Sum(copied).String() != all[0].SHA256 {
		t.Errorf("the copy in the lake: %v, %d bytes", err, len(copied))
	}
	k.reads(ref, all[0].SHA256)
	k.checks(ref)
	if *record {
		durabletest.Record(t, durabletest.DialTo(t, k.engine), "airshed/north/"+k.ask(`select key from gavel.case
			where app = 'airshed'`)[0], historyFile("airshed", "case-filed"))
	}
}

// reads promises the log of reports in the first design's form, and the report's bytes.
func (k *sky) reads(ref, sum string) {
	k.t.Helper()
	analyst := k.as(devToken(k.t, identity.Analyst))
	var log struct {
		Reports []struct {
			ID          string    `json:"report_id"`
			Station     string    `json:"station"`
			AQI         int       `json:"aqi"`
			Time        time.Time `json:"timestamp"`
			GeneratedAt time.Time `json:"generated_at"`
		} `json:"reports"`
	}
	got := analyst.run(k.t, "airshed", "report", "log", "-o", "json")
	dec := json.NewDecoder(strings.NewReader(got.out))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&log); err != nil || len(log.Reports) != 1 || log.Reports[0].ID != ref || log.Reports[0].Station != "Alipur" ||
		log.Reports[0].AQI < 300 {
		k.t.Errorf("the log of reports: %v\n%s", err, got.out)
	}
	file := filepath.Join(k.t.TempDir(), "report.json")
	if got := analyst.run(k.t, "airshed", "report", "get", ref, "--out", file, "--jq", ".status, .mock"); got.code != 0 ||
		strings.Join(strings.Fields(got.out), " ") != "success true" {
		k.t.Errorf("got %+v", got)
	}
	body, err := os.ReadFile(file)
	if err != nil {
		k.t.Fatal(err)
	}
	if blob.Sum(body).String() != sum {
		k.t.Error("the report that was read is not the one that was filed")
	}
}

// checks promises that the bundle of the case verifies and is re-performed without the
// server.
func (k *sky) checks(ref string) {
	k.t.Helper()
	dir := k.t.TempDir()
	file := filepath.Join(dir, "case.zip")
	auditor := k.as(devToken(k.t, identity.Auditor))
	k.until("the log has taken all of it in", func() bool {
		return auditor.run(k.t, "bundle", "export", ref, "-f", file, "--to", "the tribunal's office").code == 0
	})
	i := slices.IndexFunc(k.env, func(line string) bool { return strings.HasPrefix(line, "GAVEL_LOG_KEY=") })
	key, err := audit.PublicOf(strings.TrimPrefix(k.env[i], "GAVEL_LOG_KEY="))
	if err != nil {
		k.t.Fatal(err)
	}
	for says, args := range map[string][]string{"GENUINE": {"verify", file, "--key", string(key)}, "PASS": {"reperform", file}} {
		got := setup{}.run(k.t, args...)
		if got.code != 0 || !strings.Contains(got.out+got.talk, says) {
			k.t.Errorf("%v: got %d %s %s", args, got.code, got.out, got.talk)
		}
		k.t.Logf("%s: %s", args[0], got.talk)
	}
}

// TestAReportThatIsNotTakenIsKeptAndTriedAgain promises that a commission that fails is
// asked three times, that the report is then kept and said to be a partial success, and
// that it is filed once when an analyst has it put before officers again; a connection
// that breaks after the commission took it files nothing twice.
func TestAReportThatIsNotTakenIsKeptAndTriedAgain(t *testing.T) {
	desk, address := commissiontest.Start(t)
	k := newSky(t, true, "GAVEL_AIRSHED_COMMISSION="+address)
	k.pause(true)
	faults := func(body string) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address+"/faults", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		req.Header.Set("Content-Type", "application/json")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		_ = res.Body.Close()
		if res.StatusCode >= 300 {
			t.Fatalf("faults: %d", res.StatusCode)
		}
	}
	faults(`{"status":503,"times":3}`)
	k.put("data/november.json", laketest.File(t, laketest.Surge(t)))
	k.approve(k.asked("send_caqm_report_tool"))
	k.until("it is said to be kept", func() bool {
		return len(k.ask(`select 1::text from gavel.case where app = 'airshed' and status = 'sent_back'
			and waiting_for = 'an analyst'`)) == 1
	})
	if got := k.ask(`select status from airshed.filing`); !slices.Equal(got, []string{"partial_success"}) || len(desk.Reports()) != 0 {
		t.Fatalf("filings %v, and the commission has %+v", got, desk.Reports())
	}
	ref := k.ask(`select ref from gavel.case where app = 'airshed'`)[0]
	if got := k.as(officers(t)[0]).run(t, "airshed", "report", "ask", ref); got.code != 5 {
		t.Errorf("an officer makes what officers decide: %+v", got)
	}
	faults(`{"drop":1}`)
	if got := k.as(devToken(t, identity.Analyst)).run(t, "airshed", "report", "ask", ref); got.code != 0 {
		t.Fatalf("got %+v", got)
	}
	k.approve(k.asked("send_caqm_report_tool"))
	if k.ends("filed"); len(desk.Reports()) != 1 {
		t.Errorf("the commission has %+v", desk.Reports())
	}
	if got := k.ask(`select status from airshed.filing order by at`); !slices.Equal(got, []string{"partial_success", "success"}) {
		t.Errorf("filings %v", got)
	}
}

// TestNewerDataReplaceADraft promises that people are not left with a draft that newer
// data contradict: it is taken back, the old card is refused, and a rejection ends the
// case with nothing filed.
func TestNewerDataReplaceADraft(t *testing.T) {
	desk, address := commissiontest.Start(t)
	k := newSky(t, true, "GAVEL_AIRSHED_COMMISSION="+address)
	k.pause(true)
	k.put("data/november.json", laketest.File(t, laketest.Surge(t)))
	first := k.asked("send_caqm_report_tool")
	if status, text := k.decide(officers(t)[0], first, "approve", ""); status >= 300 {
		t.Fatalf("%d %s", status, text)
	}
	later := hoursLater(laketest.Surge(t), 1, 315)
	later.Wind = nil
	k.put("data/later.json", laketest.File(t, later))
	k.until("the first is taken back", func() bool {
		return k.ask(`select state from gavel.proposal where id = $1`,
			first)[0] == "superseded"
	})
	if status, _ := k.decide(officers(t)[1], first, "approve", ""); status < 400 {
		t.Errorf("what was taken back is approved: %d", status)
	}
	second := k.asked("send_caqm_report_tool")
	if got := k.ask(`select verdict from airshed.report order by n`); second == first ||
		!slices.Equal(got, []string{"conclusive", "no attribution"}) {
		t.Errorf("proposals %s and %s of drafts %v", first, second, got)
	}
	if status, text := k.decide(officers(t)[0], second, "reject", "The wind is missing."); status >= 300 {
		t.Fatalf("%d %s", status, text)
	}
	k.ends("not_filed")
	if got := desk.Reports(); len(got) != 0 || len(k.ask(`select act from airshed.filing`)) != 0 {
		t.Errorf("filed all the same: %+v", got)
	}
}

// TestAnAgentWordsAndAsksAndNothingMore promises that a (scripted) model's summary is
// used where it holds and thrown away where it does not, that the agent puts the report
// before people, and that nothing it says files anything.
func TestAnAgentWordsAndAsksAndNothingMore(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		english string
		worded  bool
	}{
		"words that hold":  {"Of the influence of the fires that satellites saw upwind, the share of Punjab is %s.", true},
		"words that blame": {"Punjab is the culprit, with %s.", false},
		"a typed number":   {"The share of Punjab is %s and the AQI was 499.", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			desk, address := commissiontest.Start(t)
			// ten minutes, in which an agent must have answered, take half one
			k := newSky(t, true, "GAVEL_AIRSHED_COMMISSION="+address, mindful(t, anAnalyst(tt.english)), "GAVEL_CLOCK_SPEED=20")
			k.pause(true)
			k.put("data/november.json", laketest.File(t, laketest.Surge(t)))
			id := k.asked("send_caqm_report_tool")
			if by := k.ask(`select requested_by from gavel.proposal where id = $1`, id)[0]; !strings.Contains(by, "legal_analyst") {
				t.Errorf("asked for by %s", by)
			}
			if got := k.ask(`select (worded_by <> '')::text from airshed.report order by n desc limit 1`)[0]; got != fmt.Sprint(tt.worded) {
				t.Errorf("worded by an agent: %s", got)
			}
			if len(desk.Reports()) != 0 {
				t.Errorf("filed unasked: %+v", desk.Reports())
			}
			k.approve(id)
			if k.ends("filed"); len(desk.Reports()) != 1 {
				t.Errorf("the commission has %+v", desk.Reports())
			}
		})
	}
}

// anAnalyst is a scripted mind that looks at the data, words a summary with the first
// share in it, and has the report filed as it was told.
func anAnalyst(english string) func(scripted.Seen) (scripted.Answer, bool) {
	return func(s scripted.Seen) (scripted.Answer, bool) {
		words := said(s)
		if _, args, file := strings.Cut(words, "with exactly these arguments:\n"); file {
			if s.Turn > 1 {
				return scripted.Answer{JSON: map[string]any{"en": []string{}, "hi": []string{}}}, true
			}
			var call map[string]any
			args, _, _ = strings.Cut(args, "\n")
			if json.Unmarshal([]byte(args), &call) != nil {
				return scripted.Answer{}, false
			}
			return scripted.Answer{Calls: []scripted.Call{{Name: "send_caqm_report_tool", Args: call}}}, true
		}
		_, bucket, _ := strings.Cut(words, "The data lake is ")
		bucket, _, _ = strings.Cut(bucket, ".")
		if s.Turn == 1 {
			return scripted.Answer{Calls: []scripted.Call{{Name: "read_correlated_data_tool",
				Args: map[string]any{"bucket_name": bucket}}}}, true
		}
		token := "{{F1}}"
		for line := range strings.Lines(words) {
			var f struct{ Token, Name string }
			if json.Unmarshal([]byte(line), &f) == nil && f.Name == "share.0.median" {
				token = f.Token
			}
		}
		return scripted.Answer{JSON: map[string]any{"en": []string{fmt.Sprintf(english, token)},
			"hi": []string{fmt.Sprintf("दिखी आगों के प्रभाव में पंजाब का हिस्सा %s है।", token)}}}, true
	}
}
