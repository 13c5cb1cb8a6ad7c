package bundle

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/fault"
)

// The files of the log's section. A record and its proof stand on lines of the
// same number.
const (
	recordsFile     = "records.ndjson"     // canonical JSON as the log holds it
	proofsFile      = "proofs.ndjson"      // for each record, the way to the root of a checkpoint
	checkpointFile  = "checkpoint"         // the log's newest state at the time, as it was signed
	checkpointsFile = "checkpoints.ndjson" // earlier ones that proofs rest on, and how the newest extends them
	keysFile        = "keys.ndjson"        // which key signs from when on
)

// An inclusion is a line of proofs.ndjson.
type inclusion struct {
	Record     audit.RecordID   `json:"record"`
	Seq        int64            `json:"seq"`
	Checkpoint int64            `json:"checkpoint"` // its size
	Path       tlog.RecordProof `json:"path"`
}

// An earlier checkpoint is a line of checkpoints.ndjson.
type earlier struct {
	Note string         `json:"note"`
	Path tlog.TreeProof `json:"path"`
}

// A keyTerm is a line of keys.ndjson: the key signs checkpoints larger than From,
// and entry number From is the record that says so.
type keyTerm struct {
	From   int64          `json:"from"`
	Key    audit.Verifier `json:"key"`
	Record audit.RecordID `json:"record"`
}

// logName is the section's name.
const logName = "log"

// logSection is the part of every bundle that proves its records. Without an
// exporter it can only be checked.
func logSection(e *Exporter) Section {
	return Section{Name: logName, Title: "Records of the log", Version: 1, Verify: verifyLog,
		Export: func(ctx context.Context, w *Writer, req Request) error { return e.exportLog(ctx, w, req) }}
}

// A querier reads rows: a transaction of an organisation, or the system's door.
type querier interface {
	Query(ctx context.Context, sql string, args ...any) (pgx.Rows, error)
}

// A witnessed record is one with its proof.
type witnessed struct {
	audit.Entry
	proof audit.Proof
}

func (e *Exporter) exportLog(ctx context.Context, w *Writer, req Request) error {
	entries, err := e.waitForTree(ctx, req, w.d)
	if err != nil {
		return err
	}
	var all []witnessed
	var head audit.Checkpoint
	var files logFiles
	err = e.db.InOrg(ctx, req.Org, func(tx pgx.Tx) error {
		if all, err = prove(ctx, tx, entries); err != nil {
			return err
		}
		terms, keys, err := e.keys(ctx)
		if err != nil {
			return err
		}
		if head, err = audit.Newest(ctx, tx); err != nil { // last, so that it covers every proof
			return err
		}
		if now := terms[len(terms)-1]; now.Key != e.signer.public || now.From >= head.Tree.N {
			return fault.New(fault.Unavailable, "the log is not signed with this server's key, so it signs no bundle").
				WithNext("try again in two seconds; if that does not help, gavel doctor says why")
		}
		files, err = arrange(ctx, tx, append(all, keys...), head)
		files.terms = terms
		return err
	})
	if err != nil {
		return err
	}
	return files.write(w, head)
}

// patience is how long an export waits for records that were committed a moment
// ago; the log takes them in within two seconds.
const (
	patience = 5 * time.Second
	between  = 250 * time.Millisecond
)

// waitForTree reads the records that belong into the bundle, once all of them
// are in the tree.
func (e *Exporter) waitForTree(ctx context.Context, req Request, d *draft) ([]audit.Entry, error) {
	for waited := time.Duration(0); ; waited += between {
		entries, err := e.entries(ctx, req, d)
		if err != nil {
			return nil, err
		}
		late := slices.IndexFunc(entries, func(x audit.Entry) bool { return x.Seq < 0 })
		if late < 0 {
			return entries, nil
		}
		if waited >= patience {
			return nil, fault.New(fault.Unavailable, "record %s is committed and has not been taken into the log for %s", entries[late].ID,
				patience).
				WithNext("see whether a server is taking records in: gavel doctor")
		}
		if err := e.wait(ctx, between); err != nil {
			return nil, err
		}
	}
}

