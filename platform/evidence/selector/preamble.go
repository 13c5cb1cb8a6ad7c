package selector

import (
	"bufio"
	"bytes"
	"strings"
)

// preamble reads lines that begin with an asterisk at the head of a document and say how it is read, as models of energy systems write
// them. "*Dimensions- A;B;C" names the columns: there is no header then, and what follows are records. Any other document has none, and
// keeps its first line. lines is how many were taken.
func preamble(b *bufio.Reader) (columns []string, lines int) {
	head, _ := b.Peek(b.Size()) // what keeps it from being read is said where it is read
	length := 0
	for rest := head; bytes.HasPrefix(rest, []byte("*")); rest = head[length:] {
		end := bytes.IndexByte(rest, '\n')
		if end < 0 {
			return nil, 0 // longer than anybody writes
		}
		const name = "dimensions-"
		line := strings.TrimSpace(string(rest[1:end]))
		if len(line) > len(name) && strings.EqualFold(line[:len(name)], name) {
			columns = strings.Split(strings.Trim(line[len(name):], "; \t"), ";")
		}
		length, lines = length+end+1, lines+1
	}
	if columns == nil {
		return nil, 0
	}
	for i, c := range columns {
		columns[i] = strings.TrimSpace(c)
	}
	_, _ = b.Discard(length) // peeked
	return columns, lines
}
