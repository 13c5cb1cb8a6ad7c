package console_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/platform/casefile"
	"github.com/gavelhq/gavel/platform/concern"
	"github.com/gavelhq/gavel/platform/fact"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/postgres/postgrestest"
	"github.com/gavelhq/gavel/platform/review"
)

const summary = "We asked whether your seat in van 14 is used. <b>It is.</b> Nothing changes for you."

var madeLink = regexp.MustCompile(`id="made-link"[^>]*value="https://gavel\.example(/c/[^"]+)"`)

// tell makes a link on the officer's page and returns its address.
func (s *stage) tell(t testing.TB, id casefile.CaseID, form url.Values) string {
	t.Helper()
	form.Set("summary", summary)
	form.Set("days", "30")
	got := s.ask(t, "/cases/"+string(id)+"/concerned", form)
	m := madeLink.FindStringSubmatch(got.body)
	if got.status != http.StatusOK || m == nil {
		t.Fatalf("making a link answers %d: %.600s", got.status, got.body)
	}
	return strings.ReplaceAll(m[1], "&amp;", "&")
}

// visit opens an address as somebody without an account.
func (s *stage) visit(t testing.TB, path string, form url.Values) reply {
	t.Helper()
	return s.ask(t, path, form, "Cookie", "")
}

func TestThePersonConcernedReadsWhatWasChosenForThemAndNothingElse(t *testing.T) {
	s := newStageWith(t, samplePart())
	id := s.Case(t, 3)
	c, err := s.store.Get(t.Context(), postgrestest.North, id)
	if err != nil {
		t.Fatal(err)
	}
	yes, no, open := s.offer(t, c, "place_order"), s.offer(t, c, "place_order"), s.offer(t, c, "send_letter")
	s.answer(t, identity.Officer, yes, review.Approve, "")
	s.answer(t, identity.Officer, no, review.Reject, "S. Rao says it is too dear.")
	form := url.Values{"fact": {"F1", "F4"}, "proposal": {yes.ID, no.ID}}
	at := s.tell(t, id, form)
	page := s.visit(t, at, nil)
	wantAll(t, page, http.StatusOK, "Your matter "+c.Ref, "&lt;b&gt;It is.&lt;/b&gt;", "Order things for the depot.", "approved on",
		"rejected on", "Officer", "IST",
		`data-fact="F1@1"`, `data-fact="F4@2"`, "Send the objection", "What if one fact were different")
	for _, hidden := range []string{c.Title, "F2@", "F6@", "S. Rao", "too dear", "Demo officer", "dev:officer", open.ID + "<", "Exhibit",
		"Wind from", string(id), "case_"} {
		if strings.Contains(page.body, hidden) {
			t.Errorf("the person concerned is shown %q", hidden)
		}
	}
	for name, want := range map[string]string{"X-Robots-Tag": "noindex, nofollow, noarchive", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store"} {
		if got := page.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	hindi := s.visit(t, at+"&lang=hi", nil)
	wantAll(t, hindi, http.StatusOK, "आपका मामला "+c.Ref, "आपत्ति भेजें", `lang="hi"`)
	if signed := s.ask(t, at, nil); strings.Contains(signed.body, `class="rail"`) {
		t.Error("who is signed in sees another page than the person concerned")
	}
	if got := s.ask(t, "/cases/"+string(id)+"/concerned", url.Values{"summary": {summary}, "days": {"30"},
		"fact": {"F6"}}); got.status != http.StatusForbidden || madeLink.MatchString(got.body) {
		t.Errorf("a link shows a fact that is not theirs: %d", got.status)
	}
}

func TestTheRulesAreAskedWithOneFactChanged(t *testing.T) {
	s := newStageWith(t, samplePart())
	at := s.tell(t, s.Case(t, 3), url.Values{"fact": {"F1"}})
	before := s.tally(t)
	wantAll(t, s.visit(t, at+"&fact=F1&value=12", nil), http.StatusOK, "With F1 = 12, the rules would say:", "[en] unlikely, with F1 at 12")
	wantAll(t, s.visit(t, at+"&fact=F1&value=12&lang=hi", nil), http.StatusOK, "[hi] unlikely")
	for _, wrong := range []string{"&fact=F4&value=12", "&fact=F1&value=", "&fact=F1&value=" + strings.Repeat("9", 41)} {
		if got := s.visit(t, at+wrong, nil); strings.Contains(got.body, "unlikely") ||
			!strings.Contains(got.body, "Choose one of the facts above") {
			t.Errorf("%s is answered", wrong)
		}
	}
	if after := s.tally(t); after != before {
		t.Errorf("asking changed something: %s, was %s", after, before)
	}
	plain := newStage(t)
	if page := plain.visit(t, plain.tell(t, plain.Case(t, 3), url.Values{"fact": {"F1"}}), nil); strings.Contains(page.body, "What if") {
		t.Error("a case without rules offers to ask them")
	}
}

func TestALinkThatOpensNothingSaysTheSameWhateverIsWrongWithIt(t *testing.T) {
	s := newStage(t)
	id, other := s.Case(t, 3), s.open(t, postgrestest.North, "other", "Another", 0)
	at := s.tell(t, id, url.Values{})
	ended, revoked := s.tell(t, id, url.Values{}), s.tell(t, id, url.Values{})
	links, err := s.links.Links(t.Context(), person(postgrestest.North, identity.Officer), id)
	if err != nil || len(links) != 3 {
		t.Fatal(links, err)
	}
	s.set(t, `alter table gavel.concern_link disable trigger user`)
	s.set(t, `update gavel.concern_link set made_at = now() - interval '2 days', expires_at = now() - interval '1 day'
		where id = $1`, links[1].ID)
	if got := s.ask(t, "/cases/"+string(id)+"/concerned/"+links[0].ID+"/revoke", url.Values{}); got.status != http.StatusSeeOther {
		t.Fatalf("revoking answers %d", got.status)
	}
	path, k, _ := strings.Cut(at, "?k=")
	flipped := []byte(k)
	flipped[len(flipped)-3] ^= 1
	want := ""
	for name, address := range map[string]string{"ended": ended, "revoked": revoked, "no token": path, "forged": path + "?k=" +
		string(flipped), "of another case": "/c/" + other.Ref + "?k=" + k, "long": path + "?k=" + strings.Repeat("a", 4000)} {
		got := s.visit(t, address, nil)
		text := regexp.MustCompile(`(?s)<section class="door-card.*</section>`).FindString(got.body)
		text = regexp.MustCompile(`req-[A-Z0-9]+|value="[^"]*"|href="[^"]*"`).ReplaceAllString(text, "")
		if got.status != http.StatusNotFound || strings.Contains(got.body, "van 14") {
			t.Errorf("%s answers %d", name, got.status)
		}
		if want == "" {
			want = text
		}
		if text != want {
			t.Errorf("%s is told apart:\n%s\n%s", name, text, want)
		}
		if sent := s.visit(t, path+"/objection", url.Values{"k": {strings.TrimPrefix(address, path+"?k=")},
			"text": {"I object"}}); sent.status != http.StatusNotFound {
			t.Errorf("an objection over one that is %s answers %d", name, sent.status)
		}
	}
	wantAll(t, s.visit(t, at, nil), http.StatusOK, "van 14")
}

func TestAnObjectionIsPartOfTheCaseAndAnsweredOnThePage(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	at := s.tell(t, id, url.Values{})
	path, k, _ := strings.Cut(at, "?k=")
	k, _ = url.QueryUnescape(k)
	send := func(text string) reply { return s.visit(t, path+"/objection", url.Values{"k": {k}, "text": {text}}) }
	wantAll(t, send(" "), http.StatusUnprocessableEntity, "must be filled in is empty")
	wantAll(t, send(strings.Repeat("क", 4001)), http.StatusRequestEntityTooLarge, "at most 4000 characters")
	got := send("I was ill <i>that week</i>. मैं बीमार था।")
	if got.status != http.StatusSeeOther || !strings.HasSuffix(got.header.Get("Location"), "&done=1#objection") {
		t.Fatalf("objecting answers %d to %q", got.status, got.header.Get("Location"))
	}
	wantAll(t, s.visit(t, got.header.Get("Location"), nil), http.StatusOK, "It is received and part of the case", "Not answered yet",
		"I was ill &lt;i&gt;that week&lt;/i&gt;")
	wantAll(t, send("And another thing"), http.StatusConflict, "What you sent before is not answered yet.")
	wantAll(t, s.ask(t, "/cases/"+string(id), nil), http.StatusOK, "Objections not answered yet: 1", "The person concerned objects",
		"मैं बीमार था।")
	desk := "/cases/" + string(id) + "/concerned"
	obj := regexp.MustCompile(`/objections/(obj_[0-9A-Z]+)/answer`).FindStringSubmatch(s.ask(t, desk, nil).body)
	if obj == nil {
		t.Fatal("the officer's page has no place to answer")
	}
	answer := "/cases/" + string(id) + "/objections/" + obj[1] + "/answer"
	wantAll(t, s.ask(t, answer, url.Values{}), http.StatusUnprocessableEntity, "must be filled in is empty")
	if got := s.askAs(t, identity.Analyst, answer, url.Values{"answer": {"No."}}); got.status != http.StatusForbidden {
		t.Errorf("an analyst answers: %d", got.status)
	}
	if got := s.ask(t, answer, url.Values{"answer": {"We have corrected the roster."}}); got.status != http.StatusSeeOther {
		t.Fatalf("answering answers %d", got.status)
	}
	wantAll(t, s.ask(t, answer, url.Values{"answer": {"Once more."}}), http.StatusConflict)
	page := s.visit(t, at, nil)
	if wantAll(t, page, http.StatusOK, "We have corrected the roster.", "Send the objection"); strings.Contains(page.body, "S. Rao") {
		t.Error("the answer bears a private name")
	}
	if got := send("Thank you, one more question"); got.status != http.StatusSeeOther {
		t.Errorf("after an answer, the next objection answers %d", got.status)
	}
}

// TestWhoDecidesIsToldOfAnObjection: in the list, on the bar of the decision, and by
// leaving it out where several are decided together; until it is answered.
func TestWhoDecidesIsToldOfAnObjection(t *testing.T) {
	s := newStage(t)
	calm, one := s.open(t, postgrestest.North, "calm", "Calm", 0), s.open(t, postgrestest.North, "disputed", "Disputed", 0)
	a, b := s.offer(t, calm, "place_order"), s.offer(t, one, "place_order")
	path, k, _ := strings.Cut(s.tell(t, one.ID, url.Values{}), "?k=")
	k, _ = url.QueryUnescape(k)
	told := func() (marks, bars int) {
		marks = strings.Count(s.ask(t, "/inbox", nil).body, "The person concerned objected")
		for _, id := range []string{a.ID, b.ID} {
			bars += strings.Count(s.ask(t, "/proposals/"+id, nil).body, `concerned#objections">The person concerned has objected`)
		}
		return marks, bars
	}
	if marks, bars := told(); marks != 0 || bars != 0 {
		t.Errorf("nobody objected, and %d rows and %d bars say so", marks, bars)
	}
	if got := s.visit(t, path+"/objection", url.Values{"k": {k}, "text": {"I was ill."}}); got.status != http.StatusSeeOther {
		t.Fatalf("objecting answers %d", got.status)
	}
	if marks, bars := told(); marks != 1 || bars != 1 {
		t.Errorf("%d rows and %d bars tell of one objection", marks, bars)
	}
	list := s.ask(t, "/inbox", nil)
	q := formAt(t, list.body, "/inbox/bulk")
	q.Set("verdict", "approve")
	q["pick"] = ticks(list.body)
	wantAll(t, s.ask(t, "/inbox/bulk?"+q.Encode(), nil), http.StatusOK, "Approve 1 proposal?", "read it and decide it by itself")
	obj := regexp.MustCompile(`/objections/(obj_[0-9A-Z]+)/answer`).
		FindStringSubmatch(s.ask(t, "/cases/"+string(one.ID)+"/concerned", nil).body)
	if obj == nil {
		t.Fatal("the officer's page has no place to answer")
	}
	s.ask(t, "/cases/"+string(one.ID)+"/objections/"+obj[1]+"/answer", url.Values{"answer": {"We have corrected the roster."}})
	if marks, bars := told(); marks != 0 || bars != 0 {
		t.Errorf("it was answered, and %d rows and %d bars still tell of it", marks, bars)
	}
}

func TestAnObjectionToAClosedCaseIsHeardInACaseOfItsOwn(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	at := s.tell(t, id, url.Values{})
	s.set(t, `update gavel.case set state = 'closed', status = 'done', closed_at = now() where id = $1`, id)
	path, k, _ := strings.Cut(at, "?k=")
	k, _ = url.QueryUnescape(k)
	if got := s.visit(t, path+"/objection", url.Values{"k": {k}, "text": {"I object"}}); got.status != http.StatusSeeOther {
		t.Fatalf("got %d", got.status)
	}
	wantAll(t, s.ask(t, "/cases", nil), http.StatusOK, "Objection to GEN-")
	wantAll(t, s.ask(t, "/cases/"+string(id), nil), http.StatusOK, "Objections not answered yet: 1", "It is heard in a case of its own")
	heard := one[string](t, s.db, `select case_id from gavel.objection`)
	wantAll(t, s.ask(t, "/cases/"+heard, nil), http.StatusOK, "I object", "The person concerned")
	// though it has nothing to decide
	wantAll(t, s.ask(t, "/inbox", nil), http.StatusOK, "Objections not answered yet: 1", "/cases/"+heard+"/concerned#objections")
	if got := s.askAs(t, identity.Analyst, "/inbox", nil); strings.Contains(got.body, "Objections not answered") {
		t.Error("who cannot answer objections is asked to")
	}
	obj := regexp.MustCompile(`/objections/(obj_[0-9A-Z]+)/answer`).FindStringSubmatch(s.ask(t, "/cases/"+heard+"/concerned", nil).body)
	if obj == nil {
		t.Fatal("the page that the inbox leads to has no place to answer")
	}
	s.ask(t, "/cases/"+heard+"/objections/"+obj[1]+"/answer", url.Values{"answer": {"We have looked again."}})
	if got := s.ask(t, "/inbox", nil); strings.Contains(got.body, "Objections not answered") {
		t.Error("it was answered, and the inbox still asks for it")
	}
}

func TestReadingTheConcernedPageChangesNothing(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	at := s.tell(t, id, url.Values{"fact": {"F1"}})
	before := s.tally(t)
	for _, path := range []string{at, at + "&done=1", at + "&lang=hi", "/cases/" + string(id) + "/concerned"} {
		s.visit(t, path, nil)
		s.ask(t, path, nil)
	}
	if after := s.tally(t); after != before {
		t.Errorf("reading changed %s to %s", before, after)
	}
}

func TestALinkThatIsOpenedTooOftenIsHeldBack(t *testing.T) {
	s := newStage(t)
	at := s.tell(t, s.Case(t, 3), url.Values{})
	last := 0
	for range 40 {
		last = s.visit(t, at, nil).status
	}
	if last != http.StatusTooManyRequests {
		t.Errorf("the fortieth visit at once answers %d, want 429", last)
	}
}

func TestLinksAreMadeByThoseWhoMayAndNeverShownAgain(t *testing.T) {
	s := newStage(t)
	id := s.Case(t, 3)
	desk := "/cases/" + string(id) + "/concerned"
	for _, role := range []identity.Role{identity.Analyst, identity.Auditor, identity.OrgAdmin, identity.Operator} {
		if got := s.askAs(t, role, desk, url.Values{"summary": {summary}, "days": {"30"}}); got.status != http.StatusForbidden {
			t.Errorf("%s makes a link: %d", role, got.status)
		}
	}
	wantAll(t, s.ask(t, desk, url.Values{"summary": {""}, "days": {"30"}}), http.StatusUnprocessableEntity, "must be filled in is empty")
	wantAll(t, s.ask(t, desk, url.Values{"summary": {summary}, "days": {"4000"}}), http.StatusUnprocessableEntity,
		"A link lasts between an hour and", "It is.")
	wantAll(t, s.ask(t, desk, url.Values{"summary": {summary}, "days": {"30"}, "proposal": {"P-999"}}), http.StatusUnprocessableEntity,
		"Nothing here is called “P-999”")
	at := s.tell(t, id, url.Values{})
	_, k, _ := strings.Cut(at, "?k=")
	k, _ = url.QueryUnescape(k)
	if page := s.ask(t, desk, nil); strings.Contains(page.body, k) || madeLink.MatchString(page.body) {
		t.Error("the link is shown again")
	}
	parts := strings.Split(k, ".")
	for _, table := range []string{"gavel.concern_link", "gavel.record", "gavel.outbox"} {
		if n := one[int](t, s.db, `select count(*) from `+table+` x where x::text like '%' || $1 || '%'`, parts[len(parts)-1]); n != 0 {
			t.Errorf("%s holds the token", table)
		}
	}
	if n := one[int](t, s.db, `select count(*) from gavel.record where kind = $1`, string(concern.RecordLink)); n != 1 {
		t.Errorf("%d records of links, want 1", n)
	}
	link, _, err := s.links.Make(t.Context(), person(postgrestest.North, identity.Officer), id, concern.NewLink{Summary: "x",
		Life: time.Hour, Facts: []fact.ID{"F1"}})
	if err != nil || !link.Good(time.Now()) {
		t.Error(link, err)
	}
}
