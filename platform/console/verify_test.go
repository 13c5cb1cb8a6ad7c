package console_test

import (
	"archive/zip"
	"bytes"
	"io"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/audit"
)

// send posts a file to the public page as a stranger's browser does: no cookie.
func (s *stage) send(t testing.TB, file []byte, key string, headers ...string) reply {
	t.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if err := form.WriteField("key", key); err != nil {
		t.Fatal(err)
	}
	if file != nil {
		part, err := form.CreateFormFile("bundle", "case.zip")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write(file); err != nil {
			t.Fatal(err)
		}
	}
	if err := form.Close(); err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.server.URL+"/verify", &body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	req.Header.Set("Accept", "text/html")
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, err := http.DefaultTransport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return reply{res.StatusCode, res.Header, string(text)}
}

func TestAStrangerLearnsHowAFileStands(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	s := newStage(t)
	id := s.Case(t, 3)
	whole := s.Export(t, id)
	_, stranger, err := audit.NewKey("gavel.test/log")
	if err != nil {
		t.Fatal(err)
	}
	flipped, _ := flip(t, whole)
	for _, tt := range []struct {
		name   string
		file   []byte
		key    string
		status int
		want   []string
	}{
		{"genuine", whole, "", 200, []string{"Genuine: this copy", string(id), string(s.Public),
			"Every file is the one that was signed for", "Does not prove"}},
		{"genuine by their key", whole, string(s.Public), 200, []string{"Genuine: this copy"}},
		{"another key", whole, string(stranger), 200, []string{"signed with an unknown key", "which is not a key that was given"}},
		{"altered", flipped, "", 200, []string{"This copy differs", "FAILS"}},
		{"altered and another key", flipped, string(stranger), 200, []string{"This copy differs"}},
		{"cut short", whole[:len(whole)/2], "", 200, []string{"Not known here", "not a bundle that can be read"}},
		{"not a bundle", []byte("<html>a letter</html>"), "", 200, []string{"Not known here", "not a bundle that can be read"}},
		{"empty", []byte{}, "", 200, []string{"Not known here", "not a bundle that can be read"}},
		{"no file", nil, "", 422, []string{"No file was chosen"}},
		{"no key", whole, "nonsense", 422, []string{"not a public key of a log", "nonsense"}},
		{"too large", make([]byte, 64<<20+1), "", 413, []string{"over 64 MiB"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := s.send(t, tt.file, tt.key)
			if got.status != tt.status {
				t.Errorf("got %d, want %d", got.status, tt.status)
			}
			for _, want := range tt.want {
				if !strings.Contains(got.body, want) {
					t.Errorf("the page lacks %q", want)
				}
			}
			if tt.name[:3] != "gen" && strings.Contains(got.body, "Genuine") {
				t.Error("the page calls it genuine")
			}
		})
	}
	if left, err := filepath.Glob(filepath.Join(os.TempDir(), "gavel-verify-*")); err != nil || len(left) > 0 {
		t.Errorf("files stay behind: %v (%v)", left, err)
	}
}

func TestTheCheckNamesTheFileThatWasChanged(t *testing.T) {
	s := newStage(t)
	altered, name := flip(t, s.Export(t, s.Case(t, 3)))
	got := s.send(t, altered, "")
	findings := regexp.MustCompile(`(?s)<ul class="findings".*?</ul>`).FindString(got.body)
	if !strings.Contains(findings, name) {
		t.Errorf("%s was changed, and the page names %s", name, findings)
	}
}

// flip changes one bit in a file of a bundle and says in which.
func flip(t testing.TB, whole []byte) (altered []byte, name string) {
	t.Helper()
	archive, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.File {
		if !strings.HasPrefix(f.Name, "facts/") {
			continue
		}
		at, err := f.DataOffset()
		if err != nil {
			t.Fatal(err)
		}
		altered = bytes.Clone(whole)
		altered[at+int64(f.CompressedSize64)/2] ^= 1
		return altered, f.Name
	}
	t.Fatal("the bundle has no facts")
	return nil, ""
}

func TestThePublicPageNeedsNoSignIn(t *testing.T) {
	s := newStage(t)
	for _, cookie := range []string{"", "gavel_lang=hi"} {
		got := s.ask(t, "/verify", nil, "Cookie", cookie)
		if got.status != http.StatusOK || !strings.Contains(got.body, string(s.Public)) ||
			!strings.Contains(got.body, `enctype="multipart/form-data"`) {
			t.Errorf("with cookie %q the page answered %d", cookie, got.status)
		}
	}
	if got := s.send(t, []byte("x"), "", "Origin", "https://elsewhere.example", "Sec-Fetch-Site",
		"cross-site"); got.status != http.StatusForbidden {
		t.Errorf("a form on another site got %d, want 403", got.status)
	}
}
