package query

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/reportagent/rule/summary"
	"github.com/gavelhq/gavel/platform/fact"
)

// Facts enters every number of an answer into a book: by row, then by column, with nothing where there is no value. A row of the file is
// cited by record and column, and can be read again from the file. Any other is cited by what was run and the row of the answer, with
// the digest of that row: whoever asks again over the same file gets the same bytes.
func Facts(book *fact.Book, v View, a Answer, unit string) ([][]*fact.Fact, error) {
	out := make([][]*fact.Fact, len(a.Rows))
	for n, row := range a.Rows {
		out[n] = make([]*fact.Fact, len(row))
		for i, text := range row {
			c := a.Columns[i]
			if !c.Number || text == nil || c.Cell == Record || nameless(c) {
				continue
			}
			where, err := selector(v, a, n, i)
			if err != nil {
				return nil, err
			}
			read, err := fact.Read(fact.Reading{Kind: fact.Observed, Number: *text, Unit: unit, Decimals: decimals(*text),
				Subject: subject(v, a, row, i), Source: fact.Source{Snapshot: v.SHA256, Selector: where}})
			if err != nil {
				return nil, err
			}
			entered, err := book.Add(read)
			if err != nil {
				return nil, err
			}
			out[n][i] = &entered
		}
	}
	return out, nil
}

// selector is where a value of an answer stands: in a record of the file, or in a row of what was answered.
func selector(v View, a Answer, n, i int) (fact.Selector, error) {
	row, c := a.Rows[n], a.Columns[i]
	record := slices.IndexFunc(a.Columns, func(c Answered) bool { return c.Cell == Record })
	if record >= 0 && c.Cell != "" && row[record] != nil && decimals(*row[i]) < finest {
		at, err := strconv.Atoi(*row[record])
		return fact.Selector{CSV: &fact.CSVCell{Row: at, Column: c.Cell}}, err
	}
	body, err := json.Marshal(row)
	if err != nil {
		return fact.Selector{}, err
	}
	key := "sql " + digest([]byte(a.SQL)) + " row " + strconv.Itoa(n+1) + " column " + strconv.Itoa(i+1)
	return fact.Selector{Row: &fact.TableRow{Table: v.Name, PK: key, SHA256: digest(body)}}, nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// nameless reports whether a number only says which thing a value is of: a year is not cited, it is what others are about.
func nameless(c Answered) bool {
	return strings.EqualFold(c.Cell, fact.YearID) || strings.EqualFold(c.Name, fact.YearID)
}

var plain = regexp.MustCompile(`[^a-z0-9]+`)

// subject is what a number of an answer is about: the view, the words of its row, its year, and what it is called.
func subject(v View, a Answer, row []*string, of int) fact.Subject {
	ids := map[string]string{summary.ChartID: summary.RawKey(v.Name), "view": v.Name, "measure": a.Columns[of].Name}
	for i, c := range a.Columns {
		name := strings.Trim(plain.ReplaceAllString(strings.ToLower(c.Name), "_"), "_")
		if row[i] == nil || *row[i] == "" || i == of || name == "" || name[0] >= '0' && name[0] <= '9' || len(*row[i]) > 200 {
			continue
		}
		if !c.Number || nameless(c) || c.Cell == Record {
			ids[name[:min(len(name), 40)]] = *row[i]
		}
	}
	return fact.Subject{Type: "view", IDs: ids}
}

// finest is how many decimals a value is read with. One that has so many may have been rounded: it is no longer what the file says, and is
// cited as an answer.
const finest = 12

// decimals is how many a number is written with.
func decimals(text string) int {
	_, after, _ := strings.Cut(text, ".")
	return min(len(after), finest)
}
