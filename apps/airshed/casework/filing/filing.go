package filing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/report"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/agent"
	log "github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/tool"
)

// toolSend files a report. Its name and its arguments are the first design's.
const toolSend = "send_caqm_report_tool"

// undoFiling is how long after the second approval filing can still be undone.
const undoFiling = 5 * time.Minute

// sendArgs ask for a report to be filed. The report itself is named by the digest of
// its bytes: that is what people read and approve, and nothing else is filed.
type sendArgs struct {
	Report    reportRef `json:"report"`
	SaveLocal bool      `json:"save_local" jsonschema:"A copy is always kept, whatever this says."`
	UploadS3  bool      `json:"upload_s3" jsonschema:"Whether a copy goes into the data lake, under reports/."`
	Attempt   attemptNo `json:"attempt"`

	SecurityContext string `json:"security_context,omitempty" inject:"actor"`
}

// A reportRef names a report.
type reportRef struct {
	ID     caseSaid `json:"report_id"`
	SHA256 caseSaid `json:"sha256"`
}

// A caseSaid is what the case itself says: nobody edits it.
type caseSaid string

// JSONSchema says so.
func (caseSaid) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", ReadOnly: true, Description: "As the case has it."}
}

// An attemptNo is how often people were asked.
type attemptNo int

// mostAttempts is how often they are at most.
const mostAttempts = 100

// JSONSchema says that it is the case's to say.
func (attemptNo) JSONSchema() *jsonschema.Schema {
	return &jsonschema.Schema{Type: "integer", ReadOnly: true, Minimum: jsonschema.Ptr(1.0), Maximum: jsonschema.Ptr(float64(mostAttempts)),
		Description: "How often people were asked about this report."}
}

// sent is what became of filing, in the first design's form and with ours after it.
type sent struct {
	Status    string    `json:"status"`
	ReportID  string    `json:"report_id"`
	LocalPath string    `json:"local_path"`
	S3Path    string    `json:"s3_path"`
	Time      time.Time `json:"timestamp"`
	Receipt   string    `json:"receipt,omitempty"`
	Simulator bool      `json:"simulator,omitempty"`
	Details   string    `json:"details,omitempty"`
}

func (c *Clerk) sendTool() tool.Tool {
	officers := []identity.Role{identity.Officer}
	return tool.Finds(tool.Binds(tool.Sends(tool.Tool{App: store.Name, Name: toolSend,
		Line: "File a report with the commission, keep a copy, and put one into the data lake.", Effect: tool.Outside, Gate: tool.Approve,
		Roles: []identity.Role{identity.Analyst, identity.Officer}, Deciders: officers, EscalateTo: officers, Approvals: 2,
		Undo: undoFiling, Class: tool.LegalFiling, RemindAfter: 12 * time.Hour, EscalateAfter: 48 * time.Hour,
		ExpireAfter: 7 * 24 * time.Hour}, c.send, c.resend), c.bindSend), c.findSend)
}

// resend says that a filing whose end nobody saw may be done again: the commission
// knows a report by its key, and gives the same receipt for it.
func (c *Clerk) resend(context.Context, tool.Env, sendArgs) (tool.Found, sent, error) {
	return tool.No, sent{}, nil
}

// How long the last steps of filing may take, whatever became of the others.
const (
	uploadTimeout = 4 * time.Second // a lake that hangs is a remark
	noteTimeout   = 5 * time.Second
)

