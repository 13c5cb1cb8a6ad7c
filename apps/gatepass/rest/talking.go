package rest

import (
	"bytes"
	"context"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/casework/mind"
	"github.com/gavelhq/gavel/apps/gatepass/casework/talk"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/rule/photo"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
)

// talking are the addresses of conversations with the agent. There is one for each sign-in, so that none of them names it.
func (s *Answers) talking(a *api.API) {
	say := route("sayToGatePassAgent", http.MethodPost, "/chat/messages", "Write to the agent of gate passes", store.ActTalk)
	say.Text = "In one role for as long as the conversation lasts. The answer comes later: read the conversation until it is idle. " +
		"It ends after 30 minutes of silence."
	say.Body = `{"role":"HR_User","message":"Which passes wait for approval?"}`
	api.Serve(a, say, s.say)
	api.Serve(a, route("readGatePassTalk", http.MethodGet, "/chat", "Read your conversation with the agent of gate passes", store.ActTalk),
		s.talkNow)
	hand := route("handInGatePassPhoto", http.MethodPost, "/chat/photos", "Hand a photo in, for a scan in the conversation", store.ActTalk)
	hand.Text = "JPEG, PNG or HEIC. The agent knows it by the id in the answer, and sees nothing of it."
	hand.Parts, hand.MaxBody = PhotoParts{}, maxScan
	api.Serve(a, hand, s.handIn)
	press := route("pressGatePassCard", http.MethodPost, "/chat/cards", "Confirm a card of your conversation, or leave it", store.ActTalk)
	press.Text = "On exactly what the card shows. It is carried out in your name, as if you had sent it yourself."
	press.Body = `{"proposal":"P-12","shown":"9c1e0a77b2d4f613","answer":"leave"}`
	api.Serve(a, press, s.press)
	stop := route("stopGatePassAnswer", http.MethodPost, "/chat/stop", "Stop the answer that is being written", store.ActTalk)
	stop.Text = "What was said by then stays, and it is your turn. What a tool has begun is carried to its end. Where nothing is being " +
		"written nothing is done."
	api.Serve(a, stop, s.stopTalk)
	end := route("endGatePassTalk", http.MethodPost, "/chat/reset", "End your conversation; it is forgotten", store.ActTalk)
	api.Serve(a, end, s.resetTalk)
}

// A TalkBody is a conversation as its person sees it.
type TalkBody struct {
	ID      string      `json:"id"`
	Role    pass.Role   `json:"role" enum:"HR_User,Admin_User,Gate_User"`
	State   talk.State  `json:"state" enum:"idle,working,waiting,over" doc:"idle: it is your turn; waiting: a card waits for you."`
	Why     string      `json:"why,omitempty" doc:"Why it is over."`
	Run     string      `json:"run"`
	Lines   []LineSaid  `json:"lines"`
	Cards   []CardBody  `json:"cards" doc:"What waits for your word."`
	Context ContextBody `json:"context"`
}

// A LineSaid is one thing that was said, or one call of a tool.
type LineSaid struct {
	Who  string    `json:"who" enum:"person,agent,tool"`
	Text string    `json:"text,omitempty"`
	Cut  bool      `json:"cut,omitempty" doc:"You stopped the agent where the text ends."`
	Left int       `json:"left_out,omitempty" doc:"Pass numbers left out of the agent's text: no tool answered with them."`
	Call *CallBody `json:"call,omitempty"`
}

// A CallBody is what became of a call of a tool.
type CallBody struct {
	ID     string     `json:"id"`
	Tool   string     `json:"tool"`
	About  string     `json:"about,omitempty"`
	State  string     `json:"state" enum:"waiting,running,done,failed,refused,expired,left"`
	Again  int        `json:"again,omitempty" doc:"The new try that is under way, or was."`
	Of     int        `json:"of,omitempty" doc:"How many new tries there are."`
	Result *mind.Told `json:"result,omitempty"`
}

// A CardBody is a card: the pass as the database has it, and what its button does.
type CardBody struct {
	Proposal string          `json:"proposal"`
	Tool     string          `json:"tool"`
	Shown    string          `json:"shown" doc:"Names exactly what is shown; give it back with your answer."`
	Finding  finding.Finding `json:"finding"`
	Expires  *time.Time      `json:"expires_at"`
}

// A ContextBody is what the conversation keeps between two messages.
type ContextBody struct {
	CurrentPassNumber string   `json:"current_pass_number"`
	CurrentPassID     string   `json:"current_pass_id"`
	LastOperation     string   `json:"last_operation"`
	PendingTool       string   `json:"pending_tool"`
	Pending           []string `json:"pending_parameters" doc:"What is known of a call that has to be asked about."`
}

type talkOutput struct {
	Cache string `header:"Cache-Control"`
	At    string `header:"Location"`
	Body  TalkBody
}

// privately keeps a conversation out of every cache, and out of what is remembered of requests with a key.
const privately = "private, no-store"

// talkAt is where a conversation is read, by whoever repeats a request and is answered without it.
const talkAt = Base + "/chat"

