package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/idempotency"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// Lease is how long a request with a key is taken to be running: longer than any
// may run that has one.
const Lease = web.RequestTimeout + 15*time.Second

// lastWord is how long remembering an answer may take after its request is over.
const lastWord = 5 * time.Second

// keyHeader names the key.
const keyHeader = "Idempotency-Key"

// once runs a request, and one that has a key only if it has not been run. The
// claim comes before anything is done. What succeeded is kept and given again;
// what failed is let go, because nothing was done.
func (x *exchange) once(who identity.Actor, run func() error) error {
	key := x.r.Header.Get(keyHeader)
	if key != "" && x.route.Key == KeyRefused {
		return details{{Pointer: "header/" + keyHeader, Code: CodeUnknown,
			Detail: "the answer holds a secret and is not kept: send it without a key"}}.err()
	}
	if !x.route.writes() || key == "" && x.route.Key != KeyNeeded {
		return x.finish(run())
	}
	if key == "" {
		return details{{Pointer: "header/" + keyHeader, Code: CodeRequired,
			Detail: "this cannot be taken back: send a key, so that sending it twice does it once"}}.err()
	}
	if x.api.Keys == nil {
		return fault.New(fault.Unavailable, "requests with a key are not set up on this server")
	}
	// A caller who leaves meanwhile must not leave a claim behind that nobody holds: whoever sends it again would wait for its
	// lease to end.
	claiming, stop := context.WithTimeout(context.WithoutCancel(x.r.Context()), lastWord)
	defer stop()
	claim, err := x.api.Keys.Claim(claiming, idempotency.Request{Actor: who, Route: x.op.Method + " " + x.op.Path, Key: key,
		Print: x.print(), Lease: x.lease()})
	if errors.Is(err, idempotency.ErrInFlight) {
		x.w.Header().Set("Retry-After", "1")
	}
	if err != nil {
		return err
	}
	if claim.Answer != nil {
		x.replay(claim.Answer)
		return nil
	}
	return x.finish(x.keep(claim, run()))
}

// finish sends the answer, unless there is an error instead.
func (x *exchange) finish(err error) error {
	if err != nil {
		return err
	}
	if x.direct == nil {
		x.send()
	}
	return nil
}

// lease is how long the claim holds.
func (x *exchange) lease() time.Duration {
	if x.route.Slow {
		return askPatience + time.Minute
	}
	return Lease
}

// print is what makes this request the same one: where it goes and what it says.
// If-Match is no part of it: who lost the answer and reads again has another.
func (x *exchange) print() [32]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%s?%s\n%s", x.r.URL.EscapedPath(), x.r.URL.Query().Encode(), x.body))
}

// keep remembers how a claimed request ended. What was done is done: where the
// answer cannot be kept, a repeat is run again, and what lies beneath has its own
// keys.
func (x *exchange) keep(claim *idempotency.Claim, failed error) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(x.r.Context()), lastWord)
	defer stop()
	var err error
	if failed != nil || x.direct != nil || x.again || x.status >= http.StatusMultipleChoices { // what is sent as it is made is not kept
		err = claim.Release(ctx)
	} else {
		err = claim.Finish(ctx, x.kept())
	}
	if err != nil {
		x.api.Logger.WarnContext(ctx, "how a request with a key ended is not remembered", "route", x.op.Path, "error", err)
	}
	return failed
}

// kept is what a repeat is answered with. What an answer forbids others to store is not stored here either: its repeat has the status,
// and the address where to read.
func (x *exchange) kept() idempotency.Answer {
	a := idempotency.Answer{Status: x.status, Header: map[string]string{}}
	if a.Status == 0 {
		a.Status = http.StatusOK
	}
	names := []string{"Location", "ETag", "Gavel-Record"}
	if cache := "Cache-Control"; strings.Contains(x.header.Get(cache), "no-store") {
		names = append(names, cache)
	} else {
		names, a.Body = append(names, "Content-Type"), x.answer.Bytes()
	}
	for _, name := range names {
		if v := x.header.Get(name); v != "" {
			a.Header[name] = v
		}
	}
	return a
}

// replay sends the first answer again.
func (x *exchange) replay(a *idempotency.Answer) {
	for name, v := range a.Header {
		x.header.Set(name, v)
	}
	x.header.Set("Idempotency-Replayed", "true")
	x.status = a.Status
	x.answer.Reset()
	x.answer.Write(a.Body)
	x.send()
}

// keyOf is the key of the request that a handler runs in; it becomes the key of
// what lies beneath.
func keyOf(ctx context.Context) string { return exchangeOf(ctx).r.Header.Get(keyHeader) }

// onceOf is the same in a form that any of them takes; empty where there is none.
func onceOf(ctx context.Context) string {
	key := keyOf(ctx)
	if key == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:16])
}
