/** Reason of a `BusError` that takes about a second: a retry would take as long. */
export const busHangs = 'the bus hangs (a chip holds its clock)';

/** An operation on a chip or a pin failed. Names device and operation, so that a log line needs no other context. */
export class BusError extends Error {
  /** For instance `i2c 0x48`, `pwm 5`, `gpio 21`, or a chip's name. */
  readonly device: string;
  readonly operation: string;
  readonly reason: string;

  constructor(device: string, operation: string, reason: string, options?: ErrorOptions) {
    super(`${device}: ${operation} failed: ${reason}.`, options);
    this.name = 'BusError';
    this.device = device;
    this.operation = operation;
    this.reason = reason;
  }
}
