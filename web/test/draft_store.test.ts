// A draft that is kept by itself: what is saved, and what happens when others change it too.
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Tagged } from "../src/api/client.ts";
import { Problem } from "../src/api/problem.ts";
import type { Campaign, CampaignChange } from "../src/api/types.ts";
import { DraftStore } from "../src/features/campaigns/draft/draft_store.ts";

type Stored = Tagged<Campaign>;

/** A gateway with one draft. */
class Server {
  version = 1;
  fields: Record<string, unknown> = { name: "Promo", message: "Halo", consent: null, pace: null };
  readonly asked: CampaignChange[] = [];
  refuse: ((change: CampaignChange) => Problem | undefined) | undefined;

  read = async (): Promise<Stored> => this.state();

  change = async (_id: string, change: CampaignChange, tag: string): Promise<Stored> => {
    this.asked.push(change);
    const refusal = this.refuse?.(change);
    if (refusal) throw refusal;
    if (tag !== `${this.version}`) throw new Problem(412, "precondition_failed", "");
    this.write(change);
    return this.state();
  };

  /** As another person does. */
  write(change: object): void {
    this.fields = { ...this.fields, ...change };
    this.version += 1;
  }

  state(): Stored {
    return { id: "cmp_1", ...this.fields, tag: `${this.version}` } as unknown as Stored;
  }
}

let server: Server;
const open = (person = "ani") => new DraftStore(server.state(), person, () => undefined, server);

beforeEach(() => {
  vi.useFakeTimers();
  sessionStorage.clear();
  server = new Server();
});
afterEach(() => vi.useRealTimers());

test("what was typed is saved once, after a pause", async () => {
  const store = open();
  for (const message of ["H", "Ha", "Hai"]) store.change({ message });
  expect(store.now().draft.message).toBe("Hai");
  expect(store.now().saving).toBe("waiting");
  await vi.advanceTimersByTimeAsync(700);
  expect(server.asked).toEqual([{ message: "Hai" }]);
  expect(store.now().saving).toBe("saved");
  expect(sessionStorage.length).toBe(0);
});

test("a reload before the save loses nothing, and another person sees none of it", async () => {
  open().change({ message: "Hai" });
  expect(open("budi").now().draft.message).toBe("Halo");
  open().change({ message: "Hai" });
  const again = open();
  expect(again.now().draft.message).toBe("Hai");
  await vi.advanceTimersByTimeAsync(700);
  expect(server.fields["message"]).toBe("Hai");
});

test("changes of other fields by others are merged", async () => {
  const store = open();
  store.change({ message: "Hai" });
  server.write({ name: "Promo besar" });
  await vi.advanceTimersByTimeAsync(700);
  expect(server.fields).toMatchObject({ message: "Hai", name: "Promo besar" });
  expect(store.now().conflicts).toEqual([]);
  expect(store.now().draft.name).toBe("Promo besar");
});

test("a field that both changed waits for the person, others are saved", async () => {
  const store = open();
  store.change({ message: "Hai", consent: "Formulir" });
  server.write({ message: "Selamat pagi" });
  await vi.advanceTimersByTimeAsync(700);
  expect(store.now().conflicts).toEqual(["message"]);
  expect(store.now().draft.message).toBe("Hai");
  expect(server.fields).toMatchObject({ message: "Selamat pagi", consent: "Formulir" });
  store.keepMine();
  await vi.advanceTimersByTimeAsync(700);
  expect(server.fields["message"]).toBe("Hai");
  expect(store.now().saving).toBe("saved");
});

test("or takes what the other has written", async () => {
  const store = open();
  store.change({ message: "Hai" });
  server.write({ message: "Selamat pagi" });
  await vi.advanceTimersByTimeAsync(700);
  store.takeTheirs();
  expect(store.now().draft.message).toBe("Selamat pagi");
  expect(store.now().saving).toBe("saved");
});

test("a refused field stays as typed, with the reason, and others are saved", async () => {
  server.refuse = ({ name }) =>
    name === ""
      ? new Problem(400, "malformed", "", [{ field: "name", message: "must not be empty" }])
      : undefined;
  const store = open();
  store.change({ name: "", message: "Hai" });
  await vi.advanceTimersByTimeAsync(700);
  expect(server.fields).toMatchObject({ name: "Promo", message: "Hai" });
  expect(store.now().draft.name).toBe("");
  expect(store.now().refused).toEqual({ name: "must not be empty" });
  store.change({ name: "Promo baru" });
  expect(store.now().refused).toEqual({});
  await vi.advanceTimersByTimeAsync(700);
  expect(server.fields["name"]).toBe("Promo baru");
});

test("a refusal that names its field only in words is shown there", async () => {
  server.refuse = ({ schedule_at }) =>
    schedule_at ? new Problem(400, "malformed", "'schedule_at' must be in the future") : undefined;
  const store = open();
  store.change({ schedule_at: "2020-01-01T00:00:00Z", message: "Hai" });
  await vi.advanceTimersByTimeAsync(700);
  expect(Object.keys(store.now().refused)).toEqual(["schedule_at"]);
  expect(server.fields["message"]).toBe("Hai");
});

test("a gateway that does not answer is asked again", async () => {
  server.refuse = () => new Problem(0, "unreachable", "");
  const store = open();
  store.change({ message: "Hai" });
  await vi.advanceTimersByTimeAsync(700);
  expect(store.now().saving).toBe("failed");
  expect(sessionStorage.length).toBe(1);
  server.refuse = undefined;
  await vi.advanceTimersByTimeAsync(5100);
  expect(server.fields["message"]).toBe("Hai");
  expect(store.now().saving).toBe("saved");
});

test("what is typed while a change is saved is saved after it", async () => {
  const store = open();
  store.change({ message: "Hai" });
  const saving = store.flush();
  store.change({ message: "Hai semua" });
  await saving;
  await vi.advanceTimersByTimeAsync(700);
  expect(server.fields["message"]).toBe("Hai semua");
  expect(store.now().saving).toBe("saved");
});

test("a state that was read meanwhile does not undo what is typed", () => {
  const store = open();
  store.change({ message: "Hai" });
  server.write({ name: "Promo besar" });
  store.take(server.state());
  expect(store.now().draft).toMatchObject({ message: "Hai", name: "Promo besar" });
});

test("after the session has ended nothing is saved as whoever signs in next", async () => {
  const store = open();
  const { read } = server;
  const refusal = new Problem(401, "unauthenticated", "");
  server.refuse = () => refusal;
  server.read = () => Promise.reject(refusal);
  store.change({ message: "Hai" });
  await vi.advanceTimersByTimeAsync(700);
  Object.assign(server, { refuse: undefined, read }); // Another person has signed in.
  await vi.advanceTimersByTimeAsync(60_000);
  expect(server.fields["message"]).toBe("Halo");
  expect(store.now().draft.message).toBe("Hai");
  store.take(server.state()); // The first one is back, and opens the draft.
  await vi.advanceTimersByTimeAsync(700);
  expect(server.fields["message"]).toBe("Hai");
  expect(store.now().saving).toBe("saved");
});
