package api

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/gavelhq/gavel/platform/amend"
	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/form"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/list"
	"github.com/gavelhq/gavel/platform/setting"
	"github.com/gavelhq/gavel/platform/web"
)

// Settings answers for what an organisation has set for its applications. A nil Desk answers
// that there are none.
type Settings struct {
	Desk      *amend.Desk
	PublicURL string
}

// Operations registers what it answers.
func (s *Settings) Operations(a *API) {
	const tag, one = "Settings", "/v1/settings/{app}/{name}"
	read, change := []string{"setting.read"}, []string{"setting.change"}
	const value = `{"value":{"days":14}}`
	List(a, Route{ID: "listSettings", Path: "/v1/settings", Acts: read, Tag: tag,
		Title: "List what the organisation sets for its applications"}, s.kinds)
	List(a, Route{ID: "listSettingItems", Path: one + "/items", Acts: read, Tag: tag, Title: "List what is in force of a setting",
		Text: "One, or each that has a name where there are several."}, s.items)
	Serve(a, Route{ID: "getSetting", Method: http.MethodGet, Path: one, Acts: read, Tag: tag,
		Title: "Read a setting as it is in force", Fresh: true}, s.get)
	Serve(a, Route{ID: "putSetting", Method: http.MethodPut, Path: one, Acts: change, Tag: tag, Title: "Change a setting, or propose to",
		Text:  "The whole value. Where people decide, 202 names the proposal, and nothing has changed yet.",
		Match: true, Changed: one + "/versions", Body: value, Untried: "ask for its preview, which says what it would do",
		Answers: []Answer{{Status: http.StatusAccepted, Of: SettingVersionBody{},
			Words: "People are asked: asked says by which proposal."}}}, s.put)
	Serve(a, Route{ID: "removeSetting", Method: http.MethodDelete, Path: one, Acts: change, Tag: tag,
		Title: "Remove one of several settings",
		Match: true, Changed: one + "/versions"}, s.remove)
	Serve(a, Route{ID: "previewSetting", Method: http.MethodPost, Path: one + "/preview", Acts: change, Tag: tag,
		Title:   "See what a change would do",
		Untried: "it does nothing", Body: value}, s.preview)
	List(a, Route{ID: "listSettingVersions", Path: one + "/versions", Acts: read, Tag: tag,
		Title: "List the versions of a setting, newest first"}, s.versions)
	Serve(a, Route{ID: "getSettingVersion", Method: http.MethodGet, Path: one + "/versions/{version}", Acts: read, Tag: tag,
		Title: "Read a version of a setting"}, s.version)
	Serve(a, Route{ID: "compareSetting", Method: http.MethodGet, Path: one + "/diff", Acts: read, Tag: tag,
		Title: "See what changed between two versions"}, s.diff)
}

// A SettingNamed names a setting, as its address does.
type SettingNamed struct {
	App  string `path:"app" maxLength:"20"`
	Name string `path:"name" maxLength:"40"`
	Item string `query:"item" maxLength:"100" doc:"Which one, where there are several."`
}

func (s *Settings) find(who identity.Actor, in SettingNamed) (setting.Kind, error) {
	if s.Desk == nil {
		return setting.Kind{}, fault.New(fault.Unavailable, "there are no settings on this server")
	}
	return s.Desk.Find(who, in.App, in.Name)
}

// A SettingKindBody is something that can be set.
type SettingKindBody struct {
	App     string `json:"app"`
	Name    string `json:"name"`
	Title   string `json:"title"`
	Several bool   `json:"several" doc:"There may be several, each with a name."`
	Gated   bool   `json:"gated" doc:"People decide each change."`
	Change  bool   `json:"may_change" doc:"You may change it, or propose to."`
	Schema  Raw    `json:"schema" doc:"The JSON Schema of its value."`
	Links   Links  `json:"links"`
}

type listSettingsInput struct {
	Paging
	App string `query:"app" maxLength:"20" doc:"Only those of one application."`
}

func (s *Settings) kinds(_ context.Context, who identity.Actor, in *listSettingsInput, _ string, _ int) ([]SettingKindBody, string, error) {
	if s.Desk == nil {
		return nil, "", nil
	}
	return list.Each(s.Desk.Readable(who, in.App), func(k setting.Kind) SettingKindBody {
		return SettingKindBody{App: k.App, Name: k.Name, Title: k.Title, Several: k.Many > 0, Gated: k.Gated,
			Change: s.Desk.MayChange(who, k), Schema: Raw(k.Schema()), Links: s.links(k, "")}
	}), "", nil
}

