import type { Clock } from '@lcs/platform';

/** Runs `work` with a signal that is aborted after `limitMs` of the wire clock, or with `outer`. */
export async function withinTime<Result>(
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
