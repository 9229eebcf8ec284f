/** A move of a store that cannot be done, or whose result is not the same. The message is one sentence for the operator. */
export class MoveRefused extends Error {
  readonly remediation: string;

  constructor(message: string, remediation: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MoveRefused';
    this.remediation = remediation;
  }
}
