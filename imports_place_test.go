package gavel_test

import (
	"path"
	"strings"
)

// A layer is a height in the architecture; an import never points upwards.
type layer int

// The layers from the ground up.
const (
	nowhere  layer = iota // a folder the architecture does not know
	words                 // what things are called: pure
	pipes                 // how bytes, rows and steps travel
	records               // what happened
	minds                 // what proposes
	face                  // what people and programs see
	platform              // what an App is
	apps                  // what it is for
	program               // wires it all
	command               // lists what ships
	bench                 // measures it all
)

var layerNames = [...]string{"no layer", "words", "pipes", "records", "minds", "face", "platform", "apps", "program", "cmd", "bench"}

func (l layer) String() string { return layerNames[l] }

// shelves puts every folder of platform on its layer. A new folder must be
// added here before anything may import it.
var shelves = map[string]layer{
	"console": face, "api": face, "mcp": face, "manual": face,
	"agent": minds, "ask": minds, "model": minds, "tool": minds, "eval": minds, "search": minds, "recovery": minds, "amend": minds,
	"casefile": records, "bundle": records, "evidence": records, "review": records, "act": records, "audit": records, "seal": records,
	"notify": records, "idempotency": records, "operation": records, "job": records, "timetable": records, "setting": records,
	"event": records, "signin": records, "concern": records, "postgres": pipes, "blob": pipes, "durable": pipes, "outbox": pipes,
	"web": pipes, "pdf": pipes, "telemetry": pipes, "doctor": pipes, "calendar": words, "chart": words, "fact": words, "finding": words,
	"form": words, "intake": words, "list": words, "pii": words, "policy": words, "qrcode": words, "identity": words, "fault": words,
}

// A place is where a folder stands in the architecture. A subfolder stands
// where its parent does.
type place struct {
	dir      string
	layer    layer
	part     string // the folder right under platform or apps; "" elsewhere
	root     bool   // the root of the module, which holds the documents and these tests
	room     string // of an app: what the code there is for; "" at its root
	rules    bool   // below rule/ of an app or of a folder of platform, or an app's sets of cases: it only computes
	helper   bool   // postgres/postgrestest and its like, and how tests wait: for tests only
	devstack bool   // starts the real parts on this machine
}

func placeOf(dir string) place {
	p := place{dir: dir, root: dir == "."}
	top, rest, _ := strings.Cut(dir, "/")
	part, below, _ := strings.Cut(rest, "/")
	p.helper = rest != "" && path.Base(dir) == path.Base(path.Dir(dir))+"test" || dir == "devstack/wait"
	switch {
	case top == "program":
		p.layer = program
	case top == "cmd" && rest != "":
		p.layer = command
	case top == "bench":
		p.layer = bench
	case dir == "devstack/wait": // every test may wait
		p.layer = words
	case top == "devstack":
		p.devstack, p.layer = true, pipes
	case top == "apps" && rest != "":
		p.layer, p.part = apps, part
		p.room, _, _ = strings.Cut(below, "/")
		p.rules = !p.helper && (p.room == "rule" && p.room != below || p.room == "evals")
		if _, known := doors[p.room]; !known && !p.helper {
			p.layer = nowhere
		}
	case dir == "platform" || dir == "platform/platformtest":
		p.layer = platform
	case top == "platform":
		p.layer, p.part = shelves[part], part
		p.rules = !p.helper && strings.HasPrefix(below, "rule/")
	}
	return p
}

// pure reports whether code at this place may only compute.
func (p place) pure() bool { return p.rules || p.layer == words && !p.helper }

// within reports whether the place is one of the folders or lies below it.
func (p place) within(dirs ...string) bool { return under(p.dir, dirs...) }
