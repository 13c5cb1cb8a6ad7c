package demo

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/gavelhq/gavel/devstack"
	"github.com/gavelhq/gavel/platform"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/program/client"
)

// Load has every application make its part up, unless that was done before.
func (s *Show) Load(ctx context.Context) error {
	if s.notes.Loaded {
		return nil
	}
	stage, err := s.stage()
	if err != nil {
		return err
	}
	for _, a := range s.cfg.Apps {
		if a.Demo == nil || a.Demo.Load == nil {
			continue
		}
		fmt.Fprintf(s.cfg.Log, "demo: making up an institution for %s\n", a.Title)
		if err := a.Demo.Load(ctx, stage); err != nil {
			return fmt.Errorf("make up an institution for %s: %w", a.Title, err)
		}
	}
	s.notes.Loaded = true
	return s.note()
}

// Play is the institution's other systems, until the context ends. Whatever goes wrong
// in them does not end the demonstration, as it would not end the product.
func (s *Show) Play(ctx context.Context) error {
	stage, err := s.stage()
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	for _, a := range s.cfg.Apps {
		if a.Demo == nil || a.Demo.Play == nil {
			continue
		}
		group.Go(func() {
			if err := a.Demo.Play(ctx, stage); err != nil && ctx.Err() == nil {
				fmt.Fprintf(s.cfg.Log, "demo: what plays beside %s has ended: %v\n", a.Title, err)
			}
		})
	}
	group.Wait()
	<-ctx.Done()
	return nil
}

// stage is the demonstration as applications see it: the first organisation, with
// somebody in every role.
func (s *Show) stage() (platform.Stage, error) {
	callers := map[identity.Role]*client.Client{}
	for _, t := range s.stack.Tokens() {
		if t.Org != devstack.Organisations()[0] {
			continue
		}
		c, err := client.New(s.stack.Settings()["GAVEL_PUBLIC_URL"], t.Token, "gavel demo")
		if err != nil {
			return platform.Stage{}, err
		}
		callers[t.Role] = c
	}
	return platform.Stage{
		Call: func(ctx context.Context, as identity.Role, method, path string, body, out any) error {
			c, ok := callers[as]
			if !ok {
				return fault.New(fault.Invalid, "nobody has the role %s", as)
			}
			return c.Do(ctx, method, path, body, out)
		},
		Send: func(ctx context.Context, as identity.Role, path, media string, body []byte, out any) error {
			c, ok := callers[as]
			if !ok {
				return fault.New(fault.Invalid, "nobody has the role %s", as)
			}
			return c.Send(ctx, path, media, body, out)
		},
		Wait: func(ctx context.Context, d time.Duration) error {
			select {
			case <-ctx.Done():
				return ctx.Err()
			case <-time.After(s.notes.Clock.Real(d)):
				return nil
			}
		},
	}, nil
}
