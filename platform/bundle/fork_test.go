package bundle_test

import (
	"bytes"
	"fmt"
	"testing"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle/bundletest"
)

// keyKinds are a key that is not the log's, and a log that was continued in two ways.
func keyKinds(s *scene) []bundletest.Tampering {
	stray := func(what, names string, change func(t testing.TB, f *bundletest.Forgery)) bundletest.Tampering {
		k := bundletest.Insider(what, names, s.mine, s.stolen, change)
		k.Who, k.Kind = "forger", "stray key"
		return k
	}
	forked := func(what, names string, change func(t testing.TB, f *bundletest.Forgery)) bundletest.Tampering {
		k := bundletest.Insider(what, names, s.mine, s.stage.Secret, change)
		k.Kind = "forked log"
		return k
	}
	return []bundletest.Tampering{
		stray("put the forger's key on the list of keys, too", "log/keys.ndjson", func(_ testing.TB, f *bundletest.Forgery) {
			f.Files["log/keys.ndjson"] = bytes.ReplaceAll(f.Files["log/keys.ndjson"], []byte(s.stage.Public), []byte(s.strayKey))
		}),
		stray("call the forger's key the log's second one", "log/keys.ndjson", func(t testing.TB, f *bundletest.Forgery) {
			addTerm(t, f, s.strayKey)
		}),
		forked("sign another tree of the same size", "log/checkpoints.ndjson", func(t testing.TB, f *bundletest.Forgery) {
			fork(t, f, s.stage.Secret, 0)
		}),
		forked("sign a larger tree that does not hold this one", "log/checkpoints.ndjson", func(t testing.TB, f *bundletest.Forgery) {
			fork(t, f, s.stage.Secret, 9)
		}),
	}
}

// addTerm claims that a key is the log's second, and names a true record for it.
func addTerm(t testing.TB, f *bundletest.Forgery, key audit.Verifier) {
	t.Helper()
	f.Files["log/keys.ndjson"] = append(f.Files["log/keys.ndjson"],
		[]byte(`{"from":1,"key":"`+string(key)+`","record":`+field(t, bundletest.Lines(f.Files["log/proofs.ndjson"])[1],
			`"record":`)+"}\n")...)
}

// fork signs another newest checkpoint with the log's own key, as who holds it and the
// database can.
func fork(t testing.TB, f *bundletest.Forgery, secret string, more int64) {
	t.Helper()
	signer, err := note.NewSigner(secret)
	if err != nil {
		t.Fatal(err)
	}
	head, err := audit.ParseCheckpoint(string(f.Files["log/checkpoint"]))
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%s\n%d\n%s\n", head.Origin, head.Tree.N+more, tlog.Hash{1, 2, 3})
	if f.Files["log/checkpoint"], err = note.Sign(&note.Note{Text: text}, signer); err != nil {
		t.Fatal(err)
	}
}
