package agent

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
)

// Sections are the parts of a bundle that say what agents did: the runs with
// their steps, what was said, the prompts, who answered, and the policies that
// were asked. They stand after those of package content. A nil Store can check
// them and not make them.
func Sections(s *Store) []bundle.Section {
	return []bundle.Section{
		{Name: runsSection, Title: "Agents' runs", Version: 1, Kinds: []audit.Kind{audit.ModelCall, EndRecord}, Export: s.exportRuns,
			Moment: s.moment, Verify: verifyRuns},
		{Name: "transcripts", Title: "Transcripts", Version: 1, Kinds: []audit.Kind{audit.ModelCall}, Export: s.exportNodes,
			Verify: verifyNodes},
		{Name: "prompts", Title: "Prompts", Version: 1, Kinds: []audit.Kind{audit.ModelCall}, Export: s.exportSpecs, Verify: verifySpecs},
		{Name: "models", Title: "Models that answered", Version: 1, Kinds: []audit.Kind{audit.ModelCall}, Export: s.exportModels,
			Verify: verifyModels},
		{Name: "policies", Title: "Policies that were asked", Version: 1, Kinds: []audit.Kind{audit.ModelCall}, Export: s.exportPolicies,
			Verify: verifyPolicies},
	}
}

// The files of the section: runs in the order they began, and their steps, run
// by run. Sections after it read them, so that all are of one moment.
const (
	runsSection = "runs"
	runsFile    = "runs.ndjson"
	stepsFile   = "steps.ndjson"
)

// A bundledRun is a run as a bundle has it.
type bundledRun struct {
	ID        string     `json:"id"`
	App       string     `json:"app"`
	Agent     string     `json:"agent"`
	Name      string     `json:"name"`
	Spec      string     `json:"spec_sha256"`
	Root      string     `json:"root"`
	Parent    string     `json:"parent,omitempty"`
	Call      string     `json:"parent_call,omitempty"`
	ForKind   string     `json:"for_kind,omitempty"`
	For       string     `json:"for,omitempty"`
	Roles     []string   `json:"roles"`
	State     State      `json:"state"`
	Reason    string     `json:"reason,omitempty"`
	Seq       int        `json:"seq"` // the newest step
	Head      string     `json:"head_sha256"`
	Tainted   bool       `json:"tainted"`
	Calls     int64      `json:"model_calls"`
	TokensIn  int64      `json:"tokens_in"`
	TokensOut int64      `json:"tokens_out"`
	Cost      *int64     `json:"cost_millionths"`
	Currency  string     `json:"currency,omitempty"`
	StartedAt time.Time  `json:"started_at"`
	EndedAt   *time.Time `json:"ended_at"`
}

// actor is who the run is, to the log.
func (r bundledRun) actor() string { return string(identity.Agent) + ":" + r.App + "/" + r.Agent }

// A bundledStep is one turn as a bundle has it: what the log's record says of
// it, and how long it took.
type bundledStep struct {
	Run    string          `json:"run"`
	Seq    int             `json:"seq"`
	Kind   string          `json:"kind"`
	At     time.Time       `json:"at"`
	TookMS int64           `json:"took_ms"`
	Model  json.RawMessage `json:"model"`
	Head   string          `json:"head_sha256"`
	Calls  json.RawMessage `json:"calls,omitempty"`
	Record audit.RecordID  `json:"record"`
}

// rulings are the step's calls.
func (s bundledStep) rulings() []ruling {
	var all []ruling
	if len(s.Calls) > 0 {
		_ = json.Unmarshal(s.Calls, &all) // what is no list of calls is not the record's either
	}
	return all
}

// ready refuses to export without a store.
func (s *Store) ready() error {
	if s == nil {
		return fault.New(fault.Internal, "these sections were made for checking, not for making, bundles")
	}
	return nil
}

// moment changes with every turn and every other move of a run. A turn's record
// is about the run, so the case's own do not tell.
func (s *Store) moment(ctx context.Context, req bundle.Request) (now string, err error) {
	if err := s.ready(); err != nil {
		return "", err
	}
	const sum = `select count(*) || ' ' || coalesce(sum(version), 0) from gavel.run where case_id = $1`
	err = s.books.db.InOrg(ctx, req.Org, func(tx pgx.Tx) error { return tx.QueryRow(ctx, sum, req.Case).Scan(&now) })
	return now, err
}

