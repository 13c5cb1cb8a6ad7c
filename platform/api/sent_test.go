package api_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
)

type thing struct {
	Name  string   `json:"name"`
	Place *place   `json:"place,omitempty"`
	Days  []string `json:"days,omitempty"`
}

type place struct {
	Lat float64 `json:"lat"`
	Lng float64 `json:"lng"`
}

// TestABodyKnowsWhatWasSent promises that a field which is empty is told from one that is
// not there.
func TestABodyKnowsWhatWasSent(t *testing.T) {
	var s api.Sent[thing]
	if err := json.Unmarshal([]byte(`{"name":"x","days":[]}`), &s); err != nil || !slices.Equal(s.Fields, []string{"days", "name"}) ||
		s.Value.Name != "x" {
		t.Errorf("got %+v, %v", s, err)
	}
	if err := json.Unmarshal([]byte(`{"place":null}`), &s); err != nil || !slices.Equal(s.Fields, []string{"place"}) || s.Value.Name != "" {
		t.Errorf("what came before is in it: %+v, %v", s, err)
	}
}

// TestAPatchChangesWhatItNames holds the rules of a merge patch.
func TestAPatchChangesWhatItNames(t *testing.T) {
	was := thing{Name: "x", Place: &place{1, 2}, Days: []string{"Mon", "Tue"}}
	for patch, want := range map[string]thing{
		`{"name":"y"}`:                   {Name: "y", Place: &place{1, 2}, Days: []string{"Mon", "Tue"}},
		`{"place":{"lng":3}}`:            {Name: "x", Place: &place{1, 3}, Days: []string{"Mon", "Tue"}},
		`{"place":null,"days":["Sat"]}`:  {Name: "x", Days: []string{"Sat"}},
		`{"days":[]}`:                    {Name: "x", Place: &place{1, 2}, Days: []string{}},
		`{"place":null,"name":"Zürich"}`: {Name: "Zürich", Days: []string{"Mon", "Tue"}},
	} {
		var got thing
		if err := api.Patch(patch).Onto(was, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v, want %+v", patch, got, err, want)
		}
	}
	if !reflect.DeepEqual(was, thing{Name: "x", Place: &place{1, 2}, Days: []string{"Mon", "Tue"}}) {
		t.Error("what it was laid over was changed")
	}
	for _, patch := range []string{`{}`, `[]`, `null`, `{"color":"red"}`, `{"name":7}`, `{"place":{"lat":"north"}}`} {
		if err := api.Patch(patch).Onto(was, new(thing)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v", patch, err)
		}
	}
}