// A SettingVersionBody is a version of a setting.
type SettingVersionBody struct {
	App       string            `json:"app"`
	Name      string            `json:"name"`
	Item      string            `json:"item"`
	Version   int64             `json:"version" doc:"0: nobody has set it, and this is the application's default. The ETag in quotes."`
	Value     Raw               `json:"value" doc:"As its schema says; null where it is removed or erased."`
	Removed   bool              `json:"removed"`
	Erased    bool              `json:"erased" doc:"Its words were erased with a person."`
	ChangedBy string            `json:"changed_by"`
	ChangedAt *time.Time        `json:"changed_at"`
	Proposal  string            `json:"proposal" doc:"That people approved; empty where nobody was asked."`
	Asked     *SettingAskedBody `json:"asked,omitempty" doc:"Where people decide on a change: what they were asked just now."`
	Links     Links             `json:"links"`
}

// A SettingAskedBody is what people were asked about a setting.
type SettingAskedBody struct {
	Proposal string `json:"proposal"`
	Page     string `json:"page"`
}

func (s *Settings) body(k setting.Kind, h setting.Held) SettingVersionBody {
	return SettingVersionBody{App: k.App, Name: k.Name, Item: h.Item, Version: h.Version, Value: Raw(h.Value), Removed: h.Removed,
		Erased:    h.Erased,
		ChangedBy: h.ChangedBy, ChangedAt: UTC(h.ChangedAt), Proposal: h.Proposal, Links: s.links(k, h.Item)}
}

func (s *Settings) links(k setting.Kind, item string) Links {
	page := s.PublicURL + "/settings/" + k.App + "/" + k.Name
	if item != "" {
		page += "?item=" + url.QueryEscape(item)
	}
	return Links{Page: page}
}

type settingOutput struct {
	Status int
	ETag   string `header:"ETag"`
	Body   SettingVersionBody
}

func (s *Settings) output(status int, k setting.Kind, h setting.Held, err error) (*settingOutput, error) {
	if err != nil {
		return nil, err
	}
	return &settingOutput{status, etag(h.Version), s.body(k, h)}, nil
}

type getSettingInput struct{ SettingNamed }

func (s *Settings) get(ctx context.Context, who identity.Actor, in *getSettingInput) (*settingOutput, error) {
	k, err := s.find(who, in.SettingNamed)
	if err != nil {
		return nil, err
	}
	h, err := s.Desk.Current(ctx, who, k, in.Item)
	return s.output(http.StatusOK, k, h, err)
}

type settingPathInput struct {
	Paging
	App  string `path:"app" maxLength:"20"`
	Name string `path:"name" maxLength:"40"`
}

func (s *Settings) items(ctx context.Context, who identity.Actor, in *settingPathInput, _ string, _ int) (
	[]SettingVersionBody, string, error,
) {
	k, err := s.find(who, SettingNamed{App: in.App, Name: in.Name})
	if err != nil {
		return nil, "", err
	}
	all, err := s.Desk.All(ctx, who, k)
	return list.Each(all, func(h setting.Held) SettingVersionBody { return s.body(k, h) }), "", err
}

type settingVersionsInput struct {
	Paging
	SettingNamed
}

func (s *Settings) versions(ctx context.Context, who identity.Actor, in *settingVersionsInput, after string, limit int) (
	[]SettingVersionBody, string, error,
) {
	k, err := s.find(who, in.SettingNamed)
	if err != nil {
		return nil, "", err
	}
	all, next, err := s.Desk.Versions(ctx, who, k, in.Item, after, limit)
	return list.Each(all, func(h setting.Held) SettingVersionBody { return s.body(k, h) }), next, err
}

type settingVersionInput struct {
	SettingNamed
	Version int64 `path:"version" minimum:"0"`
}

func (s *Settings) version(ctx context.Context, who identity.Actor, in *settingVersionInput) (*settingOutput, error) {
	k, err := s.find(who, in.SettingNamed)
	if err != nil {
		return nil, err
	}
	h, err := s.Desk.Version(ctx, who, k, in.Item, in.Version)
	return s.output(http.StatusOK, k, h, err)
}

