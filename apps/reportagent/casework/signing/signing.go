// Package signing has sections signed: an analyst asks, somebody else decides on exactly the words that were shown, and what is signed
// is locked.
package signing

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/reportagent/casework"
	"github.com/gavelhq/gavel/apps/reportagent/rule/report"
	"github.com/gavelhq/gavel/apps/reportagent/rule/wording"
	"github.com/gavelhq/gavel/apps/reportagent/store"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/review"
	"github.com/gavelhq/gavel/platform/tool"
)

// toolSign signs a section.
const toolSign = "sign_off_section"

// A Clerk has sections signed. It is made before anything it stands on is there, and opened once.
type Clerk struct {
	store *store.Store
	desk  *casework.Desk
	calls *agent.Calls
}

// New makes a clerk that is not opened yet.
func New(s *store.Store, d *casework.Desk) *Clerk { return &Clerk{store: s, desk: d} }

// Open tells it where people are asked.
func (c *Clerk) Open(calls *agent.Calls) { c.calls = calls }

// A fixed text is what the record says: nobody edits it.
type fixed string

// JSONSchema says so.
func (fixed) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "As the record has it."}
}

// signArgs name the words that are signed.
type signArgs struct {
	Section fixed `json:"section_id"`
	Version fixed `json:"version"`
	Hash    fixed `json:"hash"`
}

type signed struct {
	Report  string `json:"report"`
	Section string `json:"section_id"`
	Version int    `json:"version"`
}

// Tools are what people may be asked about.
func (c *Clerk) Tools() []tool.Tool {
	officers := []identity.Role{identity.Officer}
	return []tool.Tool{tool.MadeBy(tool.Finds(tool.Binds(tool.Writes(tool.Tool{App: store.Name, Name: toolSign,
		Line: "Sign a section of a report: its words and numbers are locked.", Effect: tool.Write, Gate: tool.Approve,
		Roles: []identity.Role{identity.Analyst}, Deciders: officers, EscalateTo: officers, Class: tool.Weighty,
		ExpireAfter: 14 * 24 * time.Hour}, c.sign), c.bind), c.find), c.writers)}
}

// Ask puts a section before people.
func (c *Clerk) Ask(ctx context.Context, actor identity.Actor, v casework.View, section string) (agent.Taken, error) {
	s, err := v.Document.Find(section)
	if err != nil {
		return agent.Taken{}, err
	}
	args, err := json.Marshal(signArgs{Section: fixed(s.ID), Version: fixed(fmt.Sprint(v.Newest[s.ID].N)), Hash: fixed(s.Hash())})
	if err != nil {
		return agent.Taken{}, err
	}
	return c.calls.Take(ctx, actor, agent.Call{App: store.Name, Tool: toolSign, Args: args, Case: string(v.Case), Via: store.Name})
}

// A matter is a section as it is now.
type matter struct {
	report  store.Report
	version store.Version
	title   string
	found   []report.Finding
	notes   []store.Note
	scores  []store.Rating
}

// read reads the section that is to be signed, and refuses what cannot be: words that are others by now, or that no facts carry.
func (c *Clerk) read(ctx context.Context, tx pgx.Tx, e tool.Env, in signArgs) (m *matter, err error) {
	m = &matter{}
	if m.report, err = store.ReportOfCase(ctx, tx, casefile.CaseID(e.Case)); err != nil {
		return nil, err
	}
	st, err := store.StandingIn(ctx, tx, m.report.ID, store.FactsOf(in.Section))
	if err != nil {
		return nil, err
	}
	v, err := c.desk.ViewOf(st)
	if err != nil {
		return nil, err
	}
	s, err := v.Document.Find(string(in.Section))
	if err != nil {
		return nil, err
	}
	m.version, m.title = st.Newest[s.ID], s.Title
	switch _, done := st.Signed[s.ID]; {
	case m.version.N == 0 || s.Prose == "":
		return nil, fault.New(fault.Conflict, "section %s has no text", s.ID).WithNext("have it drafted").
			Because("report_sign_no_text", "section", s.Title)
	case done:
		return nil, fault.New(fault.Conflict, "section %s is signed already", s.ID).Because("report_section_signed", "section", s.Title)
	case string(in.Version) != fmt.Sprint(m.version.N) || string(in.Hash) != s.Hash():
		return nil, fault.New(fault.Stale, "section %s says something else by now", s.ID).WithNext("read it again, and ask anew").
			Because("report_section_changed", "section", s.Title)
	case strings.Contains(s.Prose, wording.Mark):
		return nil, fault.New(fault.Conflict, "section %s has a mark where a sentence was dropped", s.ID).
			WithNext("write the sentence, or take the mark out").Because("report_sign_marked", "section", s.Title)
	}
	if m.found, err = c.desk.CheckIn(ctx, e.Org, v, s.ID); err != nil {
		return nil, err
	}
	for _, f := range m.found {
		if !f.Asks {
			return nil, fault.New(fault.Conflict, "section %s does not hold: %s", s.ID, f.Words).WithNext("put that right first").
				Because("report_sign_not_held", "section", s.Title)
		}
	}
	m.scores, m.notes, err = store.Said(ctx, tx, m.report.ID, s.ID)
	return m, err
}

