package lexicon

// english lists the English part of the table. Order matters where a form stands
// in two groups: the first counts.
func english() []group {
	return append(append(englishMoves(), englishClaims()...), englishFrame()...)
}

// englishMoves are the words of direction and comparison.
func englishMoves() []group {
	return []group{
		// Idioms come first: they hide words that would claim something.
		{Idiom, 0, asIs, "week on week, year on year, month on month, day on day, hour on hour, day by day, hour by hour, year by year, " +
			"at all, after all, above all, first of all, not only, if only, all but, as such, rate of increase, so far, up to date, ups " +
			"and downs, as a whole, on the whole, by and large, by contrast, in contrast, in turn, in fact, by number, due course, at " +
			"first, once more, no more, all told, by far, primary energy, further down, over time, of course, for all"},
		{Bound, 1, asIs, "more than, greater than, over, at least, just over, well over, no less than, slightly more than, a little " +
			"over, in excess of, upwards of"},
		{Bound, -1, asIs, "less than, fewer than, under, nearly, almost, at most, up to, just under, no more than, slightly less than, " +
			"a little under, barely"},
		{Bound, 0, asIs, "around, about, roughly, approximately, close to, some, just, exactly, as much as, as many as, as little as, " +
			"around about, merely, a mere, a full, fully, a total of, a net"},
		{Up, 0, asIs, "rise, rises, rose, risen, rising, grow, grows, grew, grown, growing, growth, up, upward, upwards, addition, " +
			"additions, expansion, escalation, enlargement, intensification, acceleration, on the rise, upsurge, upswing, uptick, " +
			"upturn, increment, increments, boom, added, spiked, spiking, hike, hikes, overshoot, overshoots, inflation, build-up, buildup"},
		{Up, 0, verbs, "increase, climb, gain, add, expand, surge, jump, soar, swell, mount, escalate, ascend, balloon, bulge, " +
			"mushroom, rocket, skyrocket, spike, leap, boost, lift, raise, heighten, elevate, enlarge, multiply, intensify, inflate, " +
			"augment, amplify, proliferate, burgeon, thicken, rebound, upsize, advance, strengthen, snowball, explode, blossom, bloom, " +
			"flare, accumulate, propagate, bolster, hoist, uplift, outgrow, magnify"},
		{Up, 0, phrasal, "go up, move up, edge up, creep up, tick up, ramp up, scale up, step up, build up, push up, drive up, come up, " +
			"inch up, nudge up, trend up, head up, pick up, shoot up, take off, bring up, pile up, rack up, run up, pull up, jump up, " +
			"be up, trend upward, trend upwards, trend higher, move higher, edge higher, head higher, push higher, drive higher, climb " +
			"higher, go higher, tick higher, inch higher, creep higher"},
		{Down, 0, asIs, "fall, falls, fell, fallen, falling, cut, cuts, cutting, lowers, lowered, lowering, shrink, shrinks, shrank, " +
			"shrunk, shrinking, slide, slides, slid, sliding, sank, sunk, sinking, lose, loses, lost, losing, loss, losses, down, " +
			"downward, downwards, reduction, reductions, contraction, contractions, saving, savings, abatement, shrinkage, removal, " +
			"removals, decrement, downturn, downtick, downswing, mitigation, depletion, diminution, erosion, curtailment, deflation, " +
			"sheds, shed, shedding, shrinkages, phase-out, phaseout, drawdown, cutback, cutbacks, drop-off, fall-off, dwindling, " +
			"subsidence, alleviation, attenuation, weaning"},
		{Down, 0, verbs, "decline, decrease, reduce, contract, diminish, dwindle, slump, plunge, tumble, crash, collapse, ebb, ease, " +
			"recede, retreat, subside, abate, save, slash, curtail, shave, erode, taper, wane, descend, deflate, deplete, remove, " +
			"eliminate, avoid, subtract, deduct, mitigate, lessen, shorten, compress, squeeze, drain, weaken, soften, fade, relax, " +
			"curb, wither, nosedive, moderate, depress, dampen, suppress, crater, evaporate, crumble, minimise, minimize, pare, " +
			"whittle, melt, retrench, downsize, prune, cool, dive, regress, relent, slacken, lapse, decay, dissipate, alleviate, " +
			"attenuate, backslide, shrivel"},
		{Down, 0, doubles, "drop, slip, trim, dip, plummet, ebb, cut, sag, dim, slim, chop"},
		{Down, 0, asIs, "plummeted, plummeting, plummet, plummets"},
		{Down, 0, phrasal, "go down, come down, bring down, drive down, push down, edge down, tick down, inch down, wind down, trend " +
			"down, scale down, step down, cut back, scale back, cut down, pull back, tail off, fall off, drop off, drop away, fall " +
			"away, fall back, die down, drop back, ramp down, phase out, phase down, taper off, head down, be down, trend downward, " +
			"trend downwards, trend lower, move lower, edge lower, head lower, push lower, drive lower, drift lower, go lower, inch " +
			"lower, move down, creep down, let up, run down, slow down, back off, give up, claw back, ease off, take out, level down, " +
			"wear off, thin out"},
		{Flat, 0, asIs, "unchanged, flat, constant, unmoved, no change, not change, not changed, not move, not moved, did not change, " +
			"does not change, do not change, has not changed, did not move, does not move, hold steady, holds steady, held steady, " +
			"holding steady, stay the same, stays the same, stayed the same, remained the same, remains the same, stable, static, " +
			"stationary, plateau, plateaus, plateaued, stagnate, stagnates, stagnated, level off, levels off, levelled off, stand " +
			"still, stands still, stood still, at a standstill, where it was"},
		{Change, 0, asIs, "change, changes, changed, changing, difference, differences, gap, gaps, spread, delta, net, net change, " +
			"contribution, contributions, variation, varies, vary, varied, varying, swing, swings, balance, differ, differs, differed, " +
			"deviation, movement, shift, shifts, shifted, net effect, effect"},
		{More, 0, asIs, "higher, above, exceed, exceeds, exceeded, exceeding, surpass, surpasses, surpassed, surpassing, outstrip, " +
			"outstrips, outstripped, outpace, outpaces, outpaced, more, ahead of, in front of, dearer, hotter, outweigh, outweighs, " +
			"outnumber, outnumbers, outnumbered, overtakes, overtook, beat, beats"},
		{Less, 0, asIs, "lower, below, beneath, less, fewer, short of, shorter, under its, under their, behind, trail, trails, trailed, " +
			"lag, lags, lagged, lagging, undercut, undercuts, cleaner, cheaper"},
		{Larger, 0, asIs, "larger, bigger, greater, deeper, stronger, steeper, faster, sharper, wider, further, farther, heavier, " +
			"additional, extra, quicker"},
		{Smaller, 0, asIs, "smaller, shallower, weaker, slower, gentler, narrower, lighter, milder, slighter, lesser"},
	}
}

