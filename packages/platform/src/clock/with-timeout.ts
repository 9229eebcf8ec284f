import type { Clock } from './clock.ts';

/** Runs `work` with a signal that is aborted after `limitMs` of the wire clock, or with `outer`. */
export async function withTimeout<Result>(
  wire: Clock,
  limitMs: number,
  outer: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const limit = new AbortController();
  const cancel = wire.after(limitMs, () => limit.abort(new Error(`No answer within ${limitMs / 1000} s.`)));
  try {
    return await work(AbortSignal.any([limit.signal, outer]));
  } catch (error) {
    throw limit.signal.aborted ? limit.signal.reason : error;
  } finally {
    cancel();
  }
}

/** The result of `work`, or the signal's reason as soon as it is aborted, so that a task cannot delay the stop of the leader. */
export async function untilAborted<Result>(signal: AbortSignal, work: Promise<Result>): Promise<Result> {
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}

/** Whether `work` ended within `limitMs`. Throws the error of `work` if it fails within that time. */
export async function endsWithin(work: Promise<void>, wire: Clock, limitMs: number): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const cancel = wire.after(limitMs, () => over.resolve(false));
  try {
    return await Promise.race([work.then(() => true), over.promise]);
  } finally {
    cancel();
  }
}
