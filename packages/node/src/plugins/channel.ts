/** The calls that one end of a channel serves: by name, the argument and the answer. */
export type Calls = Readonly<Record<string, { readonly given: unknown; readonly answer: unknown }>>;

type Handlers<Own extends Calls> = {
  readonly [Name in keyof Own]: (given: Own[Name]['given']) => Own[Name]['answer'] | Promise<Own[Name]['answer']>;
};

/** An error as a message between processes. */
interface SentError {
  readonly name: string;
  readonly message: string;
  /** Of SettingRefused. */
  readonly setting?: string;
}

type Message<Own extends Calls> =
  | { readonly call: keyof Own & string; readonly id: number; readonly given: Own[string]['given'] }
  | { readonly answer: number; readonly value: unknown }
  | { readonly failure: number; readonly error: SentError };

/** The error that the other process threw. */
export class RemoteError extends Error {
  readonly setting: string | undefined;
  constructor({ name, message, setting }: SentError) {
    super(message);
    this.name = name;
    this.setting = setting;
  }
}

const isObject = (message: unknown): message is object => typeof message === 'object' && message !== null;

/** Both ends belong to the same program: this discriminates the kinds of message but does not check their content. */
const isMessage = <Own extends Calls>(message: unknown): message is Message<Own> =>
  isObject(message) && ('call' in message || 'answer' in message || 'failure' in message);

export const sentError = (error: unknown): SentError => {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error) };
  const { name, message } = error;
  return 'setting' in error && typeof error.setting === 'string'
    ? { name, message, setting: error.setting }
    : { name, message };
};

interface ChannelOptions<Own extends Calls> {
  readonly send: (message: object) => void;
  readonly handlers: Handlers<Own>;
}

/** One end of a channel between a node and a process of a plugin, with calls by name in both directions. */
export class Channel<Own extends Calls, Other extends Calls> {
  readonly #options: ChannelOptions<Own>;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #closed: Error | undefined;

  constructor(options: ChannelOptions<Own>) {
    this.#options = options;
  }

  /** Rejects with RemoteError when the other end throws, with the reason of `close` when it has closed. */
  async call<Name extends keyof Other & string>(
    name: Name,
    given: Other[Name]['given'],
  ): Promise<Awaited<Other[Name]['answer']>> {
    if (this.#closed !== undefined) throw this.#closed;
    this.#lastId += 1;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(this.#lastId, waiting);
    this.#options.send({ call: name, id: this.#lastId, given });
    const answer: Other[Name]['answer'] = await waiting.promise;
    return await answer;
  }

  /** Call this with every message; returns the promise of its handling. Never rejects. */
  async take(message: unknown): Promise<void> {
    if (!isMessage<Own>(message)) return;
    if ('call' in message) return this.#serve(message.call, message.id, message.given);
    const id = 'answer' in message ? message.answer : message.failure;
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if ('answer' in message) waiting?.resolve(message.value);
    else waiting?.reject(new RemoteError(message.error));
  }

  /** Closes the channel: pending calls reject with the reason. */
  close(reason: Error): void {
    this.#closed ??= reason;
    for (const { reject } of this.#waiting.values()) reject(reason);
    this.#waiting.clear();
  }

  async #serve(name: keyof Own & string, id: number, given: Own[string]['given']): Promise<void> {
    const { send, handlers } = this.#options;
    try {
      const handle = Object.hasOwn(handlers, name) ? handlers[name] : undefined;
      if (handle === undefined) throw new Error(`There is no call ${name}.`);
      send({ answer: id, value: (await handle(given)) ?? null });
    } catch (error) {
      send({ failure: id, error: sentError(error) });
    }
  }
}
