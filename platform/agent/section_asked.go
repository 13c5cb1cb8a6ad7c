package agent

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/bundle"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
)

// The files of these sections: job descriptions and sets of policies under their
// digests, and who answered.
const (
	specsFolder = "specs/"
	setsFolder  = "sets/"
	modelsFile  = "models.ndjson"
)

func (s *Store) exportSpecs(ctx context.Context, w *bundle.Writer, req bundle.Request) error {
	if err := s.ready(); err != nil {
		return err
	}
	runs, err := bundle.EarlierLines[bundledRun](w, runsSection, runsFile)
	if err != nil {
		return err
	}
	want := map[string]string{}
	for _, one := range runs {
		want[one.Spec] = one.ID
	}
	const body = `select body from gavel_sys.agent_spec where sha256 = decode($1, 'hex')`
	return s.each(ctx, req, want, body, func(sum string, text []byte) error { return w.Text(specsFolder+sum+".json", text) })
}

// each hands over what is kept under digests, in their order.
func (s *Store) each(ctx context.Context, req bundle.Request, want map[string]string, one string,
	put func(sum string, text []byte) error) error {
	return s.books.db.InOrg(ctx, req.Org, func(tx pgx.Tx) error {
		for _, sum := range sortedKeys(want) {
			var text []byte
			if err := tx.QueryRow(ctx, one, sum).Scan(&text); err != nil {
				return fmt.Errorf("read what %s rests on, %.12s: %w", want[sum], sum, err)
			}
			if err := put(sum, text); err != nil {
				return err
			}
		}
		return nil
	})
}

func verifySpecs(r *bundle.Reader, rep *bundle.Report) {
	c := rep.Check("the prompts are those that were used",
		"the job description each run worked from is here word for word, and is the one whose digest the log has",
		"that it was a good one, nor that a model kept to it")
	runs, _ := readRuns(r)
	want := map[string]string{}
	for _, one := range runs {
		want[one.Spec] = "run " + one.ID
	}
	found := underDigest(r, c, specsFolder, ".json", want, func(text []byte) string {
		sum := sha256.Sum256(text)
		return hex.EncodeToString(sum[:])
	})
	for _, one := range runs {
		text, ok := found[one.Spec]
		var spec Spec
		if path := r.Path(specsFolder + one.Spec + ".json"); ok && (json.Unmarshal(text, &spec) != nil || spec.App != one.App ||
			spec.Name != one.Agent) {
			c.Found(path, "%s is the job description of %.40s/%.40s, and run %s was %s/%s.", path, spec.App, spec.Name, one.ID, one.App,
				one.Agent)
		}
	}
	c.Saw("%d prompts", len(found))
	leftOver(r, rep, func(name string) bool { return strings.HasPrefix(name, specsFolder) })
}

// A bundledModel is one model as it was asked: who answered, by which route and
// with which settings, in how many steps, for how many tokens.
type bundledModel struct {
	Provider    string      `json:"provider"`
	Model       string      `json:"model"`
	Fingerprint string      `json:"fingerprint,omitempty"`
	Route       string      `json:"route"`
	Temperature string      `json:"temperature,omitempty"`
	Seed        *int64      `json:"seed,omitempty"`
	MaxTokens   int         `json:"max_tokens,omitempty"`
	Steps       int         `json:"steps"`
	Usage       model.Usage `json:"usage"`
}

// modelsOf sums up who answered the steps, in the order of their first answers.
func modelsOf(steps []bundledStep) ([]bundledModel, error) {
	var all []bundledModel
	for _, s := range steps {
		var who answered
		if err := json.Unmarshal(s.Model, &who); err != nil {
			return nil, fault.New(fault.Invalid, "step %d of run %.40s does not say who answered", s.Seq, s.Run)
		}
		one := bundledModel{Provider: who.Provider, Model: who.Model, Fingerprint: who.Fingerprint, Route: who.Route,
			Temperature: who.Temperature, Seed: who.Seed, MaxTokens: who.MaxTokens}
		i := slices.IndexFunc(all, func(m bundledModel) bool { return m.same(one) })
		if i < 0 {
			i, all = len(all), append(all, one)
		}
		all[i].Steps++
		all[i].Usage = all[i].Usage.Add(who.Usage)
	}
	return all, nil
}

