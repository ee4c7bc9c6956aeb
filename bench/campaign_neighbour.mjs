// One-time codes of one account beside a large campaign of another: how long a code takes until it
// is accepted, and from then until its callback arrives. Undisturbed, beside the campaign, and
// after a kill and a restart beside it.
import { CampaignClient, writeList } from "./campaign_client.mjs";
import { Gateway } from "./fairness_gateway.mjs";
import { PROBES, probe, startReceiver } from "./probes.mjs";
import { stop } from "./processes.mjs";
import { startSink } from "./sink.mjs";
import { grouped, table } from "./statistics.mjs";

const FACTOR_MAX = 2;
const UNDISTURBED_MIN_MS = 10; // A lower undisturbed time counts as this.
const DEVICES = 16;

/** As the other rows of `fairness`, with the times of acceptances. */
export async function measureBesideCampaign(scratch, recipients) {
  const folder = scratch("neighbour");
  const ends = [];
  try {
    const receiver = await startReceiver();
    ends.push(() => receiver.close());
    // The campaign's callbacks go to nginx, because the receiver must have time for the codes.
    const sink = await startSink(scratch("sink"));
    ends.push(() => stop(sink.process));
    const gateway = await Gateway.start(folder, { badDevices: DEVICES });
    ends.push(() => gateway.kill());
    const url = `http://127.0.0.1:${receiver.port}/alive`;
    const undisturbed = await probe(gateway, receiver, url);
    const { key, devices } = gateway.accounts.bad;
    const { origin } = new URL(gateway.url);
    const campaigns = new CampaignClient({ origin, key, devices, callback: sink.url });
    const id = await campaigns.create();
    await campaigns.upload(id, await writeList(folder, recipients));
    await campaigns.act(id, "start");
    const beside = await probe(gateway, receiver, url);
    await gateway.kill();
    await gateway.run();
    const restarted = await probe(gateway, receiver, url);
    const { counts } = await campaigns.show(id);
    if (counts.pending === 0) throw new Error("the campaign ended early: give it more recipients");
    return { recipients, undisturbed, beside, restarted };
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

export function describeNeighbour({ recipients, undisturbed, beside, restarted }) {
  const most = (times) => FACTOR_MAX * Math.max(times.p99, UNDISTURBED_MIN_MS);
  const [accept, callback] = [most(undisturbed.accept), most(undisturbed)];
  const met = [beside, restarted].every(
    (phase) => phase.accept.p99 <= accept && phase.p99 <= callback && phase.lost === 0,
  );
  const row = (name, phase) => [
    name,
    ...[phase.accept.p50, phase.accept.p99, phase.p50, phase.p99].map((ms) => ms.toFixed(1)),
    `${phase.lost}`,
  ];
  return [
    `${PROBES} codes beside another account's campaign of ${grouped(recipients)} recipients`,
    table([
      ["", "accepted p50 ms", "p99", "called back p50 ms", "p99", "lost"],
      row("alone", undisturbed),
      row("beside it", beside),
      row("after a restart", restarted),
    ]),
    `  p99 at most ${FACTOR_MAX} times the one alone, at least ${UNDISTURBED_MIN_MS} ms: ` +
      (met ? "met" : "MISSED"),
  ].join("\n");
}
