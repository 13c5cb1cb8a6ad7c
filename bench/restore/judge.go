package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/act"
)

// A verdict is what a round comes to.
type verdict struct {
	name           string
	repeated, lost int
	doubted        int // acts that a restore made doubtful
	settled        int // of these, those that the other side answered for
	asked, unasked int // and those that are a question, or are not
	again          int // effects that left after the recovery
	why, odd       []string
	fsck           []string
	begun, ended   string
}

// A deed is an act beyond our walls as the record has it.
type deed struct {
	Key, Word string
	State     act.State
	Reason    string
	Asked     bool
	Doubted   bool // it ended after a recovery had begun: it was open in the copy, or may have been done since
}

// A sight is what is there when all is over.
type sight struct {
	arrived map[string]int // by word
	deeds   []deed
	open    int // cases that have not come to their end
}

func (g *ground) look(ctx context.Context) (verdict, error) {
	var s sight
	var err error
	if s.arrived, err = g.outside(ctx); err != nil {
		return verdict{}, err
	}
	if s.open, err = g.count(ctx, `select count(*)::int from gavel.case where state <> 'closed'`); err != nil {
		return verdict{}, err
	}
	const deeds = `select a.key, coalesce(split_part(m.recipient, ':', 2), a.args::json ->> 'word', ''), a.state, a.reason,
			exists (select from gavel.proposal p where p.org = a.org and p.key = a.key || '/unknown'),
			coalesce($2 and a.ended_at > $1, false)
		from gavel.act a left join gavel.mail m on m.org = a.org and m.id = a.key where a.effect = 'outside' order by a.key`
	rows, err := g.sys.Query(ctx, deeds, g.begun.At, g.recover)
	if err != nil {
		return verdict{}, err
	}
	if s.deeds, err = pgx.CollectRows(rows, pgx.RowToStructByPos[deed]); err != nil {
		return verdict{}, err
	}
	v := judge(s)
	v.name, v.fsck = map[bool]string{false: "engine restored to the same moment", true: "engine ahead"}[g.ahead], g.fsck
	v.again = sum(s.arrived) - sum(g.lost)
	v.begun = fmt.Sprintf("%d acts in doubt, %d letters among them, %d workflows begun anew", g.begun.Acts, g.begun.Letters, g.begun.Anew)
	v.ended = fmt.Sprintf("%d cases in doubt", g.ended.Cases)
	g.judgeWords(&v, s)
	return v, nil
}

// judge counts what left twice, and holds every doubtful act against what became of
// it.
func judge(s sight) verdict {
	v := verdict{}
	for word, n := range s.arrived {
		if n > 1 {
			v.repeated += n - 1
			v.why = append(v.why, fmt.Sprintf("repeated: %s left %d times", word, n))
		}
	}
	slices.Sort(v.why)
	for _, d := range s.deeds {
		switch {
		case !d.State.Ended():
			v.odd = append(v.odd, fmt.Sprintf("odd: act %s has come to no end: it is %s", d.Key, d.State))
		case d.State == act.Failed:
			v.odd = append(v.odd, fmt.Sprintf("odd: act %s failed: %s", d.Key, d.Reason))
		case d.State == act.Unknown && d.Asked:
			v.asked++
		case d.State == act.Unknown:
			v.unasked++
			v.why = append(v.why, fmt.Sprintf("unasked: nobody knows of act %s, and nobody is asked", d.Key))
		case d.State == act.Done && s.arrived[d.Word] == 0:
			v.lost++
			v.why = append(v.why, fmt.Sprintf("lost: %s is on record as done by act %s, and is not there", d.Word, d.Key))
		case d.State == act.Done && d.Doubted:
			v.settled++
		}
	}
	v.doubted = v.asked + v.unasked + v.settled
	if s.open > 0 {
		v.odd = append(v.odd, fmt.Sprintf("odd: %d cases have come to no end", s.open))
	}
	return v
}

// judgeWords asks of every wish whether it left or somebody is asked about it.
func (g *ground) judgeWords(v *verdict, s sight) {
	asked := map[string]bool{}
	for _, d := range s.deeds {
		asked[d.Word] = asked[d.Word] || d.State == act.Unknown && d.Asked
	}
	for n := range g.cases {
		for i := range g.pairs {
			for _, word := range []string{mailWord(n, i), fileWord(n, i)} {
				if s.arrived[word] == 0 && !asked[word] {
					v.lost++
					v.why = append(v.why, fmt.Sprintf("lost: %s has not left, and nobody is asked", word))
				}
			}
		}
	}
}

func (v *verdict) add(o verdict) {
	v.repeated, v.lost, v.doubted, v.settled = v.repeated+o.repeated, v.lost+o.lost, v.doubted+o.doubted, v.settled+o.settled
	v.asked, v.unasked = v.asked+o.asked, v.unasked+o.unasked
	v.odd = append(v.odd, o.odd...)
}

// maxReasons is how many reasons are printed.
const maxReasons = 20

func (v verdict) print() {
	fmt.Printf("%s: begun with %s; ended with %s; %d effects left after the restore\n", v.name, v.begun, v.ended, v.again)
	for _, said := range v.fsck {
		fmt.Println("  fsck:", said)
	}
	reasons := slices.Concat(v.why, v.odd)
	for _, why := range reasons[:min(len(reasons), maxReasons)] {
		fmt.Println(" ", why)
	}
	fmt.Printf("  repeated %d, lost %d; %d are questions for a person, %d were asked about at the other side\n", v.repeated, v.lost,
		v.asked, v.settled)
}
