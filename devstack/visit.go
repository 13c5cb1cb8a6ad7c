package devstack

import (
	"context"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// maxOfficePage bounds a page of the OIDC provider, in bytes.
const maxOfficePage = 1 << 20

var formAction = regexp.MustCompile(`<form[^>]* action="([^"]+)"`)

// Visit goes through the OIDC provider's password form as one of the demo's
// people, without a browser: from the address Gavel sent them to, to the one under
// back that they are sent home to. It is for tests.
func Visit(ctx context.Context, address, back, email string) (home string, err error) {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return "", err
	}
	client := &http.Client{Jar: jar, Timeout: 20 * time.Second, CheckRedirect: func(r *http.Request, _ []*http.Request) error {
		if strings.HasPrefix(r.URL.String(), back) {
			home = r.URL.String()
			return http.ErrUseLastResponse
		}
		return nil
	}}
	form, page, err := ask(ctx, client, http.MethodGet, address, nil)
	if err != nil {
		return "", err
	}
	action := formAction.FindStringSubmatch(page)
	if action == nil {
		return "", fault.New(fault.Unavailable, "the OIDC provider shows no form")
	}
	to, err := form.Parse(html.UnescapeString(action[1]))
	if err != nil {
		return "", err
	}
	if _, _, err := ask(ctx, client, http.MethodPost, to.String(), url.Values{"login": {email}, "password": {DemoPassword}}); err != nil {
		return "", err
	}
	if home == "" {
		return "", fault.New(fault.Refused, "the OIDC provider did not send %s back", email)
	}
	return home, nil
}

// ask sends a form, or none, and returns the page and its address.
func ask(ctx context.Context, client *http.Client, method, address string, form url.Values) (*url.URL, string, error) {
	req, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, "", err
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := client.Do(req)
	if err != nil {
		return nil, "", fault.From(fault.Unavailable, err, "the OIDC provider does not answer")
	}
	defer resp.Body.Close()
	page, err := io.ReadAll(io.LimitReader(resp.Body, maxOfficePage))
	return resp.Request.URL, string(page), err
}
