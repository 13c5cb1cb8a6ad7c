package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
)

// loggedCall is what the log says of a call from outside any run.
type loggedCall struct {
	Calls []ruling `json:"calls"`
	Via   string   `json:"via"`
}

// rulingsOutside are the calls that a record is about, if it is about calls from
// outside any run.
func rulingsOutside(kind audit.Kind, body []byte) []ruling {
	var b loggedCall
	if kind != audit.Policy && kind != audit.Refusal || json.Unmarshal(body, &b) != nil || b.Via == "" {
		return nil
	}
	return b.Calls
}

// addSets adds the sets of policies that such calls were asked of, each with a
// call that names it.
func addSets(sets map[string]string, calls []ruling) {
	for _, r := range calls {
		if r.Policy != nil && sets[r.Policy.Digest] == "" {
			sets[r.Policy.Digest] = "call " + r.Call
		}
	}
}

// outsideSets reads which sets the calls of a case that came from outside any
// run were asked of.
func (s *Store) outsideSets(ctx context.Context, req bundle.Request, sets map[string]string) error {
	const all = `select kind, (json::json -> 'body')::text from gavel.record where org = $1 and subject = $2 and kind in ($3, $4)
		order by id`
	return s.books.db.InOrg(ctx, req.Org, func(tx pgx.Tx) error {
		rows, _ := tx.Query(ctx, all, req.Org, req.Case, string(audit.Policy), string(audit.Refusal))
		var kind audit.Kind
		var body []byte
		_, err := pgx.ForEachRow(rows, []any{&kind, &body}, func() error {
			addSets(sets, rulingsOutside(kind, body))
			return nil
		})
		if err != nil {
			return fmt.Errorf("calls of %s from outside: %w", req.Case, err)
		}
		return nil
	})
}

// provenOutside are the calls from outside any run that the bundle's log holds.
func provenOutside(r *bundle.Reader) []ruling {
	var all []ruling
	for _, p := range r.Records() {
		raw, _ := p.Record.Body.(json.RawMessage)
		all = append(all, rulingsOutside(p.Record.Kind, raw)...)
	}
	return all
}

// checkOutside checks that a call from outside which people were to decide is
// among the proposals, and that no other is.
func checkOutside(r *bundle.Reader, c *bundle.Check, proposals map[string][]string) int {
	calls, path := provenOutside(r), r.In("decisions").Path("proposals.ndjson")
	for _, call := range calls {
		key := actKey(call.Call, carriedCall)
		switch {
		case call.Verdict == asks && !slices.Contains(proposals[key], call.Args):
			c.Found(path, "Call %s came from outside and was to be decided by a person, and that proposal is not in %s.", call.Call, path)
		case call.Verdict != asks && len(proposals[key]) > 0:
			c.Found(path, "Call %s came from outside and was %s, and there is a proposal of it in %s all the same.", call.Call,
				call.Verdict, path)
		}
	}
	return len(calls)
}
