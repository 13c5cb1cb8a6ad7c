package platformtest

import (
	"bytes"
	"encoding/json"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// An Answer is what a server gave back.
type Answer struct {
	Status int
	Header http.Header
	Body   string
	JSON   map[string]any // of an object
}

// Send sends a request as it is, and follows nothing.
func (s *Server) Send(t testing.TB, req *http.Request) Answer {
	t.Helper()
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return Answer{Status: res.StatusCode, Header: res.Header, Body: string(text)}
}

// Do sends a request as somebody of north with a browser that has no script; one that
// brings a sign-in of its own keeps it.
func (s *Server) Do(t testing.TB, role identity.Role, req *http.Request) Answer {
	t.Helper()
	if _, err := req.Cookie("gavel_dev"); err != nil {
		req.AddCookie(&http.Cookie{Name: "gavel_dev", Value: Token(t, postgrestest.North, role)})
	}
	req.Header.Set("Accept", "text/html")
	return s.Send(t, req)
}

// Get asks for a page.
func (s *Server) Get(t testing.TB, role identity.Role, path string) Answer {
	t.Helper()
	return s.Do(t, role, s.request(t, http.MethodGet, path, nil))
}

// Post sends a form.
func (s *Server) Post(t testing.TB, role identity.Role, path string, form url.Values) Answer {
	t.Helper()
	req := s.request(t, http.MethodPost, path, strings.NewReader(form.Encode()))
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return s.Do(t, role, req)
}

// PostFile sends a form with a file in its field "file", and fields by name and value.
func (s *Server) PostFile(t testing.TB, role identity.Role, path, name string, file []byte, header http.Header, fields ...string) Answer {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	for i := 0; i+1 < len(fields); i += 2 {
		if err := form.WriteField(fields[i], fields[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	part, err := form.CreateFormFile("file", name)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = part.Write(file)
	_ = form.Close()
	req := s.request(t, http.MethodPost, path, &body)
	if header != nil {
		req.Header = header
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	return s.Do(t, role, req)
}

// Call sends a request to the API as a program, by its name in Serves.As. Its body is
// JSON, or a value to make JSON of, or nil; headers are names and values.
func (s *Server) Call(t testing.TB, as, method, path string, body any, headers ...string) Answer {
	t.Helper()
	text, ok := body.(string)
	if body != nil && !ok {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		text = string(raw)
	}
	req := s.request(t, method, path, strings.NewReader(text))
	req.Header.Set("As", as)
	if text != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	a := s.Send(t, req)
	media := a.Header.Get("Content-Type")
	if (strings.Contains(media, "/json") || strings.Contains(media, "+json")) && strings.HasPrefix(a.Body, "{") {
		if err := json.Unmarshal([]byte(a.Body), &a.JSON); err != nil {
			t.Fatalf("%s %s: %v in %.200s", method, path, err, a.Body)
		}
	}
	return a
}

// Want calls and insists on the status.
func (s *Server) Want(t testing.TB, status int, as, method, path string, body any, headers ...string) Answer {
	t.Helper()
	a := s.Call(t, as, method, path, body, headers...)
	if a.Status != status {
		t.Fatalf("%s %s %s: got %d, want %d: %.600s", as, method, path, a.Status, status, a.Body)
	}
	return a
}

func (s *Server) request(t testing.TB, method, path string, body io.Reader) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, body)
	if err != nil {
		t.Fatal(err)
	}
	return req
}

// Items are those of a list.
func (a Answer) Items() []any {
	all, _ := a.JSON["items"].([]any)
	return all
}

// Holds insists on a status and on what the page says.
func (a Answer) Holds(t testing.TB, status int, words ...string) {
	t.Helper()
	if a.Status != status {
		t.Fatalf("got %d, want %d: %.1500s", a.Status, status, a.Main())
	}
	for _, w := range words {
		if !strings.Contains(a.Body, w) {
			t.Errorf("the page lacks %q in %.3000s", w, a.Main())
		}
	}
}

// Lacks insists on what the page does not say.
func (a Answer) Lacks(t testing.TB, words ...string) {
	t.Helper()
	for _, w := range words {
		if strings.Contains(a.Body, w) {
			t.Errorf("the page says %q", w)
		}
	}
}

// Main is the page without what stands around it.
func (a Answer) Main() string {
	if i := strings.Index(a.Body, "<main"); i >= 0 {
		return a.Body[i:]
	}
	return a.Body
}
