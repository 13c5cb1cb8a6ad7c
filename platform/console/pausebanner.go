package console

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	effect "github.com/gavelhq/gavel/platform/act"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/web"
)

// bannersKept is how long what is paused is remembered if no notice comes and nobody
// says otherwise. Servers hear each other by notices; this is for when those are not
// heard.
const bannersKept = 10 * time.Second

// Banners knows what every page of an organisation must say about pauses. It
// remembers, since every page asks, until a notice makes that old.
type Banners struct {
	Pauses *effect.Pauses
	Name   func(ctx context.Context, org identity.Org, id string) string // of a person; nil shows ids
	Kept   time.Duration                                                 // how long it remembers without a notice; zero is ten seconds

	mu   sync.Mutex
	turn int // counts what was forgotten: what was read before that is not kept
	seen map[identity.Org]keptBanners
}

type keptBanners struct {
	lines []web.Banner
	until time.Time
}

// Of are the lines for somebody: web.Config.Banners. A page is never lost over
// them: where they cannot be read, the last ones known are shown.
func (b *Banners) Of(ctx context.Context, actor identity.Actor) []web.Banner {
	b.mu.Lock()
	known, ok := b.seen[actor.Org]
	turn := b.turn
	b.mu.Unlock()
	if ok && time.Now().Before(known.until) {
		return known.lines
	}
	on, err := b.Pauses.On(ctx, actor.Org)
	if err != nil {
		return known.lines
	}
	lines := b.lines(ctx, actor.Org, on)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.seen == nil {
		b.seen = map[identity.Org]keptBanners{}
	}
	if b.turn == turn {
		b.seen[actor.Org] = keptBanners{lines, time.Now().Add(cmp.Or(b.Kept, bannersKept))}
	}
	return lines
}

// lines is one line for all pauses, the widest by name: there is no room above a
// page for a list.
func (b *Banners) lines(ctx context.Context, org identity.Org, on []effect.Pause) []web.Banner {
	if len(on) == 0 {
		return nil
	}
	first := slices.MinFunc(on, func(a, b effect.Pause) int { return cmp.Compare(width(a.Scope), width(b.Scope)) })
	by := first.ByID
	if b.Name != nil {
		by = b.Name(ctx, org, by)
	}
	return []web.Banner{{Kind: web.SendsPaused, About: part(first.Scope), By: by, Since: first.At, Why: first.Reason, Href: pausesPath,
		More: len(on) - 1}}
}

// width orders scopes, the widest first.
func width(s effect.Scope) int {
	switch {
	case s == effect.Everything:
		return 0
	case s == effect.EveryOutside || s == effect.Recovering:
		return 1
	case s.App() != "":
		return 2
	}
	return 3
}

// part is what a banner calls the part that is paused; empty where it is all.
func part(s effect.Scope) string {
	switch {
	case width(s) < 2:
		return ""
	case s.App() != "":
		return s.App()
	}
	return strings.TrimPrefix(string(s), "agent:")
}

// Heard forgets what a notice makes old: web.Hub.Heard.
func (b *Banners) Heard(n web.Notice) {
	if n.Object == effect.PauseObject {
		b.forget(n.Org)
	}
}

func (b *Banners) forget(org identity.Org) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.turn++
	delete(b.seen, org)
}
