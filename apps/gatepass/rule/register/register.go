// Package register is the register of passes as it is taken out: one line for each thing that happened, each with the digest of
// the line before it, so that a line which is missing or was changed is found by whoever has the file and nothing else.
package register

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"time"

	"github.com/gavelhq/gavel/platform/fault"
)

// A Line is one thing that happened to a pass.
type Line struct {
	Number   string    `json:"number"`
	Version  int       `json:"version"`
	Event    string    `json:"event"`
	Status   string    `json:"status"`
	At       time.Time `json:"at"`
	By       string    `json:"by"`
	For      string    `json:"for,omitempty"`
	Via      string    `json:"via"`
	Reason   string    `json:"reason,omitempty"`
	Decision string    `json:"decision,omitempty"`
	Record   string    `json:"record"` // in the log
	Prev     string    `json:"prev_sha256"`
}

// Write is the lines as a file, one JSON object each, chained from a digest that is empty for the first file.
func Write(lines []Line, prev string) ([]byte, error) {
	var out bytes.Buffer
	for _, l := range lines {
		l.Prev = prev
		text, err := json.Marshal(l)
		if err != nil {
			return nil, err
		}
		sum := sha256.Sum256(text)
		prev = hex.EncodeToString(sum[:])
		out.Write(append(text, '\n'))
	}
	return out.Bytes(), nil
}

// Check says whether a file is chained without a gap from a digest, and gives the digest of its last line.
func Check(file []byte, prev string) (last string, err error) {
	scan := bufio.NewScanner(bytes.NewReader(file))
	scan.Buffer(nil, 64<<10)
	for n := 1; scan.Scan(); n++ {
		var l Line
		if err := json.Unmarshal(scan.Bytes(), &l); err != nil || l.Prev != prev {
			return prev, fault.New(fault.Conflict, "line %d does not follow the one before it", n)
		}
		sum := sha256.Sum256(scan.Bytes())
		prev = hex.EncodeToString(sum[:])
	}
	return prev, scan.Err()
}
