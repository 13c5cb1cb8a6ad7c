package outside

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
)

// valhalla is a Valhalla server of version 3.
type valhalla struct{ endpoint }

func (valhalla) Name() location.Method { return location.Valhalla }

func (v valhalla) Table(ctx context.Context, to fleet.Point, from []fleet.Point) ([]*location.Road, error) {
	if err := tooMany(from); err != nil || len(from) == 0 {
		return nil, err
	}
	body, err := valhallaBody(to, from)
	if err != nil {
		return nil, garbled("the request has no form")
	}
	status, answer, err := v.ask(ctx, http.MethodPost, "/sources_to_targets", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return readValhalla(status, answer, len(from))
}

// A valhallaPlace is a place in Valhalla's spelling.
type valhallaPlace struct {
	Lat float64 `json:"lat"`
	Lon float64 `json:"lon"`
}

func valhallaBody(to fleet.Point, from []fleet.Point) ([]byte, error) {
	sources := make([]valhallaPlace, len(from))
	for i, p := range from {
		sources[i] = valhallaPlace{p.Lat, p.Lng}
	}
	return json.Marshal(struct {
		Sources []valhallaPlace `json:"sources"`
		Targets []valhallaPlace `json:"targets"`
		Costing string          `json:"costing"`
		Units   string          `json:"units"`
	}{sources, []valhallaPlace{{to.Lat, to.Lng}}, "auto", "miles"})
}

// Valhalla's own numbers for refusals that are answers.
const (
	valhallaNoEdge = 171 // no road near one of the places
	valhallaNoPath = 442 // no way from any of them
)

// A valhallaCell is one way: seconds, and a distance in the units of the answer.
type valhallaCell struct {
	From     int      `json:"from_index"`
	Time     *float64 `json:"time"`
	Distance *float64 `json:"distance"`
}

// readValhalla reads a matrix of n rows and one column. Units it was not asked for
// are converted; units it does not name are not guessed.
func readValhalla(status int, answer []byte, n int) ([]*location.Road, error) {
	if status != http.StatusOK {
		return refusedByValhalla(status, answer, n)
	}
	var said struct {
		Rows  [][]valhallaCell `json:"sources_to_targets"`
		Units string           `json:"units"`
	}
	if json.Unmarshal(answer, &said) != nil || len(said.Rows) != n {
		return nil, garbled("it is no table with a row for every place")
	}
	var unit float64
	switch said.Units {
	case "miles", "mi":
		unit = 1
	case "kilometers", "km":
		unit = kilometresPerMile
	default:
		return nil, garbled("it does not say in which units")
	}
	out := make([]*location.Road, n)
	for i, row := range said.Rows {
		if len(row) != 1 || row[0].From != i {
			return nil, garbled("its rows are not in order")
		}
		r, err := measured(location.Valhalla, scaled(row[0].Distance, unit), scaled(row[0].Time, 60))
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}

func refusedByValhalla(status int, answer []byte, n int) ([]*location.Road, error) {
	var said struct {
		Code int `json:"error_code"`
	}
	if json.Unmarshal(answer, &said) != nil {
		return nil, refused(status, "unknown")
	}
	switch said.Code {
	case valhallaNoEdge:
		return nil, offTheMap()
	case valhallaNoPath:
		return make([]*location.Road, n), nil
	}
	return nil, refused(status, strconv.Itoa(said.Code))
}
