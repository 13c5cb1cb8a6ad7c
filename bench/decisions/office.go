package main

import (
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gavelhq/gavel/platform/identity"
)

// An office vouches for the people: an OpenID Connect provider that answers in the
// published shapes and asks for no password. Who is meant stands in login_hint.
type office struct {
	issuer string
	key    *rsa.PrivateKey
	roles  func(name string) identity.Role

	mu    sync.Mutex
	codes map[string]entry // handed out and not yet taken back
}

// An entry is somebody on their way in.
type entry struct{ name, nonce, challenge, client string }

func newOffice(roles func(string) identity.Role) (*office, error) {
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	return &office{key: key, roles: roles, codes: map[string]entry{}}, err
}

func (o *office) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		answer(w, map[string]any{"issuer": o.issuer, "authorization_endpoint": o.issuer + "/authorize", "token_endpoint": o.issuer +
			"/token",
			"jwks_uri": o.issuer + "/keys", "response_types_supported": []string{"code"}, "subject_types_supported": []string{"public"},
			"id_token_signing_alg_values_supported": []string{"RS256"}})
	case "/keys":
		answer(w, map[string]any{"keys": []map[string]string{{"kty": "RSA", "use": "sig", "alg": "RS256", "kid": "1",
			"n": base64.RawURLEncoding.EncodeToString(o.key.N.Bytes()),
			"e": base64.RawURLEncoding.EncodeToString(big.NewInt(int64(o.key.E)).Bytes())}}})
	case "/authorize":
		o.authorize(w, r)
	case "/token":
		o.token(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (o *office) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil || q.Get("login_hint") == "" || q.Get("code_challenge_method") != "S256" {
		http.Error(w, "who, and where to?", http.StatusBadRequest)
		return
	}
	code := rand.Text()
	o.mu.Lock()
	o.codes[code] = entry{q.Get("login_hint"), q.Get("nonce"), q.Get("code_challenge"), q.Get("client_id")}
	o.mu.Unlock()
	back.RawQuery = url.Values{"code": {code}, "state": {q.Get("state")}}.Encode()
	w.Header().Set("Location", back.String())
	w.WriteHeader(http.StatusFound)
}

// token hands out the proof, once for each code and only to who asked for it.
func (o *office) token(w http.ResponseWriter, r *http.Request) {
	code := r.PostFormValue("code")
	o.mu.Lock()
	e, ok := o.codes[code]
	delete(o.codes, code)
	o.mu.Unlock()
	sum := sha256.Sum256([]byte(r.PostFormValue("code_verifier")))
	if !ok || base64.RawURLEncoding.EncodeToString(sum[:]) != e.challenge {
		http.Error(w, `{"error":"invalid_grant"}`, http.StatusBadRequest)
		return
	}
	proof, err := o.proof(e)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	answer(w, map[string]any{"access_token": rand.Text(), "token_type": "Bearer", "expires_in": 300, "id_token": proof})
}

func (o *office) proof(e entry) (string, error) {
	head, err := json.Marshal(map[string]string{"alg": "RS256", "kid": "1", "typ": "JWT"})
	if err != nil {
		return "", err
	}
	now := time.Now()
	claims, err := json.Marshal(map[string]any{"iss": o.issuer, "sub": e.name, "aud": e.client, "nonce": e.nonce, "iat": now.Unix(),
		"exp":  now.Add(5 * time.Minute).Unix(),
		"name": e.name, "email": e.name + "@office.example", "groups": []string{fmt.Sprintf("gavel/%s/%s", org, o.roles(e.name))}})
	if err != nil {
		return "", err
	}
	signed := base64.RawURLEncoding.EncodeToString(head) + "." + base64.RawURLEncoding.EncodeToString(claims)
	sum := sha256.Sum256([]byte(signed))
	signature, err := rsa.SignPKCS1v15(rand.Reader, o.key, crypto.SHA256, sum[:])
	return signed + "." + base64.RawURLEncoding.EncodeToString(signature), err
}

func answer(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // whoever asked may have gone
}
