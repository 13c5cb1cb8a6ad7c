package outside

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/origin"
	"github.com/gavelhq/gavel/platform/fault"
)

// How a request is made. A source that asks us to come back later than longestWait
// is left alone until the next run.
const (
	patience     = time.Minute
	longestWait  = 2 * time.Minute
	maxRedirects = 3
	userAgent    = "Mozilla/5.0 (compatible; Gavel Airshed)" // one service hangs on agents of an unusual form
)

// pauses are waited between the tries of one request.
func pauses() []time.Duration { return []time.Duration{time.Second, 2 * time.Second, 4 * time.Second} }

// A fetcher asks one service. It keeps to the service's rate, follows no redirect
// to another host, reads no more than the source's bound, and never shows a key.
type fetcher struct {
	source origin.Source
	client *http.Client
	limit  *rate.Limiter
	net    Network
	memory Memory // nil: nothing is kept, and every question is asked
}

func newFetcher(n Network, source string, limit *rate.Limiter) *fetcher {
	if n.Wait == nil {
		n.Wait = pause
	}
	if n.Patience == 0 {
		n.Patience = patience
	}
	d := &net.Dialer{Timeout: n.Patience / 2}
	return &fetcher{source: origin.Named(source), limit: limit, net: n, client: &http.Client{
		Timeout:       n.Patience,
		CheckRedirect: sameHost,
		Transport: &http.Transport{
			Proxy: nil, DialContext: d.DialContext, TLSHandshakeTimeout: n.Patience / 2, ResponseHeaderTimeout: n.Patience,
			MaxResponseHeaderBytes: 64 << 10, ForceAttemptHTTP2: true, MaxIdleConnsPerHost: 2, IdleConnTimeout: 30 * time.Second,
			DisableCompression: true, // the snapshot is what was sent, byte for byte
		},
	}}
}

var errRedirect = errors.New("redirect to another host")

// sameHost follows a redirect only within the host that was set, for the key goes
// along.
func sameHost(req *http.Request, via []*http.Request) error {
	if len(via) > maxRedirects || req.URL.Host != via[0].URL.Host || req.URL.Scheme != via[0].URL.Scheme {
		return errRedirect
	}
	return nil
}

// with is the same fetcher, at the same rate, that keeps what it is answered.
func (f *fetcher) with(m Memory) *fetcher {
	other := *f
	other.memory = m
	return &other
}

// get is the answer to a question: the one that was kept, where there is one, else
// the service's. check says whether it can be used. The snapshot of the last whole
// answer comes back with an error too. A fault of the memory is no fault of the
// source, and is none that is Away.
func (f *fetcher) get(ctx context.Context, r feed.Request, cost int, check func(body []byte) error) (Snapshot, error) {
	if f.memory == nil {
		return f.ask(ctx, r, cost, check)
	}
	snap, known, err := f.memory.Find(ctx, f.source.Name, r.Shown)
	if err != nil {
		return Snapshot{}, err
	}
	if known {
		return snap, away(ctx, f.source, check(snap.Body))
	}
	snap, wrong := f.ask(ctx, r, cost, check)
	if snap.Body == nil {
		return snap, wrong
	}
	same, err := f.memory.Keep(ctx, snap, wrong == nil)
	if err != nil || same {
		return snap, cmp.Or(err, wrong)
	}
	return f.get(ctx, r, cost, check) // somebody was faster: theirs counts
}

// ask asks and asks again, after 1, 2 and 4 seconds, as long as that can help: the
// service does not answer, breaks off, says that it is overloaded, or check finds
// its answer unavailable. cost is how much of the service's rate one try takes.
func (f *fetcher) ask(ctx context.Context, r feed.Request, cost int, check func(body []byte) error) (Snapshot, error) {
	waits := pauses()
	for try := 0; ; try++ {
		snap, after, err := f.once(ctx, r, cost)
		if err == nil {
			err = check(snap.Body)
		}
		if err == nil || ctx.Err() != nil || try == len(waits) || after > longestWait || !worthAnother(err, snap) {
			return snap, away(ctx, f.source, err)
		}
		if err := f.net.Wait(ctx, max(waits[try], after)); err != nil {
			return snap, err
		}
	}
}

// worthAnother reports whether the same question may get a better answer soon. An
// answer that came whole and says "too many" has its own idea of soon.
func worthAnother(err error, snap Snapshot) bool {
	switch fault.KindOf(err) {
	case fault.Unavailable:
		return true
	case fault.TooMany:
		return snap.Body == nil
	}
	return false
}

