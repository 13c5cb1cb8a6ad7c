package rest

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/rule/notice"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/api"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/finding"
	"github.com/gavelhq/gavel/platform/identity"
)

// noticing are the addresses of who is told.
func (s *Answers) noticing(a *api.API) {
	for _, one := range []struct {
		id, path, act string
		feed          notice.Reader
	}{
		{"listAdminNotifications", "/notifications/admin", store.ActOversee, notice.Admin},
		{"listHRNotifications", "/notifications/hr", store.ActRead, notice.HR},
		{"listGateNotifications", "/notifications/gate", store.ActLook, notice.Gate},
	} {
		api.Serve(a, route(one.id, http.MethodGet, one.path, "List notices, the newest first", one.act), s.notices(one.feed))
	}
	api.Serve(a, route("markNotificationRead", http.MethodPost, "/notifications/{notification_id}/read", "Note that you have read a notice",
		store.ActMark), s.markRead)
	old := route("markNotificationReadByGet", http.MethodGet, "/notifications/mark-read/{notification_id}",
		"Note that you have read a notice, as older clients do",
		store.ActMark)
	old.Text = "Not with a browser's sign-in: links are followed by more than people. Use the POST."
	api.Serve(a, old, s.markReadOld)
}

// A NoticeBody is one notice, as who asks has read it or not.
type NoticeBody struct {
	ID       string          `json:"id"`
	Type     notice.Type     `json:"type"`
	Message  string          `json:"message"`
	MadeAt   time.Time       `json:"created_at"`
	Read     bool            `json:"is_read" doc:"By you."`
	PassID   string          `json:"related_pass_id"`
	Number   string          `json:"related_pass_number"`
	Severity notice.Severity `json:"severity" enum:"info,warn,critical"`
}

// says is what notices say of a pass.
var says = map[notice.Type]finding.Words{
	notice.Created:   {En: "waits for approval", Hi: "स्वीकृति की प्रतीक्षा में है"},
	notice.Approved:  {En: "was approved", Hi: "स्वीकृत हुआ"},
	notice.Rejected:  {En: "was rejected", Hi: "अस्वीकृत हुआ"},
	notice.Exited:    {En: "was used: its holder is out", Hi: "पर व्यक्ति बाहर गए"},
	notice.Returned:  {En: "is back", Hi: "पर वापसी हो गई"},
	notice.Deleted:   {En: "was deleted", Hi: "हटाया गया"},
	notice.Overdue:   {En: "is overdue: somebody or something should have been back", Hi: "की वापसी का समय बीत गया"},
	notice.Expiring:  {En: "ends soon and was not used", Hi: "जल्द समाप्त होगा और उपयोग नहीं हुआ"},
	notice.SLABreach: {En: "still waits for approval", Hi: "अब भी स्वीकृति की प्रतीक्षा में है"},
	notice.Watchlist: {En: "names somebody whose name is like one on the watchlist", Hi: "में निगरानी सूची जैसा नाम है"},
}

func noticeOf(n store.Notice, language string) NoticeBody {
	lang := "en"
	if strings.HasPrefix(strings.ToLower(language), "hi") {
		lang = "hi"
	}
	return NoticeBody{ID: n.ID, Type: n.Type, Message: n.Number + " " + says[n.Type].In(lang), MadeAt: n.MadeAt.UTC(), Read: n.Read,
		PassID: n.PassID,
		Number: n.Number, Severity: n.Severity}
}

type noticesInput struct {
	Unread   bool   `query:"unread" doc:"Only what you have not read."`
	Limit    int    `query:"limit" minimum:"1" maximum:"500" default:"100"`
	Cursor   string `query:"cursor" maxLength:"64"`
	Language string `header:"Accept-Language" maxLength:"200"`
}

type noticesOutput struct {
	Next string `header:"X-Next-Cursor"`
	Body []NoticeBody
}

func (s *Answers) notices(feed notice.Reader) func(context.Context, identity.Actor, *noticesInput) (*noticesOutput, error) {
	return func(ctx context.Context, who identity.Actor, in *noticesInput) (*noticesOutput, error) {
		all, more, err := s.store.Notices(ctx, who, feed, in.Unread, in.Cursor, in.Limit)
		if err != nil {
			return nil, err
		}
		out := &noticesOutput{Body: make([]NoticeBody, 0, len(all))}
		for _, n := range all {
			out.Body = append(out.Body, noticeOf(n, in.Language))
		}
		if more {
			out.Next = all[len(all)-1].ID
		}
		return out, nil
	}
}

type noticeInput struct {
	ID       string `path:"notification_id" maxLength:"64"`
	Language string `header:"Accept-Language" maxLength:"200"`
}

type noticeOutput struct {
	Cache      string `header:"Cache-Control"`
	Deprecated string `header:"Deprecation"`
	Sunset     string `header:"Sunset"`
	Body       NoticeBody
}

func (s *Answers) markRead(ctx context.Context, who identity.Actor, in *noticeInput) (*noticeOutput, error) {
	var feeds []notice.Reader
	for act, feed := range map[string]notice.Reader{store.ActRead: notice.HR, store.ActOversee: notice.Admin, store.ActLook: notice.Gate} {
		if s.store.May(who, act) == nil {
			feeds = append(feeds, feed)
		}
	}
	n, err := s.store.MarkRead(ctx, who, in.ID, feeds...)
	return &noticeOutput{Body: noticeOf(n, in.Language)}, err
}

// sunset is when the old way ends.
const sunset = "Fri, 31 Dec 2027 23:59:59 GMT"

func (s *Answers) markReadOld(ctx context.Context, who identity.Actor, in *noticeInput) (*noticeOutput, error) {
	if who.Way == identity.ByBrowser {
		return nil, fault.New(fault.Refused, "a link marks nothing as read").WithNext("POST %s/notifications/%s/read", Base, in.ID)
	}
	out, err := s.markRead(ctx, who, in)
	out.Cache, out.Deprecated, out.Sunset = "no-store", "true", sunset
	return out, err
}
