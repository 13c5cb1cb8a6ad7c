package commission_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack/commission"
	"github.com/gavelhq/gavel/devstack/commission/commissiontest"
)

const body = `{"report_id":"CAQM-2026-11-14-001","executive_summary":"a made-up report"}`

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

// deliver hands in a report; headers are changed by who wants one wrong.
func deliver(t *testing.T, address, key, text string, change func(http.Header)) (*http.Response, []byte, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address+"/reports", strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", key)
	r.Header.Set("Content-Digest", digest(text))
	if change != nil {
		change(r.Header)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	return res, data, err
}

// delivered is deliver where an answer is wanted.
func delivered(t *testing.T, address, key, text string) (int, commission.Receipt) {
	t.Helper()
	res, data, err := deliver(t, address, key, text, nil)
	if err != nil {
		t.Fatal(err)
	}
	var receipt commission.Receipt
	if err := json.Unmarshal(data, &receipt); err != nil {
		t.Fatalf("%v: %s", err, data)
	}
	return res.StatusCode, receipt
}

func goWrong(t *testing.T, address, faults string, want int) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPut, address+"/faults", strings.NewReader(faults))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != want {
		t.Fatalf("faults %s: got %d, want %d", faults, res.StatusCode, want)
	}
}

func get(t *testing.T, address string) (int, []byte) {
	t.Helper()
	res, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, data
}

func TestAReportIsReceivedOnceHoweverOftenItIsSent(t *testing.T) {
	desk, address := commissiontest.Start(t)
	status, first := delivered(t, address, "filing-0001", body)
	sum := sha256.Sum256([]byte(body))
	if status != http.StatusCreated || first.Receipt != "SIM-000001" || first.ReportID != "CAQM-2026-11-14-001" ||
		first.SHA256 != hex.EncodeToString(sum[:]) || !first.Simulator || first.ReceivedAt.IsZero() {
		t.Fatalf("got %d %+v", status, first)
	}
	if status, again := delivered(t, address, "filing-0001", body); status != http.StatusOK || again != first {
		t.Errorf("a repeat: got %d %+v, want 200 and %+v", status, again, first)
	}
	if status, _ := delivered(t, address, "filing-0001", body+" "); status != http.StatusConflict {
		t.Errorf("the same key with other bytes: got %d, want 409", status)
	}
	if status, other := delivered(t, address, "filing-0002", body); status != http.StatusCreated || other.Receipt != "SIM-000002" {
		t.Errorf("another key: got %d %s", status, other.Receipt)
	}
	got := desk.Reports()
	if len(got) != 2 || got[0].Times != 2 || got[0].Conflicts != 1 || got[1].Times != 1 {
		t.Errorf("got %+v", got)
	}
	if status, data := get(t, address+"/reports/SIM-000001"); status != http.StatusOK || string(data) != body {
		t.Errorf("the bytes: got %d %s", status, data)
	}
	if status, _ := get(t, address+"/reports/SIM-000003"); status != http.StatusNotFound {
		t.Errorf("a receipt that nobody has: got %d", status)
	}
}

func TestAWrongDeliveryIsToldWhatIsWrong(t *testing.T) {
	desk, address := commissiontest.Start(t)
	large := `{"report_id":"` + strings.Repeat("a", commission.MaxReport) + `"}`
	for _, tt := range []struct {
		name, header, value, body string
		want                      int
	}{
		{"no key", "Idempotency-Key", "", body, http.StatusBadRequest},
		{"a short key", "Idempotency-Key", "1234567", body, http.StatusBadRequest},
		{"a long key", "Idempotency-Key", strings.Repeat("k", 201), body, http.StatusBadRequest},
		{"a key with a space", "Idempotency-Key", "filing 0001", body, http.StatusBadRequest},
		{"no digest", "Content-Digest", "", body, http.StatusBadRequest},
		{"a digest of another kind", "Content-Digest", "md5=:AAAA:", body, http.StatusBadRequest},
		{"a short digest", "Content-Digest", "sha-256=:AAAA:", body, http.StatusBadRequest},
		{"another body's digest", "Content-Digest", digest("other"), body, http.StatusBadRequest},
		{"no JSON", "Content-Type", "text/plain", body, http.StatusUnsupportedMediaType},
		{"a body that is no report", "", "", `[1,2,3]`, http.StatusBadRequest},
		{"a report without an id", "", "", `{"report_id":""}`, http.StatusBadRequest},
		{"a body that is too large", "", "", large, http.StatusRequestEntityTooLarge},
	} {
		res, data, err := deliver(t, address, "filing-0001", tt.body, func(h http.Header) {
			if tt.header != "" {
				h.Set(tt.header, tt.value)
			}
		})
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if res.StatusCode != tt.want || res.Header.Get("Content-Type") != "application/problem+json" ||
			!bytes.Contains(data, []byte(`"detail":"`)) {
			t.Errorf("%s: got %d %s, want %d as a problem", tt.name, res.StatusCode, data, tt.want)
		}
	}
	if got := desk.Reports(); len(got) != 0 {
		t.Errorf("received %+v", got)
	}
}

