import type { Clock } from './clock.ts';

/** Whether `work` ended within `limitMs`; a failure of it is thrown, but only as long as it is waited for. */
export async function endsWithin(work: Promise<void>, wire: Clock, limitMs: number): Promise<boolean> {
  const over = Promise.withResolvers<boolean>();
  const cancel = wire.after(limitMs, () => over.resolve(false));
  try {
    return await Promise.race([work.then(() => true), over.promise]);
  } finally {
    cancel();
  }
}
