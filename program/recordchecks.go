package program

import (
	"time"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/notify"
	"github.com/gavelhq/gavel/platform/notify/hook"
	"github.com/gavelhq/gavel/platform/recovery"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/program/config"
)

// listingEvery is how often the doctor looks again at a checkpoint that a server
// may be publishing this moment; audit looks twenty times at most.
const listingEvery = 50 * time.Millisecond

// recordChecks look at what is on record: the log, what goes out, where data comes
// from and the keys of what is sealed. The packages that keep it say what is well.
func (c *cli) recordChecks(cfg *config.Config) []doctor.Check {
	// A clock that is refused is a line of its own; until it is corrected the wall
	// clock will do.
	clock, _ := durable.NewClock(cfg.ClockEpoch, cfg.ClockSpeed, cfg.Mode != config.Production)
	ago := func(real time.Duration) time.Time { return clock.At(time.Now().Add(-real)) }
	system := cfg.DatabaseSystem.Reveal()
	return append(logChecks(cfg, ago),
		notify.Check(system, ago),
		recovery.Check(system),
		hook.Check(system, ago),
		evidence.Check(system, c.apps.sources(), clock.Now),
		seal.Check(system, cfg.SealKeys),
	)
}

// logChecks look at the log with the key and the store of the settings. One that is
// not set, or refused, leaves out what needs it.
func logChecks(cfg *config.Config, ago func(time.Duration) time.Time) []doctor.Check {
	look := audit.CheckConfig{SystemURL: cfg.DatabaseSystem.Reveal(), Ago: ago, Again: time.Tick(listingEvery)}
	if cfg.LogKey != "" {
		look.Key, _ = audit.PublicOf(cfg.LogKey.Reveal())
	}
	if cfg.BlobURL != "" {
		if store, err := openBlob(cfg); err == nil {
			look.Shelf = store
		}
	}
	return audit.Checks(look)
}