func TestTheDigestMayStandBesideOthers(t *testing.T) {
	_, address := commissiontest.Start(t)
	res, _, err := deliver(t, address, "filing-0001", body, func(h http.Header) {
		h.Set("Content-Digest", "sha-512=:AAAA:, "+digest(body))
	})
	if err != nil || res.StatusCode != http.StatusCreated {
		t.Errorf("got %v, %v", res, err)
	}
}

func TestItFailsAsItIsTold(t *testing.T) {
	desk, address := commissiontest.Start(t)
	goWrong(t, address, `{"status":503,"times":2}`, http.StatusOK)
	for _, want := range []int{503, 503, http.StatusCreated} {
		if got, _ := delivered(t, address, "filing-0001", body); got != want {
			t.Errorf("got %d, want %d", got, want)
		}
	}
	goWrong(t, address, `{"drop":1}`, http.StatusOK)
	if res, _, err := deliver(t, address, "filing-0002", body, nil); err == nil {
		t.Errorf("a dropped connection answered %d", res.StatusCode)
	}
	if got := desk.Reports(); len(got) != 2 || got[1].Key != "filing-0002" {
		t.Errorf("what was dropped was not received: %+v", got)
	}
	if status, got := delivered(t, address, "filing-0002", body); status != http.StatusOK || got.Receipt != "SIM-000002" {
		t.Errorf("sent again: got %d %s", status, got.Receipt)
	}
	goWrong(t, address, `{"slow_ms":80}`, http.StatusOK)
	start := time.Now()
	if status, _ := delivered(t, address, "filing-0003", body); status != http.StatusCreated || time.Since(start) < 80*time.Millisecond {
		t.Errorf("a slow answer: got %d after %s", status, time.Since(start))
	}
	for _, wrong := range []string{`{"status":200}`, `{"times":3}`, `{"drop":-1}`, `{"slow_ms":60001}`, `{"burn":1}`, `no`} {
		goWrong(t, address, wrong, http.StatusBadRequest)
	}
}

func TestARestartForgetsNothing(t *testing.T) {
	dir := t.TempDir()
	for i, want := range []int{http.StatusCreated, http.StatusOK} {
		desk, err := commission.Open(dir, time.Now)
		if err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(desk)
		status, receipt := delivered(t, server.URL, "filing-0001", body)
		if status != want || receipt.Receipt != "SIM-000001" || desk.Reports()[0].Times != i+1 {
			t.Errorf("start %d: got %d %+v, %+v", i, status, receipt, desk.Reports())
		}
		server.Close()
	}
}

func TestThePageSaysThatItIsASimulatorAndQuotesNobodysMarkup(t *testing.T) {
	_, address := commissiontest.Start(t)
	delivered(t, address, "filing-0001", `{"report_id":"<b>bold</b>"}`)
	status, page := get(t, address+"/")
	if status != http.StatusOK || !bytes.Contains(page, []byte("This is a simulator")) || !bytes.Contains(page, []byte("SIM-000001")) ||
		bytes.Contains(page, []byte("<b>")) {
		t.Errorf("got %d %s", status, page)
	}
}
