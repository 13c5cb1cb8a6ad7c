package audit_test

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/audit"
	"github.com/gavelhq/gavel/platform/audit/audittest"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// A victim is a log with one of everything: two organisations, a change of
// keys, full and partial tiles on two levels, copies outside, and a record that
// still waits. It can be put back as it was after each attack.
type victim struct {
	*rig
	shelf  shelf
	admin  *pgx.Conn
	copies map[string]string // the shelf's files
	kept   string            // a checkpoint that somebody kept
	first  audit.Verifier
	leaves string // name of the leaves beside checkpoint 301
}

var logTables = []string{"gavel.record", "gavel.record_place", "gavel_sys.log_queue", "gavel_sys.log_tile",
	"gavel_sys.log_checkpoint", "gavel_sys.log_key", "gavel_sys.log_published", "gavel_sys.log_lost", "gavel_sys.log_astray"}

// The victim's checkpoints. Entry 0 is the first key's, entry 301 the second's.
const victimSize = 622

func newVictim(t *testing.T) *victim {
	t.Helper()
	v := &victim{rig: newRig(t), shelf: newShelf(t), copies: map[string]string{}}
	v.first = v.public
	p := v.publisher(t, v.shelf, "")
	step := func(n int) {
		v.fill(t, n)
		v.drain(t)
		publish(t, p)
	}
	step(200) // 1, 201
	step(100) // 301
	drain(t, v.rotate(t, true))
	south := record(7)
	south.Actor = officer(postgrestest.South)
	v.append(t, south)
	v.drain(t)
	v.fill(t, 19)
	v.drain(t) // not published
	step(300)
	kept, err := audit.Newest(t.Context(), v.db.System)
	if err != nil || kept.Tree.N != victimSize {
		t.Fatalf("the victim has %d entries, %v", kept.Tree.N, err)
	}
	v.kept = kept.Note
	v.append(t, record(8)) // waits
	if v.admin, err = pgx.Connect(t.Context(), v.db.AdminURL); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { v.admin.Close(context.Background()) })
	v.sql(t, `set session_replication_role = replica; create schema saved`)
	for i, table := range logTables {
		v.sql(t, `create table saved.t`+string(rune('a'+i))+` as table `+table)
	}
	found, err := filepath.Glob(v.shelf.file("log/leaves/301-*"))
	if err != nil || len(found) != 1 {
		t.Fatalf("leaves beside checkpoint 301: %v, %v", found, err)
	}
	v.leaves = "log/leaves/" + filepath.Base(found[0])
	for _, name := range []string{"log/latest", "log/checkpoint/201", "log/checkpoint/301", "log/checkpoint/622", v.leaves} {
		text, err := os.ReadFile(v.shelf.file(name))
		if err != nil {
			t.Fatal(err)
		}
		v.copies[name] = string(text)
	}
	return v
}

