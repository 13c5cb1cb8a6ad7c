package signin

import (
	"context"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
	"golang.org/x/time/rate"

	"github.com/gavelhq/gavel/platform/fault"
)

// CallbackPath is where the office sends people back to; it must be registered
// there with the public address before it.
const CallbackPath = "/auth/callback"

// An Office is the organisation's own sign-in: any OpenID Connect provider. The
// zero Office is none.
type Office struct {
	Issuer       string
	ClientID     string
	ClientSecret string
	GroupsClaim  string   // the claim that holds groups; "groups" where it is empty
	Scopes       []string // asked for; openid, profile, email and groups where it is empty
}

// Bounds of what is said between us and the office.
const (
	officePatience = 10 * time.Second // for one answer
	officeAnswer   = 1 << 20          // bytes of one answer
	officeRetry    = 3 * time.Second  // between attempts to reach one that was away
	mostCode       = 4096             // bytes of a code it hands out
	mostSubject    = 255              // of its name for a person, as OpenID Connect bounds it
)

// office speaks to the provider. It is found when it is first needed: a server
// starts while its office is away, and lets people in once it is back.
type office struct {
	cfg      Office
	redirect string
	client   *http.Client
	tries    *rate.Limiter

	mu       sync.Mutex
	provider *oidc.Provider
	problem  error // of the last attempt
}

func newOffice(cfg Office, public string) *office {
	if cfg.GroupsClaim == "" {
		cfg.GroupsClaim = "groups"
	}
	if len(cfg.Scopes) == 0 {
		cfg.Scopes = []string{oidc.ScopeOpenID, "profile", "email", "groups"}
	}
	return &office{
		cfg: cfg, redirect: strings.TrimSuffix(public, "/") + CallbackPath,
		client: &http.Client{Timeout: officePatience, Transport: bounded{http.DefaultTransport}},
		tries:  rate.NewLimiter(rate.Every(officeRetry), 1),
	}
}

// bounded cuts off answers that no provider gives.
type bounded struct{ next http.RoundTripper }

func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := b.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	resp.Body = struct {
		io.Reader
		io.Closer
	}{io.LimitReader(resp.Body, officeAnswer), resp.Body}
	return resp, nil
}

// setUp reports whether there is an office at all.
func (o *office) setUp() bool { return o != nil && o.cfg.Issuer != "" }

// host is what people know the office by.
func (o *office) host() string {
	u, err := url.Parse(o.cfg.Issuer)
	if err != nil || u.Host == "" {
		return o.cfg.Issuer
	}
	return u.Host
}

// reach finds the provider, and asks it at most every few seconds while it is
// away.
func (o *office) reach(ctx context.Context) (*oidc.Provider, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.provider != nil {
		return o.provider, nil
	}
	if o.problem != nil && !o.tries.Allow() {
		return nil, o.problem
	}
	ctx, cancel := context.WithTimeout(o.with(ctx), officePatience)
	defer cancel()
	provider, err := oidc.NewProvider(ctx, o.cfg.Issuer)
	if err != nil {
		o.problem = fault.From(fault.Unavailable, err, "the office's sign-in at %s does not answer", o.host()).
			WithNext("try again in a moment; those who are signed in can go on").Because("office_silent")
		return nil, o.problem
	}
	o.provider, o.problem = provider, nil
	return provider, nil
}

func (o *office) with(ctx context.Context) context.Context { return oidc.ClientContext(ctx, o.client) }

func (o *office) oauth(p *oidc.Provider) *oauth2.Config {
	return &oauth2.Config{ClientID: o.cfg.ClientID, ClientSecret: o.cfg.ClientSecret, RedirectURL: o.redirect,
		Endpoint: p.Endpoint(), Scopes: o.cfg.Scopes}
}

// A flow is one attempt to sign in, kept in the browser that began it: the
// answer is only taken from the same browser, and only for this attempt.
type flow struct {
	State    string `json:"s"`
	Nonce    string `json:"n"`
	Verifier string `json:"v"`
	Next     string `json:"p"`
}

func newFlow(next string) flow {
	return flow{State: newSecret(), Nonce: newSecret(), Verifier: oauth2.GenerateVerifier(), Next: next}
}

// address is where the office asks people who they are.
func (o *office) address(ctx context.Context, f flow) (string, error) {
	p, err := o.reach(ctx)
	if err != nil {
		return "", err
	}
	return o.oauth(p).AuthCodeURL(f.State, oidc.Nonce(f.Nonce), oauth2.S256ChallengeOption(f.Verifier)), nil
}

