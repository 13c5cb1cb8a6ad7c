package config

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A paper is a certificate that vouches for itself, and its key, as files.
type paper struct{ cert, key string }

func newPaper(t *testing.T, host string) paper {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: host}, DNSNames: []string{host},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), IsCA: true, BasicConstraintsValid: true}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	p := paper{filepath.Join(folder, "cert.pem"), filepath.Join(folder, "key.pem")}
	for name, block := range map[string]*pem.Block{p.cert: {Type: "CERTIFICATE", Bytes: der}, p.key: {Type: "PRIVATE KEY", Bytes: secret}} {
		if err := os.WriteFile(name, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func TestTheFilesOfEngineTLSBelongTogether(t *testing.T) {
	ours, other := newPaper(t, "localhost"), newPaper(t, "localhost")
	ca, cert, key := "GAVEL_TEMPORAL_CA=", "GAVEL_TEMPORAL_CERT=", "GAVEL_TEMPORAL_KEY="
	for _, tt := range []struct {
		name    string
		environ []string
		want    Name // "" when all is well
	}{
		{"nothing", nil, ""},
		{"only on", []string{"GAVEL_TEMPORAL_TLS=on"}, ""},
		{"all", []string{"GAVEL_TEMPORAL_TLS=on", ca + ours.cert, cert + ours.cert, key + ours.key}, ""},
		{"files while it is off", []string{ca + ours.cert}, NameTemporalCA},
		{"certificate alone", []string{"GAVEL_TEMPORAL_TLS=on", cert + ours.cert}, NameTemporalKey},
		{"key alone", []string{"GAVEL_TEMPORAL_TLS=on", key + ours.key}, NameTemporalCert},
		{"another's key", []string{"GAVEL_TEMPORAL_TLS=on", cert + ours.cert, key + other.key}, NameTemporalKey},
		{"a key as authority", []string{"GAVEL_TEMPORAL_TLS=on", ca + ours.key}, NameTemporalCA},
		{"no file", []string{"GAVEL_TEMPORAL_TLS=on", cert + "/not/there", key + ours.key}, NameTemporalCert},
	} {
		c := load(t, append(tt.environ, "GAVEL_TEMPORAL_ADDRESS=localhost:7233")...)
		got := c.Problems()
		switch {
		case tt.want == "" && len(got) != 0:
			t.Errorf("%s: got %v, want no problem", tt.name, got)
		case tt.want != "" && (len(got) != 1 || got[0].Name != tt.want):
			t.Errorf("%s: got %v, want one problem with %s", tt.name, got, tt.want)
		case tt.want != "" && strings.Contains(got.Error(), "PRIVATE"):
			t.Errorf("%s: a key is shown: %v", tt.name, got)
		}
		made, err := c.EngineTLS()
		if off := !c.TemporalTLS; tt.want == "" && (err != nil || (made == nil) != off) {
			t.Errorf("%s: got %v, %v", tt.name, made, err)
		}
	}
}

// The configuration is proved by speaking: the right engine is believed, one
// that another authority vouches for is not.
func TestEngineTLSBelievesWhoItsAuthorityVouchesFor(t *testing.T) {
	ours, other := newPaper(t, "localhost"), newPaper(t, "localhost")
	for _, tt := range []struct {
		name      string
		authority paper
		ok        bool
	}{{"ours", ours, true}, {"another's", other, false}} {
		c := load(t, "GAVEL_TEMPORAL_ADDRESS=localhost:7233", "GAVEL_TEMPORAL_TLS=on", "GAVEL_TEMPORAL_CA="+tt.authority.cert,
			"GAVEL_TEMPORAL_CERT="+ours.cert, "GAVEL_TEMPORAL_KEY="+ours.key)
		client, err := c.EngineTLS()
		if err != nil {
			t.Fatal(err)
		}
		pair, err := tls.LoadX509KeyPair(ours.cert, ours.key)
		if err != nil {
			t.Fatal(err)
		}
		engine, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{Certificates: []tls.Certificate{pair},
			ClientAuth: tls.RequireAnyClientCert})
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			if conn, err := engine.Accept(); err == nil {
				_, _ = conn.Read(make([]byte, 1)) // shakes hands; the client's verdict is what counts
				conn.Close()
			}
		}()
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", engine.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		err = tls.Client(conn, client).HandshakeContext(t.Context())
		if (err == nil) != tt.ok {
			t.Errorf("%s: got %v, want ok %v", tt.name, err, tt.ok)
		}
		conn.Close()
		engine.Close()
	}
}
