package mind

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/outside"
	"github.com/gavelhq/gavel/apps/gatepass/rule/admit"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/toolset"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/signin"
)

// PhotoPurpose is what photos are sealed as that somebody hands in.
const PhotoPurpose = "gatepass_talk_photo"

// Hands carry an agent's calls out: they hold a call against the conversation, and send what may be sent in the person's name.
type Hands struct {
	store  *store.Store
	vault  *seal.Vault // nil: no photo was ever handed in
	keys   durable.Keys
	client *outside.Client // nil where nobody has said where the API is
}

// A Call is one wish of an agent's.
type Call struct {
	Org  identity.Org
	Case string // of the conversation
	Run  string
	ID   string // of the call, for who waits
	Tool string
	Args map[string]any
	Key  string // what tells a repeat; empty for what only reads

	Leave   string // the proposal that the person confirmed; empty where they were not asked
	Version int    // that they were shown
}

// Do carries a call out as far as it may go. An error is that the conversation cannot be read; everything else is told.
func (h *Hands) Do(ctx context.Context, c Call) (Told, error) {
	t, r, photo, err := h.prepare(ctx, c)
	if err != nil {
		return Told{}, err
	}
	if r.Info != nil {
		return stopped(r, t.Lang), nil
	}
	who := actorOf(c.Org, t)
	q, err := outside.For(r.Tool, r.Tool.Filled(r.Args, pass.Actor{ID: who.ID, Name: who.Name}), c.Key, photo)
	if err != nil {
		return Told{}, err
	}
	if q.Version = c.Version; r.Tool.Several {
		q.Query.Set("limit", fmt.Sprint(mostLines))
	}
	res, err := h.send(ctx, c, t, q, who)
	if err != nil {
		return Told{}, err
	}
	told := answered(r.Tool, q, res, t.Lang)
	return told, h.remember(ctx, c, r, q, told)
}

// prepare reads the conversation and rules on a call, and keeps what is known of one that has to be asked about.
func (h *Hands) prepare(ctx context.Context, c Call) (t store.Talk, r admit.Ruling, photo *outside.Photo, err error) {
	var kept store.TalkPhoto
	err = h.store.In(ctx, c.Org, func(tx pgx.Tx) error {
		if t, err = store.TalkOfCase(ctx, tx, c.Case); err != nil {
			return err
		}
		switch {
		case !t.Ended.IsZero():
			return fault.New(fault.Conflict, "this conversation has ended")
		case c.Run != t.Run: // a program of somebody's own, which names a conversation
			return fault.New(fault.Refused, "this is no call of that conversation")
		}
		if r = ruled(t, c); len(r.Asks) > 0 {
			t.PendingTool, t.Memory.PendingParameters = c.Tool, r.Pending
			return store.SaveTalk(ctx, tx, t)
		}
		if t, r = counted(t, r, c); r.Info == nil && r.Tool.Name == makes {
			return store.SaveTalk(ctx, tx, t)
		}
		if id, ok := r.Args["photo"].(string); ok {
			if kept, err = store.TalkPhotoOf(ctx, tx, t.ID, id); fault.Is(err, fault.NotFound) {
				r.Args, r.Asks = nil, []string{"photo"}
				info := toolset.Explain(toolset.Failure{Status: 422, Code: toolset.Missing, Detail: "no such photo was handed in here",
					Fields: r.Asks})
				r.Info, r.Code = &info, toolset.Missing
				return nil
			}
		}
		return err
	})
	if err == nil && kept.ID != "" {
		photo, err = h.open(ctx, c.Org, kept)
	}
	return t, r, photo, err
}

// makes is the tool that makes passes.
const makes = "create_gate_pass"

// counted notes a pass that is made, and stops one that is one too many for a single message: a list is looked through before it is made.
func counted(t store.Talk, r admit.Ruling, c Call) (store.Talk, admit.Ruling) {
	if r.Info != nil || r.Tool.Name != makes || slices.Contains(t.Made, c.Key) {
		return t, r
	}
	if r.Tool.NeedsCard(len(t.Made) + 1) {
		r.Args, r.Code = nil, "too_many"
		r.Info = &toolset.ErrorInfo{ErrorType: r.Code, RelatedContext: map[string]any{},
			ErrorMessage: fmt.Sprintf("%d passes were made of this message, and more are not made without being looked through",
				toolset.MostAlone)}
		return t, r
	}
	t.Made = append(t.Made, c.Key)
	return t, r
}

// ruled is what becomes of a call. One that the person confirmed was held against the conversation when it was asked about.
func ruled(t store.Talk, c Call) admit.Ruling {
	if c.Leave == "" {
		return admit.Rule(admit.Talk{Role: t.Role, Said: t.Said, Scene: t.Scene(), PendingTool: t.PendingTool}, c.Tool, c.Args)
	}
	r := admit.Rule(admit.Talk{Role: t.Role}, c.Tool, map[string]any{}) // whose tool it is
	if r.Code == toolset.Missing {
		r.Info, r.Code, r.Asks, r.Args = nil, "", nil, c.Args
	}
	return r
}

// actorOf is the person of a conversation, in the roles of the institution that make its one role up.
func actorOf(org identity.Org, t store.Talk) identity.Actor {
	return identity.Actor{Kind: identity.Person, ID: t.Person, Name: t.Name, Org: org, Roles: t.Roles, Session: t.Session}
}

// open is a photo as it was handed in.
func (h *Hands) open(ctx context.Context, org identity.Org, p store.TalkPhoto) (*outside.Photo, error) {
	at, err := blob.Parse(p.Sealed)
	if err != nil {
		return nil, err
	}
	if h.vault == nil {
		return nil, fault.New(fault.Unavailable, "photos cannot be opened on this server")
	}
	file, err := h.vault.OpenBlob(ctx, org, PhotoPurpose, at)
	return &outside.Photo{Name: p.Name, Type: p.Format, Bytes: file}, err
}

// send sends a request on an errand for the person: the token is good for it and nothing else. Who waits is told of every new try.
func (h *Hands) send(ctx context.Context, c Call, t store.Talk, q outside.Request, who identity.Actor) (outside.APIResponse, error) {
	if h.client == nil {
		return outside.APIResponse{}, fault.New(fault.Unavailable, "nobody has said where the API is").
			WithNext("set GAVEL_GATEPASS_API to the address of this server")
	}
	token, err := signin.Errand{For: who, Method: q.Method, Path: q.Target(), Run: c.Run, Leave: c.Leave}.Mint(h.keys)
	if err != nil {
		return outside.APIResponse{}, err
	}
	return h.client.Do(ctx, q, token, func(again outside.Trying) {
		_ = h.store.NoteTry(ctx, c.Org, t.ID, t.Run, store.Try{Call: c.ID, Again: again.Again, Of: again.Of}) // a note, and no more
	}), nil
}

// remember keeps what a conversation is about after an answer.
func (h *Hands) remember(ctx context.Context, c Call, r admit.Ruling, q outside.Request, told Told) error {
	if !told.Success {
		return nil
	}
	return h.store.In(ctx, c.Org, func(tx pgx.Tx) error {
		t, err := store.TalkOfCase(ctx, tx, c.Case)
		if err != nil || !t.Ended.IsZero() {
			return err
		}
		t = t.Saw(r.Tool.Name, told.refs(q))
		if t.PendingTool == r.Tool.Name {
			t.PendingTool, t.Memory.PendingParameters = "", nil
		}
		return store.SaveTalk(ctx, tx, t)
	})
}
