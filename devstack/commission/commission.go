// Package commission pretends to be a commission that takes reports over HTTP: a
// simulator, and it says so in every answer. No commission has published such an
// address; this one exists so that filing can be tried with a real server that
// keeps what it took, knows a repeat again, and fails when it is told to.
//
//	POST /reports            a report's JSON, with Idempotency-Key and Content-Digest
//	GET  /reports            what was received, and how often each was sent
//	GET  /reports/{receipt}  the bytes of one
//	PUT  /faults             what goes wrong next, for tests
//	GET  /                   a page for people
//
// Read Desk first, then receive.go.
package commission

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// The limits of what a simulator takes.
const (
	MaxReport  = 8 << 20 // of one report, in bytes
	minKey     = 8       // of an Idempotency-Key, in characters
	maxKey     = 200
	maxReports = 10_000 // that one folder keeps
)

// A Desk takes reports and keeps them in a folder. It may be used by several
// requests at once, and by one process at a time.
type Desk struct {
	dir string
	now func() time.Time
	mux *http.ServeMux

	mu     sync.Mutex // guards what follows
	kept   []Received // in the order of their receipts
	byKey  map[string]int
	faults Faults
}

// Received is one report as it came in.
type Received struct {
	Receipt    string    `json:"receipt"`
	ReportID   string    `json:"report_id"`
	Key        string    `json:"idempotency_key"`
	SHA256     string    `json:"sha256"` // of the bytes, in hexadecimal
	Bytes      int       `json:"bytes"`
	ReceivedAt time.Time `json:"received_at"`
	Times      int       `json:"times"`     // how often it was sent, the first time included
	Conflicts  int       `json:"conflicts"` // how often its key came with other bytes
}

// A Receipt is what is answered to who hands in a report.
type Receipt struct {
	Receipt    string    `json:"receipt"`
	ReportID   string    `json:"report_id"`
	ReceivedAt time.Time `json:"received_at"`
	SHA256     string    `json:"sha256"`
	Simulator  bool      `json:"simulator"` // always true
}

// Open reads what a folder holds, and makes the folder where there is none.
func Open(dir string, now func() time.Time) (*Desk, error) {
	d := &Desk{dir: dir, now: now, byKey: map[string]int{}, mux: http.NewServeMux()}
	if err := d.load(); err != nil {
		return nil, err
	}
	d.mux.HandleFunc("POST /reports", d.take)
	d.mux.HandleFunc("GET /reports", d.list)
	d.mux.HandleFunc("GET /reports/{receipt}", d.bytes)
	d.mux.HandleFunc("GET /faults", d.showFaults)
	d.mux.HandleFunc("PUT /faults", d.setFaults)
	d.mux.HandleFunc("GET /{$}", d.page)
	return d, nil
}

// ServeHTTP answers one request.
func (d *Desk) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Gavel-Simulator", "commission")
	d.mux.ServeHTTP(w, r)
}

// Reports are what was received so far, in the order of their receipts.
func (d *Desk) Reports() []Received {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]Received{}, d.kept...)
}

func (d *Desk) list(w http.ResponseWriter, _ *http.Request) {
	answer(w, http.StatusOK, map[string]any{"simulator": true, "reports": d.Reports()})
}

// bytes gives a report back as it came.
func (d *Desk) bytes(w http.ResponseWriter, r *http.Request) {
	for _, got := range d.Reports() {
		if got.Receipt != r.PathValue("receipt") {
			continue
		}
		body, err := d.read(got)
		if err != nil {
			refuse(w, http.StatusInternalServerError, "the bytes of %s cannot be read: %v", got.Receipt, err)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body) // nobody is left to be told
		return
	}
	refuse(w, http.StatusNotFound, "no report has this receipt; GET /reports lists them")
}

func answer(w http.ResponseWriter, status int, v any) {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // nobody is left to be told
}
