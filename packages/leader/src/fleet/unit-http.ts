import { Agent, type IncomingMessage } from 'node:http';
import { pipeline, Transform } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { NodeAgent, NodeHeaders } from '../core/leader-context.ts';
import { requestFor } from './node-connections.ts';

/** A unit's response, as text. */
export interface UnitAnswer {
  readonly status: number;
  readonly text: string;
  readonly contentType?: string;
  /** Seconds of its header `Retry-After`. */
  readonly retryAfterS?: number;
}

export interface UnitCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: URL;
  readonly headers?: Readonly<Record<string, string>>;
  /** The key of a machine that is about to enrol. */
  readonly peerKey?: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Aborting it ends the call. */
  readonly signal: AbortSignal;
}

/** A unit's response is passed on as a whole, up to this size. */
const maxAnswerBytes = 16 * 1024 * 1024;

/** A kept-alive connection turned out to be closed. */
class StaleConnection extends Error {}

const isReset = (error: Error): boolean => 'code' in error && error.code === 'ECONNRESET';

function limited(response: IncomingMessage): Transform {
  let bytes = 0;
  const limit = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      if (bytes > maxAnswerBytes) done(new Error(`The answer is larger than ${maxAnswerBytes} bytes.`));
      else done(null, chunk);
    },
  });
  // Errors reach the reader through `limit`.
  return pipeline(response, limit, () => {});
}

/** Connections to units, kept open between calls. */
export class UnitHttp {
  readonly #nodeHeaders: NodeHeaders;
  readonly #nodeAgent: NodeAgent;
  readonly #agent = new Agent({ keepAlive: true, keepAliveMsecs: 5000, maxFreeSockets: 256 });

  constructor(nodeHeaders: NodeHeaders, nodeAgent: NodeAgent) {
    this.#nodeHeaders = nodeHeaders;
    this.#nodeAgent = nodeAgent;
  }

  /** Sends one call. Rejects when no complete response arrived: no connection, connection lost, aborted, response too large. */
  async call(call: UnitCall): Promise<UnitAnswer> {
    const secure = await this.#nodeAgent(call.url, call.peerKey);
    try {
      return await this.#once(call, secure ?? this.#agent);
    } catch (error) {
      // A unit may close an idle connection just as it is used. Then it has read nothing; and if it has, it recognises the command by its
      // Idempotency-Key, so that sending it again on a new connection repeats nothing.
      if (!(error instanceof StaleConnection) || call.signal.aborted) throw error;
      return await this.#once(call, secure ?? false);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #once({ method, url, headers, body, signal }: UnitCall, agent: Agent | false): Promise<UnitAnswer> {
    const content = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    return new Promise((resolve, reject) => {
      const outgoing = requestFor(url)(url, {
        method,
        agent,
        signal,
        headers: {
          accept: 'application/json',
          ...this.#nodeHeaders(url),
          ...headers,
          ...(content ? { 'content-type': 'application/json', 'content-length': content.length } : {}),
        },
      });
      outgoing.on('error', (error) => {
        reject(outgoing.reusedSocket && isReset(error) ? new StaleConnection(error.message, { cause: error }) : error);
      });
      outgoing.on('response', (response) => {
        text(limited(response)).then((read) => {
          const contentType = response.headers['content-type'] ?? '';
          const seconds = Number(response.headers['retry-after'] ?? Number.NaN);
          const retry = Number.isFinite(seconds) ? { retryAfterS: seconds } : {};
          resolve({ status: response.statusCode ?? 0, text: read, contentType, ...retry });
        }, reject);
      });
      outgoing.end(content);
    });
  }
}
