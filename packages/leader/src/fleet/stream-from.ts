import type { IncomingMessage } from 'node:http';
import { ApiError } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { requestFor } from './node-connections.ts';
import { passedOn } from './pass-on.ts';
import { unitUrl } from './unit-url.ts';

export interface StreamRequest {
  /** The caller's headers; only conditions are passed on. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Time limit until the unit begins to answer. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** A unit's response as it arrives; without chunks when the caller has the file already. */
export interface StreamedAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly chunks: AsyncIterable<Uint8Array>;
}

const conditions = ['if-none-match'] as const;
const passedOnHeaders = ['content-length', 'content-disposition', 'etag', 'last-modified'] as const;
const largestRefusal = 64 * 1024;

type Needs = Pick<LeaderContext, 'units' | 'wire' | 'nodeHeaders' | 'nodeAgent'>;

const noAnswer = (unit: string, cause: string) => new ApiError('unit_gave_no_answer', { unit, cause });

function picked(headers: StreamRequest['headers'], names: readonly string[]): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = headers[name];
    if (typeof value === 'string') found[name] = value;
  }
  return found;
}

async function begin(
  { units, wire, nodeHeaders, nodeAgent }: Needs,
  unit: string,
  path: string,
  options: StreamRequest,
): Promise<IncomingMessage> {
  const base = units.addressOf(unit);
  if (base === undefined || !URL.canParse(path, base)) throw noAnswer(unit, 'The leader does not know its address.');
  const { headers, limitMs, signal } = options;
  const url = unitUrl(path, base);
  const agent = await agentOf(nodeAgent, unit, url);
  return new Promise((resolve, reject) => {
    const sent = { ...nodeHeaders(url), ...picked(headers, conditions) };
    const outgoing = requestFor(url)(url, { headers: sent, signal, agent: agent ?? false });
    const cancel = wire.after(limitMs, () => outgoing.destroy(new Error(`Nothing came within ${limitMs / 1000} s.`)));
    outgoing.on('error', (error) => {
      cancel();
      reject(signal.aborted ? signal.reason : noAnswer(unit, error.message));
    });
    outgoing.on('response', (response) => {
      cancel();
      resolve(response);
    });
    outgoing.end();
  });
}

/** @throws ApiError unit_gave_no_answer */
async function agentOf(nodeAgent: Needs['nodeAgent'], unit: string, url: URL) {
  try {
    return await nodeAgent(url);
  } catch (error) {
    throw noAnswer(unit, error instanceof Error ? error.message : String(error));
  }
}

/** However it ends, also before the first chunk was requested, the connection is closed. */
const chunksOf = (response: IncomingMessage): AsyncIterable<Uint8Array> => ({
  [Symbol.asyncIterator]: () => {
    const chunks: AsyncIterator<Uint8Array> = response[Symbol.asyncIterator]();
    return {
      next: () => chunks.next(),
      return: async () => {
        response.destroy();
        return { done: true, value: undefined };
      },
    };
  },
});

async function refusal(unit: string, response: IncomingMessage): Promise<never> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of chunksOf(response)) {
    bytes += piece.byteLength;
    if (bytes > largestRefusal) throw noAnswer(unit, 'Its answer is too large.');
    pieces.push(piece);
  }
  const status = response.statusCode ?? 0;
  const text = Buffer.concat(pieces).toString();
  const seconds = Number(response.headers['retry-after'] ?? Number.NaN);
  const retry = Number.isFinite(seconds) ? { retryAfterS: seconds } : {};
  await passedOn(unit, { status, text, contentType: response.headers['content-type'] ?? '', ...retry });
  throw noAnswer(unit, `It answered with HTTP ${status}.`);
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

/**
 * A file of a unit, passed on piece by piece with its headers.
 * @throws PassedOnError with the unit's own error body
 * @throws ApiError unit_gave_no_answer
 */
export async function streamFrom(
  context: Needs,
  unit: string,
  path: string,
  options: StreamRequest,
): Promise<StreamedAnswer> {
  const response = await begin(context, unit, path, options);
  const headers = picked(response.headers, passedOnHeaders);
  if (response.statusCode === 200) return { headers, chunks: chunksOf(response) };
  if (response.statusCode !== 304) return refusal(unit, response);
  response.resume();
  // This node's server compares the tag of the request itself, with the same result.
  return { headers: picked(response.headers, ['etag']), chunks: nothing() };
}
