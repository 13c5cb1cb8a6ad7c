package agent

import "github.com/gavelhq/gavel/platform/model"

// Opening is what a model is asked in the first turn of an agent without tools.
// It is for those who measure an agent apart from any case: they ask with the
// same words as a run does.
func (s Spec) Opening(route model.Route, said ...Said) model.Request {
	req := model.Request{Model: route.Model, System: s.system(), Params: route.Params, Agent: s.App + "/" + s.Name}
	for _, part := range said {
		req.Messages = append(req.Messages, userSays(part.Text))
	}
	if s.Answer != nil {
		req.Answer = &model.AnswerSpec{Name: s.Name, Schema: s.Answer}
	}
	return req
}
