package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
)

// A header is the first line of the file, for people as for the program. Package
// region has the same one.
type header struct {
	Format     string    `json:"format"`
	Source     string    `json:"source"`
	SourceSHA  string    `json:"source_sha256"`
	Licence    string    `json:"licence"`
	Note       string    `json:"note"`
	Simplified tolerance `json:"simplified_km"`
	PerDegree  int       `json:"per_degree"`
	Units      []unit    `json:"units"`
	Lines      int       `json:"lines"`
	Points     int       `json:"points"`
	BodySHA    string    `json:"body_sha256"`
}

type tolerance struct {
	Home   float64 `json:"home"`
	India  float64 `json:"india"`
	Abroad float64 `json:"abroad"`
}

type unit struct {
	Country  string `json:"country"`
	State    string `json:"state,omitempty"`
	Disputed bool   `json:"disputed,omitempty"` // the source gives it to no country
}

// write puts lines into the file: a header, and for every line the numbers of the
// units left and right of it, how many points it has, and each as a step from the
// one before, east and north. The first step of the file is from 0, 0.
func write(lines []line, source []byte) ([]byte, error) {
	h := header{
		Format:  "gavel.regions/1",
		Source:  "Natural Earth 1:10m admin-1 states and provinces and admin-0 countries, from Provinces10 of github.com/sams96/rgeo v1.2.0",
		Licence: "Natural Earth is in the public domain; rgeo, which packs it, is under the Apache License 2.0.",
		Note: "For looking up where a fire burnt. Never to be drawn: the lines are those of control on the ground as the source has them, " +
			"some are disputed, and none of them says whose land it is.",
		SourceSHA: digest(source), Simplified: tolerance{homeKM, indiaKM, abroadKM}, PerDegree: perDegree, Lines: len(lines),
	}
	for _, s := range *lines[0].shapes {
		h.Units = append(h.Units, unit{s.Country, s.State, s.Country == disputed})
	}
	var body []byte
	var last point
	for _, l := range lines {
		body = binary.AppendUvarint(body, uint64(l.left))
		body = binary.AppendUvarint(body, uint64(l.right))
		body = binary.AppendUvarint(body, uint64(len(l.points)))
		for _, p := range l.points {
			body = binary.AppendVarint(body, int64(p.x-last.x))
			body = binary.AppendVarint(body, int64(p.y-last.y))
			last = p
		}
		h.Points += len(l.points)
	}
	h.BodySHA = digest(body)
	first, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{first, body}, []byte{'\n'}), nil
}

func digest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}
