package hello

import (
	"context"
	"net/http"

	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/spf13/cobra"
)

const address = "/v1/hello/questions" // where programs ask

type question struct {
	Question string `json:"question" minLength:"1" maxLength:"300" doc:"What is asked."`
}

// Operations registers the address, in the API's document too. It answers with the page of the case.
func (a *app) Operations(s *api.API) {
	api.Serve(s, api.Route{ID: "askHello", Method: http.MethodPost, Path: address, Acts: []string{"case.open"}, Tag: "Hello",
		Title: "Ask a question", Status: http.StatusCreated, Body: `{"question":"When is the office open?"}`},
		func(ctx context.Context, who identity.Actor, in *struct{ Body question }) (*struct{ Body api.Links }, error) {
			c, err := a.ask(ctx, who, in.Body.Question)
			return &struct{ Body api.Links }{api.Links{Page: a.Public + "/cases/" + string(c.ID)}}, err
		})
}

// commands are clients of the API like any other program.
func commands(t platform.Terminal) []*cobra.Command {
	return []*cobra.Command{t.Uses(&cobra.Command{Use: "hello <question>", Short: "Ask a question and print the page of its case",
		Args: cobra.ExactArgs(1), RunE: func(cmd *cobra.Command, args []string) error {
			return t.PostAt(cmd.Context(), address, question{args[0]}, []platform.Column{{Head: "PAGE", Field: "page"}})
		}})}
}
