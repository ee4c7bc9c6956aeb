// Limits requests in flight, for each device and in total.

interface Waiting {
  start: () => void;
}

/// Requests beyond the limits wait in one queue for each device. Free slots go to the devices
/// round-robin, so that a device with many requests does not delay the others.
export class RequestLimit {
  private readonly underWay = new Map<string, number>();
  private readonly waiting = new Map<string, Waiting[]>();
  private total = 0;

  constructor(
    public perDevice: number,
    public inAll: number,
  ) {}

  /// Resolves when a request of this device may be sent. Call `leave` after the request.
  enter(device: string): Promise<void> {
    if (this.mayStart(device) && !this.waiting.has(device)) {
      this.begin(device);
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      const queue = this.waiting.get(device) ?? [];
      queue.push({ start: resolve });
      this.waiting.set(device, queue);
    });
  }

  leave(device: string): void {
    this.total--;
    const left = (this.underWay.get(device) ?? 1) - 1;
    if (left > 0) {
      this.underWay.set(device, left);
    } else {
      this.underWay.delete(device);
    }
    this.startNext();
  }

  private startNext(): void {
    for (const [device, queue] of this.waiting) {
      if (this.total >= this.inAll) {
        return;
      }
      if (!this.mayStart(device)) {
        continue;
      }
      this.waiting.delete(device);
      const next = queue.shift();
      if (queue.length > 0) {
        this.waiting.set(device, queue);
      }
      if (next) {
        this.begin(device);
        next.start();
        return;
      }
    }
  }

  private mayStart(device: string): boolean {
    return this.total < this.inAll && (this.underWay.get(device) ?? 0) < this.perDevice;
  }

  private begin(device: string): void {
    this.total++;
    this.underWay.set(device, (this.underWay.get(device) ?? 0) + 1);
  }
}