// once tries once. after is how long the service asked us to wait.
func (f *fetcher) once(ctx context.Context, r feed.Request, cost int) (snap Snapshot, after time.Duration, err error) {
	if err := f.limit.WaitN(ctx, cost); err != nil {
		return Snapshot{}, longestWait + 1, fault.New(fault.TooMany, "more requests than the service allows in the time there is")
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, r.URL(), nil)
	if err != nil {
		return Snapshot{}, 0, fault.New(fault.Invalid, "its address is malformed")
	}
	req.Header.Set("User-Agent", userAgent)
	req.Header.Set("Accept", "application/json, text/csv, text/plain;q=0.5")
	if h := r.KeyHeader(); h != "" {
		req.Header.Set(h, r.Secret())
	}
	res, err := f.client.Do(req)
	if err != nil {
		return Snapshot{}, 0, f.silence(err)
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		after, err := refusal(res, r.Secret())
		return Snapshot{}, after, err
	}
	body, err := f.read(res)
	if err != nil {
		return Snapshot{}, 0, err
	}
	if k := r.Secret(); k != "" && bytes.Contains(body, []byte(k)) {
		return Snapshot{}, 0, fault.New(fault.Invalid, "its answer repeats our key and is not kept")
	}
	return SnapshotOf(f.source.Name, r.Shown, clipped(res.Header.Get("Content-Type")), f.net.now(), body), 0, nil
}

// read reads the whole answer, within the source's bound.
func (f *fetcher) read(res *http.Response) ([]byte, error) {
	most := f.source.MaxBytes
	if res.ContentLength > most {
		return nil, fault.New(fault.TooLarge, "its answer is larger than %d MB", most>>20)
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, most+1))
	switch {
	case err != nil && int64(len(body)) <= most:
		return nil, f.silence(err)
	case int64(len(body)) > most:
		return nil, fault.New(fault.TooLarge, "its answer is larger than %d MB", most>>20)
	}
	return body, nil
}

// silence is the fault of a service that did not answer. Errors of net/http quote
// the address that was asked, and with it a key: only what cannot hold it is kept.
func (f *fetcher) silence(err error) error {
	if errors.Is(err, errRedirect) {
		return fault.New(fault.Refused, "it sends us on to another host, which we do not follow").
			WithNext("check the address of the service in the settings")
	}
	if op, ok := errors.AsType[*net.OpError](err); ok && op.Op == "dial" {
		return fault.From(fault.Unavailable, op, "it cannot be reached")
	}
	if slow, ok := errors.AsType[net.Error](err); ok && slow.Timeout() {
		return fault.New(fault.Unavailable, "it did not answer within %v", f.net.Patience)
	}
	return fault.New(fault.Unavailable, "the connection broke before it had answered")
}

// refusal is the fault of a status that is not success, and how long the service
// asks us to wait.
func refusal(res *http.Response, secret string) (after time.Duration, err error) {
	after = retryAfter(res.Header)
	said, _ := io.ReadAll(io.LimitReader(res.Body, 2000)) // words for a person; none is no harm
	words := quoted(string(said), secret)
	switch code := res.StatusCode; {
	case code == http.StatusTooManyRequests:
		return after, fault.New(fault.TooMany, "it says that we ask too often%s", words).WithNext("wait until its limit allows more")
	case code == http.StatusUnauthorized, code == http.StatusForbidden:
		return after, fault.New(fault.Refused, "it refuses our key, with status %d%s", code, words).
			WithNext("check the key in the settings")
	case code == http.StatusNotFound:
		return after, fault.New(fault.NotFound, "it has no such thing%s", words)
	case code >= 500, code == http.StatusRequestTimeout:
		return after, fault.New(fault.Unavailable, "it answered with status %d%s", code, words)
	}
	return after, fault.New(fault.Invalid, "it answered with status %d%s", res.StatusCode, words)
}

// retryAfter is how long the service asks us to wait: in seconds, or until a
// moment of its own clock.
func retryAfter(h http.Header) time.Duration {
	s := strings.TrimSpace(h.Get("Retry-After"))
	if n, err := strconv.Atoi(s); err == nil {
		return time.Duration(min(max(n, 0), 1<<20)) * time.Second
	}
	until, err1 := http.ParseTime(s)
	now, err2 := http.ParseTime(h.Get("Date"))
	if err1 != nil || err2 != nil {
		return 0
	}
	return max(until.Sub(now), 0)
}

// quoted is what a service said, as one short line without our key and without
// anything that looks like one; pages are left out.
func quoted(said, secret string) string {
	if secret != "" {
		said = strings.ReplaceAll(said, secret, feed.Hidden)
	}
	said = strings.Join(strings.Fields(strings.ToValidUTF8(said, "")), " ")
	if said == "" || strings.HasPrefix(said, "<") {
		return ""
	}
	if len(said) > 150 {
		said = strings.ToValidUTF8(said[:150], "") + "…"
	}
	return ": " + strconv.Quote(said)
}

func clipped(s string) string {
	if len(s) > 100 {
		return ""
	}
	return s
}
