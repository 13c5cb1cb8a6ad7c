package gatepass_test

import (
	"bytes"
	"fmt"
	"html"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/devstack/wait"
	"github.com/gavelhq/gavel/platform/durable"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/model/scripted"
	"github.com/gavelhq/gavel/platform/platformtest"
)

// handsIn sends the form of a photo, with the file in a field; a nil file is a form that is cut off.
func (r *rig) handsIn(t *testing.T, as identity.Role, field, name string, file []byte) platformtest.Answer {
	t.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	part := must(form.CreateFormFile(field, name))
	_, _ = part.Write(file)
	if file != nil {
		_ = form.Close()
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.URL+"/gatepass/chat/photo", &b)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", form.FormDataContentType())
	return r.Do(t, as, req)
}

// TestAPhotoGoesWithTheNextWord promises that a guard hands a photo in on the page and sends it with what they write, that the agent has
// its id and scans with it, and that what is no photo, or comes before there is a conversation, is refused in words and not kept.
func TestAPhotoGoesWithTheNextWord(t *testing.T) {
	p := newParlour(t)
	number, file := p.approved(t), face(t, 40, 30)
	if a := p.handsIn(t, identity.Gate, "photo", "ravi.jpg", file); a.Status != http.StatusNotFound {
		t.Errorf("before there is a conversation: got %d", a.Status)
	}
	p.wanted("Who leaves?")
	p.writes(t, identity.Gate, pass.Gate, "Somebody leaves", "Who leaves?").Holds(t, http.StatusOK, "Add photo")
	for name, a := range map[string]platformtest.Answer{
		"no file":          p.Post(t, identity.Gate, "/gatepass/chat/photo", url.Values{"photo": {"/etc/passwd"}}),
		"another field":    p.handsIn(t, identity.Gate, "file", "ravi.jpg", file),
		"a form cut off":   p.handsIn(t, identity.Gate, "photo", "ravi.jpg", nil),
		"a text":           p.handsIn(t, identity.Gate, "photo", "ravi.jpg", []byte("photo")),
		"one that is huge": p.handsIn(t, identity.Gate, "photo", "ravi.jpg", append(face(t, 9, 9), make([]byte, 5<<20)...)),
	} {
		if a.Status != http.StatusUnprocessableEntity && a.Status != http.StatusRequestEntityTooLarge ||
			!strings.Contains(a.Body, "Not sent") {
			t.Errorf("%s: got %d: %.600s", name, a.Status, a.Main())
		}
	}
	if n := p.Number(t, `select count(*)::int from gatepass.talk_photo`); n != 0 {
		t.Fatalf("%d of what was refused is kept", n)
	}
	taken := p.handsIn(t, identity.Gate, "photo", `C:\photos\ravi.jpg`, file)
	at, err := url.Parse(taken.Header.Get("Location"))
	id := at.Query().Get("photo")
	if err != nil || taken.Status != http.StatusSeeOther || !strings.HasPrefix(id, "att_") {
		t.Fatalf("got %d to %s", taken.Status, at)
	}
	p.Get(t, identity.Gate, at.RequestURI()).Holds(t, http.StatusOK, "A photo goes with your next message.", `value="`+id+`"`)
	for _, odd := range []string{"att_../../x", "ATT_X", "att_" + strings.Repeat("a", 60), id + "%22"} {
		p.Get(t, identity.Gate, "/gatepass/chat?photo="+odd).Lacks(t, "A photo goes with")
	}
	p.wanted("He is out.", scripted.Call{Name: "scan_exit", Args: map[string]any{"pass_number": number, "photo": id}})
	p.Post(t, identity.Gate, "/gatepass/chat/say", url.Values{"role": {string(pass.Gate)}, "words": {number + " leaves"}, "photo": {id}})
	wait.Until(t, "he is out, with the photo", func() bool {
		return p.Number(t, `select count(*)::int from gatepass.pass g join gatepass.photo f on f.org = g.org and f.pass_id = g.id
			where g.number = $1 and g.status = 'exited'`, number) == 1
	})
	if names := p.Texts(t, `select name from gatepass.talk_photo`); len(names) != 1 || names[0] != "ravi.jpg" {
		t.Errorf("the photo is called %v", names)
	}
}

