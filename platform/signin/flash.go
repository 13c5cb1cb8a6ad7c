package signin

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
)

// A flash is how a form ended, on its way to the page that says so. It travels in
// the browser that sent the form, for a minute: a secret in it is shown to who asked
// for it and is kept nowhere here, whichever server answers the page.
type flash struct {
	Who    string `json:"who"`
	Page   string `json:"page"`
	Done   string `json:"done"`
	Secret string `json:"secret,omitempty"`
}

// send leads the browser to a page that shows what was done. A reload of that page
// asks for the page again, and does nothing twice.
func (p pages) send(w http.ResponseWriter, r *http.Request, page string, o outcome) error {
	// It goes back to the browser of who asked for it, and nowhere else.
	body, err := json.Marshal(flash{Who: From(r.Context()).ID, Page: page, Done: o.done, Secret: o.secret}) //nolint:gosec // see above
	if err != nil {
		return err
	}
	p.door.setCookie(w, flashCookie, base64.RawURLEncoding.EncodeToString(body), flashMaxAge)
	return seeOther(w, r, p.site.Page(r).Href(page))
}

// receive is what a page has to say of the form before it, once. What was meant
// for another page or another person is dropped unread.
func (p pages) receive(w http.ResponseWriter, r *http.Request, page string) outcome {
	cookie, err := r.Cookie(p.door.cookieName(flashCookie))
	if err != nil {
		return outcome{}
	}
	p.door.dropCookie(w, flashCookie)
	var f flash
	body, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil || json.Unmarshal(body, &f) != nil || f.Page != page || f.Who != From(r.Context()).ID {
		return outcome{}
	}
	return outcome{done: f.Done, secret: f.Secret}
}
