import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { ApiError, isErrorBody, PassedOnError } from '@lcs/contract';
import type { LeaderContext } from '../core/leader-context.ts';
import { requestFor } from '../fleet/node-connections.ts';
import { unitUrl } from '../fleet/unit-url.ts';

type Needs = Pick<LeaderContext, 'units' | 'newId' | 'nodeHeaders' | 'nodeAgent'>;

/** A file to be sent as a part of a form. */
export interface FileToUnit {
  readonly field: string;
  readonly path: string;
  readonly fileName: string;
}

const largestAnswer = 1024 * 1024;
/** Longest time without any transfer. */
const silenceLimitMs = 60_000;

/** File transfers between the leader and its units, streamed. */
export class UnitFiles {
  readonly #context: Needs;
  readonly #silenceLimitMs: number;

  constructor(context: Needs, limitMs = silenceLimitMs) {
    this.#context = context;
    this.#silenceLimitMs = limitMs;
  }

  /**
   * The answer of a unit as a stream.
   * @throws PassedOnError with the unit's own error body
   * @throws ApiError unit_gave_no_answer
   */
  async download(unit: string, path: string, signal: AbortSignal): Promise<Readable> {
    const response = await this.#exchange(unit, 'GET', path, {}, signal, (outgoing) => outgoing.end());
    if (response.statusCode === 200) return response;
    throw await refusalOf(unit, response);
  }

  /**
   * Sends a file; the unit's answer, parsed.
   * @throws PassedOnError with the unit's own error body
   * @throws ApiError unit_gave_no_answer
   */
  async send(unit: string, path: string, { field, path: file, fileName }: FileToUnit, signal: AbortSignal) {
    const boundary = `reactor-${this.#context.newId()}`;
    const head = Buffer.from(
      `--${boundary}\r\ncontent-disposition: form-data; name="${field}"; filename="${fileName}"\r\n` +
        'content-type: application/octet-stream\r\n\r\n',
    );
    const tail = Buffer.from(`\r\n--${boundary}--\r\n`);
    const { size } = await stat(file);
    const headers = {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': head.length + size + tail.length,
    };
    const response = await this.#exchange(unit, 'POST', path, headers, signal, (outgoing) => {
      outgoing.write(head);
      const content = createReadStream(file)
        .on('error', (error) => outgoing.destroy(error))
        .on('end', () => outgoing.end(tail));
      // A pipe leaves the file open when the other side closes.
      outgoing.once('close', () => content.destroy());
      content.pipe(outgoing, { end: false });
    });
    const status = response.statusCode ?? 0;
    if (status < 200 || status >= 300) throw await refusalOf(unit, response);
    const answer = parsed(await smallText(unit, response));
    if (answer === undefined) throw noAnswer(unit, 'Its response is not JSON.');
    return { status, body: answer };
  }

  async #exchange(
    unit: string,
    method: 'GET' | 'POST',
    path: string,
    headers: Readonly<Record<string, string | number>>,
    signal: AbortSignal,
    write: (outgoing: ClientRequest) => void,
  ): Promise<IncomingMessage> {
    const base = this.#context.units.addressOf(unit);
    if (base === undefined || !URL.canParse(path, base)) throw noAnswer(unit, 'The leader does not know its address.');
    const url = unitUrl(path, base);
    const agent = await this.#context.nodeAgent(url).catch((error: unknown) => {
      throw noAnswer(unit, error instanceof Error ? error.message : String(error));
    });
    return new Promise((resolve, reject) => {
      const sent = { ...this.#context.nodeHeaders(url), ...headers };
      const outgoing = requestFor(url)(url, { method, headers: sent, signal, agent: agent ?? false });
      // A limit of inactivity: a large file may take long while data is transferred.
      outgoing.setTimeout(this.#silenceLimitMs, () =>
        outgoing.destroy(new Error(`No data for ${this.#silenceLimitMs / 1000} s.`)),
      );
      outgoing.on('error', (error) => reject(signal.aborted ? signal.reason : noAnswer(unit, error.message)));
      outgoing.on('response', resolve);
      write(outgoing);
    });
  }
}

const noAnswer = (unit: string, cause: string) => new ApiError('unit_gave_no_answer', { unit, cause });

/** @throws ApiError unit_gave_no_answer */
async function smallText(unit: string, response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response) {
      bytes += chunk.length;
      if (bytes > largestAnswer) break;
      chunks.push(chunk);
    }
  } catch (error) {
    throw noAnswer(unit, error instanceof Error ? error.message : String(error));
  }
  if (bytes > largestAnswer) throw noAnswer(unit, 'Its answer is too large.');
  return Buffer.concat(chunks).toString('utf8');
}

function retryAfterIn({ headers }: IncomingMessage): number | undefined {
  const seconds = Number(headers['retry-after'] ?? Number.NaN);
  return Number.isFinite(seconds) ? seconds : undefined;
}

async function refusalOf(unit: string, response: IncomingMessage): Promise<Error> {
  const status = response.statusCode ?? 0;
  const body = parsed(await smallText(unit, response));
  return isErrorBody(body) && body.status === status
    ? new PassedOnError(body, retryAfterIn(response))
    : noAnswer(unit, `It answered with HTTP ${status}.`);
}

function parsed(content: string): unknown {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}