// send files a report. A copy is kept, and was before anybody was asked. What the
// commission does not take after three tries is a partial success, as the first design
// has it, and is told as one. That it is put there is noted before it is: a worker that
// dies on the way leaves a report that the commission may have.
func (c *Clerk) send(ctx context.Context, e tool.Env, in sendArgs) (sent, error) {
	d, earlier, err := c.toFile(ctx, e, in)
	if err != nil {
		return sent{}, tool.NotSent(err)
	}
	if earlier != nil {
		return sentAs(*d, *earlier), nil
	}
	sum, err := blob.Parse(d.JSON)
	if err != nil {
		return sent{}, tool.NotSent(err)
	}
	body, err := c.store.BytesOf(ctx, e.Org, sum, report.MaxBytes)
	if err != nil {
		return sent{}, tool.NotSent(err)
	}
	f := store.Filing{Act: e.Key, N: d.N, At: c.store.Now().UTC().Truncate(time.Second), Simulated: c.commission.Channel() != report.Real}
	if err := c.letGo(ctx, e, *d, f); err != nil {
		return sent{}, tool.NotSent(err)
	}
	var wrong []string
	outcome, err := c.submit(ctx, *d, body, &f)
	if err != nil {
		words, next := fault.Words(err)
		wrong = append(wrong, strings.TrimSuffix(words+"; "+next, "; "))
		c.log.WarnContext(ctx, "a report was kept and not submitted", slog.String("report", d.ReportID), slog.String("why", words))
	}
	if in.UploadS3 {
		limited, stop := context.WithTimeout(ctx, uploadTimeout)
		f.Place, err = c.upload(limited, e.Org, *d, body, sum)
		stop()
		if err != nil {
			words, _ := fault.Words(err)
			wrong = append(wrong, "no copy is in the lake: "+words)
		}
	}
	f.Why = store.Cut(strings.Join(wrong, "; "), 1000)
	noting, stop := context.WithTimeout(context.WithoutCancel(ctx), noteTimeout)
	defer stop()
	return sentAs(*d, f), c.noteFiling(noting, e, *d, f, outcome)
}

// What became of putting a report to the commission. The zero value: nobody knows.
const (
	unknown = ""
	taken   = "taken"
	refused = "refused"
)

// submit puts a report to the commission, and notes in the filing what it says. Where it
// fails, outcome says whether the commission may have the report all the same.
func (c *Clerk) submit(ctx context.Context, d store.Draft, body []byte, f *store.Filing) (outcome string, err error) {
	f.Status = store.PartialSuccess
	if c.commission.Address == "" {
		return refused, outside.NoAddress()
	}
	got, maybe, err := c.commission.Submit(ctx, d.ReportID+":"+d.JSON[:16], body)
	switch {
	case err != nil && maybe:
		return unknown, err
	case err != nil:
		return refused, err
	}
	f.Status, f.Receipt, f.Simulated = store.Success, got.Receipt, f.Simulated || got.Simulator
	return taken, nil
}

// letGo lets a draft go to the commission. It is asked at the last moment, because what
// was approved a while ago may not hold any more, and notes that the draft is on its way
// while nobody can change the case.
func (c *Clerk) letGo(ctx context.Context, e tool.Env, d store.Draft, f store.Filing) error {
	return c.store.In(ctx, e.Org, func(tx pgx.Tx) error {
		if err := mayBeFiled(ctx, tx, e, d); err != nil || c.commission.Address == "" {
			return err
		}
		return store.Submitting(ctx, tx, e.Org, casefile.CaseID(e.Case), f)
	})
}

// toFile is the draft that is to be filed, or what became of filing it before.
func (c *Clerk) toFile(ctx context.Context, e tool.Env, in sendArgs) (d *store.Draft, earlier *store.Filing, err error) {
	if err := c.store.Keeps(); err != nil {
		return nil, nil, err
	}
	err = c.store.In(ctx, e.Org, func(tx pgx.Tx) error {
		id := casefile.CaseID(e.Case)
		if d, err = store.DraftBy(ctx, tx, id, string(in.Report.SHA256)); err != nil {
			return err
		}
		if d == nil || d.ReportID != string(in.Report.ID) {
			return fault.New(fault.Conflict, "the case has no such report").WithNext("see the report on the case's page")
		}
		earlier, err = store.EarlierFiling(ctx, tx, id, e.Key)
		return err
	})
	if err == nil && earlier != nil && earlier.N != d.N {
		err = fault.New(fault.Conflict, "report %s was filed already, in another draft", d.ReportID)
	}
	return d, earlier, err
}

