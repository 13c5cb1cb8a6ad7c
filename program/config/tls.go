package config

import (
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"net"
	"os"
	"slices"

	"github.com/gavelhq/gavel/platform/fault"
)

// maxPEM bounds a file of certificates: a machine's own authorities are a
// quarter of it.
const maxPEM = 1 << 20

// EngineTLS is how Temporal is spoken to: nil where that is in plain. The files
// are read at each call, so that a renewed certificate counts from the next
// start on.
func (c *Config) EngineTLS() (*tls.Config, error) {
	t, name, why := c.engineTLS()
	if name != "" {
		return nil, fault.New(fault.Invalid, "%s: %s", name, why).WithNext("gavel config list")
	}
	return t, nil
}

// engineTLSIsWhole refuses settings of which no connection could be made.
func engineTLSIsWhole(c *Config) (Name, string) {
	_, name, why := c.engineTLS()
	return name, why
}

func (c *Config) engineTLS() (*tls.Config, Name, string) {
	files := []Name{NameTemporalCA, NameTemporalCert, NameTemporalKey}
	if !c.TemporalTLS {
		if i := slices.IndexFunc(files, c.IsSet); i >= 0 {
			return nil, files[i], "means nothing without GAVEL_TEMPORAL_TLS=on; set that, or remove it"
		}
		return nil, "", ""
	}
	host, _, _ := net.SplitHostPort(c.TemporalAddress) // its own problem where it is not valid
	t := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host}
	if c.TemporalCA != "" {
		t.RootCAs = x509.NewCertPool()
		if text, err := readPEM(c.TemporalCA); err != nil || !t.RootCAs.AppendCertsFromPEM(text) {
			return nil, NameTemporalCA, "has no certificate that can be read; expected " + lookup(NameTemporalCA).Expect
		}
	}
	switch {
	case c.TemporalCert == "" && c.TemporalKey == "":
		return t, "", ""
	case c.TemporalCert == "":
		return nil, NameTemporalCert, "missing: a key goes with its certificate; set " + lookup(NameTemporalCert).Expect
	case c.TemporalKey == "":
		return nil, NameTemporalKey, "missing: a certificate goes with its key; set " + lookup(NameTemporalKey).Expect
	}
	pair, err := readPair(c.TemporalCert, c.TemporalKey)
	if err != nil {
		return nil, NameTemporalKey, "is not the key of the certificate in GAVEL_TEMPORAL_CERT, or one of the two cannot be read"
	}
	t.Certificates = []tls.Certificate{pair}
	return t, "", ""
}

func readPair(certFile, keyFile string) (tls.Certificate, error) {
	cert, certErr := readPEM(certFile)
	key, keyErr := readPEM(keyFile)
	if err := errors.Join(certErr, keyErr); err != nil {
		return tls.Certificate{}, err
	}
	return tls.X509KeyPair(cert, key)
}

// pemFile takes the path of a file that begins like PEM. What is in it is judged
// with the others, by engineTLSIsWhole.
func pemFile(field func(*Config) *string) func(*Config, string) bool {
	return func(c *Config, v string) bool {
		*field(c) = v
		text, err := readPEM(v)
		if err != nil {
			return false
		}
		block, _ := pem.Decode(text)
		return block != nil
	}
}

// readPEM reads a small file.
func readPEM(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxPEM {
		return nil, errors.New("not a file of certificates or keys")
	}
	return os.ReadFile(path)
}
