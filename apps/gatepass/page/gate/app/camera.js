// camera.js is the eye of the gate: it looks for codes, and takes a photo in the same view. Codes are read by the browser where it
// can, and by our own decoder elsewhere, off the page's thread.

const longest = 1600, heaviest = 400 * 1024; // of a photo: px and bytes

export class Camera {
  constructor(video) {
    this.video = video;
    this.facing = "environment";
  }

  // open starts the camera; false where there is none or nobody allows it.
  async open() {
    this.close();
    if (!navigator.mediaDevices?.getUserMedia) return false;
    try {
      this.stream = await navigator.mediaDevices.getUserMedia({ video: { facingMode: this.facing, width: { ideal: 1280 }, height: { ideal: 720 } } });
    } catch {
      return false;
    }
    this.video.srcObject = this.stream;
    await this.video.play().catch(() => {});
    return true;
  }

  close() {
    for (const track of this.stream?.getTracks() ?? []) track.stop();
    this.stream = null;
  }

  async flip() {
    this.facing = this.facing === "environment" ? "user" : "environment";
    return this.open();
  }

  // torch turns the light on or off, and says whether it did.
  async torch() {
    const track = this.stream?.getVideoTracks()[0];
    if (!track?.getCapabilities?.().torch) return false;
    this.lit = !this.lit;
    await track.applyConstraints({ advanced: [{ torch: this.lit }] });
    return true;
  }

  // look calls found with each code, until it is told to stop.
  async look(found) {
    this.looking = found;
    if (this.busy) return;
    this.busy = true;
    while (this.looking) {
      const text = this.stream && this.video.readyState >= 2 ? await this.read().catch(() => "") : "";
      if (text) this.looking?.(text);
      await new Promise((next) => setTimeout(next, text ? 300 : 120));
    }
    this.busy = false;
  }

  stop() { this.looking = null; }

  async read() {
    if (this.detector === undefined) this.detector = await native();
    if (this.detector) return (await this.detector.detect(this.video))[0]?.rawValue ?? "";
    return this.decoded(await createImageBitmap(this.video));
  }

  // decoded is what our own decoder reads on a picture.
  decoded(picture) {
    this.worker ??= new Worker("/gatepass/gate/file/decode.js", { type: "module" });
    return new Promise((done) => {
      this.worker.onmessage = (e) => done(e.data);
      this.worker.postMessage(picture, [picture]);
    });
  }

  // photo is what the camera sees, small enough to be sent from a gate.
  async photo() { return shrunk(this.video, this.video.videoWidth, this.video.videoHeight); }
}

// native is the browser's own reader of codes, if it reads ours.
async function native() {
  const kinds = await globalThis.BarcodeDetector?.getSupportedFormats?.() ?? [];
  return kinds.includes("qr_code") ? new BarcodeDetector({ formats: ["qr_code"] }) : null;
}

// shrunk is a picture as a JPEG within the bounds.
export async function shrunk(source, width, height) {
  const scale = Math.min(1, longest / Math.max(width, height));
  const canvas = document.createElement("canvas");
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  canvas.getContext("2d").drawImage(source, 0, 0, canvas.width, canvas.height);
  for (const quality of [.85, .7, .5, .3]) {
    const blob = await new Promise((done) => canvas.toBlob(done, "image/jpeg", quality));
    if (blob && blob.size <= heaviest) return blob;
  }
  const half = document.createElement("canvas");
  half.width = canvas.width >> 1;
  half.height = canvas.height >> 1;
  half.getContext("2d").drawImage(canvas, 0, 0, half.width, half.height);
  return new Promise((done) => half.toBlob(done, "image/jpeg", .5));
}
