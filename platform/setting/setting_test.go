package setting_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/seal"
	"github.com/gavelhq/gavel/platform/setting"
)

// TestASettingIsKeptInVersions promises the default until somebody sets it, then what they
// set, for their organisation alone; a change to something older is refused; every version
// and what changed between two can be read, and the log names what changed and quotes only
// what it may.
func TestASettingIsKeptInVersions(t *testing.T) {
	r := newRig(t)
	now, err := r.Current(t.Context(), asha, thresholds, "")
	if err != nil || now.Version != 0 || string(now.Value) != canonical(t, usual()) {
		t.Fatalf("before: %v, %+v", err, now)
	}
	l := usual()
	l.Days, l.Contact = 14, " ring Zelda "
	if h, err := r.put(asha, l, 0); err != nil || h.Version != 1 || h.ChangedBy != "asha" || h.ChangedAt == nil {
		t.Fatalf("%v, %+v", err, h)
	}
	if _, err := r.put(asha, usual(), 0); !fault.Is(err, fault.Stale) {
		t.Errorf("a change to what was read before: %v", err)
	}
	l.Radius = 9.5
	if _, err := r.put(asha, l, setting.AnyVersion); err != nil {
		t.Fatal(err)
	}
	if other, err := r.Current(t.Context(), nila, thresholds, ""); err != nil || other.Version != 0 {
		t.Errorf("another organisation: %v, %+v", err, other)
	}
	v, mark, err := setting.Get[limits](t.Context(), r.Store, asha, thresholds, "")
	if err != nil || v.Contact != "ring Zelda" || v.Radius != 9.5 || mark.Version != 2 {
		t.Errorf("%v, %+v, %+v", err, v, mark)
	}
	d, err := r.Between(t.Context(), asha, thresholds, "", 0, 2)
	if err != nil || len(d.Changes) != 3 {
		t.Errorf("%v, %+v", err, d)
	}
	if now, err := r.Between(t.Context(), asha, thresholds, "", 0, 0); err != nil || len(now.Changes) != 3 {
		t.Errorf("to what is in force: %v, %+v", err, now)
	}
	if n := r.count(`select count(*) from gavel.record where kind = 'yard_limits' and subject = 'limits'
		and json::jsonb #> '{body,changed}' = '["contact", "days"]' and json::jsonb #>> '{body,days}' = '14'
		and json not like '%Zelda%'`); n != 1 {
		t.Errorf("%d such records", n)
	}
	all, next, err := r.Versions(t.Context(), omar, thresholds, "", "", 1)
	if err != nil || len(all) != 1 || all[0].Version != 2 || next != "2" {
		t.Fatalf("%v, %+v, %q", err, all, next)
	}
	if all, next, err = r.Versions(t.Context(), omar, thresholds, "", next, 1); err != nil || len(all) != 1 || all[0].Version != 1 ||
		next != "" {
		t.Errorf("%v, %+v, %q", err, all, next)
	}
}

// TestWhoMayChangeASetting promises that policy says who reads and who changes, and that what
// people decide is written by nobody.
func TestWhoMayChangeASetting(t *testing.T) {
	r := newRig(t)
	if _, err := r.put(omar, usual(), 0); !fault.Is(err, fault.Refused) {
		t.Errorf("an auditor changes: %v", err)
	}
	if _, err := r.Preview(t.Context(), omar, thresholds, "", text(usual())); !fault.Is(err, fault.Refused) {
		t.Errorf("an auditor previews: %v", err)
	}
	if _, err := r.Find(ravi, "yard", "limits"); !fault.Is(err, fault.Refused) {
		t.Errorf("who may not read it: %v", err)
	}
	if _, err := r.Find(asha, "yard", "hours"); !fault.Is(err, fault.NotFound) {
		t.Errorf("what there is not: %v", err)
	}
	if _, err := r.Current(t.Context(), ravi, thresholds, ""); !fault.Is(err, fault.Refused) {
		t.Errorf("who may not read it: %v", err)
	}
	if got := r.Readable(omar, ""); len(got) != 2 || r.MayChange(omar, got[0]) || !r.MayChange(asha, got[0]) {
		t.Errorf("got %d", len(got))
	}
	decided := thresholds
	decided.Gated = true
	if _, err := r.Set(t.Context(), asha, decided, "", text(usual()), 0); !fault.Is(err, fault.Conflict) {
		t.Errorf("what people decide is written by somebody: %v", err)
	}
}

