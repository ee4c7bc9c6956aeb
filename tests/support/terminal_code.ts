// Reads QR codes drawn in a terminal.
import jsQR from "jsqr";

const darkOf: Record<string, [boolean, boolean]> = {
  " ": [false, false],
  "▀": [true, false],
  "▄": [false, true],
  "█": [true, true],
};
const pixels = 4; // Of a module's side.

/** The texts of all codes in `shown`, in order. Throws if a code cannot be read. */
export function readTerminalCodes(shown: string): string[] {
  const codes: string[] = [];
  let rows: boolean[][] = [];
  for (const line of [...shown.split(/\r?\n/), ""]) {
    const drawn = /\x1b\[30;107m([ ▀▄█]+)\x1b\[0m$/.exec(line);
    if (drawn) {
      const halves = [...drawn[1]!].map((character) => darkOf[character]!);
      rows.push(halves.map(([upper]) => upper), halves.map(([, lower]) => lower));
    } else if (rows.length > 0) {
      codes.push(read(rows));
      rows = [];
    }
  }
  return codes;
}

function read(rows: boolean[][]): string {
  const [width, height] = [rows[0]!.length * pixels, rows.length * pixels];
  const image = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; ++y) {
    for (let x = 0; x < width; ++x) {
      if (rows[Math.floor(y / pixels)]![Math.floor(x / pixels)]) {
        image.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
      }
    }
  }
  const found = jsQR.default(image, width, height);
  if (found === null) throw new Error("what was drawn is no QR code that can be read");
  return found.data;
}
