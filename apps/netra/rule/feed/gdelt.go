package feed

import (
	"strings"

	"github.com/gavelhq/gavel/apps/netra/rule/signal"
)

// The columns of GDELT 2.0's events, counted from 0. The file has no line that names them, and tabs between its 61 cells though
// it is called .csv.
const (
	gdeltDay     = 1
	gdeltCode    = 26
	gdeltGeoType = 51
	gdeltPlace   = 52
	gdeltCountry = 53
	gdeltColumns = 61
)

// cameo is what codes of CAMEO are here: the longest that a code begins with counts. What is not in it is not counted.
var cameo = []struct {
	code  string
	t     signal.Type
	words string
}{
	{"046", signal.Dialogue, "Negotiation reported"}, {"057", signal.Agreement, "Agreement reported"},
	{"143", signal.Bandh, "Strike reported"}, {"144", signal.Blockade, "Blockade reported"},
	{"145", signal.Riot, "Violent protest reported"},
	{"173", signal.Arrest, "Arrests reported"}, {"183", signal.Explosion, "Bombing reported"},
	{"13", signal.Threat, "Threat reported"}, {"14", signal.Protest, "Protest reported"}, {"18", signal.Violence, "Assault reported"},
	{"19", signal.Battle, "Fighting reported"}, {"20", signal.Violence, "Mass violence reported"},
}

// gdelt maps an event of GDELT 2.0. A machine has coded it out of newspapers, once for each that tells it: its id here is day, type and
// place, so that five papers are one event. What it places at the centre of a state is no district's.
func gdelt(n int, line []byte) Line {
	l := Line{N: n}
	cells := strings.Split(string(line), "\t")
	if len(cells) != gdeltColumns {
		l.Problem = notTable
		return l
	}
	district, state, ok := gdeltDistrict(cells)
	if !ok {
		l.Problem = notHere
		return l
	}
	at, ok := dayIn(cells[gdeltDay], "20060102")
	if !ok {
		l.Problem = notTime
		return l
	}
	for _, c := range cameo {
		if strings.HasPrefix(cells[gdeltCode], c.code) {
			l.Report = signal.Report{EventID: "gdelt:" + cells[gdeltDay] + ":" + string(c.t) + ":" + strings.ToLower(district+":"+state),
				Source:     "gdelt",
				SourceType: sourceType, EventType: string(c.t), At: at, District: district, State: state, Summary: c.words}
			return l
		}
	}
	l.Problem = notCounted
	return l
}

// gdeltDistrict is the district and state of an event that GDELT places in a town of India or in a district: "Churachandpur, Manipur,
// India".
func gdeltDistrict(cells []string) (district, state string, ok bool) {
	parts := strings.Split(cells[gdeltPlace], ",")
	if cells[gdeltCountry] != "IN" || cells[gdeltGeoType] != "4" || len(parts) != 3 {
		return "", "", false
	}
	return strings.TrimSpace(parts[0]), strings.TrimSpace(parts[1]), true
}
