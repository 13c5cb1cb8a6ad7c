package s3_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/blobtest"
	"github.com/gavelhq/gavel/platform/blob/s3"
	"github.com/gavelhq/gavel/platform/fault"
)

// asking is an account with something added to its address.
func asking(t *testing.T, a blobtest.Account, name, value string) blobtest.Account {
	t.Helper()
	u, err := url.Parse(a.URL)
	if err != nil {
		t.Fatal(err)
	}
	query := u.Query()
	query.Set(name, value)
	u.RawQuery = query.Encode()
	a.URL = u.String()
	return a
}

func commit(t *testing.T, b *s3.Bucket, key, text string) error {
	t.Helper()
	d, err := b.Draft(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, _ = d.Write([]byte(text))
	_, err = d.Commit(t.Context(), key, blob.Sum([]byte(text)), blob.Absent)
	return err
}

// TestARoleStandsInForKeys promises that a bucket goes by the credentials that the service
// of a container gives, in the published shape of its answer, and that no key is set then.
func TestARoleStandsInForKeys(t *testing.T) {
	account := blobtest.S3(t)
	var asked atomic.Int32
	role := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "a token of the container" {
			http.Error(w, "no", http.StatusForbidden)
			return
		}
		asked.Add(1)
		_ = json.NewEncoder(w).Encode(map[string]string{"AccessKeyId": account.AccessKey, "SecretAccessKey": account.SecretKey, "Token": "",
			"Expiration": time.Now().Add(time.Hour).UTC().Format(time.RFC3339)})
	}))
	t.Cleanup(role.Close)
	for name, value := range map[string]string{"AWS_CONTAINER_CREDENTIALS_FULL_URI": role.URL,
		"AWS_CONTAINER_AUTHORIZATION_TOKEN": "a token of the container", "AWS_EC2_METADATA_DISABLED": "true", "AWS_ACCESS_KEY_ID": "",
		"AWS_SECRET_ACCESS_KEY": "", "AWS_PROFILE": "", "AWS_WEB_IDENTITY_TOKEN_FILE": "", "AWS_CONFIG_FILE": t.TempDir() + "/none",
		"AWS_SHARED_CREDENTIALS_FILE": t.TempDir() + "/none"} {
		t.Setenv(name, value)
	}
	with := asking(t, account, "credentials", "role")
	if _, err := s3.Open(with.URL, account.AccessKey, account.SecretKey); !fault.Is(err, fault.Invalid) {
		t.Errorf("with keys beside the role: %v", err)
	}
	with.AccessKey, with.SecretKey = "", ""
	b := open(t, with)
	if asked.Load() != 0 {
		t.Error("somebody was asked before the first request")
	}
	if err := b.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := commit(t, b, "a", "text"); err != nil || asked.Load() != 1 {
		t.Errorf("%v, and the role was asked for %d times", err, asked.Load())
	}
	if _, err := s3.Open(account.URL, "", ""); !fault.Is(err, fault.Invalid) {
		t.Errorf("with neither: %v", err)
	}
}

// TestWritesAreEncryptedOrRefused promises that each write asks for what the address says,
// and that a server which takes it and does not say that it did is found out: the real one
// of the tests is such a server, and one is that with the line in its answer.
func TestWritesAreEncryptedOrRefused(t *testing.T) {
	account := blobtest.S3(t)
	var wanted atomic.Value
	says := func(line string) blobtest.Account {
		return between(t, account, func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.Method == http.MethodPut {
					wanted.Store(r.Header.Get("X-Amz-Server-Side-Encryption") + " " +
						r.Header.Get("X-Amz-Server-Side-Encryption-Aws-Kms-Key-Id"))
				}
				if line != "" {
					w.Header().Set("X-Amz-Server-Side-Encryption", line)
				}
				next.ServeHTTP(w, r)
			})
		})
	}
	b := open(t, asking(t, says("AES256"), "encryption", "AES256"))
	if err := commit(t, b, "a", "text"); err != nil || wanted.Load() != "AES256 " {
		t.Errorf("%v, asked for %q", err, wanted.Load())
	}
	b = open(t, asking(t, asking(t, says("aws:kms"), "encryption", "aws:kms"), "kms_key", "key-1"))
	if err := commit(t, b, "a", "text"); err != nil || wanted.Load() != "aws:kms key-1" {
		t.Errorf("%v, asked for %q", err, wanted.Load())
	}
	b = open(t, asking(t, says(""), "encryption", "AES256"))
	for range 2 { // the second time the object lies there already, and must not pass for a write
		if err := commit(t, b, "a", "text"); !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "encrypts") {
			t.Errorf("a server that says nothing: %v", err)
		}
	}
	if err := commit(t, open(t, says("")), "b", "text"); err != nil || wanted.Load() != " " {
		t.Errorf("nobody asked for it: %v, %q", err, wanted.Load())
	}
	for name, value := range map[string]string{"encryption": "rot13", "credentials": "mine", "kms_key": "key-1"} {
		if _, err := s3.Open(asking(t, account, name, value).URL, account.AccessKey, account.SecretKey); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s=%s: %v", name, value, err)
		}
	}
}
