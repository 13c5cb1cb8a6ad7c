package audit

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres"
)

// maxReason bounds an operator's reason, in characters.
const maxReason = 500

// An Acceptance is the body of a record of kind LogKeyAccepted: somebody who runs
// the installation says that a key follows another which cannot vouch for it.
type Acceptance struct {
	Key      Verifier `json:"key"`
	Previous Verifier `json:"previous"`
	Reason   string   `json:"reason"`
}

// AcceptKey puts on record that a key follows the one in force although that one
// does not vouch for it, because it is lost. The servers that were given the key
// sign with it from then on. A key that is in force already may be accepted
// afterwards. Who can open the system's door runs the installation; nobody else
// is asked.
func AcceptKey(ctx context.Context, sys *postgres.System, key Verifier, reason string, at time.Time) (RecordID, Acceptance, error) {
	a := Acceptance{Key: key}
	var err error
	if a.Reason, err = checkReason(reason); err != nil {
		return "", a, err
	}
	var id RecordID
	err = sys.InTx(ctx, func(tx pgx.Tx) error {
		keys, err := ReadKeys(ctx, tx)
		if err != nil {
			return err
		}
		if a.Previous, err = keys.before(key); err != nil {
			return err
		}
		id, err = Append(ctx, tx, Record{At: at, Kind: LogKeyAccepted, Actor: identity.Gavel(Installation), Subject: "log", Body: a})
		return err
	})
	return id, a, err
}

// before is the key that one follows, or would follow if it were put in force now.
func (k Keys) before(key Verifier) (Verifier, error) {
	now := k.Newest()
	if now == "" {
		return "", fault.New(fault.Conflict, "the log has no entry yet: its first key needs nobody's word")
	}
	if name, _, _ := strings.Cut(string(now), "+"); !strings.HasPrefix(string(key), name+"+") || !wellFormed(key) {
		return "", fault.New(fault.Invalid, "%.120q is not a public key of %s", key, name).
			WithNext("it was printed by: gavel audit key new %s", name)
	}
	switch i := slices.IndexFunc(k.terms, func(t term) bool { return t.Key == key }); i {
	case -1:
		return now, nil
	case 0:
		return "", fault.New(fault.Conflict, "this is the log's first key, which needs nobody's word")
	default:
		return k.terms[i-1].Key, nil
	}
}

// checkReason wants words. They stay in the log for ever.
func checkReason(reason string) (string, error) {
	reason = strings.TrimSpace(reason)
	switch {
	case reason == "":
		return "", fault.New(fault.Invalid, "say why: the reason goes into the log")
	case utf8.RuneCountInString(reason) > maxReason:
		return "", fault.New(fault.TooLarge, "the reason has over %d characters", maxReason)
	case !utf8.ValidString(reason) || strings.ContainsRune(reason, 0):
		return "", fault.New(fault.Invalid, "the reason holds a character that cannot be stored")
	}
	return reason, nil
}

// acceptances reads what operators have accepted. The installation has few
// records of its own, and they stand together.
func acceptances(ctx context.Context, q querier) (map[Acceptance]RecordID, error) {
	const all = `select id, json from gavel.record where org = $1 and kind = $2 order by id`
	rows, _ := q.Query(ctx, all, Installation, LogKeyAccepted) // ForEachRow reports Query's error too
	found := map[Acceptance]RecordID{}
	var id RecordID
	var text string
	_, err := pgx.ForEachRow(rows, []any{&id, &text}, func() error {
		var said struct {
			Body Acceptance `json:"body"`
		}
		// A text that is not JSON any more accepts nothing, and is found as changed.
		if json.Unmarshal([]byte(text), &said) == nil {
			said.Body.Reason = ""
			found[said.Body] = id
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read which keys of the log were accepted: %w", err)
	}
	return found, nil
}
