package program_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	commonpb "go.temporal.io/api/common/v1"
	enumspb "go.temporal.io/api/enums/v1"
	"go.temporal.io/api/proxy"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/proto"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/blob/s3"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/evidence"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/policy"
	"github.com/gavelhq/gavel/platform/postgres"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/seal/sealtest"
)

// What must not be found afterwards, and what must: each occurs nowhere else.
const (
	theirName  = "Zubeida Quiñonez-Ravn <z&q>"
	theirWords = "a grey scarf with nine tassels"
	control    = "the lamp post at the ferry landing"
)

var (
	planted = []string{theirName, theirWords}
	subject = seal.Subject{Type: "rider", ID: "R-7"}
)

// TestAnErasedPersonIsFoundNowhere puts somebody into every place a running
// installation keeps anything, erases them, and searches all of it.
func TestAnErasedPersonIsFoundNowhere(t *testing.T) {
	w := newTown(t, devstack.S3)
	h := settleIn(t, w)
	old := h.export(t, "before.zip")

	before := h.search(t, "fresh-before.zip")
	before.wants(t, planted, `gavel."case".title`, "gavel.case_entry.body", "gavel.evidence.title", "gavel.evidence.note",
		"gavel.fact.subject", "gavel.legal_hold.reason", "bundle!history/entries.ndjson", "bundle!case/case.json",
		"bundle!facts/facts.ndjson", "bundle!snapshots/evidence.ndjson", "bundle!index.html")
	before.wants(t, []string{control}, "gavel.case_entry.body", "s3/")
	if got, err := h.openSealed(t); err != nil || !strings.Contains(got, theirWords) {
		t.Fatalf("before the erasure the sealed bytes are %q, %v", got, err)
	}

	h.eraseUnlessHeld(t)

	after := h.search(t, "fresh-after.zip")
	for _, f := range after.finds {
		if slices.Contains(planted, f.Needle) {
			t.Error(f)
		}
	}
	after.wants(t, []string{control}, "gavel.case_entry.body", "s3/") // the search still sees, and others' words stay
	after.wants(t, []string{h.id}, "history of ")
	after.wants(t, []string{"listening"}, "log/")
	t.Logf("searched %d tables, %d values, %d objects and files, %d histories with %d payloads",
		after.tables, after.values, after.files, after.histories, after.payloads)
	if after.tables < 25 || after.values < 300 || after.files < 10 || after.histories < 2 || after.payloads < 4 {
		t.Errorf("the search was shallow: %+v", after)
	}
	if _, err := h.openSealed(t); !errors.Is(err, seal.ErrErased) {
		t.Errorf("the sealed bytes: got %v, want them erased", err)
	}
	if code, out, talk := w.gavel(t, "audit", "fsck"); code != 0 {
		t.Errorf("fsck ended with %d: %s%s", code, out, talk)
	}
	h.verifiesOffline(t, old)
	h.verifiesOffline(t, filepath.Join(h.dir, "fresh-after.zip"))
}

// A household is a person settled in a town.
type household struct {
	*town
	dir      string
	db       *postgres.DB
	evidence *evidence.Store
	admin    []string // environment of an administrator
	id       string   // of the case that is about them
	passing  string   // of the case in which one note is
	sealed   blob.Digest
}

