// Package signin says who is asking. So far it knows one way: development
// tokens, for the demo and for tests, refused in production.
//
// Read Door: its Middleware puts an identity.Actor into each request's context;
// handlers ask From or Require. A token proves an organisation and a role and
// nothing about a person; signing in with an office account is another door.
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
	problem error // why a token that was sent does not count
}

type visitorKey struct{}

// From is who is asking, the zero Actor when nobody is signed in.
func From(ctx context.Context) identity.Actor {
	v, _ := ctx.Value(visitorKey{}).(visitor)
	return v.actor
}

// Require is who is asking, or the error that says to sign in.
func Require(ctx context.Context) (identity.Actor, error) {
	v, _ := ctx.Value(visitorKey{}).(visitor)
	if v.actor.Known() {
		return v.actor, nil
	}
	if v.problem != nil {
		return identity.Actor{}, v.problem
	}
	return identity.Actor{}, fault.New(fault.SignIn, "nobody is signed in")
}

// As puts an actor into a context, for tests and for work Gavel does by itself.
func As(ctx context.Context, a identity.Actor) context.Context {
	return context.WithValue(ctx, visitorKey{}, visitor{actor: a})
}
