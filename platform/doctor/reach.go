package doctor

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"
)

const maxAnswer = 1 << 20 // bytes read of any part's answer

// Mail checks that the mail server greets. It sends nothing.
func Mail(address, fix string) Check {
	return Check{"Mail", "server greets", func(ctx context.Context) Result {
		if address == "" {
			return Result{NotSetUp, "not configured", ""}
		}
		silent := Result{Fail, "the mail server at " + address + " does not answer", fix}
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", address)
		if err != nil {
			return silent
		}
		defer conn.Close()
		if deadline, ok := ctx.Deadline(); ok {
			_ = conn.SetDeadline(deadline) // a connection that refuses it fails on the read
		}
		line, err := bufio.NewReader(io.LimitReader(conn, 1<<10)).ReadString('\n')
		if err != nil {
			return silent
		}
		if !strings.HasPrefix(line, "220") {
			return Result{Fail, fmt.Sprintf("%s greets with %.80q, not with 220", address, strings.TrimSpace(line)), fix}
		}
		_, _ = io.WriteString(conn, "QUIT\r\n") // courtesy only
		return Result{OK, "greets at " + address, ""}
	}}
}

// SignIn checks that the issuer's discovery document is there and is its own:
// an issuer that names another would make every sign-in fail.
func SignIn(issuer, fix string) Check {
	return Check{"Sign-in", "issuer's discovery document", func(ctx context.Context) Result {
		if issuer == "" {
			return Result{NotSetUp, "not configured", ""}
		}
		var doc struct {
			Issuer  string `json:"issuer"`
			AuthURL string `json:"authorization_endpoint"`
		}
		status, err := getJSON(ctx, strings.TrimRight(issuer, "/")+"/.well-known/openid-configuration", &doc)
		switch {
		case err != nil && status == 0:
			return Result{Fail, "the issuer at " + issuer + " does not answer", fix}
		case err != nil || status != http.StatusOK:
			return Result{Fail, fmt.Sprintf("%s gives no discovery document (status %d)", issuer, status), fix}
		case strings.TrimRight(doc.Issuer, "/") != strings.TrimRight(issuer, "/"):
			return Result{Fail, fmt.Sprintf("%s calls itself %.200q", issuer, doc.Issuer),
				"set GAVEL_OIDC_ISSUER to what the issuer calls itself"}
		case doc.AuthURL == "":
			return Result{Fail, issuer + " does not say where to sign in", fix}
		}
		return Result{OK, "answers at " + issuer, ""}
	}}
}

// Ready checks that a server is up and finds itself ready.
func Ready(base, fix string) Check {
	return Check{"Server", "is ready", func(ctx context.Context) Result {
		if base == "" {
			return Result{NotSetUp, "not configured", ""}
		}
		var answer struct {
			Closing bool `json:"closing"`
			Checks  []struct {
				Name  string `json:"name"`
				OK    bool   `json:"ok"`
				Error string `json:"error"`
			} `json:"checks"`
		}
		status, err := getJSON(ctx, strings.TrimRight(base, "/")+"/readyz", &answer)
		switch {
		case err != nil && status == 0:
			return Result{Fail, "the server at " + base + " does not answer", fix}
		case err == nil && status == http.StatusOK:
			return Result{OK, "ready at " + base, ""}
		case answer.Closing:
			return Result{Warn, "the server at " + base + " is going away", fix}
		}
		var bad []string
		for _, c := range answer.Checks {
			if !c.OK {
				bad = append(bad, fmt.Sprintf("%.60s: %.200s", c.Name, c.Error))
			}
		}
		if len(bad) == 0 {
			return Result{Fail, fmt.Sprintf("%s answers /readyz with status %d", base, status), fix}
		}
		return Result{Fail, "not ready: " + strings.Join(bad, "; "), "cure those parts; the server follows by itself"}
	}}
}

// Pages checks that a server answers at the address people use, through whatever
// stands before it. That its event streams are not held back cannot be seen from
// here: they are for people who are signed in.
func Pages(public, fix string) Check {
	return Check{"Server", "answers at the address people use", func(ctx context.Context) Result {
		if public == "" {
			return Result{NotSetUp, "not configured", ""}
		}
		var answer struct {
			Status string `json:"status"`
		}
		status, err := getJSON(ctx, strings.TrimRight(public, "/")+"/healthz", &answer)
		_, distrusted := errors.AsType[*tls.CertificateVerificationError](err)
		switch {
		case distrusted:
			return Result{Fail, "the certificate at " + public + " is not valid for it, or not trusted here",
				"renew the proxy's certificate, or correct GAVEL_PUBLIC_URL"}
		case err != nil && status == 0:
			return Result{Fail, public + " does not answer", fix}
		case err != nil || status != http.StatusOK || answer.Status != "alive":
			return Result{Fail, fmt.Sprintf("what answers at %s is not this server (status %d)", public, status),
				"lead the proxy there to the server, or correct GAVEL_PUBLIC_URL"}
		}
		return Result{OK, "answers at " + public, ""}
	}}
}

// getJSON fetches a small document. The status is 0 where nobody answered.
func getJSON(ctx context.Context, url string, into any) (int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Accept", "application/json")
	hc := http.Client{Timeout: Patience, Transport: &http.Transport{DisableKeepAlives: true, TLSHandshakeTimeout: 5 * time.Second,
		Proxy: nil}}
	resp, err := hc.Do(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	return resp.StatusCode, json.NewDecoder(io.LimitReader(resp.Body, maxAnswer)).Decode(into)
}
