// sound.js says a verdict to who looks elsewhere: two rising notes to go, one long one to ask, three low ones to stop. A browser lets
// a page make a sound, or shake, once it was touched.
const notes = { out: [[660, .12], [880, .18]], in: [[660, .12], [880, .18]], ask: [[520, .45]], stop: [[220, .16], [220, .16], [220, .3]] };
const shakes = { out: [60], in: [60], ask: [200], stop: [120, 80, 120, 80, 240] };
let audio;

addEventListener("pointerdown", () => { audio ??= new AudioContext(); audio.resume(); });

export function tell(word) {
  if (navigator.userActivation?.hasBeenActive !== false) navigator.vibrate?.(shakes[word]);
  if (audio?.state !== "running") return;
  let at = audio.currentTime;
  for (const [pitch, length] of notes[word]) {
    const tone = audio.createOscillator(), loud = audio.createGain();
    tone.frequency.value = pitch;
    loud.gain.value = .25;
    tone.connect(loud).connect(audio.destination);
    tone.start(at);
    tone.stop(at + length);
    at += length + .06;
  }
}
