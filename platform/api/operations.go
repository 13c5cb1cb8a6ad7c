package api

import (
	"context"
	"encoding/hex"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/gavelhq/gavel/platform/fault"
	"github.com/gavelhq/gavel/platform/identity"
	"github.com/gavelhq/gavel/platform/operation"
)

// Operations answers for long work: how far it is, what came of it, and calling
// it off. They are for who started them.
type Operations struct{}

// Operations registers what it answers.
func (s *Operations) Operations(a *API) {
	const tag = "Operations"
	List(a, Route{ID: "listOperations", Path: "/v1/operations", Tag: tag, Title: "List your operations, newest first"}, a.listOperations)
	Serve(a, Route{ID: "getOperation", Method: http.MethodGet, Path: "/v1/operations/{id}", Tag: tag, Title: "Read an operation",
		Text: "With Prefer: wait=N it is waited for, up to 30 seconds. What came of it can be had for an hour.", Slow: true},
		a.getOperation)
	Serve(a, Route{ID: "getOperationFile", Method: http.MethodGet, Path: "/v1/operations/{id}/file", Tag: tag,
		Title: "Fetch the file that an operation made", Slow: true,
		Answers: []Answer{{Status: http.StatusOK, Media: "application/octet-stream", Words: "The file, with its digest in Repr-Digest."}}},
		a.getOperationFile)
	Serve(a, Route{ID: "cancelOperation", Method: http.MethodPost, Path: "/v1/operations/{id}/cancel", Tag: tag,
		Title:  "Call an operation off",
		Status: http.StatusAccepted, Untried: "it may have ended before it is called off"}, a.cancelOperation)
}

// MaxWait is the longest that somebody can wait for an operation in one request.
const MaxWait = 30 * time.Second

// Prefer is how the caller would like long work to be answered (RFC 7240).
type Prefer struct {
	Prefer string `header:"Prefer" maxLength:"200" doc:"respond-async makes it an operation; wait=N waits so many seconds for its end, 30 at most."`
}

func (p Prefer) async() bool { return p.has("respond-async") != "" }

func (p Prefer) has(name string) string {
	for _, one := range strings.Split(p.Prefer, ",") {
		if k, v, _ := strings.Cut(strings.TrimSpace(one), "="); strings.EqualFold(strings.TrimSpace(k), name) {
			return strings.TrimSpace(v) + " "
		}
	}
	return ""
}

// wait is how long the caller would wait; what is no number is no wish.
func (p Prefer) wait() time.Duration {
	n, err := strconv.Atoi(strings.TrimSpace(p.has("wait")))
	if err != nil || n < 0 {
		return 0
	}
	return min(time.Duration(n)*time.Second, MaxWait)
}

// An OperationBody is long work as the API shows it.
type OperationBody struct {
	ID        string              `json:"id"`
	Name      string              `json:"name" doc:"What is done: bundle, reask."`
	Subject   string              `json:"subject" doc:"To what: a case, a run."`
	State     operation.State     `json:"state" enum:"running,done,failed,cancelled"`
	Done      bool                `json:"done" doc:"It has ended, in one way or another."`
	Progress  int                 `json:"progress" doc:"Per cent."`
	Result    Raw                 `json:"result" doc:"What came of it; null until it is done."`
	File      *OperationFileBody  `json:"file" doc:"The file it made; null if there is none."`
	Error     *OperationErrorBody `json:"error" doc:"Why it failed; null unless it did."`
	Erased    bool                `json:"erased" doc:"What came of it was taken away, because somebody's data were erased."`
	StartedAt time.Time           `json:"started_at"`
	EndedAt   *time.Time          `json:"ended_at"`
}