// englishClaims are superlatives and universals.
func englishClaims() []group {
	return []group{
		{Among, 0, asIs, "one of the largest, one of the biggest, one of the highest, one of the greatest, one of the deepest, among " +
			"the largest, among the biggest, among the highest, among the greatest, among the deepest, one of the most, among the most"},
		{Majority, 0, asIs, "most of, majority of, the majority of, the bulk of, bulk of, the lion's share, the vast majority, vast " +
			"majority, mostly, mainly, predominantly, largely, more than half, chiefly, overwhelmingly, primarily"},
		{Most, 0, asIs, "largest, biggest, greatest, highest, most, deepest, strongest, steepest, fastest, sharpest, widest, heaviest, " +
			"maximum, top, leading, main, dominant, primary, principal, chief, foremost, record, hardest, hottest, worst, longest, " +
			"quickest, the maximum, number one, unprecedented, unrivalled, unmatched, unsurpassed, furthest, farthest, broadest, " +
			"richest, tallest, best, predominant, supreme, paramount, all-time high, record high, single largest, second to none"},
		{Least, 0, asIs, "smallest, lowest, least, weakest, slowest, shallowest, fewest, minimum, gentlest, narrowest, lightest, " +
			"mildest, the minimum, cleanest, shortest, tiniest, slightest, slimmest, bottom, poorest, record low, all-time low"},
		{Lead, 1, phrasal, "lead the, rank first, come first, be first, top the, head the, dominate the, finish first, place first"},
		{Lead, 2, phrasal, "rank second, come second, be second, finish second, place second"},
		{Lead, 3, phrasal, "rank third, come third, be third, finish third, place third"},
		{Lead, 4, phrasal, "rank fourth, come fourth, be fourth, rank last but one"},
		{Lead, -1, phrasal, "rank last, come last, be last, finish last, place last"},
		{Lead, 1, asIs, "dominates, dominated, dominate, leads, tops, more than any other, more than all other, than any other, than " +
			"every other, than all others, than all other, outpaces all, exceeds all, ahead of all, ahead of every, unlike any other"},
		{Ordinal, 2, asIs, "second, second-most, runner-up"},
		{Ordinal, 3, asIs, "third"},
		{Ordinal, 4, asIs, "fourth"},
		{Ordinal, 5, asIs, "fifth"},
		{All, 0, asIs, "all, every, each, all of, each of, every one of, every single, across the, across all, throughout all, the " +
			"entire, all the, any"},
		{Nothing, 0, asIs, "none, no, none of, not one, not a single, neither of, not any"},
		{Both, 0, asIs, "both, either"},
		{Only, 0, asIs, "only, sole, solely, exclusively, the only, unique, uniquely, single-handedly, singularly"},
		{Always, 0, asIs, "always, never, everywhere, universally, uniformly, without exception, invariably, in every case, in all " +
			"cases, across the board, nowhere, everyone, everything, everybody, nobody, consistently, in no case, under any, no matter " +
			"which"},
		{Tie, 0, asIs, "tie, ties, tied, tying, joint, jointly, equal, equally, equals, same, identical, identically, share the, shares " +
			"the, shared the, alike, level with, matches, matched, equalled, as much as, as many as, the same amount, on a par"},
	}
}

