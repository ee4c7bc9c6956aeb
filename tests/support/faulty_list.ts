// A list of people as spreadsheets, exports and copies from chats leave it, with every fault that a
// campaign must survive.

export interface FaultyList {
  csv: Buffer;
  rows: number;
  invalid: number;
  duplicate: number;
  suppressed: number;
  withoutValue: number; // Skipped when it is their turn.
  foreign: number; // Numbers of another country, which get the message.
  refused: Map<number, number>; // How many numbers the platform refuses, by code.
  reached: string[]; // Who gets the message.
  toSuppress: string[];
}

const COLUMNS = "Nama;Nomor HP;Kota";
const CITIES = ["Solo", "Yogya", '"Kota; Tua"', "{Bogor}"];
const INVALID = ["6,28E+12", "0812-ABC-77", "'081234567890", "0811 / 0812", "0812", "", "٠٨١٢٣٤٥٦"];

/** The same number as different people write it. */
const FORMS: ((number: string) => string)[] = [
  (number) => number,
  (number) => `0${number.slice(2)}`,
  (number) => `+62 ${number.slice(2, 5)}-${number.slice(5, 9)}-${number.slice(9)}`,
  (number) => `0062 ${number.slice(2)}`,
  (number) => `(0${number.slice(2, 5)}) ${number.slice(5)}`,
  (number) => `\u202a+62\u00a0${number.slice(2)}\u202c`,
  (number) => `"+62 (0)${number.slice(2)}"`,
];

const NAMES: ((row: number) => Buffer)[] = [
  (row) => Buffer.from(`Ani ${row}`),
  (row) => Buffer.from(`"Siti ""Ayu""; ${row}"`),
  (row) => Buffer.from(`"Budi\n${row}"`),
  (row) => Buffer.from(`André ${row}`, "latin1"), // Windows-1252 among UTF-8.
  (row) => Buffer.from(`Nüri ${row} 😀`),
  (row) => Buffer.from(`{{Kota}} ${row}`), // Data, not a placeholder.
  () => Buffer.from(""), // The text has a fallback.
];

/** `rows` people, of whom one in `every` has a fault. */
export function faultyList(rows: number, every = 20): FaultyList {
  const list: FaultyList = {
    csv: Buffer.alloc(0),
    rows,
    invalid: 0,
    duplicate: 0,
    suppressed: 0,
    withoutValue: 0,
    foreign: 0,
    refused: new Map(),
    reached: [],
    toSuppress: [],
  };
  const lines = [Buffer.from(COLUMNS)];
  for (let row = 0; row < rows; row += 1) {
    const fault = row % every === every - 1 ? Math.floor(row / every) % FAULTS.length : -1;
    const { number, city } = fault < 0 ? good(list, row) : FAULTS[fault]!(list, row);
    const name = NAMES[row % NAMES.length]!(row);
    lines.push(Buffer.concat([name, Buffer.from(`;${number}${city === null ? "" : `;${city}`}`)]));
    if (row % 997 === 0) lines.push(Buffer.from("")); // Blank lines are no rows.
  }
  list.csv = Buffer.concat(lines.map((line) => Buffer.concat([line, Buffer.from("\r\n")])));
  return list;
}

interface Row {
  number: string;
  city: string | null; // Null: the line ends before it.
}

const numberOf = (row: number) => `6281${String(row).padStart(8, "0")}7`;
const cityOf = (row: number) => CITIES[row % CITIES.length] ?? "";
const formOf = (row: number, number: string) => FORMS[row % FORMS.length]!(number);

function good(list: FaultyList, row: number): Row {
  list.reached.push(numberOf(row));
  return { number: formOf(row, numberOf(row)), city: cityOf(row) };
}

function refusedWith(code: number, digits: string) {
  return (list: FaultyList, row: number): Row => {
    list.refused.set(code, (list.refused.get(code) ?? 0) + 1);
    return { number: `628${String(row).padStart(5, "0")}${digits}`, city: cityOf(row) };
  };
}

function withoutCity(text: string | null) {
  return (list: FaultyList, row: number): Row => {
    list.withoutValue += 1;
    return { number: numberOf(row), city: text };
  };
}

const FAULTS: ((list: FaultyList, row: number) => Row)[] = [
  (list, row) => {
    list.invalid += 1;
    return { number: INVALID[list.invalid % INVALID.length] ?? "", city: cityOf(row) };
  },
  (list, row) => {
    list.duplicate += 1;
    return { number: formOf(row + 1, list.reached[row % 7] ?? ""), city: cityOf(row) };
  },
  (list, row) => {
    list.suppressed += 1;
    list.toSuppress.push(numberOf(row));
    return { number: formOf(row, numberOf(row)), city: cityOf(row) };
  },
  withoutCity(""),
  withoutCity(null),
  (list, row) => {
    list.foreign += 1;
    const number = `812${String(row).padStart(7, "0")}7`; // Excel has dropped the zero.
    list.reached.push(number);
    return { number, city: cityOf(row) };
  },
  refusedWith(1001, "991001"),
  refusedWith(1002, "991002"),
  refusedWith(500, "995002"),
];
