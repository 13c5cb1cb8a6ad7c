package gate

// Keys are the texts of the app, without their prefix.
var Keys = []string{
	"title", "nav", "scan", "hold", "torch", "flip", "type", "find", "online", "offline", "waiting", "turn", "settings",
	"other_ways", "language", "night", "day", "shift", "shift_sum", "shift_waiting", "shift_sent", "shift_end", "signed_out",
	"sign_in", "no_camera", "no_torch", "word.out", "word.in", "word.ask", "word.stop", "photo_out", "photo_in", "photo_title",
	"photo_of", "shoot", "choose_photo", "confirm_out", "confirm_in", "retake", "done_out", "done_in", "last_out", "last_in",
	"saved", "alone", "not_this", "back_to_camera", "code_label", "look", "name_label", "nobody", "back_by", "valid", "late",
	"tick_out", "tick_back", "tick_again", "stays_open_out", "stays_open_in", "why.unreadable", "why.forged",
	"why.other_organisation", "why.revoked", "why.not_listed", "why.online_only", "why.old_code", "why.not_yet_valid",
	"why.expired", "why.already_out", "why.already_back", "why.clock_not_sure", "why.no_list", "why.not_found",
	"why.invalid_state", "why.not_returnable", "why.wrong_site", "why.watchlist_hit", "why.role_forbidden", "why.validation",
	"why.photo_required", "why.photo_too_large", "why.photo_corrupt", "why.unsupported_photo_format", "why.not_paired",
	"why.refused", "why.stale_version", "why.not_ticked_out", "why.not_ticked_back",
}
