package filing

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/gavelhq/gavel/apps/airshed/airshedtest"
	"github.com/gavelhq/gavel/apps/airshed/outside"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake"
	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/apps/airshed/store"
	desk "github.com/gavelhq/gavel/devstack/commission"
	"github.com/gavelhq/gavel/devstack/commission/commissiontest"
	"github.com/gavelhq/gavel/platform/agent"
	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/tool"
)

// A registry is an office that files with a commission, and a case with a draft before
// people.
type registry struct {
	office

	in      casefile.Input
	file    casefile.Case
	args    sendArgs
	address string // the commission's
}

func newRegistry(t *testing.T) registry {
	t.Helper()
	return registryOf(t, newOffice(t))
}

func registryOf(t *testing.T, o office) registry {
	t.Helper()
	r := registry{office: o}
	_, r.address = commissiontest.Start(t)
	r.commission = outside.OpenCommission(map[string]string{outside.SettingCommission: r.address})
	r.in = r.surge(t)
	r.advance(t)
	m := r.gathered(t)
	r.file = m.file
	r.args = sendArgs{Report: reportRef{ID: caseSaid(m.draft.ReportID), SHA256: caseSaid(m.draft.JSON)}, Attempt: 1}
	return r
}

func (r registry) advance(t *testing.T) {
	t.Helper()
	if _, err := (&Steps{r.Clerk}).Advance(t.Context(), r.in, time.Now()); err != nil {
		t.Fatal(err)
	}
}

func (r registry) gathered(t *testing.T) *matter {
	t.Helper()
	m, err := r.gather(t.Context(), r.in, time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// send files the report, as an act.
func (r registry) send(t *testing.T, act string) (sent, error) {
	t.Helper()
	return r.Clerk.send(t.Context(), tool.Env{Org: r.in.Org, Case: string(r.in.Case), Key: act}, r.args)
}

// received is how often the commission was sent each report that it has.
func (r registry) received(t *testing.T) (times []int) {
	t.Helper()
	res, err := http.Get(r.address + "/reports")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	var all struct{ Reports []desk.Received }
	if err := json.NewDecoder(res.Body).Decode(&all); err != nil {
		t.Fatal(err)
	}
	for _, one := range all.Reports {
		times = append(times, one.Times)
	}
	return times
}

func (r registry) faults(t *testing.T, f desk.Faults) {
	t.Helper()
	body, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPut, r.address+"/faults", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode >= 300 {
		t.Fatal(res.Status)
	}
}

// withoutFires is the surge an hour later, when nobody knows of fires any more.
func withoutFires(t *testing.T) *lake.Object {
	t.Helper()
	o := laketest.Surge(t)
	o.Time, o.Fires, o.Looked = o.Time.Add(time.Hour), nil, lake.Span{}
	for i := range o.Air {
		o.Air[i].Time = o.Air[i].Time.Add(time.Hour)
	}
	return o
}

// TestWhatWasApprovedIsFiledOnlyWhileItHolds promises that a report does not go to the
// commission, however many have approved it, once newer data say something else, somebody
// wants it drafted anew, or the case was closed.
func TestWhatWasApprovedIsFiledOnlyWhileItHolds(t *testing.T) {
	for name, happens := range map[string]func(*testing.T, registry){
		"newer data": func(t *testing.T, r registry) { r.look(t, withoutFires(t)) },
		"somebody wants it anew": func(t *testing.T, r registry) {
			if _, err := r.AskAgain(t.Context(), airshedtest.Person(identity.Analyst), r.file.Ref, true); err != nil {
				t.Fatal(err)
			}
		},
		"the case is being closed": func(t *testing.T, r registry) {
			if err := r.cases.Close(t.Context(), airshedtest.Person(identity.Officer), r.in.Case, r.gathered(t).file.Version,
				"no more"); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t)
			happens(t, r)
			if _, err := r.send(t, "act-1"); !fault.Is(err, fault.Conflict) || !tool.IsNotSent(err) {
				t.Errorf("got %v, want a conflict", err)
			}
			if got := r.received(t); len(got) != 0 {
				t.Errorf("the commission has %v", got)
			}
		})
	}
	r := newRegistry(t)
	if got, err := r.send(t, "act-1"); err != nil || got.Status != store.Success || got.Receipt == "" {
		t.Errorf("where nothing has happened: got %+v, %v", got, err)
	}
	if _, err := r.AskAgain(t.Context(), airshedtest.Person(identity.Analyst), r.file.Ref, true); !fault.Is(err, fault.Conflict) {
		t.Errorf("a report that was filed is asked for anew: %v", err)
	}
}

