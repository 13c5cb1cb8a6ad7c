package client

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"io"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Bundle is what the server says of a bundle it sent.
type Bundle struct {
	Case   string `json:"case"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Record string `json:"record"` // of its export, in the log
}

// bundlePatience is how long a bundle may take on its way: they hold whatever a
// case rests on.
const bundlePatience = 30 * time.Minute

// Bundle exports a case into w. What arrives must be what the server put on
// record: anything else is an error, and what was written is to be thrown away.
func (c *Client) Bundle(ctx context.Context, caseID, to string, w io.Writer) (Bundle, error) {
	if err := checkID(caseID); err != nil {
		return Bundle{}, err
	}
	req, err := c.build(ctx, request{method: http.MethodPost, path: []string{"cases", caseID, "bundle"}, body: map[string]string{"to": to}})
	if err != nil {
		return Bundle{}, err
	}
	req.Header.Set("Accept", "application/zip, application/problem+json")
	patient := *c.http
	patient.Timeout = bundlePatience
	resp, err := patient.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return Bundle{}, context.Cause(ctx)
		}
		return Bundle{}, fault.From(fault.Unavailable, err, "the server at %s does not answer", c.base.Redacted()).WithNext("gavel doctor")
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		body, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
		if err != nil {
			return Bundle{}, fault.From(fault.Unavailable, err, "the answer of the server at %s broke off", c.base.Redacted())
		}
		return Bundle{}, c.refusal(resp, body)
	}
	return c.receive(resp, caseID, w)
}

// receive copies a bundle and compares it with its digest.
func (c *Client) receive(resp *http.Response, caseID string, w io.Writer) (Bundle, error) {
	sum := sha256.New()
	n, err := io.Copy(io.MultiWriter(w, sum), resp.Body)
	if err != nil {
		return Bundle{}, fault.From(fault.Unavailable, err, "the bundle of %s broke off after %d bytes", caseID, n).WithNext("try again")
	}
	digest := sum.Sum(nil)
	if want := resp.Header.Get("Repr-Digest"); want != "sha-256=:"+base64.StdEncoding.EncodeToString(digest)+":" {
		return Bundle{}, fault.New(fault.Unavailable, "the bundle of %s was changed on its way: its SHA-256 is not the one on record",
			caseID).
			WithNext("try again; if it stays, somebody sits between you and the server")
	}
	return Bundle{Case: caseID, Size: n, SHA256: hex.EncodeToString(digest), Record: resp.Header.Get("Gavel-Record")}, nil
}
