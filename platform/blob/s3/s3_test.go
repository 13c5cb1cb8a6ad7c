package s3_test

import (
	"crypto/rand"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/blobtest"
	"github.com/gavelhq/gavel/platform/blob/s3"
	"github.com/gavelhq/gavel/platform/fault"
)

// open opens a part of the test bucket that nobody else uses.
func open(t *testing.T, a blobtest.Account) *s3.Bucket {
	t.Helper()
	u, err := url.Parse(a.URL)
	if err != nil {
		t.Fatal(err)
	}
	b, err := s3.Open(u.JoinPath("test", rand.Text()).String(), a.AccessKey, a.SecretKey)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestBucketKeepsThePromisesOfABackend(t *testing.T) {
	account := blobtest.S3(t)
	blobtest.Run(t, func(t *testing.T) blob.Backend { return open(t, account) })
}

// between returns the account through a proxy on the way to the real server.
func between(t *testing.T, a blobtest.Account, wrap func(http.Handler) http.Handler) blobtest.Account {
	t.Helper()
	u, err := url.Parse(a.URL)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	endpoint, err := url.Parse(query.Get("endpoint"))
	if err != nil {
		t.Fatal(err)
	}
	// The Host header stays as it was signed.
	proxy := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.Out.URL.Scheme, r.Out.URL.Host, r.Out.Host = endpoint.Scheme, endpoint.Host, r.In.Host
	}}
	server := httptest.NewServer(wrap(proxy))
	t.Cleanup(server.Close)
	query.Set("endpoint", server.URL)
	u.RawQuery = query.Encode()
	a.URL = u.String()
	return a
}

func TestAWriteWhoseAnswerIsLostIsNotAConflictWithItself(t *testing.T) {
	account := blobtest.S3(t)
	var lose atomic.Bool
	var lost atomic.Int32
	s := blob.New(open(t, between(t, account, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodPut || !lose.CompareAndSwap(true, false) {
				next.ServeHTTP(w, r)
				return
			}
			next.ServeHTTP(httptest.NewRecorder(), r) // the server did it
			lost.Add(1)
			panic(http.ErrAbortHandler) // and nobody heard
		})
	})), blob.Config{})

	lose.Store(true)
	one, err := s.PutNamed(t.Context(), "head", []byte("one"), blob.Absent)
	if err != nil {
		t.Fatalf("first write: %v", err)
	}
	lose.Store(true)
	two, err := s.PutNamed(t.Context(), "head", []byte("two"), one)
	if err != nil {
		t.Fatalf("second write: %v", err)
	}
	lose.Store(true)
	if _, err := s.PutBytes(t.Context(), []byte("a blob")); err != nil {
		t.Fatalf("blob: %v", err)
	}
	if data, etag, err := s.GetNamed(t.Context(), "head"); err != nil || string(data) != "two" || etag != two {
		t.Errorf("got %q, version %q, %v; want two, version %q", data, etag, err, two)
	}
	if lost.Load() != 3 {
		t.Errorf("%d answers were lost, want 3: the test tests nothing", lost.Load())
	}
}

func TestBytesChangedOnTheWayAreNotStored(t *testing.T) {
	account := blobtest.S3(t)
	s := blob.New(open(t, between(t, account, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPut {
				r.Body = io.NopCloser(io.MultiReader(strings.NewReader("X"), skip(r.Body, 1)))
			}
			next.ServeHTTP(w, r)
		})
	})), blob.Config{})
	data := []byte("the bytes as they were sent")
	if _, err := s.PutBytes(t.Context(), data); !fault.Is(err, fault.Unavailable) {
		t.Errorf("got %v, want Unavailable", err)
	}
	if _, err := s.Stat(t.Context(), blob.Sum(data)); !fault.Is(err, fault.NotFound) {
		t.Errorf("stat: got %v, want NotFound", err)
	}
}

func skip(r io.Reader, n int64) io.Reader {
	_, _ = io.CopyN(io.Discard, r, n)
	return r
}

