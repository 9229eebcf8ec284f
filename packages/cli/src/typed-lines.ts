/** Lines that somebody types, one by one; looked at before they are taken. */
export class TypedLines {
  readonly #source: AsyncIterator<string>;
  #next: Promise<string | undefined> | undefined;

  constructor(source: AsyncIterable<string>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next line, which stays the next one; undefined: there is none any more. */
  peek(): Promise<string | undefined> {
    this.#next ??= this.#source.next().then(({ done, value }) => (done ? undefined : value));
    return this.#next;
  }

  /** The next line; undefined: there is none any more. */
  async take(): Promise<string | undefined> {
    const line = await this.peek();
    if (line !== undefined) this.#next = undefined;
    return line;
  }

  /** Lets the program end. */
  async close(): Promise<void> {
    // A line that is still waited for would hold up the end of some sources.
    void this.#next?.catch(() => {});
    await this.#source.return?.();
  }
}
