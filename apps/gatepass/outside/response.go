package outside

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/toolset"
)

// An APIResponse is what came of a request, in the form of the first design.
type APIResponse struct {
	Success    bool            `json:"success"`
	StatusCode int             `json:"status_code"` // zero where no answer came at all
	Data       json.RawMessage `json:"data"`        // of an answer in JSON
	Error      string          `json:"error"`       // in words; empty where there is none

	File    *File           `json:"-"` // of an answer that is a file, as it came
	Total   int             `json:"-"` // of a list: how many there are, beyond those in the answer; zero where nobody said
	Failure toolset.Failure `json:"-"` // what is known of one that did not succeed
	Tries   int             `json:"-"`
}

// A File is what the API handed out, byte for byte.
type File struct {
	Name, Type string
	Bytes      []byte
	SHA256     string
}

// Info is what went wrong, as a model is told of it.
func (r APIResponse) Info() toolset.ErrorInfo { return toolset.Explain(r.Failure) }

// passes reports whether it may be gone by itself in a moment: nobody answered, or somebody was too busy to.
func (r APIResponse) passes() bool {
	switch r.StatusCode {
	case 0, http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return false
}

// failed is a request that came to nothing.
func failed(q Request, status int, why string) APIResponse {
	return APIResponse{StatusCode: status, Error: why, Failure: toolset.Failure{Status: status, Detail: why, Param: q.About}}
}

// read makes sense of an answer.
func read(q Request, res *http.Response, body []byte) APIResponse {
	media, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	structured := media == "application/json" || strings.HasSuffix(media, "+json")
	switch {
	case res.StatusCode < 200 || res.StatusCode > 299:
		return refusal(q, res.StatusCode, structured, body)
	case structured && json.Valid(body):
		total, _ := strconv.Atoi(res.Header.Get("X-Total-Count")) // zero where there is none
		return APIResponse{Success: true, StatusCode: res.StatusCode, Data: body, Total: total}
	case structured || len(body) == 0:
		return failed(q, http.StatusInternalServerError, "the answer cannot be read")
	}
	_, said, _ := mime.ParseMediaType(res.Header.Get("Content-Disposition"))
	sum := sha256.Sum256(body)
	return APIResponse{Success: true, StatusCode: res.StatusCode,
		File: &File{Name: said["filename"], Type: media, Bytes: body, SHA256: hex.EncodeToString(sum[:])}}
}

// A problem is what the API says is wrong.
type problem struct {
	Detail  string       `json:"detail"`
	Code    string       `json:"code"`
	Current pass.Status  `json:"current_status"`
	Allowed []pass.Event `json:"allowed_events"`
	Errors  []struct {
		Field   string `json:"field"`
		Message string `json:"message"`
	} `json:"errors"`
}

// maxDetail is how much of what a server says is passed on, in bytes.
const maxDetail = 600

// refusal is an answer that says no. A proxy in between may answer, too, and in its own words: they are nobody's to read.
func refusal(q Request, status int, structured bool, body []byte) APIResponse {
	var p problem
	if !structured || json.Unmarshal(body, &p) != nil || p.Detail == "" {
		return failed(q, status, "the server answered "+http.StatusText(status))
	}
	r := failed(q, status, strings.ToValidUTF8(p.Detail[:min(len(p.Detail), maxDetail)], ""))
	r.Failure.Code, r.Failure.Current, r.Failure.Allowed = p.Code, p.Current, p.Allowed
	for _, e := range p.Errors {
		r.Failure.Fields = append(r.Failure.Fields, e.Field)
	}
	return r
}
