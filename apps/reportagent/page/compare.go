package page

import (
	"net/http"
	"strconv"

	"github.com/gavelhq/gavel/apps/reportagent/rule/diff"
	"github.com/gavelhq/gavel/apps/reportagent/store"
)

// A comparison is two versions side by side, word by word.
type comparison struct {
	now, with int
	pieces    []diff.Piece
}

// compareIn reads which versions an address compares: the newest with the one that the reader has read last, or with the one before it,
// unless it says otherwise.
func compareIn(r *http.Request, all []store.Version, read int) comparison {
	if len(all) == 0 {
		return comparison{}
	}
	number := func(name string, usual int) store.Version {
		n, err := strconv.Atoi(r.URL.Query().Get(name))
		if err != nil {
			n = usual
		}
		for _, v := range all {
			if v.N == n {
				return v
			}
		}
		return store.Version{}
	}
	now := number("version", all[0].N)
	usual := now.N - 1
	if read > 0 && read < now.N {
		usual = read
	}
	with := number("with", usual)
	return comparison{now.N, with.N, diff.Words(with.Text, now.Text)}
}

// changed is what a version changed against the one before it; empty where either is not among those that the page has.
func (v sectionView) changed(n int) []diff.Piece {
	var now, before *store.Version
	for i := range v.history.Versions {
		switch one := &v.history.Versions[i]; one.N {
		case n:
			now = one
		case n - 1:
			before = one
		}
	}
	if now == nil || before == nil {
		return nil
	}
	return brief(diff.Words(before.Text, now.Text))
}

// around is how much of what stayed the same is shown beside a change, in characters.
const around = 60

// brief shortens what stayed the same.
func brief(all []diff.Piece) (out []diff.Piece) {
	for i, one := range all {
		text := []rune(one.Text)
		if one.Op == diff.Same && len(text) > 2*around {
			head, tail := string(text[:around]), string(text[len(text)-around:])
			switch {
			case i == 0:
				one.Text = "… " + tail
			case i == len(all)-1:
				one.Text = head + " …"
			default:
				one.Text = head + " … " + tail
			}
		}
		out = append(out, one)
	}
	return out
}
