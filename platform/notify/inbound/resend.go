package inbound

import (
	"context"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/notify/inbound/letter"
)

// A Resend fetches mails from Resend's receiving API: one request says where the
// mail lies, a second gets it as it came. Its addresses are the provider's word,
// so that only https is followed, or loopback where the API itself is there.
type Resend struct {
	URL    string // of the API; empty for Resend's own
	Key    string
	Client *http.Client // nil for one with bounds
}

const (
	resendURL     = "https://api.resend.com"
	maxAnswer     = 4 << 20 // bytes: it repeats the mail's text
	fetchPatience = 30 * time.Second
)

// Fetch gets a mail by the provider's id.
func (f Resend) Fetch(ctx context.Context, id string) (raw []byte, cut bool, err error) {
	base := strings.TrimSuffix(f.URL, "/")
	if base == "" {
		base = resendURL
	}
	answer, _, err := f.get(ctx, base+"/emails/receiving/"+url.PathEscape(id), f.Key, maxAnswer)
	if err != nil {
		return nil, false, err
	}
	var said struct {
		Raw struct {
			DownloadURL string `json:"download_url"`
		} `json:"raw"`
	}
	if err := json.Unmarshal(answer, &said); err != nil {
		return nil, false, fault.New(fault.Unavailable, "the mail provider's answer cannot be read")
	}
	if !safe(said.Raw.DownloadURL, base) {
		return nil, false, fault.New(fault.Unavailable, "the mail provider does not say where the mail lies")
	}
	return f.get(ctx, said.Raw.DownloadURL, "", letter.MaxRaw) // the address is signed: our key is none of its business
}

// safe reports whether an address may be followed.
func safe(address, base string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return false
	}
	b, err := url.Parse(base)
	own := err == nil && u.Hostname() == b.Hostname()
	if ip := net.ParseIP(u.Hostname()); ip != nil && !own { // a provider has names
		return false
	}
	return u.Scheme == "https" || u.Scheme == "http" && own && b.Scheme == "http"
}

// get reads an address, and no more than limit bytes.
func (f Resend) get(ctx context.Context, address, key string, limit int64) (body []byte, cut bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, fetchPatience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, false, fault.New(fault.Invalid, "the mail provider's address is none") // the cause would quote a signed address
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	client := f.Client
	if client == nil {
		client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	}
	res, err := client.Do(req)
	if err != nil {
		return nil, false, fault.New(fault.Unavailable, "the mail provider does not answer")
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return nil, false, fault.New(fault.Unavailable, "the mail provider answers %d", res.StatusCode)
	}
	body, err = io.ReadAll(io.LimitReader(res.Body, limit+1))
	if err != nil {
		return nil, false, fault.New(fault.Unavailable, "the mail provider's answer broke off")
	}
	if int64(len(body)) > limit {
		return body[:limit], true, nil
	}
	return body, false, nil
}
