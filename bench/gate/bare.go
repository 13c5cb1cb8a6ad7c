package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/url"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/oklog/ulid/v2"

	"github.com/gavelhq/gavel/apps/gatepass/store"
)

// A bareGate does what a scan does and nothing else: the statements of a scan in their three transactions, with the bare driver, and
// one PUT of the photo through the SDK. It takes no request apart, asks no policy, looks at no photo, seals nothing and judges nothing.
type bareGate struct {
	pool   *pgxpool.Pool
	s3     *s3.Client
	bucket string
	face   []byte
}

func (g *ground) bare(ctx context.Context, atOnce int) (*bareGate, error) {
	u, err := url.Parse(g.settings["GAVEL_BLOB_URL"])
	if err != nil {
		return nil, err
	}
	region := u.Query().Get("region")
	if region == "" {
		region = "us-east-1"
	}
	b := &bareGate{bucket: u.Host, face: g.face, s3: s3.New(s3.Options{Region: region, UsePathStyle: true,
		BaseEndpoint: aws.String(u.Query().Get("endpoint")),
		Credentials: credentials.NewStaticCredentialsProvider(g.settings["GAVEL_BLOB_ACCESS_KEY"], g.settings["GAVEL_BLOB_SECRET_KEY"],
			""),
		// As ours: the digest is sent, and nothing is computed besides.
		RequestChecksumCalculation: aws.RequestChecksumCalculationWhenRequired,
		ResponseChecksumValidation: aws.ResponseChecksumValidationWhenRequired})}
	cfg, err := pgxpool.ParseConfig(g.settings["GAVEL_DATABASE_URL"])
	if err != nil {
		return nil, err
	}
	cfg.MaxConns = int32(max(atOnce, 16))
	b.pool, err = pgxpool.NewWithConfig(ctx, cfg)
	return b, err
}

func (b *bareGate) close() { b.pool.Close() }

// A moment is one scan: its pass, when, and what things of it are called.
type moment struct {
	pass
	at                        time.Time
	photo, object, record, by string
}

func (b *bareGate) scan(ctx context.Context, p pass) error {
	m := moment{pass: p, at: time.Now().UTC().Truncate(time.Microsecond), by: "dev:gate@north"}
	m.photo, m.record = store.NewID(m.at), "rec_"+ulid.MustNew(ulid.Timestamp(m.at), rand.Reader).String()
	sum := sha256.Sum256(append([]byte(p.id), b.face...))
	m.object = hex.EncodeToString(sum[:])
	for _, step := range []func(context.Context, pgx.Tx, moment) error{look, seal} {
		if err := b.in(ctx, m, step); err != nil {
			return err
		}
	}
	_, err := b.s3.PutObject(ctx, &s3.PutObjectInput{Bucket: &b.bucket, Key: aws.String("bench/" + m.object),
		Body: bytes.NewReader(b.face)})
	if err != nil {
		return err
	}
	return b.in(ctx, m, through)
}

// in is one transaction of the organisation.
func (b *bareGate) in(ctx context.Context, m moment, fn func(context.Context, pgx.Tx, moment) error) error {
	begin := pgx.TxOptions{BeginQuery: "begin; set local gavel.org = '" + string(org) + "'"}
	return pgx.BeginTxFunc(ctx, b.pool, begin, func(tx pgx.Tx) error { return fn(ctx, tx, m) })
}