// TestThePageSaysWhatBecameOfEachCall promises that a call which was not made shows what is asked, a file its very bytes' address, notices
// and long lists what they are and how many there are; and that what was asked about and left says so.
func TestThePageSaysWhatBecameOfEachCall(t *testing.T) {
	p := newParlour(t)
	number := p.approved(t)
	for i := range 11 {
		p.create(t, "hr", "person_name", fmt.Sprintf("Person %c", 'A'+i))
	}
	p.wanted("Does he come back?", scripted.Call{Name: "create_gate_pass",
		Args: map[string]any{"person_name": "Ravi Kumar", "description": "to the bank"}})
	p.writes(t, identity.HR, pass.HR, "A pass for Ravi Kumar, to the bank", "Does he come back?").
		Holds(t, http.StatusOK, "failed", "come back")
	p.wanted("Here it is.", scripted.Call{Name: "get_qr_code", Args: map[string]any{"pass_number": number}})
	p.writes(t, identity.HR, pass.HR, "The code of "+number, "Here it is.").Holds(t, http.StatusOK, "/v1/gatepass/qr/"+number, "Download")
	p.wanted("That is all.", scripted.Call{Name: "list_gate_passes", Args: map[string]any{}})
	page := p.writes(t, identity.HR, pass.HR, "List all passes", "That is all.")
	page.Holds(t, http.StatusOK, "12 in all")
	if _, list, _ := strings.Cut(page.Main(), "List gate passes"); strings.Count(list, "Person ") > 10 {
		t.Error("a card shows the whole of a long list")
	}
	p.wanted("These are new.", scripted.Call{Name: "get_hr_notifications", Args: map[string]any{}})
	p.writes(t, identity.HR, pass.HR, "What is new?", "These are new.").Holds(t, http.StatusOK, "done")
	now := p.Get(t, identity.HR, "/gatepass/chat/now")
	now.Holds(t, http.StatusOK, "These are new.", "12 in all")
	if n := p.Number(t, `select count(*)::int from gatepass.pass where person_name = 'Ravi Kumar'`); n != 0 {
		t.Errorf("%d passes were made of half an answer", n)
	}
}

// TestWhatCannotBeSaidIsRefusedOnThePage promises that nothing is sent where there are no words, too many, no role or another one than the
// conversation's; where the agent is at work; and that what was typed is still there.
func TestWhatCannotBeSaidIsRefusedOnThePage(t *testing.T) {
	p, asked := newParlour(t), make(chan struct{}, 20)
	say := func(as identity.Role, role pass.Role, words string) platformtest.Answer {
		return p.Post(t, as, "/gatepass/chat/say", url.Values{"role": {string(role)}, "words": {words}})
	}
	say(identity.HR, pass.HR, "  ").Holds(t, http.StatusUnprocessableEntity, "Not sent")
	say(identity.HR, pass.HR, strings.Repeat("a", 8001)).Holds(t, http.StatusUnprocessableEntity, "Not sent")
	say(identity.HR, pass.Admin, "Approve all").Holds(t, http.StatusForbidden, "Not sent", "Approve all")
	say(identity.HR, "Nobody", "Hello").Holds(t, http.StatusUnprocessableEntity, "Not sent")
	say(identity.Analyst, pass.HR, "Hello").Holds(t, http.StatusForbidden)
	if n := p.Number(t, `select count(*)::int from gatepass.talk`); n != 0 {
		t.Fatalf("%d conversations began", n)
	}
	p.hangs(asked)
	if a := say(identity.HR, pass.HR, "What waits?"); a.Status != http.StatusSeeOther {
		t.Fatalf("got %d: %.500s", a.Status, a.Main())
	}
	<-asked
	busy := say(identity.HR, pass.HR, "And who is out?")
	busy.Holds(t, http.StatusConflict, "Not sent", "The agent is still at work on what you wrote.")
	if !strings.Contains(html.UnescapeString(busy.Main()), ">And who is out?<") {
		t.Error("what was typed is gone")
	}
	p.Post(t, identity.HR, "/gatepass/chat/stop", nil)
	p.Post(t, identity.HR, "/gatepass/chat/cards", url.Values{"card": {"no-such-proposal x"}, "answer": {"confirm"}}).
		Holds(t, http.StatusNotFound)
}

// TestWhoHasSeveralRolesChoosesOne promises that who has one role is not asked, and who has several chooses before the first word.
func TestWhoHasSeveralRolesChoosesOne(t *testing.T) {
	r := newRig(t, durable.Clock{})
	one := r.Get(t, identity.HR, "/gatepass/chat")
	one.Holds(t, http.StatusOK, `name="role" value="HR_User"`)
	one.Lacks(t, `<select class="input" id="say-role"`)
	both := r.Call(t, "both", http.MethodGet, "/gatepass/chat", nil, "Accept", "text/html")
	both.Holds(t, http.StatusOK, `id="say-role"`, `<option value="HR_User"`, `<option value="Admin_User"`)
	both.Lacks(t, `<option value="Gate_User"`)
}

// TestWithoutAModelNobodyIsKeptWaiting promises that where no model is set up a message is refused with what to do, and no conversation
// begins that nobody would answer.
func TestWithoutAModelNobodyIsKeptWaiting(t *testing.T) {
	r := newRig(t, durable.Clock{})
	r.Deps.Routed = func(string) bool { return false }
	if err := r.App.Open(r.Deps); err != nil {
		t.Fatal(err)
	}
	a := r.Post(t, identity.HR, "/gatepass/chat/say", url.Values{"role": {string(pass.HR)}, "words": {"What waits?"}})
	a.Holds(t, http.StatusConflict, "No model is set up for the agent.", "Ask whoever runs Gavel", "What waits?")
	if n := r.Number(t, `select count(*)::int from gatepass.talk`); n != 0 {
		t.Errorf("%d conversations began", n)
	}
}
