// Kannel's side: bearerbox with its file store, smsbox, and fakesmsc as the platform.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { freePort, isRunning, start, until, untilListening } from "./processes.mjs";

export const script = join(import.meta.dirname, "kannel.lua");

export const durability = "file store, written without any fsync";

export async function startKannel({ folder, callback }) {
  const [admin, boxes, platform, http] = await Promise.all(Array.from({ length: 4 }, freePort));
  mkdirSync(join(folder, "store"), { recursive: true });
  const file = join(folder, "kannel.conf");
  writeFileSync(file, configuration({ folder, admin, boxes, platform, http }));
  const log = (name) => ({ log: join(folder, `${name}.log`), folder });

  const bearerbox = start("/usr/sbin/bearerbox", ["-v", "3", file], log("bearerbox"));
  await untilListening(boxes, bearerbox);
  await untilListening(platform, bearerbox);
  const smsbox = start("/usr/sbin/smsbox", ["-v", "3", file], log("smsbox"));
  await untilListening(http, smsbox);
  const fakesmsc = await startPlatform(platform, log("fakesmsc"));
  const online = async () => {
    const status = await fetch(`http://127.0.0.1:${admin}/status.txt?password=bench`);
    return (await status.text()).includes("(online");
  };
  await until("Kannel's platform", online, { child: bearerbox });
  return {
    processes: [bearerbox, smsbox, fakesmsc],
    url: `http://127.0.0.1:${http}`,
    environment: { BENCH_CALLBACK: callback },
  };
}

/** fakesmsc exits if bearerbox is not ready yet, so it is started again until it stays. */
async function startPlatform(port, options) {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const child = start(
      "/usr/lib/kannel/test/fakesmsc",
      ["-H", "127.0.0.1", "-r", `${port}`, "-m", "0", "-i", "1", "-v", "3", "123 345 text nop"],
      options,
    );
    await pause(800);
    if (isRunning(child)) return child;
  }
  throw new Error("fakesmsc does not stay connected");
}

function configuration({ folder, admin, boxes, platform, http }) {
  return `group = core
admin-port = ${admin}
admin-password = bench
smsbox-port = ${boxes}
box-allow-ip = "127.0.0.1"
store-type = file
store-location = ${folder}/store/messages
dlr-storage = internal
sms-outgoing-queue-limit = 1000000
sms-incoming-queue-limit = 1000000
log-file = ${folder}/bearerbox.log
log-level = 2

group = smsc
smsc = fake
smsc-id = FAKE
port = ${platform}
connect-allow-ip = 127.0.0.1

group = smsbox
bearerbox-host = 127.0.0.1
sendsms-port = ${http}
global-sender = 13013
log-file = ${folder}/smsbox.log
log-level = 2

group = sendsms-user
username = bench
password = bench

group = sms-service
keyword = default
text = "none"
`;
}