func TestADownloadThatBreaksOffIsNotTakenForWhole(t *testing.T) {
	account := blobtest.S3(t)
	s := blob.New(open(t, between(t, account, func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method != http.MethodGet {
				next.ServeHTTP(w, r)
				return
			}
			answer := httptest.NewRecorder()
			next.ServeHTTP(answer, r)
			w.Header().Set("Content-Length", answer.Header().Get("Content-Length"))
			_, _ = w.Write(answer.Body.Bytes()[:answer.Body.Len()/2])
			panic(http.ErrAbortHandler)
		})
	})), blob.Config{})
	d, err := s.PutBytes(t.Context(), make([]byte, 300_000))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Bytes(t.Context(), d, 1<<20); !fault.Is(err, fault.Unavailable) {
		t.Errorf("bytes: got %v, want Unavailable", err)
	}
	r, err := s.Open(t.Context(), d)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := io.ReadAll(r); !fault.Is(err, fault.Unavailable) || errors.Is(err, blob.ErrDamaged) {
		t.Errorf("stream: got %v, want Unavailable", err)
	}
}

func TestPingSaysWhatIsWrong(t *testing.T) {
	account := blobtest.S3(t)
	elsewhere := strings.Replace(account.URL, "s3://", "s3://no-such-", 1)
	closed := httptest.NewServer(nil)
	closed.Close()
	for _, tt := range []struct {
		name, url, secret, want string
	}{
		{"no such bucket", elsewhere, account.SecretKey, "does not exist"},
		{"wrong key", account.URL, "wrong", "refuses our keys"},
		{"no server", "s3://bucket?endpoint=" + closed.URL, "secret", "does not answer"},
	} {
		b, err := s3.Open(tt.url, account.AccessKey, tt.secret)
		if err != nil {
			t.Fatal(err)
		}
		err = b.Ping(t.Context())
		if text, _ := fault.Words(err); !fault.Is(err, fault.Unavailable) || !strings.Contains(text, tt.want) {
			t.Errorf("%s: got %v, want Unavailable with %q", tt.name, err, tt.want)
		}
	}
}

func TestAMissingBucketIsNotAMissingBlob(t *testing.T) {
	account := blobtest.S3(t)
	b, err := s3.Open(strings.Replace(account.URL, "s3://", "s3://no-such-", 1), account.AccessKey, account.SecretKey)
	if err != nil {
		t.Fatal(err)
	}
	s := blob.New(b, blob.Config{})
	if _, err := s.Bytes(t.Context(), blob.Sum(nil), 1); !fault.Is(err, fault.Unavailable) {
		t.Errorf("bytes: got %v, want Unavailable", err)
	}
	if _, err := s.PutBytes(t.Context(), nil); !fault.Is(err, fault.Unavailable) {
		t.Errorf("put: got %v, want Unavailable", err)
	}
}

func TestOpenRefusesAddressesThatAreNotBuckets(t *testing.T) {
	for _, tt := range []struct {
		url string
		ok  bool
	}{
		{"s3://bucket", true},
		{"s3://bucket/some/prefix?endpoint=http://127.0.0.1:9000&region=eu-west-1", true},
		{"", false},
		{"file:///x", false},
		{"s3://", false},
		{"s3:///bucket", false},
		{"s3://bucket:80", false},
		{"s3://key:secret@bucket", false},
		{"s3://bucket/a/../b", false},
		{"s3://bucket/a//b", false},
		{"s3://bucket#x", false},
		{"s3://bucket?endpoint=127.0.0.1:9000", false},
		{"s3://bucket?endpoint=ftp://host", false},
		{"s3://bucket?endpoint=http://key:secret@host", false},
		{"s3://bucket?region=", false},
		{"s3://bucket?region=a&region=b", false},
		{"s3://bucket?retries=9", false},
		{"s3://bucket?%zz", false},
	} {
		_, err := s3.Open(tt.url, "access", "secret")
		if tt.ok && err != nil || !tt.ok && !fault.Is(err, fault.Invalid) {
			t.Errorf("%q: got %v, want ok %t", tt.url, err, tt.ok)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error %q repeats a credential", tt.url, err)
		}
	}
	for _, keys := range [][2]string{{"", "secret"}, {"access", ""}} {
		if _, err := s3.Open("s3://bucket", keys[0], keys[1]); !fault.Is(err, fault.Invalid) {
			t.Errorf("keys %q: got %v, want Invalid", keys, err)
		}
	}
}
