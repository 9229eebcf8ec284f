import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

/** What a chip, or the kernel, says to a line of `i2c-shim.c`: `ok`, `ok 1900` or `errno 121`. */
export type Answer = string | Promise<string>;

/** Kernels have other numbers on other architectures, but not for these (include/uapi/asm-generic). */
export const noAcknowledgement = 'errno 121';

/** The other end of `i2c-shim.c`: what all programs do with their I2C buses, in order, and what they are answered. */
export class I2cWire {
  /** Lines that arrived. */
  readonly lines: string[] = [];
  answer: (line: string) => Answer;
  readonly socketPath: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(socketPath: string, answer: (line: string) => Answer) {
    this.socketPath = socketPath;
    this.answer = answer;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async listen(socketPath: string, answer: (line: string) => Answer): Promise<I2cWire> {
    const wire = new I2cWire(socketPath, answer);
    wire.#server.listen(socketPath);
    await once(wire.#server, 'listening');
    return wire;
  }

  /** Transfers only, without what opens files. */
  get transfers(): readonly string[] {
    return this.lines.filter((line) => /^[0-9a-f]{2} /.test(line));
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    // A program that was killed.
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    createInterface({ input: socket }).on('line', (line) => {
      this.lines.push(line);
      void Promise.resolve(this.answer(line)).then((answer) => socket.writable && socket.write(`${answer}\n`));
    });
  }
}

/**
 * Chips that answer reads by a script: `{ '48 w00 r2': ['1900'] }` gives each content once, the last one for ever. Writes to their
 * addresses are acknowledged, other addresses are not.
 */
export function scriptedChips(script: Readonly<Record<string, readonly string[]>>, others: readonly number[] = []) {
  const used = new Map<string, number>();
  const addresses = new Set([...Object.keys(script), ...others.map(hex)].map((line) => line.slice(0, 2)));
  return (line: string): string => {
    if (/^(open|slave) /.test(line)) return 'ok';
    const contents = script[line];
    if (contents === undefined)
      return addresses.has(line.slice(0, 2)) && !line.includes(' r') ? 'ok' : noAcknowledgement;
    const at = used.get(line) ?? 0;
    used.set(line, at + 1);
    return `ok ${contents[Math.min(at, contents.length - 1)]}`;
  };
}

const hex = (number: number): string => number.toString(16).padStart(2, '0');
