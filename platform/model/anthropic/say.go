package anthropic

import (
	"cmp"
	"context"
	"encoding/base64"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/packages/param"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/dialect"
	"github.com/gavelhq/gavel/platform/model/wire"
)

// say puts a request into the vendor's words.
func (g *Generator) say(ctx context.Context, req model.Request) (sdk.MessageNewParams, wire.Names, error) {
	var p sdk.MessageNewParams
	names, err := wire.NewNames(req.Tools)
	if err != nil {
		return p, names, err
	}
	if req.Params.Seed != nil { // rather than to let a record claim one
		return p, names, fault.New(fault.Invalid, "anthropic's models take no seed").
			WithNext("take the seed out of the route's settings")
	}
	p.Model = req.Model
	p.MaxTokens = int64(cmp.Or(req.Params.MaxTokens, defaultMaxTokens))
	if t := req.Params.Temperature; t != nil {
		p.Temperature = param.NewOpt(*t)
	}
	if req.System != "" {
		p.System = append(p.System, sdk.TextBlockParam{Text: req.System})
	}
	if p.Messages, err = g.sayMessages(ctx, names, req.Messages); err != nil {
		return p, names, err
	}
	for _, t := range req.Tools {
		tool, err := sayTool(names, t)
		if err != nil {
			return p, names, fault.New(fault.Invalid, "tool %q: %v", t.Name, err)
		}
		p.Tools = append(p.Tools, sdk.ToolUnionParam{OfTool: &tool})
	}
	if req.Answer != nil {
		if err := sayAnswer(&p, *req.Answer); err != nil {
			return p, names, fault.New(fault.Invalid, "answer %q: %v", req.Answer.Name, err)
		}
	}
	return p, names, nil
}

// sayMessages writes the conversation. Roles take turns in this API, and the
// results of a turn's calls stand together in one message of the user.
func (g *Generator) sayMessages(ctx context.Context, names wire.Names, all []model.Message) ([]sdk.MessageParam, error) {
	var said []sdk.MessageParam
	for _, m := range all {
		role := sdk.MessageParamRoleUser
		blocks, err := g.sayParts(ctx, m.Parts)
		if err != nil {
			return nil, err
		}
		switch m.Role {
		case model.Assistant:
			role = sdk.MessageParamRoleAssistant
			for _, c := range m.Calls {
				blocks = append(blocks, sdk.NewToolUseBlock(wire.Plain(c.ID), wire.Object(c.Args), names.Theirs(c.Name)))
			}
		case model.Tool:
			blocks = []sdk.ContentBlockParamUnion{{OfToolResult: result(m, blocks)}}
		}
		if len(blocks) == 0 {
			continue // the API refuses a message without content
		}
		if n := len(said); n > 0 && said[n-1].Role == role {
			said[n-1].Content = append(said[n-1].Content, blocks...)
			continue
		}
		said = append(said, sdk.MessageParam{Role: role, Content: blocks})
	}
	return said, nil
}

func (g *Generator) sayParts(ctx context.Context, parts []model.Part) ([]sdk.ContentBlockParamUnion, error) {
	var said []sdk.ContentBlockParamUnion
	for _, p := range parts {
		switch {
		case p.Image != nil:
			data, err := g.load.Image(ctx, *p.Image)
			if err != nil {
				return nil, err
			}
			said = append(said, sdk.NewImageBlockBase64(p.Image.ContentType, base64.StdEncoding.EncodeToString(data)))
		case p.Text != "": // an empty one is refused
			said = append(said, sdk.NewTextBlock(p.Text))
		}
	}
	return said, nil
}

func result(m model.Message, blocks []sdk.ContentBlockParamUnion) *sdk.ToolResultBlockParam {
	r := &sdk.ToolResultBlockParam{ToolUseID: wire.Plain(m.CallID)}
	if m.Failed {
		r.IsError = param.NewOpt(true)
	}
	for _, b := range blocks {
		r.Content = append(r.Content, sdk.ToolResultBlockParamContentUnion{OfText: b.OfText, OfImage: b.OfImage})
	}
	return r
}

func sayTool(names wire.Names, t model.ToolSpec) (sdk.ToolParam, error) {
	schema, err := dialect.Plain(t.Schema)
	if err != nil {
		return sdk.ToolParam{}, err
	}
	tool := sdk.ToolParam{Name: names.Theirs(t.Name), InputSchema: param.Override[sdk.ToolInputSchemaParam](schema)}
	if t.Description != "" {
		tool.Description = param.NewOpt(t.Description)
	}
	return tool, nil
}

// sayAnswer asks for a form. One that the API cannot keep to is asked for in
// words.
func sayAnswer(p *sdk.MessageNewParams, a model.AnswerSpec) error {
	schema, ok, err := dialect.Closed(a.Schema)
	if err != nil {
		return err
	}
	if !ok {
		if schema, err = dialect.Plain(a.Schema); err != nil {
			return err
		}
		p.System = append(p.System, sdk.TextBlockParam{
			Text: "Your final answer is one JSON object and nothing else. It follows this JSON Schema: " + string(schema)})
		return nil
	}
	p.OutputConfig.Format.Schema, err = dialect.Members(schema)
	return err
}
