package smtp_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"io"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/notifytest"
	"github.com/gavelhq/gavel/platform/notify/smtp"
)

// certified is a certificate for 127.0.0.1 and who vouches for it.
func certified(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	s := httptest.NewTLSServer(nil)
	t.Cleanup(s.Close)
	pool := x509.NewCertPool()
	pool.AddCert(s.Certificate())
	return &tls.Config{Certificates: s.TLS.Certificates, MinVersion: tls.VersionTLS12}, pool
}

// within speaks TLS in front of a server that does not.
func within(t *testing.T, to string, config *tls.Config) string {
	t.Helper()
	l, err := tls.Listen("tcp", "127.0.0.1:0", config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			in, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer in.Close()
				out, err := net.Dial("tcp", to)
				if err != nil {
					return
				}
				defer out.Close()
				go func() { _, _ = io.Copy(out, in); _ = out.Close() }()
				_, _ = io.Copy(in, out)
			}()
		}
	}()
	return l.Addr().String()
}

func TestMailGoesOverTLSWithAPasswordToAServerThatIsTrusted(t *testing.T) {
	config, trusted := certified(t)
	password := base64.StdEncoding.EncodeToString([]byte("\x00gavel\x00secret"))
	for _, tt := range []struct {
		name     string
		security smtp.Security
		roots    *x509.CertPool
		password string
		taken    bool
	}{
		{"STARTTLS", smtp.StartTLS, trusted, "secret", true},
		{"TLS from the start", smtp.TLS, trusted, "secret", true},
		{"a wrong password", smtp.StartTLS, trusted, "guess", false},
		{"STARTTLS at a stranger", smtp.StartTLS, x509.NewCertPool(), "secret", false},
		{"TLS at a stranger", smtp.TLS, x509.NewCertPool(), "secret", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := notifytest.NewServer(t)
			at := server.Address
			if tt.security == smtp.StartTLS {
				server.Guard(config, password)
			} else {
				server.Guard(nil, password)
				at = within(t, at, config)
			}
			s, err := smtp.New(smtp.Config{Address: at, Security: tt.security, Hello: "mail.example", User: "gavel", Password: tt.password,
				Roots: tt.roots})
			if err != nil {
				t.Fatal(err)
			}
			ctx, stop := context.WithTimeout(t.Context(), wait.Patience())
			defer stop()
			if err := s.Greets(ctx); (err == nil) != tt.taken {
				t.Errorf("it greets: %v, want %v", err, tt.taken)
			}
			err = s.Send(ctx, letter)
			if taken := server.Count(letter.MessageID) == 1; taken != tt.taken || (err == nil) != tt.taken {
				t.Errorf("taken %v, %v; want %v", taken, err, tt.taken)
			}
			if f, ok := errors.AsType[*notify.Failure](err); !tt.taken && (!ok || f.Fate != notify.Later) {
				t.Errorf("got %v, want another try: our settings can mend it", err)
			}
		})
	}
}