// TestNothingIsKeptThatDoesNotFit promises that bounds of the schema, the application's own
// check and the bounds of all settings hold by whatever way a value comes, and that a change
// whose consequence fails is none.
func TestNothingIsKeptThatDoesNotFit(t *testing.T) {
	r := newRig(t)
	for name, bad := range map[string]string{
		"no JSON": `{`, "no object": `[]`, "a member that there is not": `{"contact":"x","more":1}`, "members left out": `{"contact":"x"}`,
		"a text for a number": strings.Replace(canonical(t, usual()), `"days":30`, `"days":"30"`, 1),
		"under a bound":       strings.Replace(canonical(t, usual()), `"radius":2.5`, `"radius":0`, 1),
		"over a bound":        strings.Replace(canonical(t, usual()), `"share":0.5`, `"share":1.5`, 1),
		"no whole number":     strings.Replace(canonical(t, usual()), `"days":30`, `"days":30.5`, 1),
		"a name twice":        strings.Replace(canonical(t, usual()), `"days":30`, `"days":30,"days":31`, 1),
		"too long":            strings.Replace(canonical(t, usual()), `the desk`, strings.Repeat("x", 101), 1),
		"the check":           strings.Replace(canonical(t, usual()), `"riders":5`, `"riders":9`, 1),
	} {
		if _, err := thresholds.Fits("", json.RawMessage(bad)); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	l := usual()
	l.Weeks = 13
	if _, err := r.put(asha, l, 0); err == nil {
		t.Error("what follows failed, and the change stands")
	}
	if n := r.count(`select (select count(*) from gavel.setting) + (select count(*) from gavel.record)`); n != 0 {
		t.Errorf("%d rows of it", n)
	}
	p, err := r.Preview(t.Context(), asha, thresholds, "", text(func() limits { l := usual(); l.Days = 3; return l }()))
	if err != nil || len(p.Changes.Changes) != 1 || len(p.Effects) != 1 || p.Effects[0].Now != "xxx" || len(p.Effects[0].Was) != 30 {
		t.Errorf("%v, %+v", err, p)
	}
	if n := r.count(`select count(*) from gavel.setting`); n != 0 {
		t.Errorf("a preview wrote %d rows", n)
	}
}

// TestSeveralOfAKindHaveNames promises that each has versions of its own, that there are only
// so many, that one can be removed and set again, and that its history goes on.
func TestSeveralOfAKindHaveNames(t *testing.T) {
	r := newRig(t)
	set := func(item string, seen int64) error {
		_, err := r.Set(t.Context(), asha, gates, item, text(usual()), seen)
		return err
	}
	for _, item := range []string{"north gate", "south gate", "उत्तर"} {
		if err := set(item, 0); err != nil {
			t.Fatal(err)
		}
	}
	if err := set("a fourth", setting.AnyVersion); !fault.Is(err, fault.Conflict) {
		t.Errorf("more than there may be: %v", err)
	}
	if err := set("", 0); !fault.Is(err, fault.Invalid) {
		t.Errorf("one without a name: %v", err)
	}
	if err := r.Remove(t.Context(), asha, gates, "north gate", 0); !fault.Is(err, fault.Stale) {
		t.Errorf("got %v", err)
	}
	if err := r.Remove(t.Context(), asha, gates, "north gate", 1); err != nil {
		t.Fatal(err)
	}
	if err := r.Remove(t.Context(), asha, gates, "north gate", setting.AnyVersion); !fault.Is(err, fault.NotFound) {
		t.Errorf("removed twice: %v", err)
	}
	if _, err := r.Current(t.Context(), asha, gates, "north gate"); !fault.Is(err, fault.NotFound) {
		t.Errorf("got %v", err)
	}
	if all, err := setting.List[limits](t.Context(), r.Store, omar, gates); err != nil || len(all) != 2 || all[0].Value != usual() {
		t.Errorf("%v, %+v", err, all)
	}
	if err := set("north gate", 2); err != nil {
		t.Error(err)
	}
	if all, _, err := r.Versions(t.Context(), asha, gates, "north gate", "", 0); err != nil || len(all) != 3 || !all[1].Removed {
		t.Errorf("%v, %+v", err, all)
	}
	if n := r.count(`select count(*) from gavel.record where subject = 'gate:north_gate'
		and json::jsonb #>> '{body,did}' = 'removed'`); n != 1 {
		t.Errorf("%d records of the removal", n)
	}
}

// TestAHistoryCannotBeRewritten promises that the database itself refuses a gap, a fork, and a
// change to a version.
func TestAHistoryCannotBeRewritten(t *testing.T) {
	r := newRig(t)
	if _, err := r.put(asha, usual(), 0); err != nil {
		t.Fatal(err)
	}
	const add = `insert into gavel.setting (org, app, name, version, value, changed_by) values ('north', 'yard', 'limits', $1, '{}', 'x')`
	for what, change := range map[string]func(tx pgx.Tx) error{
		"a gap":  func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), add, 3); return err },
		"a fork": func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), add, 1); return err },
		"no object": func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), strings.Replace(add, "'{}'", "'[]'", 1), 2)
			return err
		},
		"its value": func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `update gavel.setting set value = '{}'`)
			return err
		},
		"its author": func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), `update gavel.setting set changed_by = 'y'`)
			return err
		},
		"its end": func(tx pgx.Tx) error { _, err := tx.Exec(t.Context(), `delete from gavel.setting`); return err },
		"another organisation's": func(tx pgx.Tx) error {
			_, err := tx.Exec(t.Context(), strings.Replace(add, "'north'", "'south'", 1), 1)
			return err
		},
	} {
		if err := r.db.App.InOrg(t.Context(), postgrestest.North, change); err == nil {
			t.Errorf("%s was let pass", what)
		}
	}
}

