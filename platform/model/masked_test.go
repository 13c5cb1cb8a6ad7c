package model_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/pii"
)

// TestAMaskedRequestHoldsNoPersonalData promises that no text of a conversation leaves with personal data, whoever said it, that what
// was asked stays as it was, and that what the mask would break is left out whole.
func TestAMaskedRequestHoldsNoPersonalData(t *testing.T) {
	const number, mail = "9876543210", "ramesh.kumar@example.com"
	req := model.Request{Model: "m", System: "Be short.", Messages: []model.Message{
		{Role: model.User, Parts: []model.Part{{Text: "Call Shri Ramesh Kumar at " + number}}},
		{Role: model.Assistant, Calls: []model.Call{{ID: "1", Name: "look", Args: `{"who":"` + mail + `"}`},
			{ID: "2", Name: "look", Args: `{"number":` + number + `}`}, {ID: "3", Name: "look", Args: `{"n":1}`}}},
		{Role: model.Tool, CallID: "1", Failed: true, Parts: []model.Part{{Text: "nobody has " + mail}, {Image: &model.Image{}}}},
	}}
	before, err := json.Marshal(req)
	if err != nil {
		t.Fatal(err)
	}
	out := req.Masked(pii.Mask)
	text, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, hit := range []string{number, mail, "Ramesh"} {
		if strings.Contains(string(text), hit) {
			t.Errorf("%s leaves: %s", hit, text)
		}
	}
	if got := out.Messages[1].Calls; !json.Valid([]byte(got[0].Args)) || got[1].Args != "{}" || got[2].Args != `{"n":1}` {
		t.Errorf("got %+v", got)
	}
	if got := out.Messages[2]; got.CallID != "1" || !got.Failed || got.Parts[1].Image == nil || out.System != req.System {
		t.Errorf("got %+v", got)
	}
	if again, err := json.Marshal(req); err != nil || string(again) != string(before) {
		t.Error("what was asked has changed")
	}
	harmless := model.Request{Messages: []model.Message{{Role: model.User, Parts: []model.Part{{Text: "12 signals of 3 sources"}}}}}
	if !reflect.DeepEqual(harmless.Masked(pii.Mask), harmless) {
		t.Error("what holds nothing is not the same")
	}
}