// settleIn opens the stores as an application's worker would, and puts a person
// into everything.
func settleIn(t *testing.T, w *town) *household {
	t.Helper()
	h := &household{town: w, dir: t.TempDir()}
	for _, tok := range w.Tokens() {
		if tok.Org == "north" && tok.Role == identity.OrgAdmin {
			h.admin = []string{"GAVEL_TOKEN=" + tok.Token}
		}
	}
	set := w.Settings()
	var err error
	h.db, err = postgres.Open(t.Context(), set["GAVEL_DATABASE_URL"])
	check(t, err)
	t.Cleanup(h.db.Close)
	backend, err := s3.Open(set["GAVEL_BLOB_URL"], set["GAVEL_BLOB_ACCESS_KEY"], set["GAVEL_BLOB_SECRET_KEY"])
	check(t, err)
	blobs := blob.New(backend, blob.Config{})
	masters, err := seal.ParseMasters(set["GAVEL_SEAL_KEYS"])
	check(t, err)
	vault, err := seal.New(seal.Config{DB: h.db, Blobs: blobs, Masters: masters, Now: time.Now, Rules: policy.Standard()})
	check(t, err)
	h.evidence, err = evidence.New(evidence.Config{DB: h.db, Blobs: blobs, Rules: policy.Standard(), Vault: vault, Code: "test",
		Sources: []evidence.Source{
			{Name: "riders", Title: "Riders' answers", Licence: "internal", Personal: true},
			{Name: "city", Title: "The city's lamps", Licence: "open"},
		}})
	check(t, err)
	h.fill(t, vault)
	return h
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// fill writes the person into two cases, and runs both to their end.
func (h *household) fill(t *testing.T, vault *seal.Vault) {
	t.Helper()
	analyst := identity.Actor{Kind: identity.Person, ID: "p:analyst", Name: "Test analyst", Org: "north",
		Roles: []identity.Role{identity.Analyst}}
	var about, passing caseSeen
	_, err := h.call(h.base, "POST", "/v1/cases", map[string]any{"app": "general", "key": "van-14", "title": "Complaint of " + theirName},
		&about)
	check(t, err)
	_, err = h.call(h.base, "POST", "/v1/cases", map[string]any{"app": "general", "key": "van-15", "title": "Broken lamps"}, &passing)
	check(t, err)
	h.id, h.passing = about.ID, passing.ID
	for id, texts := range map[string][]string{
		h.id:      {"They wore " + theirWords + ".", theirName + " called again."},
		h.passing: {"Seen at " + control + ".", theirName + " saw it, too, in " + theirWords + "."},
	} {
		for _, text := range texts {
			_, err := h.call(h.base, "POST", "/v1/cases/"+id+"/notes", map[string]any{"text": text}, nil)
			check(t, err)
		}
	}
	snap, err := h.evidence.Take(t.Context(), analyst, evidence.Receipt{Source: "riders", ContentType: "application/json", Case: h.id,
		Subjects: []seal.Subject{subject}},
		strings.NewReader(fmt.Sprintf(`{"who":%q,"says":%q,"trips":"31"}`, theirName, theirWords)))
	check(t, err)
	h.sealed = snap.SHA256
	lamps, err := h.evidence.Take(t.Context(), analyst, evidence.Receipt{Source: "city", ContentType: "text/csv"},
		strings.NewReader("lamp,where\n1,"+control+"\n"))
	check(t, err)
	for id, d := range map[string]blob.Digest{h.id: snap.SHA256, h.passing: lamps.SHA256} {
		_, _, err = h.evidence.Put(t.Context(), analyst, casefile.CaseID(id), evidence.Putting{SHA256: d, Title: "Exhibit about " + id,
			Side: evidence.For})
		check(t, err)
	}
	_, _, err = h.evidence.Put(t.Context(), analyst, casefile.CaseID(h.passing), evidence.Putting{SHA256: snap.SHA256, Title: "Answer of " +
		theirName, Note: theirWords, Side: evidence.For})
	check(t, err)
	h.enterFacts(t, analyst, snap)
	h.sealInLog(t, vault, analyst)
	for _, args := range [][]string{
		{"subject", "name", subject.String(), "--case", h.id},
		{"subject", "name", subject.String(), "--case", h.passing, "--entry", fmt.Sprint(h.entryWith(t, h.passing, theirName+" saw"))},
	} {
		if code, out, talk := h.gavelWith(t, h.admin, args...); code != 0 {
			t.Fatalf("%v: %d %s%s", args, code, out, talk)
		}
	}
	h.finish(t, h.id, h.passing)
}

// enterFacts enters numbers that name the person: read from the sealed bytes on
// the case about them, stated and computed on the other.
func (h *household) enterFacts(t *testing.T, who identity.Actor, snap evidence.Snapshot) {
	t.Helper()
	read := func(measure string, src fact.Source, kind fact.Kind) fact.Fact {
		f, err := fact.Read(fact.Reading{Kind: kind, Number: "31", Source: src, Subject: fact.Subject{Type: "rider",
			IDs: map[string]string{"rider": subject.ID, "measure": measure}, Names: fact.Names{EN: []string{theirName}}}})
		check(t, err)
		return f
	}
	_, err := h.evidence.Record(t.Context(), who, casefile.CaseID(h.id),
		read("trips", fact.Source{Snapshot: snap.SHA256.String(), Selector: fact.Selector{JSON: &fact.JSONPointer{Pointer: "/trips"}}},
			fact.Observed))
	check(t, err)
	stated := fact.Source{Selector: fact.Selector{Manual: &fact.Manual{By: who.ID}}}
	_, err = h.evidence.Record(t.Context(), who, casefile.CaseID(h.passing), read("trips", stated, fact.Assumed),
		read("nights", stated, fact.Assumed))
	check(t, err)
	_, err = h.evidence.Derive(t.Context(), who, casefile.CaseID(h.passing), fact.Ratio, "F1", "F2")
	check(t, err)
}

// sealInLog puts a record with a sealed part into the log, and a text into a
// sealed conversation.
func (h *household) sealInLog(t *testing.T, vault *seal.Vault, who identity.Actor) {
	t.Helper()
	part, err := vault.SealBlob(t.Context(), "north", seal.Matter{Subjects: []seal.Subject{subject}, Conversation: "run_1", Case: h.id,
		Purpose: "mail"},
		[]byte("Dear "+theirName+", you wore "+theirWords))
	check(t, err)
	check(t, h.db.InOrg(t.Context(), "north", func(tx pgx.Tx) error {
		_, err := audit.Append(t.Context(), tx, audit.Record{At: time.Now(), Kind: "letter", Actor: who, Subject: h.id,
			Body: map[string]any{"letter": part}})
		return err
	}))
}

// entryWith is the number of the entry with a text.
func (h *household) entryWith(t *testing.T, id, text string) int64 {
	t.Helper()
	var page struct {
		Items []struct {
			Seq  int64
			Text string
		}
	}
	_, err := h.call(h.base, "GET", "/v1/cases/"+id+"/entries?page_size=200", nil, &page)
	check(t, err)
	for _, e := range page.Items {
		if strings.Contains(e.Text, text) {
			return e.Seq
		}
	}
	t.Fatalf("no entry of %s says %q: %+v", id, text, page)
	return 0
}

// finish closes cases with a reason about the person and waits until their
// workflows have ended.
func (h *household) finish(t *testing.T, ids ...string) {
	t.Helper()
	for _, id := range ids {
		c, err := h.await(id, "waiting")
		check(t, err)
		reason := "Nothing is left to do."
		if id == h.id {
			reason = "Answered " + theirName
		}
		_, err = h.call(h.base, "POST", "/v1/cases/"+id+"/close", map[string]any{"reason": reason}, nil, "If-Match",
			fmt.Sprintf(`"%d"`, c.Version))
		check(t, err)
		_, err = h.await(id, "closed")
		check(t, err)
	}
	code, out, talk := h.gavelWith(t, h.admin, "subject", "hold", h.id, "--reason", "suit of "+theirName, "-o", "json")
	if code != 0 {
		t.Fatalf("hold: %d %s%s", code, out, talk)
	}
}

// eraseUnlessHeld shows that a hold refuses, releases it and erases.
func (h *household) eraseUnlessHeld(t *testing.T) {
	t.Helper()
	erase := []string{"subject", "erase", subject.String(), "--ground", "request", "--reference", "DSR-7", "--yes", "-o", "json"}
	if code, out, talk := h.gavelWith(t, h.admin, erase...); code != 6 || !strings.Contains(talk, "legal hold") {
		t.Fatalf("under a hold: %d %s%s; want it refused", code, out, talk)
	}
	if code, _, _ := h.gavel(t, erase...); code != 5 {
		t.Errorf("an officer erases: code %d, want 5", code)
	}
	_, out, _ := h.gavelWith(t, h.admin, "subject", "holds", "-o", "json")
	var holds []struct{ ID string }
	if err := json.Unmarshal([]byte(out), &holds); err != nil || len(holds) != 1 {
		t.Fatalf("the holds are %s, %v", out, err)
	}
	if code, _, talk := h.gavelWith(t, h.admin, "subject", "release", holds[0].ID, "--reason", "settled with "+theirName); code != 0 {
		t.Fatalf("release: %d %s", code, talk)
	}
	code, out, talk := h.gavelWith(t, h.admin, erase...)
	var done struct {
		Keys, Objects, Exports int
		Record                 string
	}
	if err := json.Unmarshal([]byte(out), &done); err != nil || code != 0 || done.Keys != 2 || done.Objects != 2 || done.Exports < 2 ||
		done.Record == "" {
		t.Fatalf("erase: %d %s%s %v", code, out, talk, err)
	}
}

func (h *household) openSealed(t *testing.T) (string, error) {
	t.Helper()
	body, err := h.evidence.Open(t.Context(), "north", h.sealed)
	if err != nil {
		return "", err
	}
	defer body.Close()
	text, err := io.ReadAll(body)
	return string(text), err
}

// export takes both cases out and returns the path of the first.
func (h *household) export(t *testing.T, name string) string {
	t.Helper()
	for prefix, id := range map[string]string{"": h.id, "passing-": h.passing} {
		if code, out, talk := h.gavel(t, "bundle", "export", id, "-f", filepath.Join(h.dir, prefix+name)); code != 0 {
			t.Fatalf("export: %d %s%s", code, out, talk)
		}
	}
	return filepath.Join(h.dir, name)
}

// verifiesOffline runs verify with no settings at all.
func (h *household) verifiesOffline(t *testing.T, file string) {
	t.Helper()
	key, err := audit.PublicOf(h.Settings()["GAVEL_LOG_KEY"])
	check(t, err)
	passing := filepath.Join(h.dir, "passing-"+filepath.Base(file))
	for _, f := range []string{file, passing} {
		cmd := exec.CommandContext(t.Context(), filepath.Join(h.Dir(), "bin", "gavel"), "verify", f, "--key", string(key))
		cmd.Env = []string{"PATH=/nonexistent"}
		if out, err := cmd.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("GENUINE")) {
			t.Errorf("%s: %v\n%s", filepath.Base(f), err, out)
		}
	}
}

