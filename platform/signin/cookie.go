package signin

import (
	"encoding/base64"
	"encoding/json"
	"net/http"
)

// The cookies of this package. Over https each but the development one's has
// the prefix __Host-, by which a browser takes it from this very host only.
const (
	sessionCookie = "gavel_session" // <organisation>.<secret>
	deviceCookie  = "gavel_device"  // <organisation>.<secret>
	flowCookie    = "gavel_flow"    // one attempt to sign in
	flashCookie   = "gavel_flash"   // how the form before this page ended
	devCookie     = "gavel_dev"
)

// How long browsers keep them, in seconds. The server has the last word.
const (
	sessionMaxAge = 12 * 3600
	deviceMaxAge  = 400 * 24 * 3600 // the longest browsers grant
	flowMaxAge    = 10 * 60
	flashMaxAge   = 60
	devMaxAge     = 12 * 3600 // a working day
)

func (d *Door) cookieName(base string) string {
	if d.secure() && base != devCookie {
		return "__Host-" + base
	}
	return base
}

func (d *Door) setCookie(w http.ResponseWriter, base, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{
		Name: d.cookieName(base), Value: value, Path: "/", MaxAge: maxAge, HttpOnly: true,
		Secure: d.secure(), SameSite: http.SameSiteLaxMode,
	})
}

func (d *Door) dropCookie(w http.ResponseWriter, base string) { d.setCookie(w, base, "", -1) }

// credentialIn reads a cookie that holds a credential.
func (d *Door) credentialIn(r *http.Request, base string) (credential, bool) {
	if d.cfg.Store == nil {
		return credential{}, false
	}
	cookie, err := r.Cookie(d.cookieName(base))
	if err != nil {
		return credential{}, false
	}
	return parseCredential(cookie.Value)
}

// keepFlow keeps an attempt to sign in where it began: in the browser. Nothing
// of it is a secret from the person, and nothing is kept here for a stranger.
func (d *Door) keepFlow(w http.ResponseWriter, f flow) error {
	body, err := json.Marshal(f)
	if err != nil {
		return err
	}
	d.setCookie(w, flowCookie, base64.RawURLEncoding.EncodeToString(body), flowMaxAge)
	return nil
}

// flowIn is the attempt this browser began, the zero one where there is none.
func (d *Door) flowIn(r *http.Request) (f flow) {
	cookie, err := r.Cookie(d.cookieName(flowCookie))
	if err != nil || len(cookie.Value) > 4096 {
		return flow{}
	}
	body, err := base64.RawURLEncoding.DecodeString(cookie.Value)
	if err != nil || json.Unmarshal(body, &f) != nil {
		return flow{}
	}
	return f
}
