import type { AvailablePlugin } from '@lcs/contract';
import { type Clock, StartupError, withTimeout } from '@lcs/platform';
import { pluginsInAnswer } from './index-answer.ts';

/** The index was not read; the message is for people. */
class IndexFault extends Error {}

export interface PluginIndexOptions {
  /** `off`: no index. @throws StartupError when the setting cannot be read */
  readonly url: () => Promise<string>;
  /** Times for people. */
  readonly clock: Pick<Clock, 'now'>;
  /** Time limits and ages. */
  readonly wire: Clock;
}

/** The list as it was last read. */
export interface IndexReading {
  readonly source: string | null;
  readonly readAtMs: number | null;
  readonly problem: string | null;
  readonly plugins: readonly AvailablePlugin[];
}

const off = 'off';
const answerLimitMs = 5_000;
const largestAnswerBytes = 1024 * 1024;
/** Registries change slowly, and each opened page asks. */
const freshMs = 600_000;
/** A leader without internet does not try at each opened page. */
const retryMs = 30_000;

/** The reason of a failed call: the library has it below its own error. */
const reasonOf = (error: unknown): string => {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return reason instanceof Error ? reason.message : String(reason);
};

/** Reads the index of installable plugins for the web UI, which has no internet. One request at a time; failures keep the previous list. */
export class PluginIndex {
  readonly #options: PluginIndexOptions;
  /** The setting and when it was last tried, in milliseconds of the wire clock. */
  #tried: { readonly url: string; readonly atMs: number } | undefined;
  #reading: IndexReading = { source: null, readAtMs: null, problem: null, plugins: [] };
  #turn: Promise<IndexReading> | undefined;

  constructor(options: PluginIndexOptions) {
    this.#options = options;
  }

  read(): Promise<IndexReading> {
    this.#turn ??= this.#read().finally(() => {
      this.#turn = undefined;
    });
    return this.#turn;
  }

  async #read(): Promise<IndexReading> {
    const { clock, wire } = this.#options;
    let url: string;
    try {
      url = await this.#options.url();
    } catch (error) {
      if (error instanceof StartupError) return { source: null, readAtMs: null, problem: error.message, plugins: [] };
      throw error;
    }
    const nowMs = wire.monotonic();
    const limitMs = this.#reading.problem === null ? freshMs : retryMs;
    if (this.#tried?.url === url && nowMs - this.#tried.atMs < limitMs) return this.#reading;
    const isSame = this.#tried?.url === url;
    const previous = isSame ? this.#reading : { readAtMs: null, plugins: [] };
    this.#tried = { url, atMs: nowMs };
    if (url === off) {
      this.#reading = { source: null, readAtMs: null, problem: null, plugins: [] };
      return this.#reading;
    }
    // A text that is no address may have a password anywhere.
    const source = URL.canParse(url) ? new URL(url).host : null;
    try {
      const plugins = await this.#fetched(url);
      this.#reading = { source, readAtMs: clock.now(), problem: null, plugins };
    } catch (error) {
      const { readAtMs, plugins } = previous;
      this.#reading = { source, readAtMs, plugins, problem: [...(source ? [source] : []), reasonOf(error)].join(': ') };
    }
    return this.#reading;
  }

  async #fetched(url: string): Promise<readonly AvailablePlugin[]> {
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
      throw new IndexFault('[plugins] index_url of leader.ini must be an http or https address, or off.');
    const { username, password } = new URL(url);
    if (username !== '' || password !== '')
      throw new IndexFault('[plugins] index_url of leader.ini must not have a user name or a password.');
    const never = new AbortController().signal;
    const text = await withTimeout(this.#options.wire, answerLimitMs, never, async (signal) => {
      // A redirect could lead to a machine that the setting does not name.
      const answer = await fetch(url, { signal, redirect: 'error', headers: { accept: 'application/json' } });
      if (answer.ok) return boundedText(answer);
      await answer.body?.cancel();
      throw new IndexFault(`The index answered with HTTP ${answer.status}.`);
    });
    const plugins = pluginsInAnswer(jsonOr(text));
    if (plugins === undefined) throw new IndexFault('The answer is not the list of an npm registry.');
    return plugins;
  }
}

const jsonOr = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    // Reported as an answer that is not a list.
    return undefined;
  }
};

/** @throws IndexFault when the answer is too long */
async function boundedText({ body }: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > largestAnswerBytes) throw new IndexFault(`The answer is longer than ${largestAnswerBytes} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