func (v *victim) sql(t *testing.T, sql string) {
	t.Helper()
	if _, err := v.admin.Exec(t.Context(), sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func (v *victim) restore(t *testing.T) {
	t.Helper()
	for i, table := range logTables {
		v.sql(t, `delete from `+table+`; insert into `+table+` overriding system value table saved.t`+string(rune('a'+i)))
	}
	for name, text := range v.copies {
		if err := os.WriteFile(v.shelf.file(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func (v *victim) check(t *testing.T) audit.Report {
	t.Helper()
	report, err := audit.Fsck(t.Context(), audit.FsckConfig{System: v.db.System, Shelf: v.shelf, Trusted: []audit.Verifier{v.first},
		Known: []string{v.kept}})
	if err != nil {
		t.Fatal(err)
	}
	return report
}

// TestWhatIsBeingPublishedThisMomentIsNoFinding promises that a copy which is outside
// before it is listed, as each is for a moment, is looked at again.
func TestWhatIsBeingPublishedThisMomentIsNoFinding(t *testing.T) {
	v := newVictim(t)
	v.sql(t, `delete from gavel_sys.log_published where n = 3`)
	again, listed := make(chan time.Time), make(chan struct{})
	go func() {
		again <- time.Time{} // it has looked, and found none
		_, err := v.admin.Exec(t.Context(), `insert into gavel_sys.log_published (n, size) values (3, 622)`)
		if err != nil {
			t.Error(err)
		}
		close(listed)
		select {
		case again <- time.Time{}:
		case <-t.Context().Done(): // it was listed before the second look
		}
	}()
	report, err := audit.Fsck(t.Context(), audit.FsckConfig{System: v.db.System, Shelf: v.shelf, Again: again})
	<-listed
	if err != nil || !report.Clean() {
		t.Errorf("got %v, %v, want nothing found", report.Findings, err)
	}
}

// An attack changes one kind of thing in the log, as someone with every right on
// the database or the shelf could. Fsck must find it and name it.
type attack struct {
	name string
	sql  string
	file func(t *testing.T, v *victim) // instead of sql
	what string
	want string // in the finding's sentence
	kind string // what it is counted as; nothing means by what it is a finding about
}

// at is the record at a place in the log.
func at(seq string) string {
	return `(org, id) = (select org, record_id from gavel.record_place where seq = ` + seq + `)`
}

// swap exchanges a column of two rows.
func swap(table, column, key, a, b string) string {
	return `with x as (select ` + key + ` k, ` + column + ` v from ` + table + ` where ` + key + ` in (` + a + `, ` + b + `))
		update ` + table + ` set ` + column + ` = x.v from x where ` + key + ` in (` + a + `, ` + b + `) and x.k <> ` + key
}

func flipByte(column, byteNo string) string {
	return column + ` = set_byte(` + column + `, ` + byteNo + `, get_byte(` + column + `, ` + byteNo + `) # 1)`
}

func recordAttacks() []attack {
	column := func(name, value string) attack {
		return attack{name: "change a record's column " + name, sql: `update gavel.record set ` + name + ` = ` + value + ` where ` +
			at("40"),
			what: "record", want: "entry 40, record rec_"}
	}
	return []attack{
		{name: "flip a bit in a record", sql: `update gavel.record set json = replace(json, '"approve"', '"aqprove"') where ` + at("17"),
			what: "record", want: "entry 17, record rec_"},
		{name: "cut a record", sql: `update gavel.record set json = left(json, -1) where ` + at("17"), what: "record",
			want: "entry 17, record rec_"},
		{name: "empty a record", sql: `update gavel.record set json = '' where ` + at("17"), what: "record", want: "entry 17, record rec_"},
		{name: "remove a record", sql: `delete from gavel.record where ` + at("17"), what: "record", want: "which is not there"},
		{name: "exchange two records' texts", sql: `with x as (select org, id, json, seq from gavel.record join gavel.record_place p
			using (org) where p.record_id = id and seq in (20, 21))
			update gavel.record r set json = y.json from x, x y where r.org = x.org and r.id = x.id and y.seq <> x.seq`,
			what: "place", want: "stands as entry 20, and the tree holds it as entry 21"},
		{name: "change the last record of all", sql: `update gavel.record set json = replace(json, '"approve"', '"aqprove"')
			where ` + at("621"),
			what: "record", want: "entry 621, record rec_"},
		{name: "change a record and its leaf", sql: `update gavel.record set json = replace(json, '"approve"', '"aqprove"')
			where ` + at("17") + `;
			update gavel_sys.log_tile set hashes = overlay(hashes placing sha256('\x00'::bytea || convert_to((select json from gavel.record
			where ` + at("17") + `), 'UTF8')) from 17 * 32 + 1)
			where level = 0 and n = 0`, what: "checkpoint", want: "from entry 1 to entry 200 was changed"},
		{name: "add a record beside the log", sql: `insert into gavel.record
			select org, 'rec_ADDED', at, kind, app, actor_kind, actor_id, subject, json from gavel.record where ` + at("17"),
			what: "record", want: "record rec_ADDED of north is neither in the log nor waiting"},
		{name: "give a record to another organisation", sql: `update gavel.record set org = 'south' where ` + at("18") +
			`; update gavel.record_place set org = 'south' where seq = 18`,
			what: "record", want: `its column org says "south"`},
		column("kind", `'act'`), column("app", `''`), column("actor_kind", `'agent'`), column("actor_id", `'p:other'`),
		column("subject", `'case_other'`), column("at", `at + interval '1 day'`),
	}
}

func placeAttacks() []attack {
	return []attack{
		{name: "remove a place", sql: `delete from gavel.record_place where seq = 300`, what: "place", want: "entry 300 is missing"},
		{name: "remove several places", sql: `delete from gavel.record_place where seq between 250 and 259`, what: "place",
			want: "entries 250 to 259 are missing"},
		{name: "cut the places", sql: `delete from gavel.record_place where seq >= 600`, what: "place",
			want: "vouches for 622 entries, and the numbered records reach to 600"},
		{name: "exchange two places", sql: `update gavel.record_place set seq = 1000 where seq = 30; update gavel.record_place set seq = 30
			where seq = 31;
			update gavel.record_place set seq = 31 where seq = 1000`, what: "place", want: "stands as entry 31, and the tree holds it as entry 30"},
		{name: "add a place", sql: `insert into gavel.record_place select org, record_id, 622 from gavel_sys.log_queue`,
			what: "place", want: "reach to 623"},
		{name: "move a place to the end", sql: `update gavel.record_place set seq = 622 where seq = 5`, what: "place",
			want: "entry 5 is missing"},
		{name: "remove a waiting row", sql: `delete from gavel_sys.log_queue`, what: "record", want: "neither in the log nor waiting"},
		{name: "change a waiting row", sql: `update gavel_sys.log_queue set record_id = 'rec_OTHER'`, what: "queue",
			want: "record rec_OTHER of north waits for the log, and is not there"},
		{name: "add a waiting row", sql: `insert into gavel_sys.log_queue (org, record_id) select org, record_id from gavel.record_place
			where seq = 9`,
			what: "queue", want: "is entry 9 already"},
	}
}

func tileAttacks() []attack {
	tile := func(level, n string) string { return ` where level = ` + level + ` and n = ` + n }
	return []attack{
		{name: "flip a bit in a tile", sql: `update gavel_sys.log_tile set ` + flipByte("hashes", "333") + tile("0", "1"),
			what: "tile", want: "tile 1 of level 0 holds another hash for entry 266"},
		{name: "flip a bit in the last tile", sql: `update gavel_sys.log_tile set ` + flipByte("hashes", "0") + tile("0", "2"),
			what: "tile", want: "tile 2 of level 0 holds another hash for entry 512"},
		{name: "flip a bit in an upper tile", sql: `update gavel_sys.log_tile set ` + flipByte("hashes", "40") + tile("1", "0"),
			what: "tile", want: "tile 0 of level 1 holds another hash for tile 1 below"},
		{name: "remove a tile", sql: `delete from gavel_sys.log_tile` + tile("0", "1"), what: "tile", want: "tile 1 of level 0 is missing"},
		{name: "remove the last tile", sql: `delete from gavel_sys.log_tile` + tile("0", "2"), what: "tile",
			want: "tile 2 of level 0 is missing"},
		{name: "remove an upper tile", sql: `delete from gavel_sys.log_tile` + tile("1", "0"), what: "tile",
			want: "tile 0 of level 1 is missing"},
		{name: "cut a tile", sql: `update gavel_sys.log_tile set hashes = substring(hashes for 3200)` + tile("0", "1"),
			what: "tile", want: "tile 1 of level 0 is cut: it has 100 hashes, and needs 256"},
		{name: "cut the last tile", sql: `update gavel_sys.log_tile set hashes = substring(hashes for 3200)` + tile("0", "2"),
			what: "tile", want: "tile 2 of level 0 is cut"},
		{name: "cut an upper tile", sql: `update gavel_sys.log_tile set hashes = substring(hashes for 32)` + tile("1", "0"),
			what: "tile", want: "tile 0 of level 1 is cut"},
		{name: "exchange two tiles", sql: swap("gavel_sys.log_tile", "hashes", "n", "0", "1") + ` and level = 0 and v <> hashes`,
			what: "tile", want: "tile 0 of level 0 holds another hash for entry 0"},
		{name: "widen a tile", sql: `update gavel_sys.log_tile set hashes = hashes || sha256('x')` + tile("0", "2"),
			what: "tile", want: "level 0 of the tiles reaches to 623 hashes, and a tree of 622 entries has 622"},
		{name: "add a tile", sql: `insert into gavel_sys.log_tile values (0, 3, sha256('x'))`, what: "tile",
			want: "level 0 of the tiles reaches to 769"},
		{name: "add a level", sql: `insert into gavel_sys.log_tile values (2, 0, sha256('x'))`, what: "tile",
			want: "level 2 of the tiles reaches to 1 hashes"},
	}
}

func checkpointAttacks() []attack {
	return []attack{
		{name: "flip a bit in a checkpoint's root", sql: `update gavel_sys.log_checkpoint
			set note = overlay(note placing chr(ascii(substring(note from 24)) # 1) from 24) where size = 201`,
			what: "checkpoint", want: "checkpoint 201 is not"},
		{name: "flip a bit in a signature", sql: `update gavel_sys.log_checkpoint
			set note = overlay(note placing 'AAAA' from length(note) - 20) where size = 201`,
			what: "checkpoint", want: "checkpoint 201 is not signed"},
		{name: "remove a signature", sql: `update gavel_sys.log_checkpoint set note = split_part(note, E'\n\n', 1)
			where size = 201`, what: "checkpoint", want: "checkpoint 201 is not one"},
		{name: "cut a checkpoint", sql: `update gavel_sys.log_checkpoint set note = left(note, 20) where size = 201`, what: "checkpoint",
			want: "checkpoint 201 is not one"},
		{name: "remove a checkpoint", sql: `delete from gavel_sys.log_checkpoint where size = 303`, what: "checkpoint",
			want: "checkpoint 322 is the 6., and follows the 4."},
		{name: "remove a published checkpoint", sql: `delete from gavel_sys.log_checkpoint where size = 201`, what: "published",
			want: "checkpoint 201 was published, and is not there any more"},
		{name: "remove the newest checkpoint", sql: `delete from gavel_sys.log_checkpoint where size = 622`, what: "place",
			want: "vouches for 322 entries, and the numbered records reach to 622"},
		{name: "exchange two checkpoints", sql: swap("gavel_sys.log_checkpoint", "note", "size", "201", "301"), what: "checkpoint",
			want: "checkpoint 201 says that it is for 301 entries"},
		{name: "resize a checkpoint", sql: `update gavel_sys.log_checkpoint set size = 202 where size = 201`, what: "checkpoint",
			want: "checkpoint 202 says that it is for 201 entries"},
		{name: "add a checkpoint beyond the end", sql: `insert into gavel_sys.log_checkpoint select 700, 99, note
			from gavel_sys.log_checkpoint where size = 622`,
			what: "checkpoint", want: "vouch for up to 700 entries, and the log ends at 622"},
		{name: "sign another root with the key", file: func(t *testing.T, v *victim) { v.resign(t, v.secret, 322) }, what: "checkpoint",
			want: "checkpoint 322 is signed for another tree"},
		{name: "sign a checkpoint with another key", file: func(t *testing.T, v *victim) {
			other, _, err := audit.NewKey(origin)
			if err != nil {
				t.Fatal(err)
			}
			v.resign(t, other, 322)
		}, what: "checkpoint", want: "checkpoint 322 is not signed by the key in force"},
		{name: "change a key", sql: `update gavel_sys.log_key set verifier = 'gavel.test/log+00000000+AAAA' where from_size = 301`,
			what: "key", want: "puts gavel.test/log+00000000+AAAA in force from entry 301, and the log has no record of that"},
		{name: "remove a key", sql: `delete from gavel_sys.log_key where from_size = 301`, what: "key", want: "entry 301, record rec_"},
		{name: "move a key", sql: `update gavel_sys.log_key set from_size = 300 where from_size = 301`, what: "key",
			want: "in force from entry 300"},
		{name: "exchange two keys", sql: `update gavel_sys.log_key set verifier = 'x' where from_size = 0;
			update gavel_sys.log_key set verifier = (select verifier from saved.tf where from_size = 0) where from_size = 301;
			update gavel_sys.log_key set verifier = (select verifier from saved.tf where from_size = 301) where from_size = 0`,
			what: "key", want: "in force from entry 0, and the log has no record"},
		{name: "add a key", sql: `insert into gavel_sys.log_key values (500, 'gavel.test/log+00000000+AAAA', 'rec_x')`, what: "key",
			want: "in force from entry 500, and the log has no record"},
		{name: "change the record of a key", sql: `update gavel.record set json = replace(json, '"vouched":true', '"vouched":false')
			where ` + at("301"), what: "record", want: "entry 301, record rec_"},
		{name: "withdraw the voucher of a key", sql: `update gavel_sys.log_checkpoint set note = regexp_replace(note, E'\n[^\n]*\n$', E'\n')
			where size = 302`,
			what: "key", want: "none that you trust vouches for it"},
		{name: "put a stray key in force", file: func(t *testing.T, v *victim) { v.stray(t) }, what: "key",
			want: "does not vouch for it, and no operator accepted it", kind: "stray key"},
	}
}

func publishedAttacks(leavesOf301 string) []attack {
	change := func(name string, fn func(string) string) func(*testing.T, *victim) {
		return func(t *testing.T, v *victim) { v.shelf.change(t, name, fn) }
	}
	remove := func(name string) func(*testing.T, *victim) {
		return func(t *testing.T, v *victim) {
			if err := os.Remove(v.shelf.file(name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	flip := func(s string) string { return strings.Replace(s, "=", "-", 1) }
	cut := func(s string) string { return s[:len(s)/2] }
	return []attack{
		{name: "flip a bit in a published copy", file: change("log/checkpoint/301", flip), what: "published",
			want: "published copy of checkpoint 301 is not the checkpoint that is here"},
		{name: "cut a published copy", file: change("log/checkpoint/301", cut), what: "published",
			want: "published copy of checkpoint 301 is not"},
		{name: "remove a published copy", file: remove("log/checkpoint/301"), what: "published",
			want: "published copy of checkpoint 301 is not there"},
		{name: "exchange published copies", file: func(t *testing.T, v *victim) {
			v.shelf.change(t, "log/checkpoint/301", func(string) string { return v.copies["log/checkpoint/201"] })
		}, what: "published", want: "published copy of checkpoint 301 is not"},
		{name: "flip a bit in the newest copy", file: change("log/latest", flip), what: "published", want: "published as the newest"},
		{name: "cut the newest copy", file: change("log/latest", cut), what: "published", want: "newest"},
		{name: "remove the newest copy", file: remove("log/latest"), what: "published", want: "newest published checkpoint is not there"},
		{name: "put the newest copy back", file: func(t *testing.T, v *victim) {
			v.shelf.change(t, "log/latest", func(string) string { return v.copies["log/checkpoint/301"] })
		}, what: "published", want: "is 301, and 622 had been published"},
		{name: "remove a publication", sql: `delete from gavel_sys.log_published where n = 2`, what: "published",
			want: "publication 3 of checkpoint 622 follows publication 1"},
		{name: "cut the publications", sql: `delete from gavel_sys.log_published where n = 3`, what: "published",
			want: "622 is published as the newest, and not listed"},
		{name: "exchange two publications", sql: `update gavel_sys.log_published set n = 9 where n = 1; update gavel_sys.log_published
			set n = 1 where n = 2; update gavel_sys.log_published set n = 2 where n = 9`,
			what: "published", want: "some are missing or were moved"},
		{name: "change a publication", sql: `update gavel_sys.log_published set size = 302 where n = 2`, what: "published",
			want: "published copy of checkpoint 302 is not there"},
		{name: "cut the whole log back", sql: cutBack, what: "published",
			want: "a checkpoint of 622 entries was published, and the log has 322"},
		{name: "cut the log and the copies back", file: func(t *testing.T, v *victim) {
			v.sql(t, cutBack+`; delete from gavel_sys.log_published where n = 3`)
			v.shelf.change(t, "log/latest", func(string) string { return v.copies["log/checkpoint/301"] })
		}, what: "known", want: "you kept a checkpoint of 622 entries, and the log has 322"},
		{name: "fork the log", file: func(t *testing.T, v *victim) {
			v.sql(t, cutBack+`; delete from gavel_sys.log_published where n = 3`)
			v.fill(t, 400)
			v.drain(t) // who holds the key and the database can
		}, what: "published", want: "entry 322 is another one in the published copy than here", kind: "forked log"},
		{name: "flip a bit in published leaves",
			file: change(leavesOf301, func(s string) string { return s[:len(s)-1] + string([]byte{s[len(s)-1] ^ 1}) }), what: "published",
			want: "entry 300 is another one in the published copy"},
		{name: "cut published leaves", file: change(leavesOf301, cut), what: "published",
			want: "leaves beside the published checkpoint 301 are damaged"},
		{name: "call entries lost", sql: `delete from gavel.record_place where seq between 400 and 409; insert into gavel_sys.log_lost
			values (400, 410, 'rec_x')`,
			what: "lost", want: "entries 400 to 409 are listed as lost in a restore, and the log has no record of that"},
	}
}

// cutBack takes the log back to an earlier checkpoint, in every table at once.
const cutBack = `
	with gone as (delete from gavel.record_place where seq >= 322 returning org, record_id)
	delete from gavel.record r using gone where r.org = gone.org and r.id = gone.record_id;
	delete from gavel_sys.log_tile where level = 0 and n > 1;
	update gavel_sys.log_tile set hashes = substring(hashes for (322 - 256) * 32) where level = 0 and n = 1;
	update gavel_sys.log_tile set hashes = substring(hashes for 32) where level = 1;
	delete from gavel_sys.log_checkpoint where size > 322`

// resign replaces a checkpoint by one with another root.
func (v *victim) resign(t *testing.T, secret string, size int) {
	t.Helper()
	forged := (&rig{secret: secret}).forge(t, size, tlog.Hash{1, 2, 3})
	if _, err := v.admin.Exec(t.Context(), `update gavel_sys.log_checkpoint set note = $1 where size = $2`, forged.Note, size); err != nil {
		t.Fatal(err)
	}
}

// stray puts a key in force for which nobody answers: whoever does so takes the
// operator's word away afterwards.
func (v *victim) stray(t *testing.T) {
	t.Helper()
	secret, public, err := audit.NewKey(origin)
	if err != nil {
		t.Fatal(err)
	}
	id := v.accept(t, public)
	v.sql(t, `delete from gavel_sys.log_queue where record_id = '`+string(id)+`'`)
	drain(t, v.sequencerWith(t, secret, ""))
	v.sql(t, `delete from gavel.record where id = '`+string(id)+`'`)
}

// TestEveryAttackOnTheLogIsFound promises that whatever is flipped, removed,
// reordered or cut in the log, in any of its tables and outside copies, is found
// by fsck and named in a sentence.
func TestEveryAttackOnTheLogIsFound(t *testing.T) {
	v := newVictim(t)
	if report := v.check(t); !report.Clean() || report.Records != victimSize || report.Tiles != 4 || report.Checkpoints != 7 ||
		report.Published != 3 || report.Waiting != 1 {
		t.Fatalf("the log before any attack: %+v", report)
	}
	var all []attack
	for _, some := range [][]attack{recordAttacks(), placeAttacks(), tileAttacks(), checkpointAttacks(), publishedAttacks(v.leaves)} {
		all = append(all, some...)
	}
	var count audittest.Tally
	for _, a := range all {
		if a.file != nil {
			a.file(t, v)
		} else {
			v.sql(t, a.sql)
		}
		report := v.check(t)
		named := false
		for _, f := range report.Findings {
			named = named || f.What == a.what && strings.Contains(f.Text, a.want)
		}
		count.Tried(cmp.Or(a.kind, "log, "+a.what), named)
		if !named {
			t.Errorf("%s: want a finding about a %s that says %q; got %v", a.name, a.what, a.want, report.Findings)
		}
		v.restore(t)
	}
	if report := v.check(t); !report.Clean() {
		t.Errorf("the log after all attacks were undone: %v", report.Findings)
	}
	count.Print()
}

// TestARewrittenLogIsFoundByWhoKeptACheckpoint promises that a log which was made
// anew from end to end, with the real key, does not pass for the old one.
func TestARewrittenLogIsFoundByWhoKeptACheckpoint(t *testing.T) {
	r := newRig(t)
	r.fill(t, 50)
	r.drain(t)
	kept, err := audit.Newest(t.Context(), r.db.System)
	if err != nil {
		t.Fatal(err)
	}
	rewritten := &rig{t: t, db: postgrestest.New(t, audit.Migrations()), secret: r.secret, public: r.public}
	rewritten.fill(t, 60)
	rewritten.drain(t)
	if report := rewritten.fsck(t); !report.Clean() {
		t.Errorf("in itself it is consistent: %v", report.Findings)
	}
	report := rewritten.fsck(t, kept.Note)
	if len(report.Findings) != 1 || report.Findings[0].What != "known" || !strings.Contains(report.Findings[0].Text,
		"checkpoint of 51 entries with another root") {
		t.Errorf("got %v", report.Findings)
	}
}

func TestOneChangeMakesOneFinding(t *testing.T) {
	r := newRig(t)
	for range 5 {
		r.fill(t, 100)
		r.drain(t)
	}
	r.admin(t, `update gavel.record set json = replace(json, 'approve', 'reject') where `+at("150"))
	if report := r.fsck(t); len(report.Findings) != 1 {
		t.Errorf("got %v, want one finding", report.Findings)
	}
}

// TestALogThatGrowsIsCheckedAsItIs promises that fsck can run while records are
// appended and taken in, without raising an alarm.
func TestALogThatGrowsIsCheckedAsItIs(t *testing.T) {
	r, s := newRig(t), newShelf(t)
	r.fill(t, 300)
	r.drain(t)
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		seq := r.sequencer(t)
		for {
			select {
			case <-stop:
				return
			default:
				r.appendMany(t, 2, 5)
				if _, err := seq.Drain(t.Context()); err != nil {
					t.Error(err)
				}
			}
		}
	}()
	defer func() { close(stop); <-done }()
	looks, last := 0, int64(0)
	wait.Until(t, "the log grew while it was looked at eight times", func() bool {
		report := r.fsckWith(t, s)
		if !report.Clean() || report.Size < last {
			t.Errorf("size %d: %v", report.Size, report.Findings)
		}
		looks, last = looks+1, report.Size
		return looks >= 8 && last > 301
	})
}

func TestAnEmptyLogIsClean(t *testing.T) {
	r := newRig(t)
	if report := r.fsck(t); !report.Clean() || report.Size != 0 {
		t.Errorf("got %+v", report)
	}
	if report := r.fsckWith(t, newShelf(t)); !report.Clean() {
		t.Errorf("got %+v", report)
	}
}
