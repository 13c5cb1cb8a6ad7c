package outside

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
)

// The settings of the commission that reports are filed with.
const (
	SettingCommission      = "GAVEL_AIRSHED_COMMISSION"
	settingCommissionToken = "GAVEL_AIRSHED_COMMISSION_TOKEN"
	settingCommissionReal  = "GAVEL_AIRSHED_COMMISSION_REAL"
)

func commissionSettings() []platform.Setting {
	return []platform.Setting{
		{Name: SettingCommission, Help: "address that reports are filed with, by POST to /reports; they are only kept where it is not set",
			Expect: "an address as https://host/path", Fits: fitsCommission, Address: func(v string) string { return v },
			Carries: "reports to the commission"},
		{Name: settingCommissionToken, Help: "token that the commission asks for", Expect: "a token without spaces", Secret: true,
			Fits: oneWord},
		{Name: settingCommissionReal,
			Help:   "yes where that address is the commission's own; reports call themselves a mock submission otherwise",
			Expect: "yes or no", Fits: func(v string) bool { return v == "yes" || v == "no" }},
	}
}

func fitsCommission(v string) bool {
	u, err := url.Parse(v)
	return err == nil && (u.Scheme == "https" || u.Scheme == "http") && u.Host != "" && u.User == nil && u.RawQuery == "" &&
		u.Fragment == ""
}

// SubmitTries is how often a report is submitted: tried once and twice again, a few
// seconds each, so that the act that does it is over in good time.
const SubmitTries = 3

const (
	submitPause   = time.Second // and twice that
	submitTimeout = 6 * time.Second
	maxReceipt    = 64 << 10
)

// A Commission is where reports are filed. The zero value is none: reports are kept
// for somebody to hand over.
type Commission struct {
	Address string // empty: there is none
	Wait    func(context.Context, time.Duration) error
	token   string
	real    bool
	client  *http.Client
}

// OpenCommission is the commission that the settings name.
func OpenCommission(set map[string]string) Commission {
	return Commission{Address: set[SettingCommission], token: set[settingCommissionToken], real: set[settingCommissionReal] == "yes",
		Wait: pause,
		client: &http.Client{Timeout: submitTimeout, CheckRedirect: func(*http.Request,
			[]*http.Request) error {
			return http.ErrUseLastResponse
		}}}
}

// Channel is what a report says of where it goes.
func (c Commission) Channel() report.Channel {
	if c.real && c.Address != "" {
		return report.Real
	}
	return report.Mock
}

// A Receipt is the commission's word that it has a report.
type Receipt struct {
	Receipt   string `json:"receipt"`
	Simulator bool   `json:"simulator"`
}

// NoAddress is why nothing is submitted where no commission is set up.
func NoAddress() error {
	return fault.New(fault.Unavailable, "no address of the commission is set").
		WithNext("hand the bundle of the case over, and close the case; or set %s", SettingCommission)
}

// Submit hands a report over, under a key by which the commission knows it again. It
// is tried three times in all, as long as another try may help. Where it fails, maybe
// says that the commission may have the report all the same: it says so the next time.
func (c Commission) Submit(ctx context.Context, key string, body []byte) (got Receipt, maybe bool, err error) {
	for try := range SubmitTries {
		if try > 0 {
			if err := c.Wait(ctx, submitPause<<(try-1)); err != nil {
				return got, maybe, err
			}
		}
		var unsure bool
		got, unsure, err = c.post(ctx, key, body)
		maybe = maybe || unsure
		if err == nil || !fault.KindOf(err).Retryable() {
			return got, maybe, err
		}
	}
	return got, maybe, err
}

// post hands it over once. What was refused with an answer, or never got through to
// anybody, the commission has not.
func (c Commission) post(ctx context.Context, key string, body []byte) (got Receipt, maybe bool, err error) {
	to, err := url.JoinPath(c.Address, "reports")
	if err != nil {
		return got, false, fault.New(fault.Invalid, "the address of the commission is malformed")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to, bytes.NewReader(body))
	if err != nil {
		return got, false, fault.New(fault.Invalid, "the address of the commission is malformed")
	}
	sum := sha256.Sum256(body)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Idempotency-Key", key)
	req.Header.Set("Content-Digest", "sha-256=:"+base64.StdEncoding.EncodeToString(sum[:])+":")
	req.Header.Set("User-Agent", userAgent)
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.client.Do(req)
	if err != nil {
		var dial *net.OpError
		unmet := errors.As(err, &dial) && dial.Op == "dial"
		// the error quotes the address
		return got, !unmet, fault.New(fault.Unavailable, "the commission does not answer, or the connection broke")
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusCreated {
		_, err := refusal(res, c.token)
		text, _ := fault.Words(err)
		return got, res.StatusCode >= http.StatusInternalServerError, fault.New(fault.KindOf(err), "the commission: %s", text)
	}
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxReceipt))
	if err != nil {
		return got, true, fault.New(fault.Unavailable, "the connection to the commission broke")
	}
	if err := json.Unmarshal(answer, &got); err != nil || got.Receipt == "" || len(got.Receipt) > 200 {
		return Receipt{}, true, fault.New(fault.Invalid, "the commission's answer is no receipt")
	}
	return got, false, nil
}
