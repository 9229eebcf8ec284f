import type { Clock } from '../clock/clock.ts';
import type { Log } from '../log/log.ts';

export interface LifecycleOptions {
  readonly log: Log;
  /** Measures the duration of a stop; real time, so that a hanging stop does not hang a test. */
  readonly wire: Clock;
  /** How long a service without a limit of its own may take to stop, in milliseconds. Default 3,000. */
  readonly stopLimitMs?: number;
  /** The owner of the services, for the log. */
  readonly of?: string;
}

/** A service among others. */
export interface ServiceNode extends Service {
  /** How long this service may take to stop, in milliseconds. Default: the limit of its tree. */
  readonly stopLimitMs?: number;
}

const defaultStopLimitMs = 3000;

/** Some services did not stop cleanly. Each of them has been logged. */
export class UncleanStop extends AggregateError {
  constructor(errors: readonly unknown[], message: string) {
    super(errors, message);
    this.name = 'UncleanStop';
  }
}

/** How long `part` may take to stop, in milliseconds. */
export function stopLimitOf(part: ServiceNode, options: LifecycleOptions): number {
  return part.stopLimitMs ?? options.stopLimitMs ?? defaultStopLimitMs;
}

/** A service did not stop within its limit. It may still be running. */
export class StopTimedOut extends Error {
  readonly part: string;

  constructor(part: string, limitMs: number) {
    super(`${part} did not stop within ${limitMs} ms.`);
    this.name = 'StopTimedOut';
    this.part = part;
  }
}

/**
 * Starts `parts` one after the other. When one fails (or `signal` is aborted), the started ones are stopped in reverse order and the error
 * is thrown; errors of these stops are logged and added to its `cause`. A service whose start throws has undone its own work. `onFailure`
 * is called before the stops.
 */
export async function startInOrder(
  parts: readonly ServiceNode[],
  signal: AbortSignal,
  options: LifecycleOptions,
  onFailure: (error: unknown) => void = () => {},
): Promise<void> {
  const started: ServiceNode[] = [];
  try {
    for (const part of parts) {
      signal.throwIfAborted();
      await part.start(signal);
      started.push(part);
    }
    signal.throwIfAborted();
  } catch (error) {
    onFailure(error);
    const stopErrors = await stopAll(started, options);
    addCause(error, stopErrors);
    throw error;
  }
}

/**
 * Stops all `parts` in reverse order, even if one fails. A service that takes longer than its limit is logged and left running. Throws
 * UncleanStop with all errors after the last stop.
 */
export async function stopInReverse(parts: readonly ServiceNode[], options: LifecycleOptions): Promise<void> {
  const errors = await stopAll(parts, options);
  if (errors.length > 0)
    throw new UncleanStop(errors, `${errors.length} of ${parts.length} services did not stop cleanly.`);
}

async function stopAll(parts: readonly ServiceNode[], options: LifecycleOptions): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const part of parts.toReversed()) {
    try {
      await stopInTime(part, options);
    } catch (error) {
      logFailure(part, error, options);
      errors.push(error);
    }
  }
  return errors;
}

/** Logs each service that failed to stop. Failures that a tree below has logged are not logged again. */
function logFailure(part: ServiceNode, error: unknown, { log, of }: LifecycleOptions): void {
  if (error instanceof UncleanStop) return;
  const which = { part: part.name, ...(of === undefined ? {} : { of }) };
  if (error instanceof StopTimedOut) log.error(error.message, which);
  else log.error(`${part.name} did not stop cleanly.`, { ...which, error });
}

async function stopInTime(part: ServiceNode, options: LifecycleOptions): Promise<void> {
  const { log, wire } = options;
  const stopLimitMs = stopLimitOf(part, options);
  const limit = Promise.withResolvers<void>();
  let late = false;
  const cancel = wire.after(stopLimitMs, () => {
    late = true;
    limit.reject(new StopTimedOut(part.name, stopLimitMs));
  });
  const stopping = stopOf(part).then(
    () => {
      if (late) log.warn(`${part.name} stopped after its time limit.`, { part: part.name });
    },
    (error: unknown) => {
      if (!late) throw error;
      if (error instanceof UncleanStop) return;
      log.error(`${part.name} failed to stop, after its time limit.`, { part: part.name, error });
    },
  );
  try {
    await Promise.race([stopping, limit.promise]);
  } finally {
    cancel();
  }
}

/** Turns a throw before the first await into a rejection. */
async function stopOf(part: Service): Promise<void> {
  await part.stop();
}

/** Keeps the original error and adds the errors of the clean-up as its cause. */
function addCause(error: unknown, stopErrors: readonly unknown[]): void {
  if (stopErrors.length === 0 || !(error instanceof Error) || !Object.isExtensible(error)) return;
  const options = error.cause === undefined ? {} : { cause: error.cause };
  error.cause = new AggregateError(stopErrors, 'Services that had started did not stop cleanly.', options);
}

/**
 * A part of a node with a lifecycle. Constructors do nothing; `start` resolves when the service is ready; `stop` undoes everything that
 * `start` did and waits for it. `signal` aborts a running start.
 */
export interface Service {
  readonly name: string;
  start(signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}
