package toolset

import "github.com/gavelhq/gavel/apps/gatepass/rule/pass"

// An ErrorInfo is an error as a model is told of it: what kind, what to say, and whether trying again helps. It holds no
// trace of the machine behind it.
type ErrorInfo struct {
	ErrorType      string         `json:"error_type"`
	ErrorMessage   string         `json:"error_message"`
	UserGuidance   string         `json:"user_guidance"` // a key of the message files
	RetryPossible  bool           `json:"retry_possible"`
	RelatedContext map[string]any `json:"related_context"`
}

// A Failure is what came of a request that did not succeed.
type Failure struct {
	Status  int    // zero where no answer came at all
	Code    string // of the problem that came back, if one did
	Detail  string // of it
	Current pass.Status
	Allowed []pass.Event
	Fields  []string // that are wrong
	Param   string   // the pass or notice that was asked for
}

// Explain is a failure as a model is told of it.
func Explain(f Failure) ErrorInfo {
	e := ErrorInfo{ErrorMessage: f.Detail, RelatedContext: map[string]any{}}
	e.ErrorType, e.RetryPossible = kindOf(f)
	e.UserGuidance = "gatepass.guide." + e.ErrorType
	if f.Code != "" {
		e.RelatedContext["code"] = f.Code
	}
	if f.Param != "" {
		e.RelatedContext["asked_for"] = f.Param
	}
	if len(f.Fields) > 0 {
		e.RelatedContext["fields"] = f.Fields
	}
	if f.Current != pass.None {
		e.RelatedContext["current_status"] = f.Current
		e.RelatedContext["allowed_events"] = f.Allowed
	}
	return e
}

// kindOf is what kind of error it is, and whether the same request may succeed later. Proxies answer with statuses that the API never does.
func kindOf(f Failure) (kind string, retry bool) {
	switch f.Status {
	case 0:
		return "network", true
	case 400:
		return "bad_request", false
	case 401:
		return "auth_expired", false
	case 403:
		if f.Code == string(pass.RoleForbidden) || f.Code == string(pass.SelfApproval) {
			return "role_forbidden", false
		}
		return "invalid_state", false
	case 404:
		return "not_found", false
	case 413, 422:
		return "validation", false
	case 429, 502, 503, 504:
		return "busy", true
	}
	return "server", true
}
