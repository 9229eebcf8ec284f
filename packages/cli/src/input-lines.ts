/** Lines of an input, one by one, with `peek`. */
export class InputLines {
  readonly #source: AsyncIterator<string>;
  #next: Promise<string | undefined> | undefined;

  constructor(source: AsyncIterable<string>) {
    this.#source = source[Symbol.asyncIterator]();
  }

  /** The next line without consuming it; undefined: end of the input. */
  peek(): Promise<string | undefined> {
    this.#next ??= this.#source.next().then(({ done, value }) => (done ? undefined : value));
    return this.#next;
  }

  /** The next line; undefined: end of the input. */
  async take(): Promise<string | undefined> {
    const line = await this.peek();
    if (line !== undefined) this.#next = undefined;
    return line;
  }

  /** Lets the program end. */
  async close(): Promise<void> {
    // A pending read would keep some sources open.
    void this.#next?.catch(() => {});
    await this.#source.return?.();
  }
}
