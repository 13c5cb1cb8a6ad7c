package outside

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/gavelhq/gavel/apps/poolpatrol/rule/fleet"
	"github.com/gavelhq/gavel/apps/poolpatrol/rule/location"
)

// osrm is an OSRM server of version 5.18 or later: the first whose tables give
// distances.
type osrm struct{ endpoint }

func (osrm) Name() location.Method { return location.OSRM }

func (o osrm) Table(ctx context.Context, to fleet.Point, from []fleet.Point) ([]*location.Road, error) {
	if err := tooMany(from); err != nil || len(from) == 0 {
		return nil, err
	}
	status, answer, err := o.ask(ctx, http.MethodGet, osrmPath(to, from), nil)
	if err != nil {
		return nil, err
	}
	return readOSRM(status, answer, len(from))
}

// osrmPath asks for a table of one column: everybody's way to the first place.
func osrmPath(to fleet.Point, from []fleet.Point) string {
	var places, sources strings.Builder
	write := func(p fleet.Point) {
		places.WriteString(strconv.FormatFloat(p.Lng, 'f', 6, 64) + "," + strconv.FormatFloat(p.Lat, 'f', 6, 64))
	}
	write(to)
	for i, p := range from {
		places.WriteByte(';')
		write(p)
		if i > 0 {
			sources.WriteByte(';')
		}
		sources.WriteString(strconv.Itoa(i + 1))
	}
	return "/table/v1/driving/" + places.String() + "?sources=" + sources.String() +
		"&destinations=0&annotations=distance,duration&generate_hints=false"
}

// osrmCodes are the codes an OSRM is documented to refuse with. Others are not
// quoted.
var osrmCodes = map[string]bool{"InvalidUrl": true, "InvalidService": true, "InvalidVersion": true, "InvalidOptions": true,
	"InvalidQuery": true,
	"InvalidValue": true, "TooBig": true, "NotImplemented": true, "DisabledDataset": true}

// readOSRM reads a table of n rows and one column: metres and seconds.
func readOSRM(status int, answer []byte, n int) ([]*location.Road, error) {
	var said struct {
		Code      string       `json:"code"`
		Distances [][]*float64 `json:"distances"`
		Durations [][]*float64 `json:"durations"`
	}
	bad := json.Unmarshal(answer, &said) != nil
	switch {
	case !bad && said.Code == "NoSegment":
		return nil, offTheMap()
	case !bad && said.Code == "NoTable":
		return make([]*location.Road, n), nil
	case !bad && osrmCodes[said.Code]:
		return nil, refused(status, said.Code)
	case status != http.StatusOK:
		return nil, refused(status, "unknown")
	case bad || said.Code != "Ok":
		return nil, garbled("it is no table")
	case len(said.Distances) != n || len(said.Durations) != n:
		return nil, garbled("it has not a distance and a time for every place")
	}
	out := make([]*location.Road, n)
	for i := range n {
		if len(said.Distances[i]) != 1 || len(said.Durations[i]) != 1 {
			return nil, garbled("it has not one column")
		}
		r, err := measured(location.OSRM, scaled(said.Distances[i][0], metresPerMile), scaled(said.Durations[i][0], 60))
		if err != nil {
			return nil, err
		}
		out[i] = r
	}
	return out, nil
}
