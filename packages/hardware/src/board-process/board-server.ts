import { rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Service } from '@lcs/platform';
import { BusError } from '../buses/bus-error.ts';
import type { SimulatedBoard } from '../simulated/simulated-board.ts';
import { stillOf } from '../simulated-camera/still.ts';
import {
  type BoardRequest,
  type BoardResponse,
  encodeFrame,
  FrameError,
  FrameReader,
  isBoardRequest,
} from './frames.ts';

export interface BoardServerOptions {
  readonly board: SimulatedBoard;
  /** Path of the Unix socket. The socket of a killed board is replaced. */
  readonly socketPath: string;
  /** A fault of the simulator itself; the client gets it as the board's. */
  readonly onFailure: (op: string, error: unknown) => void;
}

type Operation = (board: SimulatedBoard, args: readonly number[]) => Promise<Iterable<number>>;

const withoutResult = (work: Promise<void>): Promise<Iterable<number>> => work.then(() => []);

const operations: Readonly<Record<string, Operation>> = {
  'i2c.read': (board, [address = -1, register = 0, length = 0]) => board.i2c.readRegister(address, register, length),
  'i2c.write': (board, [address = -1, register = 0, ...bytes]) =>
    withoutResult(board.i2c.writeRegister(address, register, Uint8Array.from(bytes))),
  'pwm.export': (board, [channel = -1]) => withoutResult(board.pwm.exportChannel(channel)),
  'pwm.period': (board, [channel = -1, periodNs = 0]) => withoutResult(board.pwm.setPeriod(channel, periodNs)),
  'pwm.duty': (board, [channel = -1, dutyNs = 0]) => withoutResult(board.pwm.setDuty(channel, dutyNs)),
  'pwm.enable': (board, [channel = -1, enabled = 0]) => withoutResult(board.pwm.setEnabled(channel, enabled !== 0)),
  'gpio.watch': (board, [line = -1, rising = 0]) =>
    withoutResult(board.gpio.watch(line, rising === 0 ? 'falling' : 'rising')),
  'gpio.take': (board, [line = -1]) => board.gpio.takeEdges(line),
  'gpio.unwatch': (board, [line = -1]) => withoutResult(board.gpio.unwatch(line)),
  'gpio.set': (board, [line = -1, high = 0]) => withoutResult(board.gpio.setOutput(line, high === 1)),
  'board.pid': async () => [process.pid],
  'vial.still': async (board, [atMs = 0]) => {
    const view = board.view();
    return view === undefined ? [] : stillOf(view, atMs);
  },
  'fault.silence': async (board, [address = -1]) => {
    board.i2c.silence(address);
    return [];
  },
  'fault.restore': async (board, [address = -1]) => {
    board.i2c.restore(address);
    return [];
  },
};

/** Serves a simulated board to other processes over a Unix socket. */
export class BoardServer implements Service {
  readonly name = 'simulated board';
  readonly #options: BoardServerOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  constructor(options: BoardServerOptions) {
    this.#options = options;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  async start(): Promise<void> {
    await rm(this.#options.socketPath, { force: true });
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject);
      this.#server.listen(this.#options.socketPath, resolve);
    });
  }

  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    for (const socket of this.#sockets) socket.destroy();
    await closed;
  }

  #serve(socket: Socket): void {
    const reader = new FrameReader();
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    // A killed client resets its connection.
    socket.on('error', () => socket.destroy());
    socket.on('data', (chunk) => {
      try {
        for (const frame of reader.push(chunk)) this.#take(socket, frame);
      } catch (error) {
        if (!(error instanceof FrameError)) throw error;
        socket.destroy(error);
      }
    });
  }

  #take(socket: Socket, frame: unknown): void {
    if (!isBoardRequest(frame)) throw new FrameError('no request');
    void this.#respond(frame).then((response) => {
      if (socket.writable) socket.write(encodeFrame(response));
    });
  }

  async #respond({ id, op, args }: BoardRequest): Promise<BoardResponse> {
    const operation = operations[op];
    if (operation === undefined) return { id, error: { device: 'board', operation: op, reason: 'unknown operation' } };
    try {
      return { id, result: [...(await operation(this.#options.board, args))] };
    } catch (error) {
      if (error instanceof BusError) {
        return { id, error: { device: error.device, operation: error.operation, reason: error.reason } };
      }
      this.#options.onFailure(op, error);
      return { id, error: { device: 'board', operation: op, reason: String(error) } };
    }
  }
}