// An OperationFileBody is a file that an operation made.
type OperationFileBody struct {
	Name   string `json:"name"`
	Type   string `json:"type"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
	Path   string `json:"path" doc:"Where to fetch it."`
}

// An OperationErrorBody is why an operation failed, as a problem would say it.
type OperationErrorBody struct {
	Code      string `json:"code"`
	Detail    string `json:"detail"`
	Next      string `json:"next,omitempty"`
	Retryable bool   `json:"retryable"`
}

func operationPath(id string) string { return "/v1/operations/" + id }

func operationBody(o operation.Operation) OperationBody {
	b := OperationBody{ID: o.ID, Name: o.Kind, Subject: o.Subject, State: o.State, Done: o.State != operation.Running, Progress: o.Progress,
		Result: Raw(o.Result), Erased: o.Erased, StartedAt: o.StartedAt.UTC(), EndedAt: UTC(o.EndedAt)}
	if f := o.File; f != nil {
		b.File = &OperationFileBody{f.Name, f.Type, f.Size, f.SHA256, operationPath(o.ID) + "/file"}
	}
	if e := o.Error; e != nil {
		b.Error = &OperationErrorBody{e.Kind.Code(), e.Text, e.Next, e.Kind.Retryable()}
	}
	return b
}

// OperationActs are the kinds of long work there are, and the act that each needs:
// of its route, asked again when what came of it is fetched.
func OperationActs() map[string]string {
	return map[string]string{bundleWork: "case.export", reaskWork: "run.reask"}
}

const (
	bundleWork = "bundle"
	reaskWork  = "reask"
)

// operations is the desk, where there is one.
func (a *API) operations() (*operation.Desk, error) {
	if a.Config.Operations == nil {
		return nil, fault.New(fault.Unavailable, "operations are not set up on this server").WithNext("ask without Prefer: respond-async")
	}
	return a.Config.Operations, nil
}

// startOperation begins long work and waits for its end as long as the caller
// would.
func (a *API) startOperation(ctx context.Context, who identity.Actor, p Prefer, kind, subject string,
	work operation.Work) (*reaskOutput, error) {
	desk, err := a.operations()
	if err != nil {
		return nil, err
	}
	o, err := desk.Start(ctx, who, kind, subject, work)
	if err != nil {
		return nil, err
	}
	if now, err := desk.Wait(ctx, who, o.ID, p.wait()); err == nil {
		o = now // else it goes on all the same, and is told as it began
	}
	status := http.StatusAccepted
	if o.State != operation.Running {
		status = http.StatusOK
	}
	return &reaskOutput{Status: status, Location: operationPath(o.ID), Body: operationBody(o)}, nil
}

type listOperationsInput struct{ Paging }

func (a *API) listOperations(ctx context.Context, who identity.Actor, _ *listOperationsInput, after string,
	limit int) ([]OperationBody, string, error) {
	desk, err := a.operations()
	if err != nil {
		return nil, "", err
	}
	all, next, err := desk.List(ctx, who, after, limit)
	out := make([]OperationBody, len(all))
	for i, o := range all {
		out[i] = operationBody(o)
	}
	return out, next, err
}

type getOperationInput struct {
	Named
	Prefer
}

type operationOutput struct{ Body OperationBody }

func (a *API) getOperation(ctx context.Context, who identity.Actor, in *getOperationInput) (*operationOutput, error) {
	desk, err := a.operations()
	if err != nil {
		return nil, err
	}
	o, err := desk.Wait(ctx, who, in.ID, in.wait())
	return &operationOutput{operationBody(o)}, err
}

type cancelOutput struct {
	Location string `header:"Location"`
	Body     OperationBody
}

func (a *API) cancelOperation(ctx context.Context, who identity.Actor, in *Named) (*cancelOutput, error) {
	desk, err := a.operations()
	if err != nil {
		return nil, err
	}
	o, err := desk.Cancel(ctx, who, in.ID)
	return &cancelOutput{operationPath(in.ID), operationBody(o)}, err
}

type fileOutput struct{ Body func(huma.Context) }

// getOperationFile sends the whole file, or a connection that breaks off.
func (a *API) getOperationFile(ctx context.Context, who identity.Actor, in *Named) (*fileOutput, error) {
	desk, err := a.operations()
	if err != nil {
		return nil, err
	}
	o, err := desk.Get(ctx, who, in.ID)
	if err != nil {
		return nil, err
	}
	if o.File == nil {
		return nil, fault.New(fault.NotFound, "operation %s has no file", in.ID).WithNext("see how far it is: GET %s", operationPath(in.ID))
	}
	sum, err := hex.DecodeString(o.File.SHA256)
	if err != nil {
		return nil, err
	}
	x := exchangeOf(ctx)
	return &fileOutput{func(huma.Context) {
		w := x.sendFile(o.File.Name, o.File.Type, o.File.Size, sum)
		x.failed = desk.WriteFile(ctx, who, o, w)
	}}, nil
}