// A searched is what was looked through, everywhere, and what was found.
type searched struct {
	finds                                      []sealtest.Find
	tables, values, files, histories, payloads int
}

// wants fails unless each needle is found, and some needle in each place.
func (s searched) wants(t *testing.T, needles []string, places ...string) {
	t.Helper()
	for _, place := range places {
		in := func(f sealtest.Find) bool {
			return strings.Contains(f.Where, place) && slices.Contains(needles, f.Needle)
		}
		if !slices.ContainsFunc(s.finds, in) {
			t.Errorf("none of %q is found in %s: the search does not see it", needles, place)
		}
	}
	for _, n := range needles {
		if !slices.ContainsFunc(s.finds, func(f sealtest.Find) bool { return f.Needle == n }) {
			t.Errorf("%q is not found anywhere", n)
		}
	}
}

// search looks everywhere, also into fresh bundles of the cases.
func (h *household) search(t *testing.T, fresh string) searched {
	t.Helper()
	needles := append(slices.Clone(planted), control, h.id, "listening")
	admin, err := url.Parse(h.AdminURL())
	check(t, err)
	admin.Path = "gavel"
	db := sealtest.Database(t, admin.String(), needles...)
	s := searched{finds: db.Finds, tables: db.Tables, values: db.Values}
	for _, part := range []string{"s3", "log", "temporal"} { // the S3 server keeps objects, and their old versions, as files
		r := sealtest.Folder(t, filepath.Join(h.Dir(), part), needles...)
		for _, f := range r.Finds {
			f.Where = part + "/" + f.Where
			s.finds = append(s.finds, f)
		}
		if s.files += r.Files; r.Files == 0 {
			t.Errorf("there is nothing in %s", part)
		}
	}
	h.searchHistories(t, &s, needles)
	file := h.export(t, fresh)
	for _, name := range []string{file, filepath.Join(h.dir, "passing-"+fresh)} {
		data, err := os.ReadFile(name)
		check(t, err)
		r := sealtest.Packed(t, "bundle", data, needles...)
		s.finds, s.files = append(s.finds, r.Finds...), s.files+r.Files
	}
	return s
}