// englishFrame are the words that hold a sentence together, causes, advice
// and numbers in words.
func englishFrame() []group {
	return []group{
		{Not, 0, verbs, "reverse, halt, resist, escape, cease, prevent, cancel, abandon, forgo, reject, buck, block, shun, thwart"},
		{Not, 0, asIs, "stop, stops, stopped, stopping, defy, defies, defied, undo, undoes, undid, undoing, put an end to, puts an end " +
			"to, put paid to, puts paid to, wipe out, wipes out, wiped out, forwent"},
		{Not, 0, asIs, "not, without, cannot, rather than, instead of, far from, neither, nor, fails to, failed to, fail to, failing " +
			"to, hardly, nothing like, in place of, in lieu of, anything but, no longer, doesn't, don't, didn't, isn't, aren't, wasn't, " +
			"weren't, hasn't, haven't, hadn't, won't, wouldn't, can't, couldn't"},
		{From, 0, asIs, "from"},
		{To, 0, asIs, "to, into, towards, toward"},
		{By, 0, asIs, "by"},
		{Of, 0, asIs, "of"},
		{Strong, 0, asIs, "while, whereas, but, however, although, though, yet, whilst, meanwhile, nevertheless, nonetheless, even " +
			"though, so that, since, when"},
		{Weak, 0, asIs, "and, or, plus, as well as, along with, together with, followed by"},
		{Side, 0, asIs, "than, compares with, compares to, compare with, compare to, compared with, compared to, in comparison with, in " +
			"comparison to, versus, vs, against, unlike, relative to, as opposed to, in contrast to, in contrast with, by comparison " +
			"with, over and above, as against, contrary to, set against"},
		{Except, 0, asIs, "other than, except, except for, excepting, apart from, besides, excluding, bar, save for, with the exception " +
			"of, aside from"},
		{Relative, 0, asIs, "where, which, whose, who, in which"},
		{Respectively, 0, asIs, "respectively, in that order, in this order, in turn"},
		{Together, 0, asIs, "average, averages, averaged, mean, means, on average, combined, together, jointly, between, range, ranges, " +
			"ranging, ranged, sum, sums, total, totals, altogether, in total, in aggregate, aggregate, collectively, overall, lies " +
			"between, median, typical, typically"},
		{Cause, 0, asIs, "driven by, due to, because, because of, caused by, as a result of, as a result, owing to, thanks to, " +
			"attributable to, attributed to, leads to, led to, lead to, leading to, reflects, reflecting, reflect, reflected, stems " +
			"from, stemming from, results from, resulting from, resulted from, results in, resulting in, resulted in, explains, " +
			"explained by, explain, on the back of, in response to, triggered by, prompted by, fuelled by, fueled by, brought about by, " +
			"responsible for, consequence of, stemmed from, arises from, arising from, underpinned by, spurred by, on account of, " +
			"cause, causes, caused, causing, driver, drivers, drives, drove, driving, therefore, hence, thus, thereby"},
		{Advice, 0, asIs, "should, must, ought, ought to, recommend, recommends, recommended, recommending, recommendation, " +
			"recommendations, need to, needs to, needed to, has to, have to, advisable, advise, advises, advised, urge, urges, urged, " +
			"call for, calls for, called for, calling for, it is time to, had better, propose that, proposes that, we suggest, it is " +
			"suggested, it is essential, it is imperative, imperative, it is vital, consider adopting, would do well to, requires " +
			"action, action is needed, policy makers, policymakers, let us"},
		{Honorific, 0, asIs, "mr, mrs, ms, shri, smt, kumari, sri, messrs"},
		{Beyond, 0, asIs, "beyond, after, past, post, following, later than, subsequent to, onwards"},
		{Count, 2, asIs, "two, a couple, a pair"}, {Count, 3, asIs, "three"}, {Count, 4, asIs, "four"}, {Count, 5, asIs, "five"},
		{Count, 6, asIs, "six"}, {Count, 7, asIs, "seven"}, {Count, 8, asIs, "eight"}, {Count, 9, asIs, "nine"}, {Count, 10, asIs, "ten"},
		{Count, 11, asIs, "eleven"}, {Count, 12, asIs, "twelve, dozen, a dozen, dozens"},
		{Count, 0, asIs, "thirteen, fourteen, fifteen, sixteen, seventeen, eighteen, nineteen, twenty, thirty, forty, fifty, sixty, " +
			"seventy, eighty, ninety, hundred, hundreds, thousand, thousands, million, millions, billion, billions, trillion, lakh, " +
			"lakhs, crore, crores, half, halve, halves, halved, halving, one half, double, doubles, doubled, doubling, twice, thrice, " +
			"triple, triples, tripled, tripling, treble, trebled, quadruple, quadrupled, quadruples, quintuple, twofold, threefold, " +
			"fourfold, fivefold, sixfold, tenfold, hundredfold, one third, a third, two thirds, one quarter, a quarter of, three " +
			"quarters, a fifth, one fifth, two fifths, a tenth, one tenth, one in, a score of, one hundred, one million, one thousand, " +
			"one point"},
		{Zero, 0, asIs, "zero, nil, nought"},
		{Motion, 0, phrasal, "end up, wind up, turn out, come out, work out"},
		{Motion, 0, asIs, "go, goes, went, gone, going, reach, reaches, reached, reaching, stand, stands, stood, standing, remain, " +
			"remains, remained, remaining, amount, amounts, amounted, come, comes, came, equal to, correspond, corresponds, " +
			"corresponding, equivalent, equivalent to, total, totals, totalled, run, runs, ran, according, according to, relate, " +
			"relates, add up, adds up, compare, compared, due, bring, brings, brought, limit, limited, restrict, restricted, belong, " +
			"belongs, stay, stays, stayed, keep, keeps, kept, leave, leaves, left, arrive, arrives, arrived, get, gets, got, settle, " +
			"settles, settled, measure, measures, measured, put, puts, set, sets, number, numbers, numbered, blow, blows, blew, " +
			"account, accounts, accounted, make up, makes up, made up, supply, supplies, supplied, move, moves, moved, moving, turn, " +
			"turns, turned, end, ends, ended, start, starts, started, begin, begins, began, level, attribute, expose, exposed, respond, " +
			"next, close, range, ranges, ranging, extend, vary, varies, lie, lies, exposed to"},
		{Plain, 0, asIs, "whether, despite, amid, given, regardless, because, therefore, likewise, instead, indeed, overall, beside, " +
			"besides, towards, around, along, outside, inside, near, nearby, whole, entire, several, many, few, different, separate, " +
			"particular, certain, main, general, latest, newest, current, currently, recent, recently, finally, lastly, firstly, " +
			"secondly, moreover, furthermore, similarly, broadly, earlier, later, afterwards, horizon, course, a, an, the, this, that, " +
			"these, those, its, their, his, her, it, they, he, she, we, there, here, is, are, was, were, be, been, being, has, have, " +
			"had, having, do, does, did, will, would, can, could, may, might, in, on, at, for, with, under, within, during, through, " +
			"per, as, so, then, than, also, still, already, again, even, one, ones, once, another, other, others, such, same, own, " +
			"only, very, much, some, if, it's, s, t, over, across, via, among, amongst, upon, onto, out, off, last, next, previous, " +
			"first, before, until, till, ago, now, today, yesterday, soon, early, late, mid, follow, follows, followed, following, " +
			"deliver, delivers, delivered, delivering, provide, provides, provided, providing, make, makes, made, making, achieve, " +
			"achieves, achieved, achieving, see, sees, saw, seen, seeing, show, shows, showed, shown, showing, record, records, " +
			"recorded, recording, contribute, contributes, contributed, contributing, report, reports, reported, project, projects, " +
			"projected, projection, expect, expected, use, used, uses, using, consumption, demand, emission, emissions, energy, level, " +
			"levels, value, values, reading, readings, amount, output, figure, figures, baseline, period, year, years, yearly, annual, " +
			"annually, month, months, week, weeks, weekly, day, days, daily, hour, hours, hourly, night, morning, evening, time, times, " +
			"decade, century, total, score, scores, index, fire, fires, detection, detections, count, counts, share, shares, part, " +
			"source, sources, send, sends, sent, station, area, district, state, scenario, sector, fuel, layer, case, result, results, " +
			"data, chart, table, see, yet, too, both, each, all, who, what, place, point, points, end, start, mid-century, mainly, " +
			"about, respectively, unit, units, give, gives, gave, giving, given, generate, generates, yield, yields, offer, offers, " +
			"offered, post, posts, posted, register, registers, registered, log, logs, logged, find, finds, found, observe, observed, " +
			"detect, detected, measured, occurs, occur, occurred, seen, happen, happens, happened, rank, ranks, ranked, place, places, " +
			"placed"},
	}
}
