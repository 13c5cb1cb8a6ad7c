package openai

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/dialect"
	"github.com/gavelhq/gavel/platform/model/wire"
)

// spoken is a request in the vendor's words, and what it takes to understand
// the answer.
type spoken struct {
	params sdk.ChatCompletionNewParams
	names  wire.Names
	strict map[string]json.RawMessage // our schema by our tool's name, where the strict dialect was used
	answer json.RawMessage            // our schema of the answer, likewise
}

func (g *Generator) say(ctx context.Context, req model.Request) (spoken, error) {
	names, err := wire.NewNames(req.Tools)
	if err != nil {
		return spoken{}, err
	}
	s := spoken{names: names, strict: map[string]json.RawMessage{}}
	s.params.Model = req.Model
	if req.System != "" {
		s.params.Messages = append(s.params.Messages, sdk.SystemMessage(req.System))
	}
	if err := g.sayMessages(ctx, &s, req.Messages); err != nil {
		return spoken{}, err
	}
	for _, t := range req.Tools {
		if err := g.sayTool(&s, t); err != nil {
			return spoken{}, err
		}
	}
	if req.Answer != nil {
		if err := g.sayAnswer(&s, *req.Answer); err != nil {
			return spoken{}, err
		}
	}
	g.sayParams(&s.params, req)
	return s, nil
}

func (g *Generator) sayParams(to *sdk.ChatCompletionNewParams, req model.Request) {
	if t := req.Params.Temperature; t != nil {
		to.Temperature = param.NewOpt(*t)
	}
	if seed := req.Params.Seed; seed != nil {
		to.Seed = param.NewOpt(*seed)
	}
	if most := req.Params.MaxTokens; most > 0 && g.vendor {
		to.MaxCompletionTokens = param.NewOpt(int64(most))
	} else if most > 0 {
		to.MaxTokens = param.NewOpt(int64(most)) // the older name, which every other server knows
	}
	if req.Stream != nil {
		to.StreamOptions = sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)}
	}
}

// sayMessages writes the conversation. A tool's message holds text only, so
// images of results follow in a user's message, once the results are complete.
func (g *Generator) sayMessages(ctx context.Context, s *spoken, all []model.Message) error {
	var late []sdk.ChatCompletionContentPartUnionParam
	for i, m := range all {
		parts, err := g.sayParts(ctx, m.Parts)
		if err != nil {
			return err
		}
		switch m.Role {
		case model.User:
			s.params.Messages = append(s.params.Messages, user(parts))
		case model.Assistant:
			s.params.Messages = append(s.params.Messages, g.sayAssistant(s.names, m))
		case model.Tool:
			s.params.Messages = append(s.params.Messages, sdk.ToolMessage(result(m), wire.Plain(m.CallID)))
			for _, p := range parts {
				if p.OfImageURL != nil {
					late = append(late, sdk.TextContentPart("An image of the result of call "+wire.Plain(m.CallID)+":"), p)
				}
			}
		}
		if last := i+1 == len(all) || all[i+1].Role != model.Tool; last && len(late) > 0 {
			s.params.Messages = append(s.params.Messages, sdk.UserMessage(late))
			late = nil
		}
	}
	return nil
}

// user is a message of the user: a plain string where it is one, since small
// servers understand no other.
func user(parts []sdk.ChatCompletionContentPartUnionParam) sdk.ChatCompletionMessageParamUnion {
	if len(parts) == 1 && parts[0].OfText != nil {
		return sdk.UserMessage(parts[0].OfText.Text)
	}
	return sdk.UserMessage(parts)
}

// result is the text of a tool's message. The API has no place for "failed", so
// it is said.
func result(m model.Message) string {
	var b bytes.Buffer
	if m.Failed {
		b.WriteString("The call failed: ")
	}
	for _, p := range m.Parts {
		b.WriteString(p.Text)
	}
	return b.String()
}

func (g *Generator) sayAssistant(names wire.Names, m model.Message) sdk.ChatCompletionMessageParamUnion {
	var said sdk.ChatCompletionAssistantMessageParam
	if text := result(model.Message{Parts: m.Parts}); text != "" || len(m.Calls) == 0 {
		said.Content.OfString = param.NewOpt(text)
	}
	for _, c := range m.Calls {
		said.ToolCalls = append(said.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{
			OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID: wire.Plain(c.ID),
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name: names.Theirs(c.Name), Arguments: string(wire.Object(c.Args)),
				},
			},
		})
	}
	return sdk.ChatCompletionMessageParamUnion{OfAssistant: &said}
}

func (g *Generator) sayParts(ctx context.Context, parts []model.Part) ([]sdk.ChatCompletionContentPartUnionParam, error) {
	var said []sdk.ChatCompletionContentPartUnionParam
	for _, p := range parts {
		if p.Image == nil {
			said = append(said, sdk.TextContentPart(p.Text))
			continue
		}
		data, err := g.load.Image(ctx, *p.Image)
		if err != nil {
			return nil, err
		}
		said = append(said, sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{
			URL: "data:" + p.Image.ContentType + ";base64," + base64.StdEncoding.EncodeToString(data),
		}))
	}
	return said, nil
}

func (g *Generator) sayTool(s *spoken, t model.ToolSpec) error {
	schema, strict, err := g.dialect(t.Schema)
	if err != nil {
		return fault.New(fault.Invalid, "tool %q: %v", t.Name, err)
	}
	f := shared.FunctionDefinitionParam{Name: s.names.Theirs(t.Name), Parameters: schema}
	if t.Description != "" {
		f.Description = param.NewOpt(t.Description)
	}
	if strict {
		f.Strict = param.NewOpt(true)
		s.strict[t.Name] = t.Schema
	}
	s.params.Tools = append(s.params.Tools, sdk.ChatCompletionFunctionTool(f))
	return nil
}

func (g *Generator) sayAnswer(s *spoken, a model.AnswerSpec) error {
	schema, strict, err := g.dialect(a.Schema)
	if err != nil {
		return fault.New(fault.Invalid, "answer %q: %v", a.Name, err)
	}
	format := shared.ResponseFormatJSONSchemaJSONSchemaParam{Name: wire.Plain(a.Name), Schema: schema}
	if strict {
		format.Strict = param.NewOpt(true)
		s.answer = a.Schema
	}
	s.params.ResponseFormat.OfJSONSchema = &shared.ResponseFormatJSONSchemaParam{JSONSchema: format}
	return nil
}

// dialect is a schema as the vendor's library wants it, and whether it is
// strict.
func (g *Generator) dialect(schema json.RawMessage) (map[string]any, bool, error) {
	var said json.RawMessage
	var strict bool
	var err error
	if !g.plain {
		said, strict, err = dialect.Strict(schema)
	}
	if err == nil && !strict {
		said, err = dialect.Plain(schema)
	}
	if err != nil {
		return nil, false, err
	}
	members, err := dialect.Members(said)
	return members, strict, err
}
