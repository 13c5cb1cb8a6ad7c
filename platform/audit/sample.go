package audit

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
)

// Bounds of a sample: more than this nobody looks at by hand.
const (
	MaxSample = 2000
	maxStrata = 1000
	maxSeed   = 200
)

// A SampleSpec asks for a sample of the log's entries.
type SampleSpec struct {
	Seed   string // any text; the same seed draws the same sample
	Size   int    // 1 to MaxSample
	Strata string // divide by kind, app or actor first; empty for no division
	From   int64  // first entry that may be drawn
	Upto   int64  // and the first that may not; zero for the size of the newest checkpoint
}

// A Stratum is one part of the entries that a sample was drawn from.
type Stratum struct {
	Name  string `json:"name"`
	Of    int64  `json:"of"`    // entries in it
	Drawn int    `json:"drawn"` // of them in the sample
}

// A Drawn entry is one of a sample.
type Drawn struct {
	Seq     int64     `json:"seq"`
	Record  RecordID  `json:"record"`
	At      time.Time `json:"at"`
	Kind    Kind      `json:"kind"`
	App     string    `json:"app"`
	Actor   string    `json:"actor"`
	Subject string    `json:"subject"`
	Rank    string    `json:"rank"` // hex; see Draw
}

// A Sample is what was drawn and everything needed to draw it again.
type Sample struct {
	Seed       string    `json:"seed"`
	Size       int       `json:"size"`
	DividedBy  string    `json:"divided_by,omitempty"`
	From       int64     `json:"from"`
	Upto       int64     `json:"upto"`
	Checkpoint string    `json:"checkpoint"` // of at least Upto entries
	Strata     []Stratum `json:"strata"`
	Entries    []Drawn   `json:"entries"` // by number
}

// Draw draws a sample that anyone can draw again, on any machine:
//
// The rank of entry n is the SHA-256 of the seed, a line feed and n in decimal
// (printf '%s\n%d' "$seed" $n | sha256sum). In each stratum the entries with the
// smallest ranks are drawn. Each stratum gives one entry; the rest of the size
// is shared out in proportion to the entries that are left in each, whole parts
// first and then one each to the largest remainders, on a tie to the name that
// comes first.
//
// Entries that the querier may not see are not part of what is drawn from: a
// transaction of an organisation draws from its own.
func Draw(ctx context.Context, q querier, spec SampleSpec) (Sample, error) {
	column, err := spec.check()
	if err != nil {
		return Sample{}, err
	}
	newest, err := Newest(ctx, q)
	if err != nil {
		return Sample{}, err
	}
	if spec.Upto == 0 {
		spec.Upto = newest.Tree.N
	}
	if spec.Upto > newest.Tree.N {
		return Sample{}, fault.New(fault.Invalid, "the log has %d entries, not %d", newest.Tree.N, spec.Upto)
	}
	lots, err := rankAll(ctx, q, spec, column)
	if err != nil {
		return Sample{}, err
	}
	s := Sample{Seed: spec.Seed, Size: spec.Size, DividedBy: spec.Strata, From: spec.From, Upto: spec.Upto,
		Checkpoint: newest.Note, Strata: make([]Stratum, len(lots)), Entries: []Drawn{}}
	for i, l := range lots {
		s.Strata[i] = Stratum{Name: l.name, Of: l.of}
	}
	if err := share(s.Strata, spec.Size); err != nil {
		return Sample{}, err
	}
	ranks := map[int64]rank{}
	for i, l := range lots {
		for _, t := range l.best[:s.Strata[i].Drawn] {
			ranks[t.seq] = t.rank
		}
	}
	s.Entries, err = readDrawn(ctx, q, ranks)
	return s, err
}

// check returns the SQL of the column that divides.
func (s SampleSpec) check() (string, error) {
	switch {
	case s.Seed == "" || len(s.Seed) > maxSeed:
		return "", fault.New(fault.Invalid, "a seed has 1 to %d characters", maxSeed)
	case s.Size < 1 || s.Size > MaxSample:
		return "", fault.New(fault.Invalid, "a sample has 1 to %d entries, not %d", MaxSample, s.Size)
	case s.From < 0 || s.Upto < 0 || s.Upto != 0 && s.From >= s.Upto:
		return "", fault.New(fault.Invalid, "entries %d to %d are no range", s.From, s.Upto)
	}
	column, known := map[string]string{"": "''", "kind": "r.kind", "app": "r.app", "actor": "r.actor_id"}[s.Strata]
	if !known {
		return "", fault.New(fault.Invalid, "a sample is divided by kind, app or actor, not by %.20q", s.Strata)
	}
	return column, nil
}

