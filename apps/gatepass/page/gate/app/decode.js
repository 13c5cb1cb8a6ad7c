// decode.js reads codes where the browser has no reader of its own. Its WebAssembly comes from here and from nowhere else.
import { prepareZXingModule, readBarcodes } from "./vendor/zxing-wasm-3.1.4/reader/index.js";

const here = "/gatepass/gate/file/vendor/zxing-wasm-3.1.4/reader/";
const ready = prepareZXingModule({ overrides: { locateFile: (path) => here + path }, fireImmediately: true });

onmessage = async ({ data: picture }) => {
  let text = "";
  try {
    await ready;
    const canvas = new OffscreenCanvas(picture.width, picture.height), pen = canvas.getContext("2d", { willReadFrequently: true });
    pen.drawImage(picture, 0, 0);
    const found = await readBarcodes(pen.getImageData(0, 0, picture.width, picture.height),
      { formats: ["QRCode"], maxNumberOfSymbols: 1, tryHarder: false, tryInvert: false });
    text = found[0]?.text ?? "";
  } catch (e) {
    console.error("decode:", e);
  }
  picture.close();
  postMessage(text);
};
