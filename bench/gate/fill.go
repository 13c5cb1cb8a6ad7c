package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"image"
	"image/jpeg"
	mathrand "math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/apps/gatepass/store"
)

// A pass is one that waits at a gate.
type pass struct{ id, number, code, caseID string }

// need is how many passes a run goes through.
func (o options) need() int {
	steady := (int(o.lasting.Seconds())*o.rate + 1) / 2
	return steady + int(o.rush.Seconds())*o.burst + 2*(o.rounds+1)*o.scans
}

// fill makes passes that were approved, with their cases and histories, and a crowd who came and went today. Triggers and foreign keys are
// off meanwhile: the rows are such as they would let through.
func (g *ground) fill(ctx context.Context, o options) error {
	conn, err := pgx.Connect(ctx, g.inside)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	if _, err := conn.Exec(ctx, `set session_replication_role = replica`); err != nil {
		return err
	}
	now := time.Now().Add(-time.Hour)
	for i := range o.need() {
		g.passes = append(g.passes, pass{id: store.NewID(now), number: fmt.Sprintf("GP-%d-%d", now.Year()-1, 10_000+i), code: codeOf(i),
			caseID: "case_" + ulid.MustNew(ulid.Timestamp(now), rand.Reader).String()})
	}
	if err := g.copyPasses(ctx, conn, now); err != nil {
		return err
	}
	for _, statement := range []string{crowd, let, `analyze`} {
		args := []any{}
		switch statement {
		case crowd:
			args = append(args, o.crowd, string(org), g.passes[0].caseID)
		case let:
			args = append(args, string(org))
		}
		if _, err := conn.Exec(ctx, statement, args...); err != nil {
			return fmt.Errorf("%.60s: %w", statement, err)
		}
	}
	return nil
}

// letters are those of short codes.
const letters = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ"

func codeOf(i int) string {
	code := []byte("222222")
	for at := range code {
		code[len(code)-1-at] = letters[i%len(letters)]
		i /= len(letters)
	}
	return string(code)
}

// copyPasses writes the passes down, each with a case, the making of it and its approval.
func (g *ground) copyPasses(ctx context.Context, conn *pgx.Conn, now time.Time) error {
	var cases, passes, events [][]any
	for _, p := range g.passes {
		cases = append(cases, []any{string(org), p.caseID, store.Name, p.number, p.number, "Gate pass " + p.number, "open", "approved",
			now, 1})
		passes = append(passes, []any{string(org), p.id, p.number, p.code, p.caseID, "none", "Asha Rao", "To the bank", "employee_out",
			"main", true, "approved", 2, now.Add(-time.Hour), now.Add(24 * time.Hour), now.Add(12 * time.Hour), now.Add(-2 * time.Hour),
			"p_hr",
			"HR", now.Add(-time.Hour), "p_admin"})
		events = append(events,
			[]any{string(org), p.id, 1, "pending", "create", now.Add(-2 * time.Hour), "p_hr", "HR", "console", "rec_none"},
			[]any{string(org), p.id, 2, "approved", "approve", now.Add(-time.Hour), "p_admin", "Admin", "console", "rec_none"})
	}
	for _, one := range []struct {
		schema, table string
		columns       []string
		rows          [][]any
	}{
		{"gavel", "case", []string{"org", "id", "app", "key", "ref", "title", "state", "status", "opened_at", "version"}, cases},
		{"gatepass", "pass", []string{"org", "id", "number", "code", "case_id", "proposal", "person_name", "description", "type", "site_id",
			"returnable", "status", "version", "valid_from", "valid_until", "expected_return_at", "created_at", "created_by",
			"created_by_name", "approved_at", "approved_by"}, passes},
		{"gatepass", "event", []string{"org", "pass_id", "seq", "status", "event", "at", "by_id", "by_name", "via", "record_id"}, events},
	} {
		if _, err := conn.CopyFrom(ctx, pgx.Identifier{one.schema, one.table}, one.columns, pgx.CopyFromRows(one.rows)); err != nil {
			return fmt.Errorf("fill %s: %w", one.table, err)
		}
	}
	return nil
}

// crowd are people who were let out today, and half of them in again.
const crowd = `insert into gatepass.pass (org, id, number, code, case_id, proposal, person_name, description, type, site_id, employee_ref,
		returnable, status, version, valid_from, valid_until, expected_return_at, created_at, created_by, created_by_name, approved_at,
		exit_time, return_time)
	select $2, 'crowd-' || lpad(n::text, 30, '0'), 'GP-2020-' || 10000 + n, translate(lpad(n::text, 6, '0'), '01', 'AB'), $3, 'none',
		'Person ' || n, 'Shift', 'employee_out', 'main', 'E-' || n, true,
		case when n % 2 = 0 then 'exited' else 'returned' end, 3, now() - interval '5 hours', now() + interval '5 hours',
		now() + make_interval(mins => n % 100 - 10), now() - interval '6 hours', 'x', 'X', now() - interval '5 hours',
		now() - interval '4 hours', case when n % 2 = 1 then now() end
	from generate_series(1, $1::int) n`

// let are the scans by which they came and went: a gate is not new.
const let = `insert into gatepass.scan (org, key, pass_id, kind, at, received, site_id, guard)
	select $1, way || '-' || id, id, way, at, at, 'main', 'p_gate'
	from gatepass.pass, lateral (values ('scan_exit', exit_time), ('scan_return', return_time)) as v (way, at)
	where org = $1 and number like 'GP-2020-%' and at is not null`

// face is a photo of about so many bytes, as a phone's camera would send it: noise does not compress.
func face(size int) ([]byte, error) {
	seed := mathrand.New(mathrand.NewPCG(20, 24)) //nolint:gosec // pixels
	for side := 200; ; side += 40 {
		p := image.NewGray(image.Rect(0, 0, 4*side/3, side))
		for i := range p.Pix {
			p.Pix[i] = byte(seed.Uint32())
		}
		var out bytes.Buffer
		if err := jpeg.Encode(&out, p, &jpeg.Options{Quality: 75}); err != nil {
			return nil, err
		}
		if out.Len() >= size {
			return out.Bytes(), nil
		}
	}
}
