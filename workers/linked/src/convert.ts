// The entrance of the converter, which `merpati device import` and `merpati device export` start:
//
//   node convert.js import NUMBER FOLDER    reads a folder of Baileys, and sends the secrets
//   node convert.js export NUMBER FOLDER    receives them, and writes a folder
//
// Secrets pass only through descriptor 3. Standard error is for the person who ran the command, and
// never shows secrets. No package is loaded.
import { hasChannel, receive, send } from "./moving/channel.js";
import { Unusable } from "./moving/checks.js";
import { readFolder, writeFolder } from "./moving/folder.js";
import { silenceConsole } from "./process/console.js";
import { stopForGood, stopIfNodeIsTooOld, stopNow } from "./process/exit.js";

function convert([what, number, folder]: string[]): void {
  if (!hasChannel() || !number || !folder || (what !== "import" && what !== "export")) {
    stopForGood("this program is started by `merpati device import` and `merpati device export`");
  }
  if (what === "import") {
    const { secrets, moved } = readFolder(folder, number);
    secrets.forEach(send);
    send({ done: moved });
    return;
  }
  send({ ready: true });
  send({ done: writeFolder(folder, number, receive()) });
}

silenceConsole();
stopIfNodeIsTooOld();
try {
  convert(process.argv.slice(2));
} catch (error) {
  const { code, syscall } = error as NodeJS.ErrnoException;
  // Messages of other errors may quote secrets.
  stopNow(
    error instanceof Unusable
      ? error.message
      : `the folder cannot be used: ${code ? `${code} at ${syscall}` : "a fault of the program"}`,
  );
}