// entries reads every record about the case, about what sections named, and
// those they cited.
func (e *Exporter) entries(ctx context.Context, req Request, d *draft) ([]audit.Entry, error) {
	found := map[audit.RecordID]audit.Entry{}
	err := e.db.InOrg(ctx, req.Org, func(tx pgx.Tx) error {
		for _, subject := range append([]string{req.Case}, d.subjects...) {
			if err := about(ctx, tx, subject, found); err != nil {
				return err
			}
		}
		for _, id := range d.records {
			if _, have := found[id]; have {
				continue
			}
			one, err := audit.Get(ctx, tx, id)
			if err != nil {
				return err
			}
			found[id] = one
		}
		for _, id := range d.withheld {
			delete(found, id)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	if len(found) > maxRecords {
		return nil, fault.New(fault.TooLarge, "the case has %d records; a bundle holds at most %d", len(found), maxRecords)
	}
	return slices.Collect(maps.Values(found)), nil
}

// about adds all records about a subject.
func about(ctx context.Context, q querier, subject string, found map[audit.RecordID]audit.Entry) error {
	for query := (audit.Query{Subject: subject, Limit: 200}); ; {
		page, next, err := audit.List(ctx, q, query)
		if err != nil {
			return err
		}
		for _, one := range page {
			found[one.ID] = one
		}
		if next == "" || len(found) > maxRecords {
			return nil
		}
		query.Before = next
	}
}

func prove(ctx context.Context, q querier, entries []audit.Entry) ([]witnessed, error) {
	out := make([]witnessed, len(entries))
	for i, one := range entries {
		proof, err := audit.Prove(ctx, q, one.ID)
		if err != nil {
			return nil, err
		}
		out[i] = witnessed{one, proof}
	}
	return out, nil
}

// keys reads the log's keys and the records that put them in force. Those belong
// to the installation, so the system's door reads them.
func (e *Exporter) keys(ctx context.Context) ([]keyTerm, []witnessed, error) {
	const all = `select from_size, verifier, record_id from gavel_sys.log_key order by from_size`
	rows, _ := e.system.Query(ctx, all)
	terms, err := pgx.CollectRows(rows, pgx.RowToStructByPos[keyTerm])
	if err != nil {
		return nil, nil, fmt.Errorf("read the log's keys: %w", err)
	}
	if len(terms) == 0 {
		return nil, nil, fault.New(fault.Unavailable, "the log has no entry yet")
	}
	records := make([]audit.Entry, len(terms))
	for i, t := range terms {
		if records[i], err = audit.Get(ctx, e.system, t.Record); err != nil {
			return nil, nil, err
		}
	}
	proofs, err := prove(ctx, e.system, records)
	return terms, proofs, err
}

// logFiles is the content of the section, in its order.
type logFiles struct {
	records []byte
	proofs  []inclusion
	earlier []earlier
	terms   []keyTerm
}

// arrange puts records in the order of the log, and shows of each checkpoint
// that a proof rests on that the head extends it.
func arrange(ctx context.Context, q querier, all []witnessed, head audit.Checkpoint) (logFiles, error) {
	slices.SortFunc(all, func(a, b witnessed) int { return int(min(max(a.proof.Seq-b.proof.Seq, -1), 1)) })
	var f logFiles
	var b bytes.Buffer
	bases := map[int64]audit.Checkpoint{}
	for _, one := range all {
		base, err := audit.ParseCheckpoint(one.proof.Checkpoint)
		if err != nil {
			return f, err
		}
		if base.Tree.N != head.Tree.N {
			bases[base.Tree.N] = base
		}
		b.WriteString(one.JSON)
		b.WriteByte('\n')
		f.proofs = append(f.proofs, inclusion{one.ID, one.proof.Seq, base.Tree.N, one.proof.Path})
	}
	f.records = b.Bytes()
	for _, n := range slices.Sorted(maps.Keys(bases)) {
		x, err := audit.Extend(ctx, q, bases[n], head)
		if err != nil {
			return f, err
		}
		f.earlier = append(f.earlier, earlier{x.From, x.Path})
	}
	return f, nil
}

func (f logFiles) write(w *Writer, head audit.Checkpoint) error {
	for _, put := range []func() error{
		func() error { return w.Text(recordsFile, f.records) },
		func() error { return Lines(w, proofsFile, f.proofs) },
		func() error { return w.Text(checkpointFile, []byte(head.Note)) },
		func() error { return Lines(w, checkpointsFile, f.earlier) },
		func() error { return Lines(w, keysFile, f.terms) },
	} {
		if err := put(); err != nil {
			return err
		}
	}
	return nil
}
