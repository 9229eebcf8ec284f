/**
 * The node cannot start, for a reason that whoever started it can mend. The message is one clear sentence for people; the
 * command line prints it and exits with code 1.
 */
export class StartupError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StartupError';
  }
}
