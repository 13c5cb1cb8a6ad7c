package rest

import (
	"strconv"
	"time"

	"github.com/gavelhq/gavel/apps/gatepass/casework"
	"github.com/gavelhq/gavel/apps/gatepass/rule/item"
	"github.com/gavelhq/gavel/apps/gatepass/rule/pass"
	"github.com/gavelhq/gavel/apps/gatepass/store"
	"github.com/gavelhq/gavel/platform/api"
)

// A PersonBody is who made a pass.
type PersonBody struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// A LineBody is one line of a pass's history.
type LineBody struct {
	Status    string     `json:"status"`
	Event     pass.Event `json:"event"`
	ChangedAt time.Time  `json:"changed_at"`
	ChangedBy string     `json:"changed_by"`
	For       string     `json:"for,omitempty" doc:"In whose stead."`
	Via       pass.Via   `json:"via" enum:"console,agent,gate,system"`
	Reason    string     `json:"reason,omitempty"`
	Approval  string     `json:"approval_id,omitempty" doc:"The decision that it followed from."`
}

// An ItemBody is something that is carried out.
type ItemBody struct {
	ID         string  `json:"id,omitempty" maxLength:"40"`
	Name       string  `json:"name" minLength:"1" maxLength:"120"`
	Qty        float64 `json:"qty" exclusiveMinimum:"0" doc:"With up to three decimals."`
	Unit       string  `json:"uom,omitempty" maxLength:"20"`
	Serial     string  `json:"serial,omitempty" maxLength:"60"`
	Asset      string  `json:"asset_ref,omitempty" maxLength:"60"`
	Returnable bool    `json:"returnable"`
	Condition  string  `json:"condition_out,omitempty" maxLength:"200"`
	Open       string  `json:"open,omitempty" doc:"How much of it has yet to come back."`
}

// A PassBody is a gate pass as the API shows it.
type PassBody struct {
	ID           string     `json:"id"`
	PassNumber   string     `json:"pass_number" pattern:"^GP-[0-9]{4}-[0-9]{4,6}$"`
	Number       string     `json:"number" doc:"The same, under the name that older clients know."`
	ShortCode    string     `json:"short_code"`
	PersonName   string     `json:"person_name"`
	Description  string     `json:"description"`
	IsReturnable bool       `json:"is_returnable"`
	Status       string     `json:"status" doc:"pending, approved, rejected, exited or returned; in older words with vocab=legacy."`
	Version      int        `json:"version"`
	SiteID       string     `json:"site_id"`
	Type         pass.Type  `json:"type"`
	EmployeeRef  string     `json:"employee_ref,omitempty"`
	HostRef      string     `json:"host_ref,omitempty"`
	VehiclePlate string     `json:"vehicle_plate,omitempty"`
	Items        []ItemBody `json:"items"`
	ItemsOpen    bool       `json:"items_open"`
	PersonBack   bool       `json:"person_back" doc:"The person is in, though things of the pass may still be out."`

	CreatedAt        time.Time  `json:"created_at"`
	CreatedBy        PersonBody `json:"created_by"`
	ApprovedAt       *time.Time `json:"approved_at"`
	ApprovedBy       *string    `json:"approved_by"`
	RejectedAt       *time.Time `json:"rejected_at"`
	RejectedBy       *string    `json:"rejected_by"`
	RejectReason     *string    `json:"reject_reason"`
	ExitTime         *time.Time `json:"exit_time"`
	ReturnTime       *time.Time `json:"return_time"`
	ExitPhotoID      *string    `json:"exit_photo_id"`
	ReturnPhotoID    *string    `json:"return_photo_id"`
	ValidFrom        time.Time  `json:"valid_from"`
	ValidUntil       time.Time  `json:"valid_until"`
	ExpectedReturnAt *time.Time `json:"expected_return_at"`
	IsOverdue        bool       `json:"is_overdue"`
	IsExpired        bool       `json:"is_expired"`
	QRCodeURL        *string    `json:"qr_code_url" doc:"Null until it is approved."`
	DeletedAt        *time.Time `json:"deleted_at"`
	DeletedBy        *string    `json:"deleted_by"`
	DeleteReason     *string    `json:"delete_reason"`
	Proposal         string     `json:"proposal_id" doc:"That asks for its approval, under /v1/proposals."`
	StatusHistory    []LineBody `json:"status_history"`
}

// legacy is the vocabulary of older clients.
const legacy = "legacy"

