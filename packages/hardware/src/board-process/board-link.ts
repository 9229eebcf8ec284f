import { once } from 'node:events';
import { createConnection, type Socket } from 'node:net';
import type { Cancel, Clock, Service } from '@lcs/platform';
import { BusError } from '../buses/bus-error.ts';
import type { Buses } from '../buses/buses.ts';
import type { GpioBank } from '../buses/gpio-bank.ts';
import type { I2cBus } from '../buses/i2c-bus.ts';
import type { PwmBank } from '../buses/pwm-bank.ts';
import { type BoardResponse, encodeFrame, FrameReader, isBoardResponse } from './frames.ts';

export interface BoardLinkOptions {
  readonly socketPath: string;
  readonly wire: Clock;
  /** How long a call may take; default 1,000 ms. */
  readonly responseLimitMs?: number;
}

/** A still is drawn and encoded, on a busy machine in more than a second. */
const stillLimitMs = 10_000;

interface Waiting {
  readonly op: string;
  readonly resolve: (result: readonly number[]) => void;
  readonly reject: (error: BusError) => void;
  readonly cancelLimit: Cancel;
}

/**
 * The buses of a simulated board in its own process. When the process has ended, calls fail with BusError, and each later call
 * tries to connect again.
 */
export class BoardLink implements Service, Buses {
  readonly name = 'link to the simulated board';
  readonly i2c: I2cBus;
  readonly pwm: PwmBank;
  readonly gpio: GpioBank;
  readonly #options: BoardLinkOptions;
  readonly #waiting = new Map<number, Waiting>();
  #socket: Promise<Socket> | undefined;
  #lastId = 0;

  constructor(options: BoardLinkOptions) {
    this.#options = options;
    this.i2c = {
      hasVendorRegisters: true,
      readRegister: async (address, register, length) =>
        Uint8Array.from(await this.#call('i2c.read', [address, register, length])),
      writeRegister: async (address, register, bytes) => {
        await this.#call('i2c.write', [address, register, ...bytes]);
      },
    };
    this.pwm = {
      exportChannel: (channel) => this.#do('pwm.export', channel),
      setPeriod: (channel, periodNs) => this.#do('pwm.period', channel, periodNs),
      setDuty: (channel, dutyNs) => this.#do('pwm.duty', channel, dutyNs),
      setEnabled: (channel, enabled) => this.#do('pwm.enable', channel, enabled ? 1 : 0),
    };
    this.gpio = {
      watch: (line, edge) => this.#do('gpio.watch', line, edge === 'rising' ? 1 : 0),
      takeEdges: (line) => this.#call('gpio.take', [line]),
      unwatch: (line) => this.#do('gpio.unwatch', line),
      setOutput: (line, isHigh) => this.#do('gpio.set', line, isHigh ? 1 : 0),
    };
  }

  /** @throws BusError when no board responds at the socket */
  async start(): Promise<void> {
    await this.#connected('connect');
  }

  /** Whether the board's process exists, answering or not. */
  async isReached(): Promise<boolean> {
    try {
      await this.start();
      return true;
    } catch (error) {
      if (!(error instanceof BusError)) throw error;
      return false;
    }
  }

  async stop(): Promise<void> {
    const socket = await this.#socket?.catch(() => undefined);
    socket?.destroy();
    this.#lost('the link was closed');
  }

  /** The board's process ID. @throws BusError */
  async pid(): Promise<number> {
    const [pid = 0] = await this.#call('board.pid', []);
    return pid;
  }

  /** A JPEG of the simulated camera; undefined when the plant has no picture. `atMs` is written into it. @throws BusError */
  async still(atMs: number): Promise<Uint8Array | undefined> {
    const bytes = await this.#call('vial.still', [atMs], stillLimitMs);
    return bytes.length === 0 ? undefined : Uint8Array.from(bytes);
  }

  /** The chip at `address` no longer responds, until `restore`: a fault for tests. */
  silence(address: number): Promise<void> {
    return this.#do('fault.silence', address);
  }

  restore(address: number): Promise<void> {
    return this.#do('fault.restore', address);
  }

  async #do(op: string, ...args: number[]): Promise<void> {
    await this.#call(op, args);
  }

  async #call(
    op: string,
    args: readonly number[],
    limitMs = this.#options.responseLimitMs ?? 1000,
  ): Promise<readonly number[]> {
    const socket = await this.#connected(op);
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const cancelLimit = this.#options.wire.after(limitMs, () => {
        this.#waiting.delete(id);
        reject(new BusError('board', op, `no response within ${limitMs} ms`));
      });
      this.#waiting.set(id, { op, resolve, reject, cancelLimit });
      socket.write(encodeFrame({ id, op, args }));
    });
  }

  async #connected(op: string): Promise<Socket> {
    this.#socket ??= this.#connect();
    try {
      return await this.#socket;
    } catch (cause) {
      throw new BusError('board', op, 'its socket does not respond', { cause });
    }
  }

  async #connect(): Promise<Socket> {
    const socket = createConnection(this.#options.socketPath);
    const reader = new FrameReader();
    socket.on('data', (chunk) => {
      for (const frame of reader.push(chunk)) {
        if (isBoardResponse(frame)) this.#settle(frame);
      }
    });
    socket.on('close', () => this.#lost('the board process has ended'));
    try {
      await once(socket, 'connect');
    } finally {
      // After the connection is open, an error is followed by 'close', which fails the pending calls.
      socket.on('error', () => socket.destroy());
    }
    return socket;
  }

  #settle(response: BoardResponse): void {
    const waiting = this.#waiting.get(response.id);
    if (waiting === undefined) return;
    this.#waiting.delete(response.id);
    waiting.cancelLimit();
    if ('result' in response) waiting.resolve(response.result);
    else waiting.reject(new BusError(response.error.device, response.error.operation, response.error.reason));
  }

  #lost(reason: string): void {
    this.#socket = undefined;
    for (const [id, { op, reject, cancelLimit }] of this.#waiting) {
      this.#waiting.delete(id);
      cancelLimit();
      reject(new BusError('board', op, reason));
    }
  }
}
