package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"time"

	"github.com/gavelhq/gavel/devstack"
)

// call asks an API and reads its answer into v, where that is not nil.
func call(ctx context.Context, method, address string, body, v any) error {
	ctx, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	req, err := http.NewRequestWithContext(ctx, method, address, bytes.NewReader(text))
	if err != nil {
		return err
	}
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, 64<<20))
	if err != nil {
		return err
	}
	if res.StatusCode >= 300 {
		return fmt.Errorf("%s %s answers %s: %.200s", method, address, res.Status, answer)
	}
	if v == nil {
		return nil
	}
	return json.Unmarshal(answer, v)
}

// mailpit is the server as its API shows it.
type mailpit struct{ base string }

// Has reports whether the server has a mail.
func (m *mailpit) Has(ctx context.Context, messageID string) (bool, error) {
	var found struct {
		Total int `json:"messages_count"`
	}
	query := url.Values{"query": {`message-id:"` + messageID + `"`}, "limit": {"1"}}
	err := call(ctx, http.MethodGet, m.base+"/api/v1/search?"+query.Encode(), nil, &found)
	return found.Total > 0, err
}

// arrived counts what the server has, by Message-ID.
func (m *mailpit) arrived(ctx context.Context) (map[string]int, error) {
	all := map[string]int{}
	const page = 500
	for start := 0; ; start += page {
		var list struct {
			Messages []struct{ MessageID string }
		}
		if err := call(ctx, http.MethodGet, fmt.Sprintf("%s/api/v1/messages?start=%d&limit=%d", m.base, start, page), nil,
			&list); err != nil {
			return nil, err
		}
		for _, one := range list.Messages {
			all[one.MessageID]++
		}
		if len(list.Messages) < page {
			return all, nil
		}
	}
}

// refuse has the server answer some recipients with 451, and some with 550.
func (m *mailpit) refuse(ctx context.Context, code, percent int) error {
	type trigger struct {
		ErrorCode, Probability int
	}
	return call(ctx, http.MethodPut, m.base+"/api/v1/chaos", map[string]trigger{"Recipient": {code, percent}, "Sender": {451, 0},
		"Authentication": {535, 0}}, nil)
}

// toxic is the way to the server.
type toxic struct{ base, listen, upstream string }

const proxyName = "mail"

func (t *toxic) create(ctx context.Context) error {
	return call(ctx, http.MethodPost, t.base+"/proxies", map[string]any{"name": proxyName, "listen": t.listen, "upstream": t.upstream,
		"enabled": true}, nil)
}

// open or shut lets connections through, or none.
func (t *toxic) enabled(ctx context.Context, on bool) error {
	return call(ctx, http.MethodPost, t.base+"/proxies/"+proxyName, map[string]any{"enabled": on}, nil)
}

// heal takes every fault away.
func (t *toxic) heal(ctx context.Context) error {
	return call(ctx, http.MethodPost, t.base+"/reset", nil, nil)
}

// A fault is one thing that can be wrong with the way.
type fault struct {
	Type       string         `json:"type"`
	Stream     string         `json:"stream"`
	Toxicity   float64        `json:"toxicity"`
	Attributes map[string]int `json:"attributes"`
}

// kinds are what can go wrong, the likelier the more often it stands here. They
// are gone through in a shuffled order, again and again, so that none is missed.
func kinds() []string {
	return []string{serverKilled, serverKilled, senderKilled, senderKilled, nobodyListens, some451, some550, nothingWrong,
		"far away", "a thin line", "answers cut", "answers cut", "answers cut", "answers cut", "letters cut", "letters cut", "reset",
		"silent"}
}

const (
	serverKilled  = "server killed"
	senderKilled  = "sender killed"
	nobodyListens = "nobody listens"
	some451       = "451 for some"
	some550       = "550 for some"
	nothingWrong  = "nothing wrong"
)

// draw chooses a fault of the way. The bytes after which a line is cut reach over
// the whole conversation, so that some cuts come between the end of the data and
// the answer.
func draw(rng *rand.Rand, kind string) fault {
	switch kind {
	case "far away":
		return fault{"latency", "downstream", 1, map[string]int{"latency": 50 + rng.IntN(400), "jitter": 100}}
	case "a thin line":
		return fault{"bandwidth", "upstream", 1, map[string]int{"rate": 1 + rng.IntN(3)}} // KB a second
	case "answers cut":
		return fault{"limit_data", "downstream", 0.8, map[string]int{"bytes": rng.IntN(420)}}
	case "letters cut":
		return fault{"limit_data", "upstream", 0.8, map[string]int{"bytes": rng.IntN(2600)}}
	case "reset":
		return fault{"reset_peer", "downstream", 0.8, map[string]int{"timeout": rng.IntN(300)}}
	default:
		return fault{"timeout", "downstream", 0.6, map[string]int{"timeout": rng.IntN(2500)}}
	}
}

// disturb lets something else go wrong every moment, until the context ends.
func (g *ground) disturb(ctx context.Context, rng *rand.Rand, senders []*keeper) error {
	var deck []string
	for ctx.Err() == nil {
		if len(deck) == 0 {
			deck = kinds()
			rng.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		}
		what := deck[0]
		deck = deck[1:]
		err := g.trouble(ctx, rng, what, senders)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		g.hits[what]++
		select {
		case <-ctx.Done():
		case <-time.After(time.Duration(150+rng.IntN(500)) * time.Millisecond):
		}
	}
	return nil
}

// trouble lets one thing go wrong, and ends what was wrong with the way before.
func (g *ground) trouble(ctx context.Context, rng *rand.Rand, what string, senders []*keeper) error {
	if err := g.toxic.heal(ctx); err != nil {
		return err
	}
	switch what {
	case serverKilled:
		return g.killServer(ctx, time.Duration(rng.IntN(1000))*time.Millisecond)
	case senderKilled:
		senders[rng.IntN(len(senders))].kill()
		return nil
	case nobodyListens:
		return g.toxic.enabled(ctx, false)
	case some451:
		return g.inbox.refuse(ctx, 451, 10+rng.IntN(40))
	case some550:
		return g.inbox.refuse(ctx, 550, 2+rng.IntN(8))
	case nothingWrong:
		return g.inbox.refuse(ctx, 451, 0)
	}
	return call(ctx, http.MethodPost, g.toxic.base+"/proxies/"+proxyName+"/toxics", draw(rng, what), nil)
}

func (g *ground) killServer(ctx context.Context, away time.Duration) error {
	if err := g.stack.Kill(devstack.Mail); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
	case <-time.After(away):
	}
	return g.stack.Start(context.WithoutCancel(ctx), devstack.Mail)
}
