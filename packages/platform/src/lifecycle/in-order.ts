import type { Clock } from '../clock/clock.ts';
import type { Log } from '../log/log.ts';
import type { Service } from './lifecycle.ts';

export interface LifecycleOptions {
  readonly log: Log;
  /** Measures how long a stop takes; real time, because a stop that hangs must not hang a test either. */
  readonly wire: Clock;
  /** How long a part may take to stop when it does not say so itself, in milliseconds. Default 3,000. */
  readonly stopLimitMs?: number;
  /** Whose parts they are, for the log. */
  readonly of?: string;
}

/** A service among others. */
export interface ServiceNode extends Service {
  /** How long this one may take to stop, in milliseconds; without it the limit of its tree holds. */
  readonly stopLimitMs?: number;
}

const defaultStopLimitMs = 3000;

/** Parts did not stop cleanly. Each of them has been told in the log. */
export class StoppedUncleanly extends AggregateError {
  constructor(errors: readonly unknown[], message: string) {
    super(errors, message);
    this.name = 'StoppedUncleanly';
  }
}

/** How long `part` may take to stop, in milliseconds. */
export function stopLimitOf(part: ServiceNode, options: LifecycleOptions): number {
  return part.stopLimitMs ?? options.stopLimitMs ?? defaultStopLimitMs;
}

/** A part had not stopped when its time was up. It may still be running. */
export class StopTimedOut extends Error {
  readonly part: string;

  constructor(part: string, limitMs: number) {
    super(`${part} did not stop within ${limitMs} ms.`);
    this.name = 'StopTimedOut';
    this.part = part;
  }
}

/**
 * Starts `parts` one after the other. When one fails (or `signal` is aborted), those already up are stopped in reverse order
 * and the error is thrown; errors of these stops are logged and added to its `cause`. A part whose start throws has undone
 * its own work. `onFailure` is told before the stopping begins.
 */
export async function startInOrder(
  parts: readonly ServiceNode[],
  signal: AbortSignal,
  options: LifecycleOptions,
  onFailure: (error: unknown) => void = () => {},
): Promise<void> {
  const up: ServiceNode[] = [];
  try {
    for (const part of parts) {
      signal.throwIfAborted();
      await part.start(signal);
      up.push(part);
    }
    signal.throwIfAborted();
  } catch (error) {
    onFailure(error);
    const stopErrors = await stopAll(up, options);
    addCause(error, stopErrors);
    throw error;
  }
}

/**
 * Stops `parts` in reverse order, each whether or not the one before it succeeded. A part that takes longer than the limit is
 * reported by name and left behind. Throws StoppedUncleanly with all that went wrong, after the last stop.
 */
export async function stopInReverse(parts: readonly ServiceNode[], options: LifecycleOptions): Promise<void> {
  const errors = await stopAll(parts, options);
  if (errors.length > 0)
    throw new StoppedUncleanly(errors, `${errors.length} of ${parts.length} parts did not stop cleanly.`);
}

async function stopAll(parts: readonly ServiceNode[], options: LifecycleOptions): Promise<unknown[]> {
  const errors: unknown[] = [];
  for (const part of parts.toReversed()) {
    try {
      await stopInTime(part, options);
    } catch (error) {
      tell(part, error, options);
      errors.push(error);
    }
  }
  return errors;
}

/** One sentence for each part that is left behind; what a tree inside the tree has told is not told again. */
function tell(part: ServiceNode, error: unknown, { log, of }: LifecycleOptions): void {
  if (error instanceof StoppedUncleanly) return;
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
      if (late) log.warn(`${part.name} has stopped after all.`, { part: part.name });
    },
    (error: unknown) => {
      if (!late) throw error;
      if (error instanceof StoppedUncleanly) return;
      log.error(`${part.name} failed to stop, after its time was up.`, { part: part.name, error });
    },
  );
  try {
    await Promise.race([stopping, limit.promise]);
  } finally {
    cancel();
  }
}

/** Turns a throw before the first await into a rejection like any other. */
async function stopOf(part: Service): Promise<void> {
  await part.stop();
}

/** Keeps the error that people need to see, and hangs the errors of the clean-up below it. */
function addCause(error: unknown, stopErrors: readonly unknown[]): void {
  if (stopErrors.length === 0 || !(error instanceof Error) || !Object.isExtensible(error)) return;
  const options = error.cause === undefined ? {} : { cause: error.cause };
  error.cause = new AggregateError(stopErrors, 'Parts that were up already did not stop cleanly.', options);
}
