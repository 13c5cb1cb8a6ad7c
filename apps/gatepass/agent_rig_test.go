package gatepass_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"image"
	"image/png"
	"io"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/gatepass/casework/mind"
	"github.com/gavelhq/gavel/apps/gatepass/casework/talk"
	"github.com/gavelhq/gavel/apps/gatepass/outside"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// A sent is a request that went out to the API.
type sent struct {
	Method, Path, Query string
	Header              http.Header
	Body                []byte
	Status              int
}

// A counter counts what goes out, and lets it through to the real server.
type counter struct {
	mu  sync.Mutex
	all []sent
}

func (c *counter) RoundTrip(r *http.Request) (*http.Response, error) {
	s := sent{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery, Header: r.Header.Clone()}
	if r.Body != nil {
		s.Body, _ = io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(s.Body))
	}
	res, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		s.Status = res.StatusCode
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all = append(c.all, s)
	return res, err
}

// take is what went out since it was last asked.
func (c *counter) take() []sent {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := c.all
	c.all = nil
	return all
}

// A talker is the application with what its agents do, on a real server, and a count of what reaches it.
type talker struct {
	*rig
	out   *counter
	mind  *mind.Mind
	store *store.Store
	desk  *talk.Desk
}

func newTalker(t *testing.T) *talker {
	t.Helper()
	r := &talker{rig: newRig(t, durable.Clock{}), out: &counter{}, mind: &mind.Mind{}, store: &store.Store{}, desk: &talk.Desk{}}
	d := r.Deps
	r.store.Open(store.Config{DB: d.DB, Clock: d.Clock, Rules: d.Rules, Keys: d.Keys})
	client, err := outside.New(outside.Config{Address: r.URL, Transport: r.out,
		Sleep: func(context.Context, time.Duration) error { return nil }})
	if err != nil {
		t.Fatal(err)
	}
	r.mind.Open(mind.Config{Store: r.store, Vault: d.Vault, Keys: d.Keys, Client: client})
	r.desk.Open(talk.Config{Store: r.store, Cases: d.Cases, Reviews: d.Reviews, Vault: d.Vault, Clock: d.Clock,
		Runs: agent.NewStore(d.DB, d.Vault, d.Rules, d.Clock),
		Orders: agent.NewOrders(agent.OrdersConfig{DB: d.DB, Clock: d.Clock, Cases: d.Cases,
			Reviews: d.Reviews, Rules: d.Rules})})
	return r
}

// roleOf is who acts in each role in these tests.
var roleOf = map[pass.Role]string{pass.HR: "hr", pass.Admin: "admin", pass.Gate: "gate"}

// begins has somebody begin a conversation in a role.
func (r *talker) begins(t *testing.T, role pass.Role, words string) (identity.Actor, store.Talk) {
	t.Helper()
	who := people()[roleOf[role]]
	one, err := r.desk.Say(t.Context(), who, talk.Message{Role: role, Words: words})
	if err != nil {
		t.Fatal(err)
	}
	return who, one
}

// says is what the person has written by now, as if the agent had read it.
func (r *talker) says(t testing.TB, one store.Talk, words ...string) {
	t.Helper()
	r.In(t, func(tx pgx.Tx) error {
		now, err := store.TalkOfCase(t.Context(), tx, one.Case)
		if err != nil {
			return err
		}
		now.Said, now.Made, now.PendingTool, now.Memory.PendingParameters = words, nil, "", nil
		now.Shown, now.Seen, now.Memory.CurrentPassNumber, now.Memory.CurrentPassID = nil, nil, "", ""
		return store.SaveTalk(t.Context(), tx, now)
	})
}

// talkNow is a conversation as it is kept.
func (r *talker) talkNow(t testing.TB, one store.Talk) (now store.Talk) {
	t.Helper()
	r.In(t, func(tx pgx.Tx) (err error) {
		now, err = store.TalkOfCase(t.Context(), tx, one.Case)
		return err
	})
	return now
}

// call is a wish of a model's in a conversation.
func (r *talker) call(t testing.TB, one store.Talk, tool string, args map[string]any, change ...func(*mind.Call)) mind.Told {
	t.Helper()
	c := mind.Call{Org: postgrestest.North, Case: one.Case, Run: one.Run, ID: "0.1", Tool: tool, Args: args}
	for _, f := range change {
		f(&c)
	}
	told, err := r.mind.Hands().Do(t.Context(), c)
	if err != nil {
		t.Fatalf("%s: %v", tool, err)
	}
	return told
}

// aPNG is a small picture.
func aPNG(t testing.TB) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 9, 7))); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// aHEIC is the boxes of a HEIC, with nothing to decode in it.
func aHEIC() []byte {
	box := func(kind string, body ...[]byte) []byte {
		all := bytes.Join(body, nil)
		return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(all)+8)), kind...), all...)
	}
	size := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32([]byte{0, 0, 0, 0}, 640), 480)
	meta := box("meta", make([]byte, 4), box("hdlr", make([]byte, 20)), box("iprp", box("ipco", box("ispe", size))))
	return bytes.Join([][]byte{box("ftyp", []byte("heic\x00\x00\x00\x00mif1heic")), meta, box("mdat", []byte("pixels"))}, nil)
}
