package platform

import (
	"context"
	"io/fs"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
)

// A Demo is an application's part of a demonstration: an institution that is made up,
// with things that wait for people. What it names exists nowhere.
type Demo struct {
	// Files has script.yaml, from which the scripted model answers this application's
	// agents, where it has any.
	Files fs.FS
	// Parts are what it needs of the dev stack besides what Gavel stands on: a simulator of
	// somebody outside.
	Parts []string
	// Load makes up the institution, once, as its own people would: over the API; nil where
	// people begin it.
	Load func(ctx context.Context, s Stage) error
	// Play goes on being the institution's other systems until the context ends; nil
	// where they have nothing to do.
	Play func(ctx context.Context, s Stage) error
	Try  []Trial // what to try first
}

// A Trial is something to do in a demonstration, and in which role.
type Trial struct {
	As   identity.Role
	Key  string // of what to do, in the application's messages; with _why behind it, of what it shows
	Path string // where it is done
}

// A Stage is where a demonstration plays.
type Stage struct {
	// Call speaks to the API as somebody of the organisation that has a role; body and
	// out may be nil.
	Call func(ctx context.Context, as identity.Role, method, path string, body, out any) error
	// Send is Call for what is no JSON, such as a form with a file: media says what body is.
	Send func(ctx context.Context, as identity.Role, path, media string, body []byte, out any) error
	// Wait waits for a time of the demonstration's clock, which is fast.
	Wait func(ctx context.Context, d time.Duration) error
}