const (
	passColumns = `select p.id, p.number, p.code, p.case_id, p.proposal, p.person_name, p.description, p.type, p.site_id, p.employee_ref,
		p.host_ref, p.vehicle_plate, p.returnable, p.person_back, p.status, p.version, p.token, p.valid_from, p.valid_until,
		p.expected_return_at, p.created_at, p.created_by, p.created_by_name, p.approved_at, p.approved_by, p.rejected_at,
		p.rejected_by, p.reject_reason, p.exit_time, p.return_time, p.exit_photo, p.return_photo, p.deleted_at, p.deleted_by,
		p.deleted_reason from gatepass.pass p`
	items = `select pass_id, id, name, quantity, unit, serial, asset, returnable, condition_out, good, damaged, lost
		from gatepass.item where pass_id = any ($1) order by pass_id, n`
	events = `select pass_id, status, event, at, by_name, by_id, stands_for, via, reason, decision from gatepass.event
		where pass_id = any ($1) order by pass_id, seq`
	known = `with own as (select gate from gatepass.arrival where number = any ($2) and held = '' union select unnest($1::text[])),
			which as (select digest from gatepass.arrival where gate = any (array (select gate from own))
				union select digest from gatepass.arrival where number = any ($2) union select unnest($3::text[]))
		select digest, gate, event_id, seq, prev, number, kind, at, guard, photo, reason, items, site_id, received, held
		from gatepass.arrival where digest = any (array (select digest from which))
		union all
		select 'online/' || s.key, s.gate_id, s.key, 0, '', p.number, s.kind, s.at, s.guard, s.photo, s.reason, s.items, s.site_id,
			s.received, ''
		from gatepass.scan s join gatepass.pass p on p.org = s.org and p.id = s.pass_id
		where p.number = any ($2) and s.pass_id = any (array (select id from gatepass.pass where number = any ($2)))`
	watched = `select id, name, aliases, level, until, reason from gatepass.watch where ended_at is null and (until is null or until > $1)`
)

// look reads what is set, the pass with all that belongs to it, and whether this event is known.
func look(ctx context.Context, tx pgx.Tx, m moment) error {
	if err := read(ctx, tx, `select item, version, value, removed, changed_by, changed_at, proposal, erased_at is not null
		from gavel.setting where app = $1 and name = $2 and item = $3 order by version desc limit 1`, store.Name, "setup", ""); err != nil {
		return err
	}
	for range 2 { // once for what is usual there, once for the zone
		if err := read(ctx, tx, `select org, title, zone, languages from gavel_sys.organisation where org = $1`, string(org)); err != nil {
			return err
		}
	}
	if err := whole(ctx, tx, m, ` where p.number = $1`, m.number); err != nil {
		return err
	}
	return read(ctx, tx, `select pass_id, kind from gatepass.scan where key = $1`, m.id)
}

// whole reads a pass with its items and its history.
func whole(ctx context.Context, tx pgx.Tx, m moment, where, which string) error {
	if err := read(ctx, tx, passColumns+where, which); err != nil {
		return err
	}
	var b pgx.Batch
	for _, of := range []string{items, events} {
		b.Queue(of, []string{m.id}).Query(func(rows pgx.Rows) error { return drain(rows, nil) })
	}
	return tx.SendBatch(ctx, &b).Close()
}

// seal makes a key for the photo and writes down what lies under it, for the holder and for the photo itself.
func seal(ctx context.Context, tx pgx.Tx, m moment) error {
	subjects := []string{store.HolderType + ":" + m.id, store.PhotoType + ":" + m.photo}
	sum := sha256.Sum256([]byte(subjects[0] + "\n" + subjects[1]))
	owner := "set:" + hex.EncodeToString(sum[:])
	var b pgx.Batch
	b.Queue(`select pg_advisory_xact_lock_shared($1, n) from unnest($2::int[]) n`, 20,
		[]int32{int32(sum[0]), int32(sum[1])})
	b.Queue(`select current_setting('transaction_isolation'), (select min(at) from gavel.erasure where org = $1 and subject = any($2))`,
		string(org), subjects)
	if err := tx.SendBatch(ctx, &b).Close(); err != nil {
		return err
	}
	if err := read(ctx, tx, `select org, id, owner, master, wrapped, destroyed_at from gavel.seal_key where org = $1 and owner = $2
		for key share`, string(org), owner); err != nil {
		return err
	}
	key := "key_" + m.record[len("rec_"):]
	if _, err := tx.Exec(ctx, `insert into gavel.seal_key (org, id, owner, master, wrapped, made_at) values ($1, $2, $3, $4, $5, $6)
		on conflict (org, owner) do nothing`, string(org), key, owner, "bench", make([]byte, 60), m.at); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `insert into gavel.sealed (org, object, subject, key, purpose, case_id, at)
		select $1, $2, subject, $3, $4, $5, $6 from unnest($7::text[]) subject`, string(org), m.object, key, "gatepass_photo", m.caseID, m.at,
		subjects)
	return err
}

