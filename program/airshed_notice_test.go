package program

import (
	"io"
	"mime/quotedprintable"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gavelhq/gavel/apps/airshed/rule/lake/laketest"
	"github.com/gavelhq/gavel/devstack/commission/commissiontest"
	"github.com/gavelhq/gavel/platform/identity"
)

// TestAStateIsToldOnceOfficersSaySo promises that after a report was filed officers are
// asked, for each state it names whose office is known, whether it is told; that a yes
// sends one mail in the office's language with the report's own facts, that a no sends
// none, and that nobody is written to before.
func TestAStateIsToldOnceOfficersSaySo(t *testing.T) {
	t.Parallel()
	for verdict, want := range map[string][]string{"approve": {"punjab@state.example"}, "reject": nil} {
		t.Run(verdict, func(t *testing.T) {
			t.Parallel()
			_, address := commissiontest.Start(t)
			box := newPit(t)
			k := newSky(t, true, "GAVEL_AIRSHED_COMMISSION="+address, "GAVEL_SMTP_ADDRESS="+box.Address,
				"GAVEL_MAIL_DOMAIN=mail.example.org", "GAVEL_MAIL_FROM=Air quality <"+box.From+">")
			k.pause(true)
			k.office(devToken(t, identity.Analyst), 5, "Punjab", "hi")
			k.office(officers(t)[0], 0, "Punjab", "hi")
			k.office(officers(t)[0], 0, "Haryana", "en") // which the report does not name
			k.put("data/november.json", laketest.File(t, laketest.Surge(t)))
			files := k.asked("send_caqm_report_tool")
			if f := leads(t, k.base, officers(t)[0], files); !strings.Contains(f.First("en"), ": conclusive: Punjab, ") {
				t.Errorf("the filing leads with %q", f.First("en"))
			}
			k.approve(files)
			id := k.asked("send_state_notice")
			leads(t, k.base, officers(t)[1], id)
			if got := k.told(box); len(got) != 0 {
				t.Errorf("written to unasked: %v", got)
			}
			if status, text := k.decide(officers(t)[1], id, verdict,
				map[string]string{"reject": "It is told by telephone."}[verdict]); status >= 300 {
				t.Fatalf("%d %s", status, text)
			}
			ref := k.ends("filed")
			k.until("the mails", func() bool { return len(k.told(box)) >= len(want) })
			time.Sleep(2 * quarter)
			if got := k.told(box); !slices.Equal(got, want) {
				t.Errorf("mails went to %v", got)
			}
			if got := k.ask(`select args::jsonb->>'state' from gavel.proposal where tool = 'send_state_notice'`); !slices.Equal(got,
				[]string{"Punjab"}) {
				t.Errorf("officers were asked about %v", got)
			}
			for _, text := range k.letters(box) {
				if !strings.Contains(text, "पंजाब") || !strings.Contains(text, ref) {
					t.Errorf("the mail says\n%s", text)
				}
			}
		})
	}
}

// office says where notices to a state go, with an exit code that is expected.
func (k *sky) office(token string, code int, state, language string) {
	k.t.Helper()
	got := k.as(token).run(k.t, "airshed", "office", "set", state, "--name", "Board of "+state, "--mailbox",
		strings.ToLower(state)+"@state.example", "--language", language)
	if got.code != code {
		k.t.Fatalf("want exit code %d, got %+v", code, got)
	}
}

// told are the states' mailboxes that mails went to.
func (k *sky) told(box *pit) (to []string) {
	for _, m := range box.Mails() {
		if strings.HasSuffix(m.To, "@state.example") {
			to = append(to, m.To)
		}
	}
	return to
}

// letters are the texts of these mails.
func (k *sky) letters(box *pit) (texts []string) {
	k.t.Helper()
	for _, m := range box.Mails() {
		text, err := io.ReadAll(quotedprintable.NewReader(strings.NewReader(m.Raw)))
		if err != nil {
			k.t.Fatal(err)
		}
		if strings.HasSuffix(m.To, "@state.example") {
			texts = append(texts, string(text))
		}
	}
	return texts
}
