// A connection to PostgreSQL that a test keeps open, or uses without blocking its process.
import { connect, type Socket } from "node:net";
import { within } from "./wait.ts";

const PROTOCOL = 196_608; // Version 3.0.
const HEADER = 5; // The type of a message, and its length without the type.

export class DatabaseSession {
  private readonly socket: Socket;
  private unread = Buffer.alloc(0);
  private rows: string[] = [];
  private refusal = "";
  private settle: ((error?: Error) => void) | undefined;

  private constructor(address: string | number) {
    this.socket = typeof address === "string" ? connect(address) : connect(address, "127.0.0.1");
    this.socket.on("data", (piece) => this.read(piece));
    this.socket.on("error", (error) => this.end(error));
    this.socket.on("close", () => this.end(new Error(this.refusal || "the connection ended")));
  }

  /**
   * `address`: the path of a socket, or a port of this machine. Rejects with what the server says
   * if it has no connection left.
   */
  static async open(
    address: string | number,
    user: string,
    database: string,
  ): Promise<DatabaseSession> {
    const session = new DatabaseSession(address);
    const names = Buffer.from(`user\0${user}\0database\0${database}\0\0`);
    await session.turn(Buffer.concat([number(names.length + 8), number(PROTOCOL), names]));
    return session;
  }

  /**
   * Runs statements; resolves with the rows, with columns separated by "|". Rejects with what the
   * server says if one fails.
   */
  async run(sql: string): Promise<string[]> {
    const text = Buffer.from(`${sql}\0`);
    await this.turn(Buffer.concat([Buffer.from("Q"), number(text.length + 4), text]));
    return this.rows;
  }

  close(): void {
    this.socket.destroy();
  }

  /** Sends a message; settles when the server is ready for the next one. */
  private turn(message: Buffer): Promise<void> {
    this.refusal = "";
    this.rows = [];
    const answered = new Promise<void>((resolve, reject) => {
      this.settle = (error) => (error ? reject(error) : resolve());
    });
    this.socket.write(message);
    return within("an answer of the database", answered, 60_000);
  }

  private end(error?: Error): void {
    const settle = this.settle;
    this.settle = undefined;
    settle?.(error);
  }

  private read(piece: Buffer): void {
    this.unread = Buffer.concat([this.unread, piece]);
    while (this.unread.length >= HEADER) {
      const length = 1 + this.unread.readInt32BE(1);
      if (this.unread.length < length) return;
      this.take(this.unread.toString("latin1", 0, 1), this.unread.subarray(HEADER, length));
      this.unread = this.unread.subarray(length);
    }
  }

  private take(type: string, body: Buffer): void {
    if (type === "D") this.rows.push(columnsOf(body).join("|"));
    if (type === "E") this.refusal = body.toString("utf8").replaceAll("\0", " ");
    if (type === "Z") this.end(this.refusal ? new Error(this.refusal) : undefined);
  }
}

/** Of a row: their number, then each one's length and text; NULL has a negative length. */
function columnsOf(row: Buffer): string[] {
  const columns: string[] = [];
  for (let place = 2; place < row.length; ) {
    const length = Math.max(row.readInt32BE(place), 0);
    columns.push(row.toString("utf8", place + 4, place + 4 + length));
    place += 4 + length;
  }
  return columns;
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