func talkOf(v talk.View) *talkOutput {
	b := TalkBody{ID: v.ID, Role: v.Role, State: v.State, Why: v.Why, Run: v.Run, Lines: []LineSaid{}, Cards: []CardBody{},
		Context: ContextBody{CurrentPassNumber: string(v.Memory.CurrentPassNumber), CurrentPassID: v.Memory.CurrentPassID,
			LastOperation: v.Memory.LastOperation, PendingTool: v.PendingTool, Pending: []string{}}}
	for _, l := range v.Lines {
		one := LineSaid{Who: l.Who, Text: l.Text, Cut: l.Cut, Left: l.Left}
		if l.Who == talk.Tool {
			c := l.Call
			one.Call = &CallBody{ID: c.ID, Tool: c.Tool, About: c.About, State: c.State, Again: c.Again, Of: c.Of, Result: c.Told}
		}
		b.Lines = append(b.Lines, one)
	}
	for _, c := range v.Cards {
		b.Cards = append(b.Cards, CardBody{Proposal: c.Proposal, Tool: c.Tool, Shown: c.Shown, Finding: c.Finding, Expires: at(c.Expires)})
	}
	for name := range v.Memory.PendingParameters {
		b.Context.Pending = append(b.Context.Pending, name)
	}
	return &talkOutput{Cache: privately, Body: b}
}

type sayInput struct {
	Key      string `header:"Idempotency-Key"`
	Language string `header:"Accept-Language" maxLength:"200"`
	Body     struct {
		Role    pass.Role `json:"role" enum:"HR_User,Admin_User,Gate_User"`
		Message string    `json:"message" minLength:"1" maxLength:"8000"`
	}
}

func (s *Answers) say(ctx context.Context, who identity.Actor, in *sayInput) (*talkOutput, error) {
	lang := "en"
	if strings.HasPrefix(strings.ToLower(in.Language), "hi") {
		lang = "hi"
	}
	m := talk.Message{Role: in.Body.Role, Lang: lang, Words: in.Body.Message, Once: in.Key}
	if _, err := s.talk.Say(ctx, who, m); err != nil {
		return nil, err
	}
	return s.talkThen(ctx, who)
}

// talkThen is the conversation after something was done in it.
func (s *Answers) talkThen(ctx context.Context, who identity.Actor) (*talkOutput, error) {
	out, err := s.talkNow(ctx, who, nil)
	if err == nil {
		out.At = talkAt
	}
	return out, err
}

func (s *Answers) talkNow(ctx context.Context, who identity.Actor, _ *struct{}) (*talkOutput, error) {
	v, err := s.talk.Show(ctx, who)
	if err != nil {
		return nil, err
	}
	return talkOf(v), nil
}

type pressInput struct {
	Body struct {
		Proposal string `json:"proposal" maxLength:"40"`
		Shown    string `json:"shown" maxLength:"80"`
		Answer   string `json:"answer" enum:"confirm,leave"`
	}
}

func (s *Answers) press(ctx context.Context, who identity.Actor, in *pressInput) (*talkOutput, error) {
	if err := s.talk.Press(ctx, who, in.Body.Proposal, in.Body.Shown, in.Body.Answer == "confirm"); err != nil {
		return nil, err
	}
	return s.talkThen(ctx, who)
}

func (s *Answers) stopTalk(ctx context.Context, who identity.Actor, _ *struct{}) (*talkOutput, error) {
	if err := s.talk.Stop(ctx, who); err != nil {
		return nil, err
	}
	return s.talkThen(ctx, who)
}

func (s *Answers) resetTalk(ctx context.Context, who identity.Actor, _ *struct{}) (*struct{}, error) {
	return nil, s.talk.Reset(ctx, who)
}

// PhotoParts are the parts of a photo that is handed in.
type PhotoParts struct {
	Photo string `json:"photo" format:"binary"`
}

type handInInput struct {
	Type    string `header:"Content-Type" required:"true"`
	RawBody []byte `contentType:"multipart/form-data"`
}

// An AttachmentBody is a photo that was handed in. Its name is left out: it may be somebody's, and a repeat needs the id alone.
type AttachmentBody struct {
	ID     string `json:"attachment_id"`
	Type   string `json:"content_type"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

type attachmentOutput struct {
	Cache string `header:"Cache-Control"`
	Body  AttachmentBody
}

func (s *Answers) handIn(ctx context.Context, who identity.Actor, in *handInInput) (*attachmentOutput, error) {
	name, file, err := in.read()
	if err != nil {
		return nil, err
	}
	p, err := s.talk.Attach(ctx, who, name, file)
	if err != nil {
		return nil, err
	}
	return &attachmentOutput{Cache: "private", Body: AttachmentBody{ID: p.ID, Type: p.Format, Bytes: p.Bytes, SHA256: p.SHA256}}, nil
}

func (in *handInInput) read() (name string, file []byte, err error) {
	_, params, err := mime.ParseMediaType(in.Type)
	if err != nil || params["boundary"] == "" {
		return "", nil, fault.From(fault.Invalid, errNotMultipart, "the body must be in parts")
	}
	parts := multipart.NewReader(bytes.NewReader(in.RawBody), params["boundary"])
	for {
		p, err := parts.NextPart()
		switch {
		case errors.Is(err, io.EOF):
			return name, file, nil // the rule says what is wrong with no photo
		case err != nil:
			return "", nil, fault.From(fault.Invalid, errNotMultipart, "the body's parts cannot be read")
		case p.FormName() != "photo":
			continue
		case p.FileName() == "" || file != nil:
			return "", nil, fault.New(fault.Invalid, "hand in one photo, as a file").On("photo", photo.Unsupported, "")
		}
		if name = p.FileName(); name == "" {
			name = "photo"
		}
		if file, err = io.ReadAll(p); err != nil {
			return "", nil, fault.From(fault.Invalid, errNotMultipart, "the photo is cut off")
		}
	}
}