var officeWord = regexp.MustCompile(`^[a-z_]{1,60}$`)

// takeBack reads the office's answer and has it proved.
func (o *office) takeBack(ctx context.Context, f flow, answer url.Values) (proof, error) {
	again := "begin again; an answer of the office counts once, in the browser that asked for it"
	if f.State == "" || subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(f.State)) != 1 {
		return proof{}, fault.New(fault.Refused, "this answer belongs to another attempt to sign in").WithNext("%s", again).
			Because("sign_in_mixed")
	}
	if word := answer.Get("error"); word != "" {
		if !officeWord.MatchString(word) {
			word = "error"
		}
		return proof{}, fault.New(fault.Refused, "the office did not let you in: %s", word).WithNext("%s", again).
			Because("office_refused", "word", word)
	}
	code := answer.Get("code")
	if code == "" || len(code) > mostCode {
		return proof{}, fault.New(fault.Invalid, "the office's answer has no code").WithNext("%s", again).Because("office_answer_odd")
	}
	return o.prove(ctx, f, code)
}

// prove exchanges a code for an identity token, and checks that it was signed by
// the office, for us, for this attempt.
func (o *office) prove(ctx context.Context, f flow, code string) (proof, error) {
	p, err := o.reach(ctx)
	if err != nil {
		return proof{}, err
	}
	ctx, cancel := context.WithTimeout(o.with(ctx), officePatience)
	defer cancel()
	token, err := o.oauth(p).Exchange(ctx, code, oauth2.VerifierOption(f.Verifier))
	if err != nil {
		return proof{}, refusedBy(err)
	}
	raw, _ := token.Extra("id_token").(string)
	id, err := p.Verifier(&oidc.Config{ClientID: o.cfg.ClientID}).Verify(ctx, raw)
	if err != nil {
		return proof{}, fault.From(fault.Refused, err, "the office's answer does not hold").WithNext("begin again").
			Because("office_answer_odd")
	}
	if subtle.ConstantTimeCompare([]byte(id.Nonce), []byte(f.Nonce)) != 1 {
		return proof{}, fault.New(fault.Refused, "the office's answer was made for another attempt to sign in").WithNext("begin again").
			Because("sign_in_mixed")
	}
	return o.read(ctx, p, token, id)
}

// refusedBy tells an office that says no from one that says nothing.
func refusedBy(err error) error {
	if said, ok := errors.AsType[*oauth2.RetrieveError](err); ok && said.Response != nil && said.Response.StatusCode < 500 {
		return fault.From(fault.Refused, err, "the office did not take its own code").
			WithNext("begin again; a code counts once").Because("office_answer_odd")
	}
	return fault.From(fault.Unavailable, err, "the office's sign-in does not answer").Because("office_silent")
}

// read takes what we need from the identity token, and the groups from the
// office's user information where the token has none.
func (o *office) read(ctx context.Context, p *oidc.Provider, token *oauth2.Token, id *oidc.IDToken) (proof, error) {
	if id.Subject == "" || len(id.Subject) > mostSubject {
		return proof{}, fault.New(fault.Refused, "the office's answer does not say who you are").Because("office_answer_odd")
	}
	var c claims
	var all map[string]json.RawMessage
	if err := id.Claims(&c); err != nil {
		return proof{}, fault.From(fault.Unavailable, err, "the office's answer cannot be read").Because("office_answer_odd")
	}
	if err := id.Claims(&all); err != nil {
		return proof{}, fault.From(fault.Unavailable, err, "the office's answer cannot be read").Because("office_answer_odd")
	}
	raw, there := all[o.cfg.GroupsClaim]
	if !there && p.UserInfoEndpoint() != "" {
		info, err := p.UserInfo(ctx, oauth2.StaticTokenSource(token))
		if err != nil || info.Subject != id.Subject {
			return proof{}, fault.From(fault.Unavailable, err, "the office does not say which groups you are in").Because("office_groups")
		}
		if err := info.Claims(&all); err != nil {
			return proof{}, fault.From(fault.Unavailable, err, "the office's groups cannot be read").Because("office_groups")
		}
		raw = all[o.cfg.GroupsClaim]
	}
	groups, err := groupsIn(raw)
	if err != nil {
		return proof{}, err
	}
	found := proof{issuer: id.Issuer, subject: id.Subject, name: c.shown(), email: tidy(c.Email, mostEmail)}
	found.members, found.ignored = members(groups)
	return found, nil
}
