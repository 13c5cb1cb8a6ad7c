package reportagent_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"testing"
	"testing/fstest"

	"github.com/gavelhq/gavel/apps/reportagent/rule/catalogue"
	"github.com/gavelhq/gavel/apps/reportagent/rule/madeup"
	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/evidence/reperform"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/fault"
)

// again does all facts of some files again, as an auditor would, and returns what became of them.
func again(t *testing.T, files map[string][]byte) map[reperform.Outcome]int {
	t.Helper()
	kept := map[string][]byte{}
	keep := func(content []byte) {
		sum := sha256.Sum256(content)
		kept[hex.EncodeToString(sum[:])] = content
	}
	folder := fstest.MapFS{}
	for name, content := range files {
		folder[name] = &fstest.MapFile{Data: content}
		keep(content)
	}
	cat, err := catalogue.Discover(folder)
	if err != nil {
		t.Fatal(err)
	}
	book := fact.NewBook("case_1")
	for i := range cat.Charts {
		if cat.Charts[i].Spec != nil {
			keep(cat.Charts[i].Spec.Raw) // a spec is a document of its own: the file is none
		}
		if _, err := summary.Summarise(book, &cat.Charts[i]); err != nil {
			t.Fatal(err)
		}
	}
	rep := reperform.Run("case_1", book.All(), func(digest string) (reperform.Bytes, error) {
		content, ok := kept[digest]
		if !ok {
			return reperform.Bytes{}, fault.New(fault.NotFound, "snapshot %s", digest)
		}
		return reperform.Bytes{ReadCloser: io.NopCloser(bytes.NewReader(content)), SHA256: digest}, nil
	})
	for _, v := range rep.Verdicts {
		if v.Outcome != reperform.Pass {
			t.Errorf("%s: %s, %s", v.Fact, v.Outcome, v.Why)
		}
	}
	if !rep.OK() {
		t.Errorf("the register: %s", rep.Register)
	}
	return rep.Count()
}

// TestAnAuditorCanDoEveryNumberAgain promises that every fact of the made-up run passes when it is read again from its bytes and
// computed again from its inputs, by the platform's own code.
func TestAnAuditorCanDoEveryNumberAgain(t *testing.T) {
	if n := again(t, madeup.Make(1).Files())[reperform.Pass]; n < 25_000 {
		t.Errorf("only %d facts were done again", n)
	}
}

// TestBothReadersFindTheSameCell promises that a table is read here as the platform reads it, where readers like to differ.
func TestBothReadersFindTheSameCell(t *testing.T) {
	for name, csv := range map[string]string{
		"a mark":              "\xef\xbb\xbfscen,fuel,unit,2025,2030\nA,Gas,PJ,1,2\n",
		"Windows":             "scen,fuel,unit,2025,2030\r\nA,Gas,PJ,1,2\r\n",
		"empty lines":         "\nscen,fuel,unit,2025,2030\n\nA,Gas,PJ,1,2\n\n\nA,Oil,PJ,3,4\n",
		"a newline in quotes": "scen,fuel,unit,2025,2030\nA,\"Gas\nand oil\",PJ,1,2\nA,Coal,PJ,3,4\n",
		"other separators":    "scen,\"a;b;c;d;e;f;g\",unit,2025,2030\nA,\"x;y|z\",PJ,1,2\n",
		"blanks":              "scen,fuel,unit,2025, 2030\nA,Gas,PJ, 1 ,\t2\n",
		"a row too short":     "scen,fuel,unit,2025,2030\nA,Gas\nA,Oil,PJ,3,4\n",
		"exponents":           "scen,fuel,unit,2025,2030\nA,Gas,PJ,1e3,-2.50E-2\nA,Oil,PJ,+3,.5\n",
		"long":                "sector,val,measure,scen\nNet 2025,10,relative,A\nGas,-2,relative,A\nOil,-0.0,relative,A\n",
		"a view":              "scenario,fuel,unit,year,val\nA,Gas,PJ,2025,1\nA,Gas,PJ,2030,2\n",
	} {
		t.Run(name, func(t *testing.T) {
			if n := again(t, map[string][]byte{"a/x.csv": []byte(csv)})[reperform.Pass]; n < 3 {
				t.Errorf("%d facts were done again", n)
			}
		})
	}
}

// TestThePlatformFindsCellsOfVedaAgain promises that what is cited of the solver's file, and of an export, is found at its record and
// column.
func TestThePlatformFindsCellsOfVedaAgain(t *testing.T) {
	run := madeup.Veda(7, "VAR_FOut")
	for name, file := range map[string][]byte{"a/x.vd": run.VD(), "a/x.csv": run.Batch()} {
		if n := again(t, map[string][]byte{name: file})[reperform.Pass]; n < len(run.Rows)-1 {
			t.Errorf("%s: %d facts were done again of %d rows", name, n, len(run.Rows))
		}
	}
}