func (s *Store) exportRuns(ctx context.Context, w *bundle.Writer, req bundle.Request) error {
	if err := s.ready(); err != nil {
		return err
	}
	const runs = `select id, app, agent, name, encode(spec, 'hex'), root, coalesce(parent, ''), coalesce(parent_call, ''), for_kind, for_id,
		roles,
			state, reason, seq, encode(head, 'hex'), tainted, calls, tokens_in, tokens_out, cost, currency, started_at, ended_at
		from gavel.run where case_id = $1 order by started_at, id`
	const steps = `select s.run_id, s.seq, s.kind, s.at, s.took_ms, s.model, encode(s.head, 'hex'), nullif(s.calls, 'null'::jsonb), s.record
		from gavel.run r join gavel.step s on s.org = r.org and s.run_id = r.id where r.case_id = $1 order by r.started_at, r.id, s.seq`
	var all []bundledRun
	var done []bundledStep
	err := s.books.db.InOrg(ctx, req.Org, func(tx pgx.Tx) (err error) {
		rows, _ := tx.Query(ctx, runs, req.Case)
		if all, err = pgx.CollectRows(rows, pgx.RowToStructByPos[bundledRun]); err != nil {
			return err
		}
		rows, _ = tx.Query(ctx, steps, req.Case)
		done, err = pgx.CollectRows(rows, pgx.RowToStructByPos[bundledStep])
		return err
	})
	if err != nil {
		return fmt.Errorf("read the runs of %s: %w", req.Case, err)
	}
	for i := range all {
		all[i].StartedAt, all[i].EndedAt = all[i].StartedAt.UTC(), inUTC(all[i].EndedAt)
		w.About(all[i].ID)
	}
	for i := range done {
		done[i].At = done[i].At.UTC()
	}
	if err := bundle.Lines(w, runsFile, all); err != nil {
		return err
	}
	return bundle.Lines(w, stepsFile, done)
}

func inUTC(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	u := t.UTC()
	return &u
}

// earlierSteps are the steps that the first of these sections put in.
func (s *Store) earlierSteps(w *bundle.Writer) ([]bundledStep, error) {
	if err := s.ready(); err != nil {
		return nil, err
	}
	return bundle.EarlierLines[bundledStep](w, runsSection, stepsFile)
}

// readRuns reads the first section's files, for the checks of the others. What
// cannot be read is that section's to report.
func readRuns(r *bundle.Reader) (runs []bundledRun, steps []bundledStep) {
	runs, err := bundle.ReadLines[bundledRun](r.In(runsSection), runsFile)
	if err != nil {
		return nil, nil
	}
	steps, err = bundle.ReadLines[bundledStep](r.In(runsSection), stepsFile)
	if err != nil {
		return nil, nil
	}
	return runs, steps
}

// words is what a person may be told about an error.
func words(err error) string {
	text, _ := fault.Words(err)
	return text
}

// leftOver adds the section's files that its check does not know.
func leftOver(r *bundle.Reader, rep *bundle.Report, known func(name string) bool) {
	for _, name := range r.Names() {
		if !known(name) {
			c := rep.Check("no file of the section is unknown", "nothing was left unread", "anything else")
			c.Leave(r.Path(name), "%s is not understood.", r.Path(name))
		}
	}
}

// underDigest checks that each file of a folder is named by its own digest, and
// that the folder has exactly the files that are wanted. It returns those that
// can be relied upon.
func underDigest(r *bundle.Reader, c *bundle.Check, folder, ending string, want map[string]string,
	digest func(text []byte) string) map[string][]byte {
	found := map[string][]byte{}
	for _, name := range r.Names() {
		inside, ok := strings.CutPrefix(name, folder)
		if !ok {
			continue
		}
		sum := strings.TrimSuffix(inside, ending)
		text, err := r.Text(name)
		switch {
		case want[sum] == "":
			c.Found(r.Path(name), "%s is used by no step in this bundle.", r.Path(name))
		case err != nil || digest(text) != sum:
			c.Found(r.Path(name), "%s is not what its name, its SHA-256, says: it was changed.", r.Path(name))
		default:
			found[sum] = text
		}
	}
	for _, sum := range sortedKeys(want) {
		if name := folder + sum + ending; !r.Has(name) {
			c.Found(r.Path(name), "%s, which %s rests on, is missing.", r.Path(name), want[sum])
		}
	}
	return found
}

func sortedKeys(m map[string]string) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	slices.Sort(all)
	return all
}

// inLog is a digest as the log writes it, from the hex of a bundle.
func inLog(hexed string) string {
	raw, err := hex.DecodeString(hexed)
	if err != nil || len(raw) != len(Digest{}) {
		return ""
	}
	return short(Digest(raw))
}
