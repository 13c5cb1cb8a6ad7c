package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"

	"github.com/gavelhq/gavel/apps/airshed/rule/lawbook"
)

// records are what a certificate of this report is about: the report, the analysis,
// its inputs and whatever was received.
func (r Report) records() ([]lawbook.Record, error) {
	file, err := r.JSON()
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(file)
	out := []lawbook.Record{{Name: FileName(r.Time), SHA256: hex.EncodeToString(sum[:])}, {Name: "analysis", SHA256: r.Custody.Analysis}}
	for _, in := range r.Inputs {
		if in.SHA256 != "" {
			out = append(out, lawbook.Record{Name: in.Part, SHA256: in.SHA256})
		}
	}
	return append(out, r.Custody.Records...), nil
}

// Certificate is the certificate of section 63 for a report, with the report's own
// digest among the records, filled in as far as a machine may and unsigned.
func (r Report) Certificate() (lawbook.Certificate, error) {
	records, err := r.records()
	if err != nil {
		return lawbook.Certificate{}, err
	}
	return r.certify(records)
}

func (r Report) certify(records []lawbook.Record) (lawbook.Certificate, error) {
	return lawbook.Prefill(lawbook.Particulars{Device: r.Custody.Device, Records: records, Outages: r.Custody.Outages})
}

// mostDiffering bounds what Check lists.
const mostDiffering = 100

// Check holds a file, the JSON or a page of a report as it was filed, against this
// report, which whoever doubts it has built again from the analysis and the book of
// law. It returns the lines of the file that differ, none where nothing does.
func (r Report) Check(file []byte) ([]string, error) {
	want, err := r.like(file)
	if err != nil || bytes.Equal(file, want) {
		return nil, err
	}
	var out []string
	got, mine := bytes.Split(file, []byte("\n")), bytes.Split(want, []byte("\n"))
	for i := range got {
		if i >= len(mine) || !bytes.Equal(got[i], mine[i]) {
			out = append(out, string(got[i]))
		}
		if len(out) == mostDiffering {
			return out, nil
		}
	}
	if len(got) < len(mine) {
		out = append(out, "the end of the file is missing")
	}
	return out, nil
}

// like is this report in the form a file has.
func (r Report) like(file []byte) ([]byte, error) {
	for _, lang := range Langs() {
		if bytes.HasPrefix(file, []byte(pageStart(lang))) {
			return HTML(r, lang)
		}
	}
	return r.JSON()
}
