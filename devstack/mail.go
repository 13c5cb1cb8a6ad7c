package devstack

import (
	"context"
	"net"
	"net/http"
	"net/textproto"
	"os"
	"path/filepath"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

func prepareMail(_ context.Context, s *Stack) error {
	if err := os.MkdirAll(s.path("mail"), 0o700); err != nil {
		return fault.From(fault.Internal, err, "make the mail sink's folder")
	}
	return nil
}

// mailCommand keeps mail on disk, accepts any sender and passes nothing on.
func mailCommand(ctx context.Context, s *Stack) (command, error) {
	dir, err := s.toolDir(ctx, specOf(Mail).tool)
	return command{
		path: filepath.Join(dir, "mailpit"),
		args: []string{"--smtp", s.address(Mail, "smtp"), "--listen", s.address(Mail, "http"),
			"--database", s.path("mail", "mailpit.db"), "--max", "5000",
			"--smtp-auth-accept-any", "--smtp-auth-allow-insecure",
			"--smtp-disable-rdns", "--disable-version-check",
			"--enable-chaos"}, // refuses nothing until its API is told to
		env: serverEnv(),
	}, err
}

func mailAnswers(ctx context.Context, s *Stack) error {
	if err := greets(ctx, s.address(Mail, "smtp")); err != nil {
		return err
	}
	return answersOK(ctx, "http://"+s.address(Mail, "http")+"/api/v1/info")
}

// greets reports whether an SMTP server says it is ready.
func greets(ctx context.Context, address string) error {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return fault.From(fault.Unavailable, err, "connect to %s", address)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(5 * time.Second)); err != nil {
		return fault.From(fault.Internal, err, "bound the greeting of %s", address)
	}
	text := textproto.NewConn(conn)
	if _, _, err := text.ReadResponse(220); err != nil {
		return fault.From(fault.Unavailable, err, "greeting of %s", address)
	}
	_ = text.PrintfLine("QUIT")
	return nil
}

// answersOK reports whether a GET is answered with 200.
func answersOK(ctx context.Context, address string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return fault.From(fault.Internal, err, "ask %s", address)
	}
	return answeredOK(req)
}

// answeredOK reports whether a request is answered with 200.
func answeredOK(req *http.Request) error {
	res, err := (&http.Client{Transport: &http.Transport{DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return fault.From(fault.Unavailable, err, "ask %s", req.URL)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fault.New(fault.Unavailable, "%s answers %s", req.URL, res.Status)
	}
	return nil
}
