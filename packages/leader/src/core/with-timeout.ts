import type { Clock } from '@lcs/platform';

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

/** What `work` gives, or the signal's reason as soon as it is aborted: a task must not hold up the stop of the leader. */
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
