// Package mind is Gate Pass's agents: one for each role, with the tools of the first design for that role and no other. They read, and
// word, and choose a tool; what becomes of a call is rule/admit's to say, and what is done is the API's, in the person's name.
//
// Read Hands.Do, which carries a call out, then tools.go and agents.go. What decides or destroys is a card (cards.go) that the person
// confirms, on what the database says then. A conversation is begun, gone on with and ended by package casework/talk.
package mind

import (
	"sync"

	"github.com/gavelhq/gavel/apps/gatepass/outside"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/seal"
)

// A Config is what a Mind stands on.
type Config struct {
	Store  *store.Store
	Vault  *seal.Vault
	Keys   durable.Keys
	Client *outside.Client // nil: no call goes out
}

// A Mind is what agents are made of. It is declared before what it stands on is there, and opened once.
type Mind struct {
	hands Hands

	once  sync.Once
	specs []model.ToolSpec // of all its tools, as models see them
}

// Open tells a mind what it stands on.
func (m *Mind) Open(c Config) {
	m.hands = Hands{store: c.Store, vault: c.Vault, keys: c.Keys, client: c.Client}
}

// Hands carry its calls out.
func (m *Mind) Hands() *Hands { return &m.hands }
