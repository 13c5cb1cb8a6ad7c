package api

import (
	"context"
	"net/http"
	"time"

	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/operation"
)

// askPatience is how long new answers to a step may take altogether.
const askPatience = 10 * time.Minute

// askedAgainWords stand on every new answer to an old step.
const askedAgainWords = "A new answer of the model as it is today, never proof of the recorded one. Nothing was carried out or kept."

type reaskInput struct {
	Named
	Prefer
	Body ReaskBody
}

// A ReaskBody says which step to put to the model again, and how often.
type ReaskBody struct {
	Step  *int `json:"step,omitempty" doc:"Null for the newest; the first is 0."`
	Times int  `json:"times,omitempty" doc:"1 if it is left out; 10 at most."`
}

// A ReaskedBody is what came of it.
type ReaskedBody struct {
	Note    string             `json:"note"`
	Step    int                `json:"step"`
	Answers []agent.AskedAgain `json:"answers"`
}

type reaskOutput struct {
	Status   int
	Location string `header:"Location"`
	Body     any
}

// reaskHandler puts a step to the model again: while the caller waits, or as an
// operation.
func (s *Runs) reaskHandler(a *API) func(context.Context, identity.Actor, *reaskInput) (*reaskOutput, error) {
	return func(ctx context.Context, who identity.Actor, in *reaskInput) (*reaskOutput, error) {
		if s.Steps == nil {
			return nil, fault.New(fault.Unavailable, "no model is set up on this server").WithNext("name a model route in the settings")
		}
		seq, times := -1, max(in.Body.Times, 0)
		if in.Body.Step != nil {
			if seq = *in.Body.Step; seq < 0 {
				return nil, fault.New(fault.Invalid, "steps are counted from 0, not %d", seq)
			}
		}
		if times == 0 {
			times = 1
		}
		ask := func(ctx context.Context) (any, error) {
			ctx, cancel := context.WithTimeout(ctx, askPatience)
			defer cancel()
			answers, step, err := agent.Reask(ctx, s.Steps, who, in.ID, seq, times)
			return ReaskedBody{askedAgainWords, step, answers}, err
		}
		if in.async() {
			return a.startOperation(ctx, who, in.Prefer, reaskWork, in.ID,
				func(ctx context.Context, _ *operation.Pen) (any, error) { return ask(ctx) })
		}
		if err := http.NewResponseController(exchangeOf(ctx).w).SetWriteDeadline(time.Now().Add(askPatience + time.Minute)); err != nil {
			return nil, err // a model may take longer than the server lets others
		}
		got, err := ask(ctx)
		return &reaskOutput{Status: http.StatusOK, Body: got}, err
	}
}