// searchHistories reads every workflow's history and decodes every payload in it.
func (h *household) searchHistories(t *testing.T, s *searched, needles []string) {
	t.Helper()
	set := h.Settings()
	keys, err := durable.ParseKeys(set["GAVEL_PAYLOAD_KEYS"])
	check(t, err)
	engine, err := durable.Lazy(durable.Config{Address: set["GAVEL_TEMPORAL_ADDRESS"], Namespace: set["GAVEL_TEMPORAL_NAMESPACE"],
		Keys: keys, Logger: slog.New(slog.DiscardHandler)})
	check(t, err)
	defer engine.Close()
	visit := proxy.VisitPayloadsOptions{Visitor: func(_ *proxy.VisitPayloadsContext,
		sealed []*commonpb.Payload) ([]*commonpb.Payload, error) {
		s.payloads += len(sealed)
		opened := slices.Clone(sealed)
		for i, p := range sealed {
			var raw converter.RawValue
			if err := keys.ReplayConverter().FromPayload(p, &raw); err == nil {
				opened[i] = raw.Payload()
			} else if strings.HasPrefix(string(p.GetMetadata()["encoding"]), "binary/gavel") {
				return nil, err // a search attribute is not sealed
			}
		}
		return opened, nil
	}}
	var ids []string
	wait.Until(t, "the engine lists the cases", func() bool {
		page, err := engine.ListWorkflow(t.Context(), &workflowservice.ListWorkflowExecutionsRequest{})
		check(t, err)
		ids = nil
		for _, one := range page.Executions {
			ids = append(ids, one.Execution.WorkflowId)
		}
		return len(ids) >= 2
	})
	for _, id := range ids {
		s.histories++
		for events := engine.GetWorkflowHistory(t.Context(), id, "", false,
			enumspb.HISTORY_EVENT_FILTER_TYPE_ALL_EVENT); events.HasNext(); {
			event, err := events.Next()
			check(t, err)
			check(t, proxy.VisitPayloads(context.Background(), event, visit))
			text, err := proto.Marshal(event)
			check(t, err)
			s.finds = append(s.finds, sealtest.Search("history of "+id, text, needles...)...)
		}
	}
}
