package commission

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strings"
)

// A delivery is a request to take a report, read and checked.
type delivery struct {
	key      string
	reportID string
	sha256   string
	body     []byte
}

// take receives a report. The faults that were asked for come after the request
// is checked, so that a wrong request is told what is wrong with it.
func (d *Desk) take(w http.ResponseWriter, r *http.Request) {
	got, status, err := readDelivery(w, r)
	if err != nil {
		refuse(w, status, "%v", err)
		return
	}
	fault := d.nextFault()
	if !fault.wait(r.Context()) {
		return
	}
	if fault.status != 0 {
		refuse(w, fault.status, "told to fail through PUT /faults; the report was not received")
		return
	}
	kept, status, err := d.receive(got)
	if err != nil {
		refuse(w, status, "%v", err)
		return
	}
	if fault.drop {
		panic(http.ErrAbortHandler) // the server closes the connection without a word
	}
	answer(w, status, Receipt{kept.Receipt, kept.ReportID, kept.ReceivedAt, kept.SHA256, true})
}

// readDelivery reads a request, or says with which status it is refused.
func readDelivery(w http.ResponseWriter, r *http.Request) (delivery, int, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return delivery{}, http.StatusUnsupportedMediaType, errors.New("a report is sent as application/json")
	}
	key := r.Header.Get("Idempotency-Key")
	if !fitsKey(key) {
		return delivery{}, http.StatusBadRequest, fmt.Errorf("the header Idempotency-Key is required: %d to %d visible ASCII characters",
			minKey, maxKey)
	}
	want, ok := digestOf(r.Header.Values("Content-Digest"))
	if !ok {
		return delivery{}, http.StatusBadRequest,
			errors.New("the header Content-Digest is required, with the SHA-256 of the body in base64 between two colons, sha-256=:…:, " +
				"as in RFC 9530")
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, MaxReport))
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return delivery{}, http.StatusRequestEntityTooLarge, fmt.Errorf("a report has at most %d bytes", MaxReport)
	}
	if err != nil {
		return delivery{}, http.StatusBadRequest, errors.New("the body ended early")
	}
	sum := sha256.Sum256(body)
	if string(sum[:]) != want {
		return delivery{}, http.StatusBadRequest, errors.New("the body is not what Content-Digest says it is; send it again")
	}
	var named struct {
		ID string `json:"report_id"`
	}
	if err := json.Unmarshal(body, &named); err != nil || named.ID == "" || len(named.ID) > maxKey {
		return delivery{}, http.StatusBadRequest, fmt.Errorf("the body is a JSON object with a report_id of at most %d bytes", maxKey)
	}
	return delivery{key, named.ID, hex.EncodeToString(sum[:]), body}, 0, nil
}

func fitsKey(key string) bool {
	return len(key) >= minKey && len(key) <= maxKey &&
		!strings.ContainsFunc(key, func(r rune) bool { return r <= ' ' || r > '~' })
}

// digestOf finds the SHA-256 in a Content-Digest, which may hold others beside it
// (RFC 9530).
func digestOf(headers []string) (sum string, ok bool) {
	for member := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		text, found := strings.CutPrefix(strings.TrimSpace(member), "sha-256=:")
		text, closed := strings.CutSuffix(text, ":")
		if !found || !closed {
			continue
		}
		raw, err := base64.StdEncoding.DecodeString(text)
		return string(raw), err == nil && len(raw) == sha256.Size
	}
	return "", false
}

// receive keeps a report once. The same key and bytes again give the same
// receipt; the same key and other bytes are refused.
func (d *Desk) receive(got delivery) (Received, int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if at, ok := d.byKey[got.key]; ok {
		kept := d.kept[at]
		if kept.SHA256 == got.sha256 {
			kept.Times++
		} else {
			kept.Conflicts++
		}
		if err := d.write(kept); err != nil {
			return Received{}, http.StatusInternalServerError, err
		}
		d.kept[at] = kept
		if kept.SHA256 != got.sha256 {
			return Received{}, http.StatusConflict, fmt.Errorf("this Idempotency-Key came before with other bytes, as %s", kept.Receipt)
		}
		return kept, http.StatusOK, nil
	}
	if len(d.kept) >= maxReports {
		return Received{}, http.StatusInsufficientStorage, fmt.Errorf("the simulator keeps %d reports; wipe its folder", maxReports)
	}
	kept := Received{Receipt: fmt.Sprintf("SIM-%06d", len(d.kept)+1), ReportID: got.reportID, Key: got.key,
		SHA256: got.sha256, Bytes: len(got.body), ReceivedAt: d.now().UTC(), Times: 1}
	if err := d.add(kept, got.body); err != nil {
		return Received{}, http.StatusInternalServerError, err
	}
	return kept, http.StatusCreated, nil
}

// refuse answers with a problem document (RFC 9457).
func refuse(w http.ResponseWriter, status int, format string, args ...any) {
	data, err := json.Marshal(map[string]any{"type": "about:blank", "title": http.StatusText(status),
		"status": status, "detail": fmt.Sprintf(format, args...), "simulator": true})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(status)
	_, _ = w.Write(append(data, '\n')) // nobody is left to be told
}
