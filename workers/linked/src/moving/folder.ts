// Reads and writes a folder of Baileys' useMultiFileAuthState. Its content is not trusted.
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  opendirSync,
  readSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { Unusable } from "./checks.js";
import { identityText } from "./identity.js";
import { FILE_BYTES_MAX, fileOfKey, isAppState, keyOfFile, keyText } from "./keys.js";
import { type Key, readSecret, type Secret, SecretsMaker } from "./secrets.js";

const IDENTITY = "creds.json";
const IDENTITY_BYTES_MAX = 1024 * 1024;
const FILES_MAX = 500_000;
const ALL_BYTES_MAX = 256 * 1024 * 1024;

export interface Moved {
  /// Keys that were converted.
  keys: number;
  /// Files or keys that were skipped: unreadable, or of another kind.
  left_out: number;
}

/// Operation: reads only regular files, each once and up to a limit, and follows no symbolic link.
/// Skips a key that cannot be read, as Baileys does: a crash may have truncated its file. Any fault
/// in the identity is an error.
///
/// Errors: Unusable, with a sentence for a person; those of the file system.
export function readFolder(folder: string, number: string): { secrets: Secret[]; moved: Moved } {
  const names = listFolder(folder).filter((name) => !isAppState(name));
  if (!names.includes(IDENTITY)) {
    throw new Unusable(`there is no ${IDENTITY} in the folder: it holds no linked device`);
  }
  const read = readFile(folder, IDENTITY, IDENTITY_BYTES_MAX);
  if (!read) {
    throw new Unusable(`${IDENTITY} is broken: it is too long`);
  }
  const identity = identityText(read.text, number);
  const keys = readKeys(
    folder,
    names.filter((name) => name !== IDENTITY),
  );
  const maker = new SecretsMaker();
  keys.sort((a, b) => a.writtenAt - b.writtenAt);
  keys.forEach((key) => maker.add(key));
  const moved = { keys: keys.length, left_out: names.length - 1 - keys.length };
  return { secrets: maker.secrets(identity), moved };
}

/// Writes the identity last, so that an incomplete folder is not taken for a linked device.
///
/// Errors: Unusable; those of the file system.
export function writeFolder(folder: string, number: string, secrets: Iterable<Secret>): Moved {
  const moved: Moved = { keys: 0, left_out: 0 };
  let identity: string | undefined;
  for (const secret of secrets) {
    const read = readSecret(secret);
    identity ??= read.identity;
    for (const { kind, id, text } of read.keys) {
      const name = fileOfKey(kind, id);
      const kept = name && keyText(kind, text);
      if (name && kept) {
        writeFile(folder, name, kept);
        moved.keys++;
      } else {
        moved.left_out++;
      }
    }
  }
  if (identity === undefined) {
    throw new Unusable(`${number} has no identity here: it is not linked, or was logged out`);
  }
  writeFile(folder, IDENTITY, identityText(identity, number));
  const opened = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  fsyncSync(opened);
  closeSync(opened);
  return moved;
}

function listFolder(folder: string): string[] {
  const names: string[] = [];
  const opened = opendirSync(folder);
  try {
    for (let entry = opened.readSync(); entry; entry = opened.readSync()) {
      names.push(entry.name);
      if (names.length > FILES_MAX) {
        throw new Unusable("the folder has too many files");
      }
    }
  } finally {
    opened.closeSync();
  }
  return names;
}

function readKeys(folder: string, names: string[]): (Key & { writtenAt: number })[] {
  const keys: (Key & { writtenAt: number })[] = [];
  let bytes = 0;
  for (const name of names) {
    const key = keyOfFile(name);
    const read = key && readFile(folder, name, FILE_BYTES_MAX);
    const text = read && keyText(key.kind, read.text);
    if (text) {
      keys.push({ ...key, text, writtenAt: read.writtenAt });
      bytes += text.length;
    }
    if (bytes > ALL_BYTES_MAX) {
      throw new Unusable("the folder holds more than the gateway keeps for one device");
    }
  }
  return keys;
}

/// Undefined: the file is too long.
function readFile(
  folder: string,
  name: string,
  bytesMax: number,
): { text: string; writtenAt: number } | undefined {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  let file: number;
  try {
    file = openSync(join(folder, name), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === "ELOOP" ? notPlain(name) : error;
  }
  try {
    const found = fstatSync(file);
    if (!found.isFile()) {
      throw notPlain(name);
    }
    const bytes = Buffer.alloc(bytesMax + 1);
    let filled = 0;
    for (let count = -1; count !== 0 && filled < bytes.length; filled += count) {
      count = readSync(file, bytes, filled, bytes.length - filled, null);
    }
    const text = filled > bytesMax ? undefined : bytes.toString("utf8", 0, filled);
    return text === undefined ? undefined : { text, writtenAt: found.mtimeMs };
  } finally {
    closeSync(file);
  }
}

function notPlain(name: string): Unusable {
  return new Unusable(`${name} is no plain file: a folder of Baileys has plain files alone`);
}

function writeFile(folder: string, name: string, text: string): void {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  const file = openSync(join(folder, name), O_WRONLY | O_CREAT | O_EXCL, 0o600);
  try {
    writeFileSync(file, text);
    if (name === IDENTITY) {
      fsyncSync(file);
    }
  } finally {
    closeSync(file);
  }
}