func (m bundledModel) same(n bundledModel) bool {
	seeds := m.Seed == nil && n.Seed == nil || m.Seed != nil && n.Seed != nil && *m.Seed == *n.Seed
	return seeds && m.Provider == n.Provider && m.Model == n.Model && m.Fingerprint == n.Fingerprint && m.Route == n.Route &&
		m.Temperature == n.Temperature && m.MaxTokens == n.MaxTokens
}

func (s *Store) exportModels(_ context.Context, w *bundle.Writer, _ bundle.Request) error {
	steps, err := s.earlierSteps(w)
	if err != nil {
		return err
	}
	all, err := modelsOf(steps)
	if err != nil {
		return err
	}
	return bundle.Lines(w, modelsFile, all)
}

func verifyModels(r *bundle.Reader, rep *bundle.Report) {
	c := rep.Check("the models are those that answered",
		"provider, model, settings and tokens are what the steps say, which is what the log says",
		"that a vendor ran the model it named")
	path := r.Path(modelsFile)
	got, err := bundle.ReadLines[bundledModel](r, modelsFile)
	if err != nil {
		c.Found(path, "%s cannot be read: %s.", path, words(err))
		return
	}
	_, steps := readRuns(r)
	want, err := modelsOf(steps)
	if err != nil {
		c.Found(path, "%s cannot be compared: %s.", path, words(err))
		return
	}
	for i, m := range got {
		if i >= len(want) || !m.same(want[i]) || m.Steps != want[i].Steps || m.Usage != want[i].Usage {
			c.Found(path, "Model %.60s (line %d of %s) did not answer so: the steps name another, or other settings, steps or tokens.",
				m.Model, i+1, path)
		}
	}
	if len(got) < len(want) {
		c.Found(path, "Model %.60s answered, and is missing from %s.", want[len(got)].Model, path)
	}
	c.Saw("%d models", len(got))
	leftOver(r, rep, func(name string) bool { return name == modelsFile })
}

// A bundledSet is a set of policies.
type bundledSet struct {
	Files []policyFile `json:"files"`
}

// setsOf are the digests of the sets that calls were asked of, each with a step
// that names it.
func setsOf(steps []bundledStep) map[string]string {
	sets := map[string]string{}
	for _, s := range steps {
		for _, r := range s.rulings() {
			if r.Policy != nil && sets[r.Policy.Digest] == "" {
				sets[r.Policy.Digest] = fmt.Sprintf("call %s of run %s", r.Call, s.Run)
			}
		}
	}
	return sets
}

func (s *Store) exportPolicies(ctx context.Context, w *bundle.Writer, req bundle.Request) error {
	steps, err := s.earlierSteps(w)
	if err != nil {
		return err
	}
	sets := setsOf(steps)
	if err := s.outsideSets(ctx, req, sets); err != nil {
		return err
	}
	const files = `select files from gavel_sys.policy_set where sha256 = $1`
	return s.each(ctx, req, sets, files, func(sum string, text []byte) error {
		files, err := policyFiles(text)
		if err != nil {
			return fault.From(fault.Internal, err, "the policies %.12s cannot be read", sum)
		}
		return w.JSON(setsFolder+sum+".json", bundledSet{files})
	})
}

func verifyPolicies(r *bundle.Reader, rep *bundle.Report) {
	c := rep.Check("the policies are those that were asked",
		"the text of every policy that let a call through, or did not, is the one whose digest stands in the log beside the answer",
		"that the policy was a wise one")
	_, steps := readRuns(r)
	sets := setsOf(steps)
	addSets(sets, provenOutside(r))
	found := underDigest(r, c, setsFolder, ".json", sets, func(text []byte) string {
		var set bundledSet
		line, whole := strings.CutSuffix(string(text), "\n")
		if !whole || bundle.Decode([]byte(line), &set) != nil {
			return ""
		}
		return digestOf(set.Files)
	})
	c.Saw("%d sets of policies", len(found))
	leftOver(r, rep, func(name string) bool { return strings.HasPrefix(name, setsFolder) })
}
