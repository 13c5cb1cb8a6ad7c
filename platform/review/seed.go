package review

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/outbox"
)

// A Seed says that a proposal was known to be wrong and was there to test that
// oversight is real. It is told after the end and never before: nothing in the
// log names a test before the record of its end does.
type Seed struct {
	Truth string // what was wrong with it; empty once erased
	Nonce string // so that nobody guesses the truth from its digest
}

// SeedDigest is what the record of a test's end holds. That record is written
// with the decision, so that nobody can say afterwards of a proposal that it was
// a test, or was not, or that something else was wrong with it.
func SeedDigest(nonce, key, argsSHA256, truth string) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q", nonce, key, argsSHA256, truth))
	return hex.EncodeToString(sum[:])
}

func (p Proposal) seedDigest() string {
	if p.Seed == nil {
		return ""
	}
	return SeedDigest(p.Seed.Nonce, p.ActKey(), p.ArgsSHA256, p.Seed.Truth)
}

// seedMark parts a test's own key from that of the real proposal it was made of.
// No real proposal's key holds it.
const seedMark = "+"

// ActKey is the key of the act that a proposal would become, as the log and
// bundles name it. A test would become the act of the real proposal that it was
// made of, so that its key tells nobody what it is.
func (p Proposal) ActKey() string {
	key, _, _ := strings.Cut(p.Key, seedMark)
	return key
}

// Seeding says how tests of one kind are made.
type Seeding struct {
	// Share of the real proposals that are joined by a test, at most a tenth: what
	// is mostly tests is not read any more.
	Share float64
	// Spoil makes a wrong proposal of a real one, and says what is wrong with it;
	// false where it cannot. It changes Args and Shown with their digests, and
	// leaves the rest. What it shows has a finding where the real one has, about the
	// wrong arguments, or it would be known by that. It only computes.
	Spoil func(real Proposal) (wrong Proposal, truth string, ok bool)
}

// mostSeeds is the largest share of a kind that may be tests.
const mostSeeds = 0.1

// maxTruth bounds what is said to be wrong, in characters.
const maxTruth = 2_000

// SeedLater is ProposeLater for a proposal that is known to be wrong, and says
// what is. Until it has ended it looks like any other; then everybody can see
// what it was. Whatever is decided, it becomes no act and wakes no workflow that
// would go on with it. It must expire: what was not begun by AskLater ends when
// another proposal of the organisation does.
func SeedLater(b *pgx.Batch, p *Proposal, truth string) error {
	truth = strings.TrimSpace(truth)
	switch {
	case truth == "" || utf8.RuneCountInString(truth) > maxTruth || !utf8.ValidString(truth) || strings.ContainsRune(truth, 0):
		return fault.New(fault.Invalid, "say in at most %d characters what is wrong with the test %.60s", maxTruth, p.Key)
	case p.Wake.WorkflowID != "":
		return fault.New(fault.Invalid, "the test %.60s would wake a workflow", p.Key)
	case p.ExpiresAt.IsZero():
		return fault.New(fault.Invalid, "the test %.60s would never expire, and nobody waits for it", p.Key)
	}
	return proposeLater(b, p, Seed{Truth: truth, Nonce: rand.Text()})
}

// AskLater is ProposeLater in the turn that makes a proposal, which is sometimes
// joined by a test: as often as its kind says, before it or after it, and nobody
// can foresee or work out which ones; a turn that is repeated chooses the same
// again. The platform's own workflow holds the test's reminder, escalation and
// expiry, as that of the run holds the real one's.
func (s *Store) AskLater(ctx context.Context, tx pgx.Tx, b *pgx.Batch, p *Proposal) error {
	kind := s.kinds[p.Kind]
	if kind.Seeds.Spoil == nil || kind.Seeds.Share == 0 || p.ExpiresAt.IsZero() || len(p.Key) > maxKey-len(seedMark)-2*drawnName {
		return ProposeLater(b, p)
	}
	draw, err := s.draw(ctx, tx, *p)
	if err != nil {
		return err
	}
	if !draw.chosen(kind.Seeds.Share) {
		return ProposeLater(b, p)
	}
	test, truth, ok := kind.Seeds.Spoil(*p)
	if !ok || test.ArgsSHA256 == p.ArgsSHA256 || (test.Finding() == nil) != (p.Finding() == nil) {
		return ProposeLater(b, p)
	}
	test.Key, test.ID, test.Wake = p.Key+seedMark+draw.name(), "", Wake{}
	whose, err := ownWake(test, s.clock)
	if err != nil {
		return err
	}
	if err := outbox.AddStart(ctx, tx, test.Org, whose.WorkflowID, whose.Start); err != nil {
		return err
	}
	put := []func() error{func() error { return ProposeLater(b, p) }, func() error { return SeedLater(b, &test, truth) }}
	if draw.first() {
		slices.Reverse(put)
	}
	for _, one := range put {
		if err := one(); err != nil {
			return err
		}
	}
	return nil
}

// A draw is what chance says of one proposal, always the same of the same one.
type draw [sha256.Size]byte

// draw asks chance, by a secret that only the database holds.
func (s *Store) draw(ctx context.Context, tx pgx.Tx, p Proposal) (d draw, err error) {
	secret := s.secret.Load()
	if secret == nil {
		var text string
		if err := tx.QueryRow(ctx, `select secret from gavel_sys.seed_secret`).Scan(&text); err != nil {
			return d, fmt.Errorf("read what tests are chosen by: %w", err)
		}
		secret = &text
		s.secret.Store(secret) // it never changes
	}
	sum := hmac.New(sha256.New, []byte(*secret))
	fmt.Fprintf(sum, "%q %q", p.Org, p.Key)
	return draw(sum.Sum(nil)), nil
}

// chosen picks a share of all.
func (d draw) chosen(share float64) bool {
	return float64(binary.BigEndian.Uint64(d[:8])) < share*(1<<63)*2
}

// first picks half of all.
func (d draw) first() bool { return d[8]&1 == 1 }

// name is what a test's key has beyond that of the real one.
func (d draw) name() string { return hex.EncodeToString(d[9 : 9+drawnName]) }

// drawnName is how many bytes of chance are in a test's name.
const drawnName = 4

// ExpireSeeds ends the tests of an organisation whose date has come by at, some
// at a time, and returns how many it ended.
func (s *Store) ExpireSeeds(ctx context.Context, org identity.Org, at time.Time) (int, error) {
	const due = `select id from gavel.proposal where org = $1 and state = 'open' and truth is not null and expires_at <= $2
		order by expires_at limit 50`
	var ids []string
	err := s.db.InOrg(ctx, org, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, due, org, at)
		ids, err = pgx.CollectRows(rows, pgx.RowTo[string])
		return err
	})
	for _, id := range ids {
		if err == nil {
			_, err = s.Expire(ctx, org, id, at)
		}
	}
	if err != nil {
		return 0, fmt.Errorf("end tests that were not decided: %w", err)
	}
	return len(ids), nil
}
