package outside

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform"
)

// NameAPI is the setting that says where the API is.
const NameAPI = "GAVEL_GATEPASS_API"

// Settings are what an installation says about it.
func Settings() []platform.Setting {
	return []platform.Setting{{Name: NameAPI, Help: "the server whose API agents of Gate Pass use; this one's own address where it is not set",
		Expect: "an address as https://gavel.example", Fits: func(v string) bool { _, err := New(Config{Address: v}); return err == nil },
		Address: func(v string) string { return v }, Carries: "what agents ask, in people's names"}}
}

// Open is the client that the settings ask for, of the server here where they say nothing; nil where that is not known either. Its waits
// are real ones of a clock that may run faster.
func Open(settings map[string]string, here string, real func(time.Duration) time.Duration) (*Client, error) {
	address := settings[NameAPI]
	if address == "" {
		address = here
	}
	if address == "" {
		return nil, nil
	}
	return New(Config{Address: address, Transport: http.DefaultTransport, Sleep: func(ctx context.Context, d time.Duration) error {
		wait, stop := context.WithTimeout(ctx, real(d))
		defer stop()
		<-wait.Done()
		return ctx.Err()
	}})
}
