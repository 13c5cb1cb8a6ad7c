package devstack

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	_ "embed"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

//go:embed config/dovecot.conf.tmpl
var dovecotConf string

// imapUser is whose mailbox Gavel reads. With the same password there is one for every
// other name.
const imapUser = "inbox"

// dovecotBinary finds Dovecot where Debian puts it, else on the PATH.
func dovecotBinary() (string, error) {
	if path := "/usr/sbin/dovecot"; exists(path) {
		return path, nil
	}
	path, err := exec.LookPath("dovecot")
	if err != nil {
		return "", fault.From(fault.NotFound, err, "find dovecot").WithNext("install it: apt-get install dovecot-imapd")
	}
	return path, nil
}

func imapVersion(ctx context.Context, _ *Stack) (string, error) {
	path, err := dovecotBinary()
	if err != nil {
		return "", err
	}
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", fault.From(fault.Unavailable, err, "ask %s for its version", path)
	}
	version, _, _ := strings.Cut(strings.TrimSpace(string(out)), " ")
	if !strings.HasPrefix(version, "2.3.") {
		return "", fault.New(fault.Invalid, "%s is %.40q, and its settings are written for 2.3", path, version).
			WithNext("install it: apt-get install dovecot-imapd")
	}
	return version, nil
}

// imapDir is where the mailbox is: beside the cluster, where the account that
// both run under can reach it.
func (s *Stack) imapDir() string { return filepath.Join(s.state.PostgresHome, "imap") }

// prepareIMAP writes Dovecot's settings and a certificate.
func prepareIMAP(_ context.Context, s *Stack) error {
	as, err := serverAccount()
	if err != nil {
		return err
	}
	if err := s.placePostgres(as); err != nil {
		return err
	}
	for _, dir := range []string{s.imapDir(), filepath.Join(s.imapDir(), "run"), filepath.Join(s.imapDir(), "mail")} {
		if err := errors.Join(os.MkdirAll(dir, 0o700), give(as, dir)); err != nil {
			return fault.From(fault.Internal, err, "make the mailbox's folder")
		}
	}
	who, err := user.Current()
	if as != nil {
		who, err = user.LookupId(fmt.Sprint(as.Uid))
	}
	if err != nil {
		return fault.From(fault.Internal, err, "find the account that the mailbox is under")
	}
	group, err := user.LookupGroupId(who.Gid)
	if err != nil {
		return fault.From(fault.Internal, err, "find the group that the mailbox is under")
	}
	var conf bytes.Buffer
	err = template.Must(template.New("dovecot.conf").Parse(dovecotConf)).Execute(&conf, map[string]any{"Dir": s.imapDir(), "Host": loopback,
		"User": who.Username, "Group": group.Name, "Password": s.secrets[secretIMAP], "Port": s.port(IMAP, "imap"),
		"TLSPort": s.port(IMAP, "imaps")})
	if err != nil {
		return fault.From(fault.Internal, err, "write dovecot.conf")
	}
	cert, key, err := selfSigned()
	if err != nil {
		return fault.From(fault.Internal, err, "make a certificate")
	}
	for name, text := range map[string][]byte{"dovecot.conf": conf.Bytes(), "cert.pem": cert, "key.pem": key} {
		if err := writeFileFor(as, filepath.Join(s.imapDir(), name), text); err != nil {
			return err
		}
	}
	return nil
}

// selfSigned is a certificate for loopback that nobody else vouches for.
func selfSigned() (cert, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	form := &x509.Certificate{SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "devstack imap"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(1, 0, 0), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		IPAddresses: []net.IP{net.ParseIP(loopback)}}
	der, err := x509.CreateCertificate(rand.Reader, form, form, &private.PublicKey, private)
	if err != nil {
		return nil, nil, err
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return nil, nil, err
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: secret}), nil
}

func imapCommand(_ context.Context, s *Stack) (command, error) {
	as, err := serverAccount()
	if err != nil {
		return command{}, err
	}
	path, err := dovecotBinary()
	return command{path: path, args: []string{"-F", "-c", filepath.Join(s.imapDir(), "dovecot.conf")}, env: serverEnv(), dir: s.imapDir(),
		as: as}, err
}

// imapAnswers logs in: a greeting alone comes from a process that may never find
// the one which knows the users.
func imapAnswers(ctx context.Context, s *Stack) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", s.address(IMAP, "imap"))
	if err != nil {
		return fault.From(fault.Unavailable, err, "connect to the mailbox")
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return fault.From(fault.Internal, err, "bound the answer of the mailbox")
	}
	text := textproto.NewConn(conn)
	if err := text.PrintfLine("a LOGIN %s %s", imapUser, s.secrets[secretIMAP]); err != nil {
		return fault.From(fault.Unavailable, err, "log in to the mailbox")
	}
	for {
		line, err := text.ReadLine()
		switch {
		case err != nil:
			return fault.From(fault.Unavailable, err, "log in to the mailbox")
		case strings.HasPrefix(line, "a OK"):
			return nil
		case strings.HasPrefix(line, "a "):
			return fault.New(fault.Unavailable, "the mailbox refuses its user")
		}
	}
}
