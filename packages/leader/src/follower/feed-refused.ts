/** The unit answered, and not what was asked for. */
export class FeedRefused extends Error {
  /** Of the error table, or `invalid_answer`. */
  readonly code: string;
  readonly diagnostics: readonly unknown[];

  constructor(code: string, message: string, diagnostics: readonly unknown[] = []) {
    super(message);
    this.name = 'FeedRefused';
    this.code = code;
    this.diagnostics = diagnostics;
  }
}
