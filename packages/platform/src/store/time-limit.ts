import type { Clock } from '../clock/clock.ts';
import { StoreError } from './store-error.ts';

interface TimeLimit {
  readonly clock: Clock;
  readonly limitMs: number;
  /** Called with the error when the limit is exceeded; the work itself may continue. */
  readonly onExceeded: (error: StoreError) => void;
}

/** @throws StoreError write_time_limit */
export async function withinTimeLimit<Result>(
  work: () => Promise<Result>,
  { clock, limitMs, onExceeded }: TimeLimit,
): Promise<Result> {
  const limit = Promise.withResolvers<never>();
  const cancel = clock.after(limitMs, () => {
    const error = new StoreError('write_time_limit', `The change took longer than ${limitMs} ms and was rolled back.`);
    onExceeded(error);
    limit.reject(error);
  });
  try {
    return await Promise.race([work(), limit.promise]);
  } finally {
    cancel();
  }
}