// through is the transaction in which somebody is let out.
func through(ctx context.Context, tx pgx.Tx, m moment) error {
	if err := whole(ctx, tx, m, ` where p.id = $1 for no key update`, m.id); err != nil {
		return err
	}
	if err := read(ctx, tx, known, []string{}, []string{m.number}, []string(nil)); err != nil {
		return err
	}
	if err := read(ctx, tx, watched, m.at); err != nil {
		return err
	}
	if err := step(ctx, tx, m); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `insert into gatepass.photo (org, id, pass_id, kind, format, bytes, width, height, sha256, sealed, taken_at,
		taken_by, gate_id, device) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)`, string(org), m.photo, m.id, "exit",
		"image/jpeg", 200<<10, 640, 480, m.object, m.object, m.at, m.by, "", ""); err != nil {
		return err
	}
	if _, err := tx.Exec(ctx, `insert into gatepass.scan (org, key, pass_id, kind, at, received, captured, site_id, gate_id, device, guard,
		session, photo, reason, items) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)`, string(org), m.id, m.id,
		"scan_exit", m.at, m.at, nil, "main", "", "", m.by, "", m.object, "", "[]"); err != nil {
		return err
	}
	word := fmt.Sprintf(`{"name":"wake","input":{"case":%q},"start":{"workflow":"pass","queue":"gavel","subject":%q,"input":{"case":%q}}}`,
		m.caseID, m.caseID, m.caseID)
	_, err := tx.Exec(ctx, `insert into gavel.outbox (org, lane, kind, target, payload) values ($1, $2, $3, $4, $5)`, string(org), "decision",
		"signal", store.Name+"/"+string(org)+"/"+m.number, word)
	return err
}

// step is what every event of a pass leaves: the pass, its record, a line in its history, and a notice.
func step(ctx context.Context, tx pgx.Tx, m moment) error {
	var b pgx.Batch
	b.Queue(`update gatepass.pass set returnable = $3, person_back = $4, status = $5, version = $6, token = $7, valid_from = $8,
		valid_until = $9, expected_return_at = $10, approved_at = $11, approved_by = $12, rejected_at = $13, rejected_by = $14,
		reject_reason = $15, exit_time = $16, return_time = $17, exit_photo = $18, return_photo = $19, deleted_at = $20, deleted_by = $21,
		deleted_reason = $22 where id = $1 and version = $2 and deleted_at is null`, m.id, 2, true, false, "exited", 3, 0,
		m.at.Add(-3*time.Hour), m.at.Add(23*time.Hour), m.at.Add(11*time.Hour), m.at.Add(-time.Hour), "p_admin", nil, "", "", m.at, nil,
		m.photo,
		"", nil, "", "")
	body := fmt.Sprintf(`{"event":"scan_exit","number":%q,"photo_sha256":%q,"status":"exited","version":3}`, m.number, m.object)
	b.Queue(`with added as (insert into gavel.record (org, id, at, kind, app, actor_kind, actor_id, subject, json)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9)) insert into gavel_sys.log_queue (org, record_id) values ($1, $2)`,
		string(org), m.record, m.at, "gatepass", store.Name, "person", m.by, m.id, body)
	b.Queue(`insert into gatepass.event (org, pass_id, seq, status, event, at, by_id, by_name, stands_for, via, reason, decision, record_id)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`, string(org), m.id, 3, "exited", "scan_exit", m.at, m.by, "Gate", "",
		"gate", "", "", m.record)
	b.Queue(`insert into gatepass.notice (org, id, key, type, severity, pass_id, number, to_hr, to_admin, to_gate, made_at)
		values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) on conflict (org, key) do nothing`, string(org), store.NewID(m.at),
		"pass_exited/"+m.number, "pass_exited", "info", m.id, m.number, true, false, false, m.at)
	return tx.SendBatch(ctx, &b).Close()
}

func read(ctx context.Context, tx pgx.Tx, sql string, args ...any) error {
	return drain(tx.Query(ctx, sql, args...))
}

// drain reads an answer away.
func drain(rows pgx.Rows, err error) error {
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if _, err := rows.Values(); err != nil {
			return err
		}
	}
	return rows.Err()
}
