package agent

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/telemetry"
)

// purpose is what transcripts are sealed as.
const purpose = "transcript"

// A facts is what never changes about a run, and so may be remembered. Whom a run
// is about is not one of them: another worker can add to it at any turn.
type facts struct {
	Org        identity.Org
	ID         string
	Case       string
	App, Agent string
	Name       string
	Spec       Digest
	Root       string
	Parent     string
	Call       string
	For        identity.Actor
	By         identity.Actor // of a call from outside any run: who asked; zero for a run
}

// actor is who the run is, to policy and to the log.
func (f facts) actor() identity.Actor {
	if f.By.Known() {
		return f.By
	}
	return identity.Actor{Kind: identity.Agent, ID: "agent:" + f.App + "/" + f.Agent, Name: f.Agent, Org: f.Org}
}

// span is the run to traces.
func (f facts) span() telemetry.Agent { return telemetry.Agent{Name: f.Agent, Conversation: f.ID} }

// matter is whose transcript it is: one key for the whole tree of runs, because
// what one agent reads it tells the others.
func (f facts) matter(about []seal.Subject) seal.Matter {
	return seal.Matter{Subjects: about, Conversation: f.Root, Case: f.Case, Purpose: purpose}
}

// books are where runs and transcripts are kept. The caches hold what never
// changes.
type books struct {
	db     *postgres.DB
	vault  *seal.Vault
	chains *shelf[chain]
	runs   *shelf[facts]
	specs  *shelf[Spec]
	kept   *shelf[bool] // job descriptions and policy sets whose text is known to be kept, by digest
}

// cachedBytes bounds the text of transcripts that a process remembers.
const cachedBytes = 64 << 20

// keepChain remembers a transcript, unless it is sealed: whoever may be erased
// at any moment is read from the record each time.
func (b *books) keepChain(key string, c chain, sealed bool) {
	if !sealed {
		b.chains.put(key, c, c.weight())
	}
}

func newBooks(db *postgres.DB, vault *seal.Vault) *books {
	return &books{db: db, vault: vault, chains: newShelf[chain](cachedBytes), runs: newShelf[facts](5000), specs: newShelf[Spec](500),
		kept: newShelf[bool](1000)}
}

// facts reads what never changes about a run.
func (b *books) facts(ctx context.Context, org identity.Org, id string) (f facts, err error) {
	if f, ok := b.runs.get(string(org) + "/" + id); ok {
		return f, nil
	}
	if callForm.MatchString(id) {
		return b.callFacts(ctx, org, id)
	}
	const one = `select case_id, app, agent, name, spec, root, coalesce(parent, ''), coalesce(parent_call, ''), for_kind, for_id, roles
		from gavel.run where id = $1`
	f = facts{Org: org, ID: id}
	var spec []byte
	err = b.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, one, id).Scan(&f.Case, &f.App, &f.Agent, &f.Name, &spec, &f.Root, &f.Parent, &f.Call,
			&f.For.Kind, &f.For.ID, &f.For.Roles)
	})
	if errors.Is(err, pgx.ErrNoRows) {
		return f, fault.New(fault.NotFound, "there is no run %s", id)
	}
	if err != nil {
		return f, fmt.Errorf("read run %s: %w", id, err)
	}
	f.Spec = Digest(spec)
	f.For.Org = org
	b.runs.put(string(org)+"/"+id, f, 1)
	return f, nil
}

// subjects reads whom a run is about by now.
func (b *books) subjects(ctx context.Context, org identity.Org, run string) ([]seal.Subject, error) {
	var written []string
	var look pgx.Batch
	look.Queue(`select subjects from gavel.run where id = $1`, run).QueryRow(func(row pgx.Row) error { return row.Scan(&written) })
	if err := b.db.Look(ctx, org, &look); err != nil {
		return nil, fmt.Errorf("read whom run %s is about: %w", run, err)
	}
	return parseSubjects(written)
}

func parseSubjects(written []string) ([]seal.Subject, error) {
	var all []seal.Subject
	for _, w := range written {
		s, err := seal.ParseSubject(w)
		if err != nil {
			return nil, err
		}
		all = append(all, s)
	}
	return all, nil
}

func writeSubjects(subjects []seal.Subject) []string {
	all := make([]string, len(subjects))
	for i, s := range subjects {
		all[i] = s.String()
	}
	return all
}

// spec reads a job description by its digest.
func (b *books) spec(ctx context.Context, org identity.Org, d Digest) (s Spec, err error) {
	if s, ok := b.specs.get(string(d[:])); ok {
		return s, nil
	}
	var body []byte
	err = b.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		return tx.QueryRow(ctx, `select body from gavel_sys.agent_spec where sha256 = $1`, d[:]).Scan(&body)
	})
	if err != nil {
		return s, fmt.Errorf("read agent spec %x: %w", d[:6], err)
	}
	if sha256.Sum256(body) != d {
		return s, fault.New(fault.Internal, "the agent spec %x is not what it was", d[:6])
	}
	if err := json.Unmarshal(body, &s); err != nil {
		return s, fmt.Errorf("agent spec %x: %w", d[:6], err)
	}
	b.specs.put(string(d[:]), s, 1)
	return s, nil
}