// A SettingValueBody is what a setting is to be.
type SettingValueBody struct {
	Value Raw `json:"value"`
}

type putSettingInput struct {
	SettingNamed
	IfMatch string `header:"If-Match"`
	Body    SettingValueBody
}

func (s *Settings) put(ctx context.Context, who identity.Actor, in *putSettingInput) (*settingOutput, error) {
	k, err := s.find(who, in.SettingNamed)
	if err != nil {
		return nil, err
	}
	seen, err := parseVersion(in.IfMatch)
	if err != nil {
		return nil, err
	}
	saved, err := s.Desk.Save(ctx, who, k, in.Item, []byte(in.Body.Value), seen)
	out, err := s.output(http.StatusOK, k, saved.Held, err)
	if err == nil && saved.Asked != nil {
		out.Status = http.StatusAccepted
		out.Body.Asked = &SettingAskedBody{saved.Asked.Proposal, web.ProposalLink(s.PublicURL, saved.Asked.Proposal)}
	}
	return out, err
}

type removeSettingInput struct {
	SettingNamed
	IfMatch string `header:"If-Match"`
}

func (s *Settings) remove(ctx context.Context, who identity.Actor, in *removeSettingInput) (*Empty, error) {
	k, err := s.find(who, in.SettingNamed)
	if err != nil {
		return nil, err
	}
	seen, err := parseVersion(in.IfMatch)
	if err != nil {
		return nil, err
	}
	return &Empty{}, s.Desk.Remove(ctx, who, k, in.Item, seen)
}

// A SettingDiffBody is what changed.
type SettingDiffBody struct {
	From    int64               `json:"from"`
	To      int64               `json:"to"`
	Changes []SettingChangeBody `json:"changes"`
	More    int                 `json:"more" doc:"Changes beyond those listed."`
}

// A SettingChangeBody is one place that differs.
type SettingChangeBody struct {
	Where string `json:"where" doc:"The names that lead there, with dots between them."`
	Was   string `json:"was"`
	Now   string `json:"now"`
}

func settingChanges(d form.Difference) []SettingChangeBody {
	return list.Each(d.Changes, func(c form.Change) SettingChangeBody {
		return SettingChangeBody{amend.Where(c.Path), c.Was.Text, c.Now.Text}
	})
}

type settingDiffInput struct {
	SettingNamed
	From int64 `query:"from" minimum:"0" doc:"0, or left out: the application's default."`
	To   int64 `query:"to" minimum:"0" doc:"0, or left out: what is in force."`
}

type settingDiffOutput struct{ Body SettingDiffBody }

func (s *Settings) diff(ctx context.Context, who identity.Actor, in *settingDiffInput) (*settingDiffOutput, error) {
	k, err := s.find(who, in.SettingNamed)
	if err != nil {
		return nil, err
	}
	d, err := s.Desk.Between(ctx, who, k, in.Item, in.From, in.To)
	return &settingDiffOutput{SettingDiffBody{in.From, in.To, settingChanges(d), d.More}}, err
}

// A SettingPreviewBody is what a change would do.
type SettingPreviewBody struct {
	Version int64               `json:"version" doc:"That it would follow."`
	Value   Raw                 `json:"value" doc:"As it would be kept."`
	Changes []SettingChangeBody `json:"changes"`
	More    int                 `json:"more"`
	Effects []setting.Effect    `json:"effects" doc:"What the application says would be otherwise."`
}

type previewSettingInput struct {
	SettingNamed
	Body SettingValueBody
}

type settingPreviewOutput struct{ Body SettingPreviewBody }

func (s *Settings) preview(ctx context.Context, who identity.Actor, in *previewSettingInput) (*settingPreviewOutput, error) {
	k, err := s.find(who, in.SettingNamed)
	if err != nil {
		return nil, err
	}
	p, err := s.Desk.Preview(ctx, who, k, in.Item, []byte(in.Body.Value))
	if p.Effects == nil {
		p.Effects = []setting.Effect{}
	}
	return &settingPreviewOutput{SettingPreviewBody{p.Was.Version, Raw(p.Value), settingChanges(p.Changes), p.Changes.More, p.Effects}}, err
}
