// Package signin says who is asking, and keeps the people, sessions, tokens and
// devices that answer it.
//
// Read Door first: its Middleware puts an identity.Actor into each request's
// context, and handlers ask From or Require. There are four ways in. People come
// by their office's OpenID Connect sign-in (office.go), which vouches for who they
// are and, by groups, for which roles they have where. A terminal asks, and a
// person confirms it (terminal.go). A guard comes in on a paired device by the
// number of their shift (device.go, shift.go). A program has a token with scopes
// and no role (machine.go). Development tokens, for the demo and for tests, prove
// a role and nobody; production refuses them.
//
// Every credential names the organisation it is for, so that it is looked up
// behind that organisation's wall and nowhere else. docs/design/people.md has the
// reasons.
package signin

import (
	"context"
	"embed"
	"io/fs"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

//go:embed messages
var messages embed.FS

// Messages is the text of this package's pages, by language.
func Messages() fs.FS {
	sub, err := fs.Sub(messages, "messages")
	if err != nil {
		panic(err) // the folder is compiled in
	}
	return sub
}

// A visitor is what a request said about who sent it.
type visitor struct {
	actor   identity.Actor
	session Session // the actor's, where they have one
	device  Device  // the paired one it came from, if any
	problem error   // why a token that was sent does not count

	still func(context.Context) error // whether what let them in still does; nil: always
}

type visitorKey struct{}

func visitorOf(ctx context.Context) visitor {
	v, _ := ctx.Value(visitorKey{}).(visitor)
	return v
}

// From is who is asking, the zero Actor when nobody is signed in.
func From(ctx context.Context) identity.Actor { return visitorOf(ctx).actor }

// Require is who is asking, or the error that says to sign in.
func Require(ctx context.Context) (identity.Actor, error) {
	v := visitorOf(ctx)
	if v.actor.Known() {
		return v.actor, nil
	}
	return identity.Actor{}, Nobody(ctx)
}

// Still says whether who is asking would be let in now as they were: a stream that
// stays open asks again and again. Only SignIn means that they would not.
func Still(ctx context.Context) error {
	if v := visitorOf(ctx); v.still != nil {
		return v.still(ctx)
	}
	return nil
}

// Nobody says why nobody is asking: nothing was sent, what was sent does not
// count, or the database that knows does not answer.
func Nobody(ctx context.Context) error {
	if problem := visitorOf(ctx).problem; problem != nil {
		return problem
	}
	return fault.New(fault.SignIn, "nobody is signed in").Because("not_signed_in")
}

// requireSession is the session of who is asking. Development tokens have none.
func requireSession(ctx context.Context) (Session, error) {
	if _, err := Require(ctx); err != nil {
		return Session{}, err
	}
	v := visitorOf(ctx)
	if v.session.ID == "" {
		return Session{}, fault.New(fault.Refused, "this needs a sign-in of your own").
			WithNext("sign in with your office account").Because("own_sign_in")
	}
	return v.session, nil
}

// As puts an actor into a context, for tests and for work Gavel does by itself.
func As(ctx context.Context, a identity.Actor) context.Context {
	return context.WithValue(ctx, visitorKey{}, visitor{actor: a})
}