// TestAReportThatTheCommissionMayHaveIsSettledFirst promises that a report whose receipt
// was lost is neither replaced nor drafted anew, and that filed again it is the same report
// to the commission.
func TestAReportThatTheCommissionMayHaveIsSettledFirst(t *testing.T) {
	r := newRegistry(t)
	r.commission.Wait = func(context.Context, time.Duration) error { return nil }
	r.faults(t, desk.Faults{Drop: outside.SubmitTries})
	got, err := r.send(t, "act-1")
	if err != nil || got.Status != store.PartialSuccess || r.gathered(t).maybe != 1 {
		t.Fatalf("got %+v, %v", got, err)
	}
	r.look(t, withoutFires(t))
	r.advance(t)
	if drafts := r.Texts(t, `select n::text from airshed.report`); !slices.Equal(drafts, []string{"1"}) {
		t.Errorf("drafts: %v", drafts)
	}
	if _, err := r.AskAgain(t.Context(), airshedtest.Person(identity.Analyst), r.file.Ref, true); !fault.Is(err, fault.Conflict) {
		t.Errorf("drafted anew: %v", err)
	}
	r.faults(t, desk.Faults{Status: http.StatusUnauthorized, Times: 1})
	if got, err = r.send(t, "act-2"); err != nil || got.Status != store.PartialSuccess || r.gathered(t).maybe != 1 {
		t.Errorf("refused the second time, which says nothing of the first: got %+v, %v", got, err)
	}
	if got, err = r.send(t, "act-3"); err != nil || got.Status != store.Success {
		t.Errorf("again: got %+v, %v", got, err)
	}
	if times := r.received(t); !slices.Equal(times, []int{outside.SubmitTries + 1}) || r.gathered(t).maybe != 0 {
		t.Errorf("the commission has reports that were sent so often: %v", times)
	}
}

// TestWhatTheCommissionRefusedItHasNot promises that a refusal leaves nothing to be
// settled.
func TestWhatTheCommissionRefusedItHasNot(t *testing.T) {
	r := newRegistry(t)
	r.faults(t, desk.Faults{Status: http.StatusUnprocessableEntity, Times: 1})
	if got, err := r.send(t, "act-1"); err != nil || got.Status != store.PartialSuccess || r.gathered(t).maybe != 0 {
		t.Errorf("got %+v, %v, and draft %d may be there", got, err, r.gathered(t).maybe)
	}
}

// TestALakeThatHangsKeepsNoReportFromTheCommission promises that the copy for the lake is
// a remark and nothing more.
func TestALakeThatHangsKeepsNoReportFromTheCommission(t *testing.T) {
	r := newRegistry(t)
	ended := make(chan struct{})
	hangs := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-ended }))
	t.Cleanup(hangs.Close)
	t.Cleanup(func() { close(ended) })
	if err := r.surveyor.Open(map[string]string{outside.SettingLake: "s3://lake?endpoint=" + hangs.URL + "&region=none",
		outside.SettingLakeOrg:   string(r.in.Org),
		outside.SettingAccessKey: "key", outside.SettingSecretKey: "secret"}); err != nil {
		t.Fatal(err)
	}
	r.args.UploadS3 = true
	got, err := r.send(t, "act-1")
	if err != nil || got.Status != store.Success || got.Receipt == "" || got.S3Path != "" || got.Details == "" {
		t.Errorf("got %+v, %v", got, err)
	}
}

// TestNobodyAsksForTheThreeBillionthTime promises that how often people were asked is a
// small number, whoever says it: the case reads it from then on.
func TestNobodyAsksForTheThreeBillionthTime(t *testing.T) {
	r := newRegistry(t)
	for _, attempt := range []int64{-1, 0, mostAttempts + 1, 3_000_000_000} {
		args := fmt.Appendf(nil, `{"report":{"report_id":%q,"sha256":%q},"save_local":true,"upload_s3":false,"attempt":%d}`,
			r.args.Report.ID, r.args.Report.SHA256, attempt)
		if _, err := r.calls.Take(t.Context(), airshedtest.Person(identity.Analyst), agent.Call{App: store.Name, Tool: toolSend, Args: args,
			Case: string(r.in.Case), Via: "test"}); !fault.Is(err, fault.Invalid) {
			t.Errorf("%d: got %v, want a refusal", attempt, err)
		}
	}
	r.advance(t)
}

