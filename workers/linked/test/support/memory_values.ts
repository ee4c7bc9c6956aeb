import { ProtocolError } from "../../src/protocol/errors.js";
import type { StoredValues, ValueStore } from "../../src/protocol/gateway.js";

/// The gateway's store in memory. Puts are recorded, and can be delayed or refused.
export class MemoryValues implements ValueStore {
  readonly values = new Map<string, string>();
  readonly puts: StoredValues[] = [];
  gets: string[][] = [];
  namesMax = Infinity;
  refuse: ProtocolError | undefined;
  /// Puts with one of these names are refused for good.
  refuseNames: string[] = [];
  private gate: Promise<void> | undefined;
  private open: () => void = () => {};

  holdUp(): void {
    this.gate = new Promise((resolve) => {
      this.open = resolve;
    });
  }

  goOn(): void {
    this.gate = undefined;
    this.open();
  }

  async get(_device: string, names: string[]): Promise<StoredValues> {
    this.gets.push(names);
    if (names.length > this.namesMax) {
      throw new ProtocolError("too_large");
    }
    return Object.fromEntries(names.map((name) => [name, this.values.get(name) ?? null]));
  }

  async put(_device: string, values: StoredValues, clear = false): Promise<void> {
    this.puts.push(values);
    await this.gate;
    if (this.refuse) {
      throw this.refuse;
    }
    if (Object.keys(values).some((name) => this.refuseNames.includes(name))) {
      throw new ProtocolError("refused", "a value is too long");
    }
    if (clear) {
      this.values.clear();
    }
    for (const [name, value] of Object.entries(values)) {
      if (value === null) {
        this.values.delete(name);
      } else {
        this.values.set(name, value);
      }
    }
  }
}
