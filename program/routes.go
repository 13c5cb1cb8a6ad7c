package program

import (
	"context"
	"io"
	"net/url"
	"time"

	"github.com/gavelhq/gavel/platform/blob"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/model"
	"github.com/gavelhq/gavel/platform/model/anthropic"
	"github.com/gavelhq/gavel/platform/model/openai"
	"github.com/gavelhq/gavel/platform/model/wire"
	"github.com/gavelhq/gavel/program/config"
)

// newRoutes makes the routes that the settings name. It asks nobody: a model
// that is away is met when an agent asks it.
func newRoutes(cfg *config.Config) (model.Routes, error) {
	load, err := imageLoader(cfg)
	if err != nil {
		return nil, err
	}
	all := model.Routes{}
	for _, r := range cfg.Models {
		ask, err := newGenerator(r, load)
		if err != nil {
			return nil, err
		}
		all[r.Name] = model.Route{Name: r.Name, Provider: r.Provider, Model: r.Model, Host: hostOf(r.BaseURL), Params: r.Params,
			Price: r.Price, Window: r.Window, Slots: model.NewSlots(r.Slots, time.Now), Ask: ask}
	}
	return all, nil
}

// hostOf is the host of a route's server: an address may hold more than people
// should see.
func hostOf(base string) string {
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.Host
}

func newGenerator(r config.ModelRoute, load wire.Loader) (model.Generator, error) {
	switch r.Provider {
	case config.OpenAI:
		return openai.New(openai.Config{BaseURL: r.BaseURL, Key: r.Key.Reveal(), Plain: r.Plain, Load: load})
	case config.Scripted:
		return openai.New(openai.Config{BaseURL: r.BaseURL, Key: r.Key.Reveal(), Provider: config.Scripted, TellAgent: true, Load: load})
	case config.Anthropic:
		return anthropic.New(anthropic.Config{BaseURL: r.BaseURL, Key: r.Key.Reveal(), Load: load})
	}
	return nil, fault.New(fault.Internal, "no adapter is called %.40q", r.Provider)
}

// imageLoader fetches images from the blob store; nil where there is none.
func imageLoader(cfg *config.Config) (wire.Loader, error) {
	if cfg.BlobURL == "" || len(cfg.Models) == 0 {
		return nil, nil
	}
	store, err := openBlob(cfg)
	if err != nil {
		return nil, err
	}
	return func(ctx context.Context, d blob.Digest) ([]byte, error) {
		body, err := store.Open(ctx, d)
		if err != nil {
			return nil, err
		}
		defer body.Close()
		return io.ReadAll(io.LimitReader(body, model.MaxImage+1))
	}, nil
}