// TestANoticeGoesWhereItWasApprovedToGo promises that an office whose mailbox or language
// has changed since is not written to.
func TestANoticeGoesWhereItWasApprovedToGo(t *testing.T) {
	r := newRegistry(t)
	o := store.OfficeDraft{Name: "Made-up office", Mailbox: "office@punjab.example.org", Language: "hi"}
	if _, err := r.store.SetOffice(t.Context(), airshedtest.Person(identity.Officer), "Punjab", o); err != nil {
		t.Fatal(err)
	}
	tell := func(address, language string) (err error) {
		txErr := r.DB.App.InOrg(t.Context(), postgrestest.North, func(tx pgx.Tx) error {
			_, err = r.sendNotice(t.Context(), tx, tool.Env{Org: r.in.Org, Case: string(r.in.Case), Key: "act-1"},
				noticeArgs{State: "Punjab", Office: caseSaid(o.Name), Address: caseSaid(address), Language: caseSaid(language)})
			return nil
		})
		if txErr != nil {
			t.Fatal(txErr)
		}
		return err
	}
	for _, tt := range [][2]string{{"other@punjab.example.org", "hi"}, {o.Mailbox, "en"}} {
		if err := tell(tt[0], tt[1]); !fault.Is(err, fault.Conflict) {
			t.Errorf("%v: got %v, want a conflict", tt, err)
		}
	}
	if err := tell(o.Mailbox, o.Language); !fault.Is(err, fault.Unavailable) { // the rig has no post
		t.Errorf("as it was approved: got %v", err)
	}
}

// TestAWishForANewDraftOutlivesTheOneBeingMade promises that a wish that comes while a
// draft is being made is kept for the next, and that of two drafts at once one is kept.
func TestAWishForANewDraftOutlivesTheOneBeingMade(t *testing.T) {
	r := newRegistry(t)
	m := r.gathered(t)
	if _, err := r.AskAgain(t.Context(), airshedtest.Person(identity.Analyst), r.file.Ref, true); err != nil {
		t.Fatal(err)
	}
	for range 2 { // the second is another step that read the case before the first was done
		again := *m
		if err := again.draftAnew(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	now := r.gathered(t)
	if !now.renew || now.draft.N != 2 {
		t.Errorf("renew %t, draft %d", now.renew, now.draft.N)
	}
	r.advance(t)
	if now = r.gathered(t); now.renew || now.draft.N != 3 {
		t.Errorf("afterwards: renew %t, draft %d", now.renew, now.draft.N)
	}
}

// TestWhatOfficersReadOfAFilingIsTheCases promises that a request to file carries the
// case's newest draft and attempt, whatever a program has written there; that it does not
// turn into another draft than was named; and that a filing approved for one draft is not
// carried out for the next.
func TestWhatOfficersReadOfAFilingIsTheCases(t *testing.T) {
	r := newRegistry(t)
	ask := func(id, sha256 string, attempt int) ([]byte, error) {
		args := fmt.Appendf(nil, `{"report":{"report_id":%q,"sha256":%q},"save_local":true,"upload_s3":false,"attempt":%d}`, id, sha256,
			attempt)
		taken, err := r.calls.Take(t.Context(), airshedtest.Person(identity.Analyst), agent.Call{App: store.Name, Tool: toolSend,
			Args: args, Case: string(r.in.Case), Via: "test"})
		if err != nil {
			return nil, err
		}
		return taken.Asked.Args, nil
	}
	got, err := ask("CAQM-1999-01-01-001", string(r.args.Report.SHA256), 77)
	var in sendArgs
	if err != nil || json.Unmarshal(got, &in) != nil || in.Report != r.args.Report || in.Attempt != 1 {
		t.Errorf("a program's request says %s, %v; the case says %+v", got, err, r.args)
	}
	if got, err := ask(string(r.args.Report.ID), "0000", 1); !fault.Is(err, fault.Conflict) {
		t.Errorf("a draft that the case has not: got %s, %v, want a conflict", got, err)
	}
	holds := func(act string) (err error) {
		args, _ := json.Marshal(r.args) // plain values
		txErr := r.DB.App.InOrg(t.Context(), r.in.Org, func(tx pgx.Tx) error {
			err = r.sendTool().Holds(t.Context(), tx, tool.Env{Org: r.in.Org, App: store.Name, Case: string(r.in.Case), Key: act,
				Proposal: "P-1", Actor: identity.Gavel(r.in.Org)}, args)
			return nil
		})
		if txErr != nil {
			t.Fatal(txErr)
		}
		return err
	}
	if err := holds("act-1"); err != nil {
		t.Errorf("as it was read: %v", err)
	}
	r.commission.Wait = func(context.Context, time.Duration) error { return nil }
	r.faults(t, desk.Faults{Drop: outside.SubmitTries})
	if _, err := r.send(t, "act-1"); err != nil { // the commission may have it
		t.Fatal(err)
	}
	err = r.DB.App.InOrg(t.Context(), r.in.Org, func(tx pgx.Tx) error {
		_, err := tx.Exec(t.Context(), `update airshed.case set attempt = 2`)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := holds("act-1"); err != nil {
		t.Errorf("what the act has put to the commission before: %v", err)
	}
	if err := holds("act-2"); !fault.Is(err, fault.Conflict) {
		t.Errorf("people are asked anew, and the old question is carried out: %v, want a conflict", err)
	}
}
