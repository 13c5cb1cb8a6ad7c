package program

import (
	"encoding/base64"
	"strings"
	"testing"

	commonpb "go.temporal.io/api/common/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/doctor"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/durable/durabletest"
)

// oldPayload was sealed under testKey before payloads were bound.
const oldPayload = "7Ep0OpfQcqFtqe/jhOVAKOimpOJtkCSZi5t0bUBykeTEVj0wL8OSnosETyxwnHRMLfZlt+A14BwBxX3Z+zBI"

// begin starts a workflow that nobody works, with an input as it is given where
// that is a payload.
func begin(t *testing.T, engine durable.Config, input any) {
	t.Helper()
	c := durabletest.DialTo(t, engine)
	if p, ok := input.(*commonpb.Payload); ok {
		raw, err := client.NewClientFromExisting(c, client.Options{Namespace: engine.Namespace})
		if err != nil {
			t.Fatal(err)
		}
		c, input = raw, converter.NewRawValue(p)
	}
	if _, err := c.ExecuteWorkflow(t.Context(), client.StartWorkflowOptions{TaskQueue: "nobody"}, "Nothing", input); err != nil {
		t.Fatal(err)
	}
}

func TestTheDoctorSaysWhenOldPayloadsNeedNotBeReadAnyMore(t *testing.T) {
	raw, err := base64.StdEncoding.DecodeString(oldPayload)
	if err != nil {
		t.Fatal(err)
	}
	old := &commonpb.Payload{Data: raw, Metadata: map[string][]byte{"encoding": []byte("binary/gavel-aes256gcm"),
		"gavel-key": []byte("test")}}
	plain, err := converter.GetDefaultDataConverter().ToPayload("case_01")
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name            string
		input           any
		reading, strict doctor.Status
		read, refuse    string // what the two say
	}{
		{"none is open", nil, doctor.Warn, doctor.OK, "no open workflow has one", "refused in another"},
		{"bound", "case_01", doctor.Warn, doctor.OK, "no open workflow has one", "refused in another"},
		{"old", old, doctor.Warn, doctor.Fail, "so such payloads are read", "it stands still"},
		{"a stranger's", plain, doctor.Fail, doctor.Fail, "came unsealed", "came unsealed"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			engine := durabletest.Own(t)
			if tt.input != nil {
				begin(t, engine, tt.input)
			}
			for setting, want := range map[string]struct {
				status doctor.Status
				says   string
			}{"read": {tt.reading, tt.read}, "refuse": {tt.strict, tt.refuse}} {
				check := boundCheck(t, "GAVEL_TEMPORAL_ADDRESS="+engine.Address, "GAVEL_TEMPORAL_NAMESPACE="+engine.Namespace,
					"GAVEL_PAYLOAD_KEYS=test:"+testKey, "GAVEL_OLD_PAYLOADS="+setting)
				wait.Until(t, "the engine lists it", func() bool {
					got := examine(t, check)
					return got.Status == want.status && strings.Contains(got.Detail, want.says)
				})
			}
		})
	}
	if got := examine(t, boundCheck(t, "GAVEL_TEMPORAL_ADDRESS="+absentPort(t))); got.Status != doctor.Warn ||
		!strings.Contains(got.Fix, "settings of a server") {
		t.Errorf("without keys: got %+v", got)
	}
}

func boundCheck(t *testing.T, environ ...string) doctor.Check {
	t.Helper()
	for _, c := range (&cli{apps: builtIn()}).checks(loadConfig(t, environ...)) {
		if c.Name == "payloads are bound to their workflow" {
			return c
		}
	}
	t.Fatal("the doctor does not look at payloads")
	return doctor.Check{}
}
