package likelihood_test

import (
	"slices"
	"testing"

	"github.com/gavelhq/gavel/apps/airshed/rule/likelihood"
)

// TestWhatMayBeDone promises when a complaint may name a state, and when an inquiry may.
func TestWhatMayBeDone(t *testing.T) {
	type demands = []likelihood.Demand
	for _, tt := range []struct {
		state string
		p, m  float64
		grade likelihood.Grade
		word  likelihood.Word
		act   likelihood.Act
		want  demands
	}{
		{"Up", 0.99, 0.99, likelihood.High, likelihood.Certain, likelihood.Complaint, demands{}},
		{"Up", 0.90, 0.90, likelihood.Medium, likelihood.VeryLikely, likelihood.Complaint, demands{}},
		{"Up", 0.89, 0.90, likelihood.High, likelihood.Likely, likelihood.Inquiry, demands{likelihood.SurerWhose}},
		{"Up", 0.99, 0.89, likelihood.High, likelihood.Certain, likelihood.Inquiry, demands{likelihood.SurerMatter}},
		{"Up", 0.66, 0, likelihood.Medium, likelihood.Likely, likelihood.Inquiry, demands{likelihood.SurerWhose, likelihood.SurerMatter}},
		{"Up", 0.65, 1, likelihood.High, likelihood.NotDetermined, likelihood.Nothing, demands{likelihood.SurerWhose}},
		{"Up", 1, 1, likelihood.Low, likelihood.NotDetermined, likelihood.Nothing, demands{likelihood.BetterData}},
		{"", 1, 1, likelihood.High, likelihood.NotDetermined, likelihood.Nothing, demands{likelihood.KnownState}},
		{"Abroad", 1, 1, likelihood.High, likelihood.Certain, likelihood.Nothing, demands{likelihood.StateOfIndia}},
	} {
		a := likelihood.Answer{Made: true, States: []likelihood.Share{{State: tt.state, P: tt.p}},
			Matter: likelihood.Matter{Known: true, M: tt.m}, Data: likelihood.Data{Grade: tt.grade}}
		f := likelihood.Standard().Finding(a, "Abroad")
		if f.Word != tt.word || f.Act != tt.act || !slices.Equal(f.Wanting, tt.want) {
			t.Errorf("%s at %v, smoke %v, data %s: %+v", tt.state, tt.p, tt.m, tt.grade, f)
		}
	}
}
