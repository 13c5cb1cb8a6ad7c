package survey

import (
	"fmt"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/feed"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
)

// lakeServer is the server of an organisation's lake, by its token.
func lakeServer(org identity.Org) identity.Actor {
	return identity.Actor{Kind: identity.Machine, ID: "token:tok_lake", Name: "lake", Org: org, Scopes: []string{"ingest:airshed"}}
}

// written is a notice that an object of a bucket was written.
func written(bucket, key, tag string) string {
	return fmt.Sprintf(`{"eventName":"ObjectCreated:Put","eventTime":"2026-11-14T08:31:00Z","s3":{"bucket":{"name":%q},"object":{"key":%q,"size":5,"eTag":%q}}}`, bucket, key, tag)
}

func records(all ...string) []byte { return []byte(`{"Records":[` + strings.Join(all, ",") + `]}`) }

// TestAnObjectThatIsToldOfIsLookedAtOnce promises one scan for one write of an object,
// however often and in however many messages it is told of, another for the next write,
// and nothing for what is none of the lake's.
func TestAnObjectThatIsToldOfIsLookedAtOnce(t *testing.T) {
	r := newLakeRig(t)
	put, err := r.lake.Lake.Put(t.Context(), laketest.Surge(t))
	if err != nil {
		t.Fatal(err)
	}
	long := "data/" + strings.Repeat("long/", 180) + "x.json"
	removed := strings.Replace(written("folder", put.Key, "a"), "ObjectCreated:Put", "ObjectRemoved:Delete", 1)
	for _, tt := range []struct {
		name                    string
		body                    []byte
		started, known, ignored int
	}{
		{"a new object", records(written("folder", put.Key, "a")), 1, 0, 0},
		{"the same message again", records(written("folder", put.Key, "a")), 0, 1, 0},
		{"twice in a message", records(written("folder", put.Key, "a"), written("folder", put.Key, "a")), 0, 2, 0},
		{"written anew", records(written("folder", put.Key, "b")), 1, 0, 0},
		{"a long name", records(written("folder", long, "a")), 1, 0, 0},
		{"another bucket", records(written("other", put.Key, "a")), 0, 0, 1},
		{"elsewhere in the bucket", records(written("folder", "reports/x.json", "a")), 0, 0, 1},
		{"no file of the lake", records(written("folder", "data/readme.txt", "a")), 0, 0, 1},
		{"a deletion", records(removed), 0, 0, 1},
		{"the line being tried", []byte(`{"Service":"S3","Event":"s3:TestEvent"}`), 0, 0, 0},
	} {
		told, err := r.Notice(t.Context(), lakeServer(postgrestest.North), tt.body)
		if err != nil || len(told.Started) != tt.started || told.Known != tt.known || told.Ignored != tt.ignored {
			t.Errorf("%s: got %+v, %v", tt.name, told, err)
		}
	}
	r.finish(t)
	if done, refused := r.Number(t, `select count(*) from airshed.scan where kind = 'event' and state = 'done'`),
		r.Number(t, `select count(*) from airshed.scan where state = 'refused' and reason <> ''`); done != 2 || refused != 1 {
		t.Errorf("%d scans are done and %d refused, want two and the one of an object that is not there", done, refused)
	}
	if n := r.Number(t, `select count(*) from airshed.episode`); n != 1 {
		t.Errorf("%d episodes, want one", n)
	}
	if n := r.Number(t, `select count(*) from airshed.scan where kind = 'event' and stale like 'the object is % hours old'`); n != 2 {
		t.Errorf("%d scans say that the object is old, want two", n)
	}
}

// TestALakeWithinABucketIsToldOfByItsOwnKeys promises that a lake that is a folder of a
// bucket hears of what lies in it, and of nothing beside it.
func TestALakeWithinABucketIsToldOfByItsOwnKeys(t *testing.T) {
	r := newRig(t)
	if err := r.Open(map[string]string{
		outside.SettingLake: "s3://bucket/air/delhi?endpoint=http://127.0.0.1:1", outside.SettingLakeOrg: "north",
		outside.SettingAccessKey: "k", outside.SettingSecretKey: "s"}); err != nil {
		t.Fatal(err)
	}
	told, err := r.Notice(t.Context(), lakeServer(postgrestest.North), records(written("bucket", "air/delhi/data/x.json", "a"),
		written("bucket", "data/x.json", "a")))
	if err != nil || len(told.Started) != 1 || told.Started[0].Object != "data/x.json" || told.Ignored != 1 {
		t.Errorf("got %+v, %v", told, err)
	}
}