// mayBeFiled refuses a draft that does not hold any more, or of a case that somebody has
// closed. One that this very act has put to the commission before goes there again,
// whatever has happened since: only so is it known whether the commission has it.
func mayBeFiled(ctx context.Context, tx pgx.Tx, e tool.Env, d store.Draft) error {
	m := &matter{in: casefile.Input{Org: e.Org, Case: casefile.CaseID(e.Case)}}
	if err := m.read(ctx, tx); err != nil {
		return err
	}
	switch {
	case m.maybe == d.N && m.mayBy == e.Key:
		return nil
	case m.file.State == casefile.Closed || m.file.Status == casefile.StatusClosing:
		return fault.New(fault.Conflict, "the case was closed: its report is not filed")
	case m.maybe != 0 && m.maybe != d.N:
		return fault.New(fault.Conflict, "the commission may have draft %d of the report: that is settled first", m.maybe)
	case m.draft == nil || m.draft.N != d.N || m.standing().Stale():
		return fault.New(fault.Conflict, "draft %d does not hold any more: there are newer data, or a newer draft", d.N).
			WithNext("decide about the newest draft")
	}
	return nil
}

func sentAs(d store.Draft, f store.Filing) sent {
	return sent{Status: f.Status, ReportID: d.ReportID, LocalPath: "airshed/reports/" + d.ReportID + "/" + report.FileName(d.MadeAt),
		S3Path: f.Place, Time: f.At, Receipt: f.Receipt, Simulator: f.Simulated, Details: f.Why}
}

// upload puts a copy into the data lake, under the first design's name; where two
// reports were made in one second, with the number after it.
func (c *Clerk) upload(ctx context.Context, org identity.Org, d store.Draft, body []byte, sum blob.Digest) (string, error) {
	if !c.surveyor.Watches(org) {
		return "", fault.New(fault.Unavailable, "the organisation has no data lake").WithNext("set %s", outside.SettingLake)
	}
	name := report.Key(d.MadeAt)
	at, err := c.surveyor.Lake().Lake.PutReport(ctx, name, body, sum)
	if fault.Is(err, fault.Conflict) {
		at, err = c.surveyor.Lake().Lake.PutReport(ctx, strings.TrimSuffix(name, ".json")+"_"+d.ReportID+".json", body, sum)
	}
	return at, err
}

// noteFiling writes down what became of filing, with a record, and wakes the case.
func (c *Clerk) noteFiling(ctx context.Context, e tool.Env, d store.Draft, f store.Filing, outcome string) error {
	files, err := c.filedFiles(ctx, e, d, f)
	if err != nil {
		return err
	}
	return c.store.In(ctx, e.Org, func(tx pgx.Tx) error {
		file, err := casefile.Lock(ctx, tx, casefile.CaseID(e.Case))
		if err != nil {
			return err
		}
		fresh, err := store.AddFiling(ctx, tx, e.Org, file.ID, d, f, outcome)
		if err != nil || !fresh {
			return err
		}
		for _, left := range files {
			if err := log.NoteExportOnce(ctx, tx, identity.Gavel(e.Org), f.At, left); err != nil {
				return err
			}
		}
		if file.State == casefile.Closed {
			return nil
		}
		return c.cases.Rouse(ctx, tx, file)
	})
}

// askToFile puts the newest draft before people.
func (m *matter) askToFile(ctx context.Context) error {
	args, err := json.Marshal(sendArgs{Report: reportRef{ID: caseSaid(m.draft.ReportID), SHA256: caseSaid(m.draft.JSON)}, SaveLocal: true,
		UploadS3: m.clerk.surveyor.Watches(m.in.Org), Attempt: attemptNo(m.attempt)})
	if err != nil {
		return err
	}
	_, err = m.clerk.calls.Take(ctx, identity.Gavel(m.in.Org), agent.Call{App: store.Name, Tool: toolSend, Args: args,
		Case: string(m.in.Case), Via: store.Name})
	return err
}

// reportOf reads a draft back.
func (c *Clerk) reportOf(ctx context.Context, org identity.Org, d store.Draft) (r report.Report, err error) {
	sum, err := blob.Parse(d.JSON)
	if err != nil {
		return r, err
	}
	body, err := c.store.BytesOf(ctx, org, sum, report.MaxBytes)
	if err != nil {
		return r, err
	}
	if err := json.NewDecoder(bytes.NewReader(body)).Decode(&r); err != nil {
		return r, fmt.Errorf("read report %s: %w", d.ReportID, err)
	}
	return r, nil
}