type rank [sha256.Size]byte

func rankOf(seed string, seq int64) rank {
	text := make([]byte, 0, maxSeed+21)
	text = append(text, seed...)
	text = append(text, '\n')
	return sha256.Sum256(strconv.AppendInt(text, seq, 10))
}

// A ticket is an entry with its rank; a lot, the entries of a stratum, of which
// only the best are kept.
type (
	ticket struct {
		rank rank
		seq  int64
	}
	lot struct {
		name string
		of   int64
		best []ticket // smallest rank first
	}
)

func (l *lot) put(t ticket, most int) {
	l.of++
	at, _ := slices.BinarySearchFunc(l.best, t, func(a, b ticket) int { return bytes.Compare(a.rank[:], b.rank[:]) })
	if at == most {
		return
	}
	l.best = slices.Insert(l.best, at, t)
	l.best = l.best[:min(len(l.best), most)]
}

// rankAll goes over the entries in pages and returns the lots by name.
func rankAll(ctx context.Context, q querier, spec SampleSpec, column string) ([]*lot, error) {
	page := `select p.seq, ` + column + ` from gavel.record_place p join lateral (
			select kind, app, actor_id from gavel.record where org = p.org and id = p.record_id offset 0) r on true
		where p.seq >= $1 and p.seq < $2`
	lots := map[string]*lot{}
	var seq int64
	var name string
	for lo := spec.From; lo < spec.Upto; lo += fsckPage {
		rows, _ := q.Query(ctx, page, lo, min(lo+fsckPage, spec.Upto)) // ForEachRow reports Query's error too
		_, err := pgx.ForEachRow(rows, []any{&seq, &name}, func() error {
			l := lots[name]
			if l == nil {
				l = &lot{name: name}
				lots[name] = l
			}
			l.put(ticket{rankOf(spec.Seed, seq), seq}, spec.Size)
			if len(lots) > maxStrata {
				return fault.New(fault.TooLarge, "there are more than %d strata", maxStrata).WithNext("divide by something coarser")
			}
			return nil
		})
		if err != nil {
			return nil, fmt.Errorf("rank entries from %d: %w", lo, err)
		}
	}
	sorted := make([]*lot, 0, len(lots))
	for _, l := range lots {
		sorted = append(sorted, l)
	}
	slices.SortFunc(sorted, func(a, b *lot) int { return cmp.Compare(a.name, b.name) })
	return sorted, nil
}

// share says how many of each stratum are drawn. See Draw.
func share(strata []Stratum, size int) error {
	all, left := int64(0), int64(0)
	for _, s := range strata {
		all += s.Of
		left += s.Of - 1
	}
	if all <= int64(size) {
		for i := range strata {
			strata[i].Drawn = int(strata[i].Of)
		}
		return nil
	}
	rest := int64(size - len(strata))
	if rest < 0 {
		return fault.New(fault.Invalid, "a sample of %d cannot hold one entry of each of %d strata", size, len(strata))
	}
	given := int64(0)
	order := make([]int, len(strata)) // by the remainder, largest first
	for i, s := range strata {
		part := rest * (s.Of - 1) / left
		strata[i].Drawn = int(1 + part)
		given += part
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(rest*(strata[b].Of-1)%left, rest*(strata[a].Of-1)%left)
	})
	for _, i := range order[:rest-given] {
		strata[i].Drawn++
	}
	return nil
}

func readDrawn(ctx context.Context, q querier, ranks map[int64]rank) ([]Drawn, error) {
	seqs := make([]int64, 0, len(ranks))
	for seq := range ranks {
		seqs = append(seqs, seq)
	}
	const some = `select p.seq, r.id, r.at, r.kind, r.app, r.actor_id, r.subject, '' from gavel.record_place p
		join gavel.record r on r.org = p.org and r.id = p.record_id where p.seq = any($1) order by p.seq`
	rows, _ := q.Query(ctx, some, seqs)
	entries, err := pgx.CollectRows(rows, pgx.RowToStructByPos[Drawn])
	if err != nil {
		return nil, fmt.Errorf("read the drawn entries: %w", err)
	}
	for i, e := range entries {
		r := ranks[e.Seq]
		entries[i].Rank = hex.EncodeToString(r[:])
	}
	return entries, nil
}