// TestNoticesWithoutATagAreToldApartByTheirMoment promises that two writes are two
// where nothing but the moment differs.
func TestNoticesWithoutATagAreToldApartByTheirMoment(t *testing.T) {
	parse := func(body string) string {
		n, err := feed.ParseNotices(records(body))
		if err != nil || len(n.Arrivals) != 1 {
			t.Fatalf("%+v, %v", n, err)
		}
		return arrivalKey(n.Arrivals[0])
	}
	bare := written("lake", "data/x.json", "")
	if again := parse(strings.Clone(bare)); again != parse(bare) || again == parse(strings.Replace(bare, "08:31", "08:32", 1)) {
		t.Error("a write is not known by its moment")
	}
	tagged := written("lake", "data/x.json", "a")
	if parse(tagged) != parse(strings.Replace(tagged, "08:31", "08:32", 1)) {
		t.Error("the same bytes told of at two moments are two")
	}
}

// TestOnlyTheLakesServerTellsOfObjects promises that it takes a token of the lake's
// organisation with the scope for it, that such a token does nothing else, and that a
// message that is none is refused with what to do.
func TestOnlyTheLakesServerTellsOfObjects(t *testing.T) {
	r := newLakeRig(t)
	body := records(written("folder", "data/x.json", "a"))
	other := lakeServer(postgrestest.North)
	other.Scopes = []string{"ingest:poolpatrol", "read:cases"}
	for what, who := range map[string]identity.Actor{"an officer": airshedtest.Person(identity.Officer), "another token": other} {
		if _, err := r.Notice(t.Context(), who, body); !fault.Is(err, fault.Refused) {
			t.Errorf("%s tells of objects: %v", what, err)
		}
	}
	if _, err := r.Notice(t.Context(), lakeServer(postgrestest.South), body); !fault.Is(err, fault.Conflict) {
		t.Errorf("a server of another organisation: %v", err)
	}
	for _, ask := range []store.ScanRequest{{Kind: store.Asked, Key: "k"}, {Kind: store.Handed, Key: "k",
		File: laketest.File(t, laketest.Surge(t))}} {
		if _, _, err := r.store.StartScan(t.Context(), lakeServer(postgrestest.North), ask); !fault.Is(err, fault.Refused) {
			t.Errorf("the server of the lake has something else looked at: %v", err)
		}
	}
	if _, err := r.store.Scans(t.Context(), lakeServer(postgrestest.North), store.Cursor{}, 1); !fault.Is(err, fault.Refused) {
		t.Errorf("the server of the lake reads: %v", err)
	}
	for what, bad := range map[string]string{"no message": `hello`, "something else": `{"a":1}`,
		"a way out": string(records(written("folder", "data/../x.json", "a")))} {
		_, err := r.Notice(t.Context(), lakeServer(postgrestest.North), []byte(bad))
		if _, next := fault.Words(err); !fault.Is(err, fault.Invalid) || next == "" {
			t.Errorf("%s: %v, and next %q", what, err, next)
		}
	}
	if n := r.Number(t, `select count(*) from airshed.scan`); n != 0 {
		t.Errorf("%d scans were started", n)
	}
}

// TestNoticesAreBounded promises that neither one message nor many can set off more
// than a server bears.
func TestNoticesAreBounded(t *testing.T) {
	r := newLakeRig(t)
	var all []string
	for i := range MostArrivals + 1 {
		all = append(all, written("folder", fmt.Sprintf("data/%d.json", i), "a"))
	}
	if _, err := r.Notice(t.Context(), lakeServer(postgrestest.North), records(all...)); !fault.Is(err, fault.TooLarge) {
		t.Errorf("one message: %v", err)
	}
	if err := r.DB.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into airshed.scan (org, id, kind, key, asked_by, began_at)
			select 'north', 'SCAN-' || upper(lpad(to_hex(n), 8, '0')), 'event', 'k' || n, 'x', now()
			from generate_series(1, $1) n`, store.MostWaiting)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Notice(t.Context(), lakeServer(postgrestest.North), records(all[0])); !fault.Is(err, fault.TooMany) {
		t.Errorf("many messages: %v", err)
	}
}
