package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// standIn begins the names of those who decide only in the stead of others.
const standIn = "stand-in-"

// A person is somebody who is signed in.
type person struct {
	name   string
	id     string // as Gavel knows them
	cookie string // their sign-in, in a browser and, with a prefix, in a program
}

// The cookies of a sign-in, and what a program puts before it.
const (
	flowCookie    = "gavel_flow"
	sessionCookie = "gavel_session"
	bearerPrefix  = "gvs_"
)

// An answer is what a server said.
type reply struct {
	status int
	header http.Header
	body   []byte
}

// refused reports whether it is a no that trying again does not change. A request
// that is being run at this moment, a busy server and one that is away are none.
func (r reply) refused() bool {
	switch {
	case r.status == http.StatusTooManyRequests, r.status >= 500:
		return false
	case r.status == http.StatusConflict && r.header.Get("Retry-After") != "":
		return false
	}
	return r.status >= 400
}

// taken reports whether it is a yes: an answer of the API, or the page that
// follows a form.
func (r reply) taken() bool { return r.status >= 200 && r.status < 400 }

func (r reply) final() bool { return r.taken() || r.refused() }

// send is one request to one server.
func (g *ground) send(req *http.Request) (reply, error) {
	res, err := g.http.Do(req)
	if err != nil {
		return reply{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return reply{res.StatusCode, res.Header, body}, err
}

// signIn lets somebody in through the office, as a browser would.
func (g *ground) signIn(ctx context.Context, base, name string) (*person, error) {
	p := &person{name: name}
	began, err := g.visit(ctx, base+"/auth/start", "")
	if err != nil {
		return nil, err
	}
	flow := cookieIn(began.header, flowCookie)
	vouched, err := g.visit(ctx, began.header.Get("Location")+"&login_hint="+url.QueryEscape(name), "")
	if err != nil {
		return nil, err
	}
	back, err := g.visit(ctx, vouched.header.Get("Location"), flowCookie+"="+flow)
	if err != nil {
		return nil, err
	}
	if p.cookie = cookieIn(back.header, sessionCookie); p.cookie == "" {
		return nil, fmt.Errorf("%s was not let in: %d %.300s", name, back.status, back.body)
	}
	me, err := g.visit(ctx, base+"/v1/me", sessionCookie+"="+p.cookie)
	if err != nil {
		return nil, err
	}
	var who struct{ ID string }
	if err := json.Unmarshal(me.body, &who); err != nil || who.ID == "" {
		return nil, fmt.Errorf("%s is nobody: %d %.300s", name, me.status, me.body)
	}
	p.id = who.ID
	return p, nil
}

func (g *ground) visit(ctx context.Context, address, cookie string) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return reply{}, err
	}
	if cookie != "" {
		req.Header.Set("Cookie", cookie)
	}
	return g.send(req)
}

func cookieIn(h http.Header, name string) string {
	for _, c := range (&http.Response{Header: h}).Cookies() {
		if c.Name == name {
			return c.Value
		}
	}
	return ""
}

// call is a person's program asking a server's API.
func (g *ground) call(ctx context.Context, p *person, server int, method, path string, body any, headers map[string]string) (reply, error) {
	var sent io.Reader
	if body != nil {
		text, err := json.Marshal(body)
		if err != nil {
			return reply{}, err
		}
		sent = bytes.NewReader(text)
	}
	req, err := http.NewRequestWithContext(ctx, method, g.bases[server]+path, sent)
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Authorization", "Bearer "+bearerPrefix+p.cookie)
	req.Header.Set("Content-Type", "application/json")
	for name, value := range headers {
		req.Header.Set(name, value)
	}
	return g.send(req)
}

// form is a person's browser sending a page's form.
func (g *ground) form(ctx context.Context, p *person, server int, path string, fields url.Values) (reply, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, g.bases[server]+path, strings.NewReader(fields.Encode()))
	if err != nil {
		return reply{}, err
	}
	req.Header.Set("Cookie", sessionCookie+"="+p.cookie)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Sec-Fetch-Site", "same-origin")
	return g.send(req)
}

// insist asks one server after the other until one of them says yes or no.
func insist(ctx context.Context, first int, ask func(server int) (reply, error)) (reply, error) {
	for try := 0; ; try++ {
		r, err := ask((first + try) % servers)
		if err == nil && r.final() {
			return r, nil
		}
		if err := sleep(ctx, min(time.Duration(20<<min(try, 5))*time.Millisecond, 500*time.Millisecond)); err != nil {
			return r, err
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
