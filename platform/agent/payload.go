package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model"
)

// A Payload is what was said in one step: its piece of the transcript.
type Payload struct {
	Seq     int      `json:"seq"`
	Head    string   `json:"head"` // its digest, in hex
	Late    []Told   `json:"late"` // results of earlier calls that came since
	Before  []Spoken `json:"before"`
	Answer  string   `json:"answer"`
	Stopped bool     `json:"stopped,omitempty"` // a person stopped the answer where it ends
	Wanted  []Wanted `json:"wanted"`
	Results []Told   `json:"results"` // of calls that only look
}

// Spoken is something said to the model.
type Spoken struct {
	Role model.Role `json:"role"`
	Text string     `json:"text"`
}

// Wanted is a call as the model wrote it, unchecked.
type Wanted struct {
	Call string `json:"call"`
	Tool string `json:"tool"`
	Args string `json:"args"`
}

// Told is what the model was told about a call.
type Told struct {
	Call   string `json:"call"`
	Failed bool   `json:"failed"`
	Text   string `json:"text"`
}

// Payload opens what was said in one step, for somebody who may read it: not what
// somebody else said to an agent (Disclose). Words about somebody who was erased
// cannot be opened any more, by anybody.
func (s *Store) Payload(ctx context.Context, actor identity.Actor, run string, seq int) (p Payload, err error) {
	if err := s.rules.May(actor, "run.words"); err != nil {
		return p, err
	}
	if err := CheckRunID(run); err != nil {
		return p, err
	}
	if err := s.books.own(ctx, actor, run); err != nil {
		return p, err
	}
	return s.payload(ctx, actor.Org, run, seq)
}

func (s *Store) payload(ctx context.Context, org identity.Org, run string, seq int) (p Payload, err error) {
	n, head, err := s.books.nodeOf(ctx, org, run, seq)
	if err != nil {
		return p, err
	}
	p = Payload{Seq: seq, Head: fmt.Sprintf("%x", head), Answer: n.Answer.Text(), Stopped: n.Stopped, Late: told(n.Late),
		Results: told(n.Results), Before: []Spoken{}, Wanted: []Wanted{}}
	for _, m := range n.Before {
		p.Before = append(p.Before, Spoken{m.Role, m.Text()})
	}
	for i, c := range n.Answer.Calls {
		p.Wanted = append(p.Wanted, Wanted{callID(seq, i), c.Name, c.Args})
	}
	return p, nil
}

func told(results []result) []Told {
	all := make([]Told, len(results))
	for i, r := range results {
		all[i] = Told{r.Call, r.Message.Failed, r.Message.Text()}
	}
	return all
}

// nodeOf opens the node of one step alone, and checks its digest.
func (b *books) nodeOf(ctx context.Context, org identity.Org, run string, seq int) (n node, head []byte, err error) {
	const one = `select n.sha256, n.parent, n.sealed, n.body from gavel.step s join gavel.node n on n.sha256 = s.head
		where s.run_id = $1 and s.seq = $2`
	err = b.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, one, run, seq)
		k, err := pgx.CollectOneRow(rows, pgx.RowToStructByPos[keptNode])
		if errors.Is(err, pgx.ErrNoRows) {
			return fault.New(fault.NotFound, "run %s has no step %d", run, seq)
		}
		if err != nil {
			return fmt.Errorf("read step %d of %s: %w", seq, run, err)
		}
		if sum := sha256.Sum256(k.Body); !bytes.Equal(sum[:], k.SHA256) {
			return fault.New(fault.Internal, "node %x is not what it was", k.SHA256[:6])
		}
		c, err := b.open(ctx, tx, org, []keptNode{k})
		if err != nil {
			return err
		}
		n, head = c[0], k.SHA256
		return nil
	})
	return n, head, err
}