// A kept node is one row of a transcript.
type keptNode struct {
	SHA256 []byte
	Parent []byte
	Sealed bool
	Body   []byte
}

// chain reads a transcript from its head back to its beginning, and checks every
// digest on the way.
func (b *books) chain(ctx context.Context, org identity.Org, head string) (c chain, err error) {
	if head == "" {
		return nil, nil
	}
	if c, ok := b.chains.get(string(org) + "/" + head); ok {
		return c, nil
	}
	d, err := long(head)
	if err != nil {
		return nil, err
	}
	sealed := false
	err = b.db.InOrg(ctx, org, func(tx pgx.Tx) error {
		rows, err := readNodes(ctx, tx, d)
		if err != nil {
			return err
		}
		sealed = slices.ContainsFunc(rows, func(k keptNode) bool { return k.Sealed })
		c, err = b.open(ctx, tx, org, rows)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("transcript %s: %w", head, err)
	}
	b.keepChain(string(org)+"/"+head, c, sealed)
	return c, nil
}

// maxTurns bounds a transcript, and what a damaged chain could make us read.
const maxTurns = 20_000

// readNodes is a transcript's rows, newest first, checked against their digests.
func readNodes(ctx context.Context, tx pgx.Tx, head Digest) ([]keptNode, error) {
	const back = `
		with recursive back as (
			select sha256, parent, sealed, body, 1 as n from gavel.node where sha256 = $1
			union all
			select p.sha256, p.parent, p.sealed, p.body, n + 1 from back join gavel.node p on p.sha256 = back.parent where n < $2
		) select sha256, parent, sealed, body from back order by n`
	rows, _ := tx.Query(ctx, back, head[:], maxTurns)
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[keptNode])
	if err != nil {
		return nil, err
	}
	want := head[:]
	for _, k := range all {
		if sum := sha256.Sum256(k.Body); !bytes.Equal(k.SHA256, want) || !bytes.Equal(sum[:], k.SHA256) {
			return nil, fault.New(fault.Internal, "node %x is not what it was", k.SHA256[:6])
		}
		want = k.Parent
	}
	if len(all) == 0 || want != nil {
		return nil, fault.New(fault.Internal, "a part of the transcript is missing")
	}
	return all, nil
}

// open decodes a transcript's rows, newest first, into a chain, oldest first.
func (b *books) open(ctx context.Context, tx pgx.Tx, org identity.Org, rows []keptNode) (chain, error) {
	var envelopes []seal.Envelope
	for _, k := range rows {
		if !k.Sealed {
			continue
		}
		e, err := seal.ParseEnvelope(k.Body)
		if err != nil {
			return nil, err
		}
		envelopes = append(envelopes, e)
	}
	var opened []seal.Opening
	if len(envelopes) > 0 {
		var err error
		if opened, err = b.vault.OpenAll(ctx, tx, org, purpose, envelopes); err != nil {
			return nil, err
		}
	}
	c := make(chain, 0, len(rows))
	for _, k := range rows {
		plain := k.Body
		if k.Sealed {
			if opened[0].Err != nil {
				return nil, opened[0].Err
			}
			plain, opened = opened[0].Plain, opened[1:]
		}
		var n node
		if err := json.Unmarshal(plain, &n); err != nil {
			return nil, fmt.Errorf("node %x: %w", k.SHA256[:6], err)
		}
		c = append(c, n)
	}
	slices.Reverse(c)
	return c, nil
}

// write makes a node's row, sealed for those whom the run is about, and queues
// it. It returns the new head.
func (b *books) write(ctx context.Context, tx pgx.Tx, batch *pgx.Batch, f facts, about []seal.Subject, n node) (string, error) {
	body, err := n.encode()
	if err != nil {
		return "", err
	}
	sealed := len(about) > 0
	if sealed {
		e, err := b.vault.Seal(ctx, tx, f.Org, f.matter(about), body)
		if err != nil {
			return "", err
		}
		body = e.Bytes()
	}
	var before []byte
	if n.Parent != "" {
		d, err := long(n.Parent)
		if err != nil {
			return "", err
		}
		before = d[:]
	}
	sum := sha256.Sum256(body)
	const insert = `insert into gavel.node (org, sha256, parent, sealed, body) values ($1, $2, $3, $4, $5) on conflict do nothing`
	batch.Queue(insert, f.Org, sum[:], before, sealed, body)
	return short(sum), nil
}
