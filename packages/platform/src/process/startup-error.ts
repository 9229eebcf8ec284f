/**
 * The node cannot start, for a reason that the operator can fix. The message says what happened and what to do; the command line prints it
 * and exits with code 1.
 */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartupError';
  }
}