// TestAnErasedPersonIsInNoOldVersion promises that what is not in force any more and names
// somebody goes with them, that the rest stays, and that the record says what is in force.
func TestAnErasedPersonIsInNoOldVersion(t *testing.T) {
	r := newRig(t)
	for _, contact := range []string{"ring EMP-1006", "the desk", "EMP-1006 again"} {
		l := usual()
		l.Contact = contact
		if _, err := r.put(asha, l, setting.AnyVersion); err != nil {
			t.Fatal(err)
		}
	}
	var reach seal.Reach
	err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) (err error) {
		reach, err = setting.Eraser().Erase(t.Context(), tx, seal.Subject{Type: "rider", ID: "EMP-1006"}, time.Now())
		return err
	})
	if err != nil || reach.Rows != 1 || reach.Left == "" {
		t.Fatalf("%v, %+v", err, reach)
	}
	if h, err := r.Version(t.Context(), asha, thresholds, "", 1); err != nil || !h.Erased || h.Value != nil || h.ChangedBy != "asha" {
		t.Errorf("%v, %+v", err, h)
	}
	if _, err := r.Between(t.Context(), asha, thresholds, "", 1, 2); !fault.Is(err, fault.NotFound) {
		t.Errorf("what was erased is compared: %v", err)
	}
	if h, err := r.Version(t.Context(), asha, thresholds, "", 2); err != nil || h.Erased {
		t.Errorf("%v, %+v", err, h)
	}
	err = r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) (err error) {
		reach, err = setting.Eraser().Erase(t.Context(), tx, seal.Subject{Type: casefile.Staff, ID: "nobody"}, time.Now())
		return err
	})
	if err != nil || reach.Rows != 0 || reach.Left != "" {
		t.Errorf("%v, %+v", err, reach)
	}
}

// TestAMemberThatCameLaterHasItsDefault promises that a value which was set before there was a
// member reads with the default of it, and without one that there is not any more.
func TestAMemberThatCameLaterHasItsDefault(t *testing.T) {
	r := newRig(t)
	err := r.db.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `insert into gavel.setting (org, app, name, version, value, changed_by)
			values ('north', 'yard', 'limits', 7, '{"days":3,"gone":true}', 'asha')`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := usual()
	want.Days = 3
	if h, err := r.Current(t.Context(), asha, thresholds, ""); err != nil || h.Version != 7 || string(h.Value) != canonical(t, want) {
		t.Errorf("%v, %+v", err, h)
	}
	if _, err := r.put(asha, want, 7); err != nil {
		t.Error(err)
	}
}

// TestAHalfDeclaredSettingIsRefusedAtStart promises that what cannot work is said by name.
func TestAHalfDeclaredSettingIsRefusedAtStart(t *testing.T) {
	whole := thresholds
	if err := whole.Check(); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*setting.Kind){
		"no title": func(k *setting.Kind) { k.Title = "" }, "nobody may read it": func(k *setting.Kind) { k.Read = "" },
		"nobody may change it": func(k *setting.Kind) { k.Change = "" }, "no record": func(k *setting.Kind) { k.Record = "" },
		"a name with spaces":         func(k *setting.Kind) { k.Name = "the limits" },
		"several that people decide": func(k *setting.Kind) { k.Many, k.Gated = 2, true },
	} {
		k := whole
		change(&k)
		if err := k.Check(); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	type broken struct {
		N int `json:"n" minimum:"few"`
	}
	for name, k := range map[string]setting.Kind{
		"a bound that is none": setting.Of(setting.Kind{App: "yard", Name: "x"}, setting.Functions[broken]{}),
		"no struct":            setting.Of(setting.Kind{App: "yard", Name: "x"}, setting.Functions[int]{}),
		"made by hand":         {App: "yard", Name: "x"},
		"no default": setting.Of(setting.Kind{App: "yard", Name: "limits", Title: "x", Read: "r", Change: "c", Record: "x"},
			setting.Functions[limits]{}),
	} {
		if err := k.Check(); !fault.Is(err, fault.Invalid) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// TestItsFormHasAFieldForEachMember promises that the platform's form draws every member of the
// schema with its bounds, in their order, and gives back what nobody touched.
func TestItsFormHasAFieldForEachMember(t *testing.T) {
	value := json.RawMessage(canonical(t, usual()))
	f, err := form.New(thresholds.Schema(), value)
	if err != nil {
		t.Fatal(err)
	}
	fields := f.Fields()
	if len(fields) != 11 || fields[0].Name != "radius" || fields[0].Kind != form.Number || *fields[0].Limits.Max != 100 ||
		fields[0].Hint != "In miles." ||
		fields[1].Kind != form.Whole || fields[10].Kind != form.Text {
		t.Errorf("got %+v", fields)
	}
	if back, err := f.JSON(); err != nil || string(back) != string(value) {
		t.Errorf("%v, %s", err, back)
	}
}

func canonical(t *testing.T, v any) string {
	t.Helper()
	out, err := form.Canonical(text(v))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
