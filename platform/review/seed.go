package review

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
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
	return SeedDigest(p.Seed.Nonce, p.Key, p.ArgsSHA256, p.Seed.Truth)
}

// Seeding says how tests of one kind are made.
type Seeding struct {
	// Share of the real proposals that are joined by a test, at most a tenth: what
	// is mostly tests is not read any more.
	Share float64
	// Spoil makes a wrong proposal of a real one, and says what is wrong with it;
	// false where it cannot. It changes Args and Shown with their digests, and
	// leaves the rest. It only computes.
	Spoil func(real Proposal) (wrong Proposal, truth string, ok bool)
}

// mostSeeds is the largest share of a kind that may be tests.
const mostSeeds = 0.1

// maxTruth bounds what is said to be wrong, in characters.
const maxTruth = 2_000

// SeedLater is ProposeLater for a proposal that is known to be wrong, and says
// what is. Until it has ended it looks like any other; then everybody can see
// what it was. Whatever is decided, it becomes no act and wakes no workflow. It
// must expire, since nobody waits for it: see ExpireSeeds.
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

// SeedsLater joins some real proposals by a test, in the batch of the turn that
// makes them: as many as their kind's share says, which ones nobody can foresee
// and a repeated turn chooses again. It reports whether this one was.
func (s *Store) SeedsLater(b *pgx.Batch, real Proposal) (bool, error) {
	kind := s.kinds[real.Kind]
	if kind.Seeds.Spoil == nil || !chosen(real.Key, kind.Seeds.Share) || real.ExpiresAt.IsZero() {
		return false, nil
	}
	p, truth, ok := kind.Seeds.Spoil(real)
	if !ok || p.ArgsSHA256 == real.ArgsSHA256 {
		return false, nil
	}
	p.Key, p.ID, p.Wake = seedKey(real.Key), "", Wake{}
	return true, SeedLater(b, &p, truth)
}

// chosen picks a share of all keys. Keys begin with a run's id, which is random.
func chosen(key string, share float64) bool {
	sum := sha256.Sum256([]byte("seed " + key))
	return float64(binary.BigEndian.Uint64(sum[:8])) < share*(1<<63)*2
}

// seedKey is a key of its own that gives nothing away.
func seedKey(key string) string {
	sum := sha256.Sum256([]byte("key " + key))
	return key + "." + hex.EncodeToString(sum[:3])
}

// ExpireSeeds ends the tests of an organisation whose date has come by at, some
// at a time, and returns how many it ended.
func (s *Store) ExpireSeeds(ctx context.Context, org identity.Org, at time.Time) (int, error) {
	const due = `select id from gavel.proposal where org = $1 and state = 'open' and truth is not null and expires_at <= $2 order by expires_at limit 50`
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
