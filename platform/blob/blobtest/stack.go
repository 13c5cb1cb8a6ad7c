package blobtest

import (
	"context"
	"testing"
	"time"

	"github.com/gavelhq/gavel/devstack"
)

// An Account is how a test reaches the S3 server of the development stack.
type Account struct {
	URL, AccessKey, SecretKey string
}

// S3 brings up the S3 server of the development stack, unless it is up, and
// returns the account tests may use. The stack itself must be there: it outlives
// the tests, so they do not make one.
func S3(t testing.TB) Account {
	t.Helper()
	// The first time, the server may have to be built.
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	found, err := devstack.Find()
	if err != nil {
		t.Fatal(err)
	}
	stack, err := devstack.Up(ctx, devstack.Options{Dir: found.Dir(), Parts: []devstack.Part{devstack.S3}})
	if err != nil {
		t.Fatal(err)
	}
	settings := stack.Settings()
	return Account{
		URL:       settings["GAVEL_BLOB_URL"],
		AccessKey: settings["GAVEL_BLOB_ACCESS_KEY"],
		SecretKey: settings["GAVEL_BLOB_SECRET_KEY"],
	}
}