func (c *Clerk) bind(ctx context.Context, tx pgx.Tx, e tool.Env, in signArgs) (signArgs, error) {
	if e.Case == "" {
		return in, fault.New(fault.Invalid, "say which report it is about").WithNext("name its case")
	}
	_, err := c.read(ctx, tx, e, in)
	return in, err
}

// writers are who had a part in the words: none of them signs them.
func (c *Clerk) writers(ctx context.Context, tx pgx.Tx, e tool.Env, in signArgs) ([]string, error) {
	r, err := store.ReportOfCase(ctx, tx, casefile.CaseID(e.Case))
	if err != nil {
		return nil, err
	}
	return store.Writers(ctx, tx, r.ID, string(in.Section))
}

// checked refuses a signature by who had a part in the words, or on behalf of one who had: whatever let it come this far.
func (c *Clerk) checked(ctx context.Context, tx pgx.Tx, e tool.Env, m *matter) error {
	q, asked, err := review.QuestionOf(ctx, tx, e.Org, e.Key)
	if err != nil {
		return err
	}
	if !asked || q.Made.ActorID == "" {
		return fault.New(fault.Refused, "nobody has signed section %s", m.version.Section).WithNext("ask somebody to sign it")
	}
	wrote, err := store.Wrote(ctx, tx, m.report.ID, m.version.Section, q.Made.ActorID, q.Made.OnBehalf)
	if err == nil && wrote {
		err = fault.New(fault.Refused, "section %s is signed by nobody who wrote in it", m.version.Section).
			WithNext("have somebody else sign it").Because("report_sign_own", "section", m.title)
	}
	return err
}

// sign locks the words that were read.
func (c *Clerk) sign(ctx context.Context, tx pgx.Tx, e tool.Env, in signArgs) (signed, error) {
	m, err := c.read(ctx, tx, e, in)
	if err != nil {
		return signed{}, err
	}
	if err := c.checked(ctx, tx, e, m); err != nil {
		return signed{}, err
	}
	return signed{m.report.ID, m.version.Section, m.version.N}, c.store.Sign(ctx, tx, e.Org, m.report.ID,
		store.Signoff{Section: m.version.Section,
			Version: m.version.N, Hash: m.version.Hash, Act: e.Key, Proposal: e.Proposal})
}

// find is what the checker reads first.
func (c *Clerk) find(ctx context.Context, tx pgx.Tx, e tool.Env, in signArgs) (finding.Finding, error) {
	m, err := c.read(ctx, tx, e, in)
	if err != nil {
		return finding.Finding{}, err
	}
	numbers := 0
	for _, p := range m.version.Entry.Paragraphs {
		for _, s := range p.Sentences {
			numbers += strings.Count(s.Text, "{{")
		}
	}
	open := 0
	for _, n := range m.notes {
		if n.Became == "open" {
			open++
		}
	}
	f := finding.Finding{Subject: finding.Subject{Kind: "report", Name: m.title, Of: m.report.ID,
		Link: "/reportagent/reports/" + m.report.ID + "/sections/" + url.PathEscape(m.version.Section)},
		Brief: finding.Words{En: fmt.Sprintf("version %d, %d numbers, all facts", m.version.N, numbers),
			Hi: fmt.Sprintf("संस्करण %d, %d संख्याएँ, सभी तथ्य", m.version.N, numbers)},
		Says: finding.Words{En: fmt.Sprintf("Version %d cites %d numbers, and code finds nothing wrong with them.", m.version.N, numbers),
			Hi: fmt.Sprintf("संस्करण %d में %d संख्याएँ हैं, और जाँच में कोई ग़लत नहीं निकली।", m.version.N, numbers)},
		Value: finding.Measured(finding.Words{En: fmt.Sprintf("%d numbers", numbers), Hi: fmt.Sprintf("%d संख्याएँ", numbers)}),
		Limit: finding.Measured(finding.Words{En: "no number without a fact", Hi: "तथ्य के बिना कोई संख्या नहीं"}),
		Sure: finding.Measured(finding.Words{En: "computed, from the tables as they were brought in",
			Hi: "लाई गई तालिकाओं से गणना की गई"}),
		Unknown: []finding.Point{finding.Say("Nobody computes whether the right story is told.",
			"सही बात कही गई या नहीं, यह कोई गणना नहीं बताती।")},
		Change: finding.Words{En: "Newer data that change one of its numbers.", Hi: "नए आँकड़े, जो इसकी कोई संख्या बदलें।"},
		Plain: finding.Words{En: "A section of a report waits for a signature.",
			Hi: "रिपोर्ट का एक अनुभाग हस्ताक्षर की प्रतीक्षा में है।"}}
	if open > 0 {
		f.Against = append(f.Against, finding.Say(fmt.Sprintf("%d notes are open.", open), fmt.Sprintf("%d टिप्पणियाँ खुली हैं।", open)))
	}
	switch m.version.How {
	case store.Model:
		f.Unknown = append(f.Unknown, finding.Say("A model worded it.", "इसे मॉडल ने लिखा है।"))
	case store.Person:
		f.For = append(f.For, finding.Say("A person worded it.", "इसे एक व्यक्ति ने लिखा है।"))
	}
	return f, nil
}