func passOf(k store.Kept, now time.Time, vocab string) PassBody {
	p := k.Pass
	b := PassBody{ID: p.ID, PassNumber: string(p.Number), Number: string(p.Number), ShortCode: string(p.Code), PersonName: p.PersonName,
		Description: p.Description, IsReturnable: p.IsReturnable, Status: string(p.Status), Version: p.Version, SiteID: p.SiteID,
		Type: p.Type, EmployeeRef: p.EmployeeRef, HostRef: p.HostRef, VehiclePlate: p.VehiclePlate, Items: itemsOf(p.Items),
		ItemsOpen:  p.Status == pass.Exited && item.AnyOpen(p.Items),
		PersonBack: p.PersonBack, CreatedAt: p.CreatedAt, CreatedBy: PersonBody{p.CreatedBy.ID, p.CreatedBy.Name},
		ApprovedAt: at(p.ApprovedAt), ApprovedBy: word(p.ApprovedBy), RejectedAt: at(p.RejectedAt), RejectedBy: word(p.RejectedBy),
		RejectReason: word(p.Reason), ExitTime: at(p.ExitTime),
		ReturnTime: at(p.ReturnTime), ExitPhotoID: word(p.ExitPhoto), ReturnPhotoID: word(p.BackPhoto), ValidFrom: p.ValidFrom,
		ValidUntil:       p.ValidUntil,
		ExpectedReturnAt: at(p.ExpectedReturnAt), IsOverdue: p.Overdue(now), IsExpired: p.Expired(now), DeletedAt: at(p.DeletedAt),
		DeletedBy: word(p.DeletedBy), DeleteReason: word(p.DeletedReason), Proposal: k.Proposal, StatusHistory: []LineBody{}}
	if p.HasQR() {
		b.QRCodeURL = word(Base + "/qr/" + string(p.Number))
	}
	for i, e := range p.History {
		line := LineBody{Status: string(e.Status), Event: e.Event, ChangedAt: e.At, ChangedBy: e.By, For: e.For, Via: e.Via,
			Reason: e.Reason}
		if i < len(k.Answers) {
			line.Approval = k.Answers[i]
		}
		b.StatusHistory = append(b.StatusHistory, line)
	}
	if vocab == legacy {
		b.Status = p.Legacy()
	}
	return b
}

func itemsOf(items []item.Item) []ItemBody {
	out := make([]ItemBody, 0, len(items))
	for _, it := range items {
		qty, _ := strconv.ParseFloat(it.Quantity.String(), 64) // written by us
		b := ItemBody{ID: string(it.ID), Name: it.Name, Qty: qty, Unit: it.Unit, Serial: it.Serial, Asset: it.Asset,
			Returnable: it.Returnable,
			Condition:  it.ConditionOut}
		if it.Open() > 0 {
			b.Open = it.Open().String()
		}
		out = append(out, b)
	}
	return out
}

func at(t time.Time) *time.Time { return api.UTC(&t) }

func word(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// A GateBody is a pass as a guard sees it: as little of the person as the gate needs.
type GateBody struct {
	ID               string     `json:"id"`
	PassNumber       string     `json:"pass_number"`
	Number           string     `json:"number"`
	PersonName       string     `json:"person_name"`
	Status           string     `json:"status"`
	IsReturnable     bool       `json:"is_returnable"`
	ValidUntil       time.Time  `json:"valid_until"`
	ExpectedReturnAt *time.Time `json:"expected_return_at"`
	Items            []ItemBody `json:"items"`
	LastPhoto        *string    `json:"last_photo_thumb_url"`
	Verdict          string     `json:"verdict" enum:"allow_exit,allow_return,deny"`
	Reason           string     `json:"verdict_reason" doc:"The code of what speaks against it; empty where nothing does."`
}

func gateOf(v casework.View, vocab string) GateBody {
	p := v.Pass
	b := GateBody{ID: p.ID, PassNumber: string(p.Number), Number: string(p.Number), PersonName: p.PersonName, Status: string(p.Status),
		IsReturnable: p.IsReturnable, ValidUntil: p.ValidUntil, ExpectedReturnAt: at(p.ExpectedReturnAt), Items: itemsOf(p.Items),
		Verdict: "deny",
		Reason:  string(v.Why)}
	if vocab == legacy {
		b.Status = p.Legacy()
	}
	if v.Photo != "" {
		b.LastPhoto = word(photoAt(v.Photo) + "?variant=thumb")
	}
	if v.Why == "" {
		b.Verdict = map[pass.Event]string{pass.ScanExit: "allow_exit", pass.ScanReturn: "allow_return"}[v.Up]
	}
	return b
}
