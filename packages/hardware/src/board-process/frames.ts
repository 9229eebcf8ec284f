/**
 * Frames on the board's socket: length of the rest as four bytes (big-endian), then JSON. A frame is a request
 * `{id, op, args}` or its answer `{id, result}` or `{id, error}`; arguments and results are lists of numbers.
 */
export interface BoardRequest {
  readonly id: number;
  readonly op: string;
  readonly args: readonly number[];
}

export interface BoardFault {
  readonly device: string;
  readonly operation: string;
  readonly reason: string;
}

export type BoardResponse =
  | { readonly id: number; readonly result: readonly number[] }
  | { readonly id: number; readonly error: BoardFault };

const headerBytes = 4;
const longestFrameBytes = 1 << 20;

/** The received bytes are not of this protocol. */
export class FrameError extends Error {
  constructor(reason: string) {
    super(`The board's socket received data that is not a frame: ${reason}.`);
    this.name = 'FrameError';
  }
}

export function encodeFrame(message: BoardRequest | BoardResponse): Buffer {
  const body = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(headerBytes);
  header.writeUInt32BE(body.length);
  return Buffer.concat([header, body]);
}

/** Cuts a stream of bytes into frames, however the bytes were bundled on their way. */
export class FrameReader {
  #rest: Buffer = Buffer.alloc(0);

  /** The frames that `chunk` completes. @throws FrameError */
  push(chunk: Uint8Array): unknown[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const frames: unknown[] = [];
    while (this.#rest.length >= headerBytes) {
      const length = this.#rest.readUInt32BE();
      if (length > longestFrameBytes) throw new FrameError(`a frame of ${length} bytes`);
      if (this.#rest.length < headerBytes + length) break;
      frames.push(parse(this.#rest.subarray(headerBytes, headerBytes + length)));
      this.#rest = this.#rest.subarray(headerBytes + length);
    }
    return frames;
  }
}

function parse(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString());
  } catch (cause) {
    throw new FrameError(String(cause));
  }
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const isNumbers = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'number');

export const isBoardRequest = (frame: unknown): frame is BoardRequest =>
  isObject(frame) &&
  'id' in frame &&
  typeof frame.id === 'number' &&
  'op' in frame &&
  typeof frame.op === 'string' &&
  'args' in frame &&
  isNumbers(frame.args);

const isFault = (value: unknown): value is BoardFault =>
  isObject(value) &&
  'device' in value &&
  typeof value.device === 'string' &&
  'operation' in value &&
  typeof value.operation === 'string' &&
  'reason' in value &&
  typeof value.reason === 'string';

export const isBoardResponse = (frame: unknown): frame is BoardResponse =>
  isObject(frame) &&
  'id' in frame &&
  typeof frame.id === 'number' &&
  (('result' in frame && isNumbers(frame.result)) || ('error' in frame && isFault(frame.error)));
