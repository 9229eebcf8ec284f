import type { Clock } from '../../clock/clock.ts';
import type { PostgresConnection } from './postgres-connection.ts';

/** Whether the server answers on a connection in time. A connection whose peer is gone may seem to be open for hours. */
export async function answersWithin(
  connection: PostgresConnection,
  limitMs: number,
  clock: Pick<Clock, 'after'>,
): Promise<boolean> {
  const limit = Promise.withResolvers<boolean>();
  // After a pause of the whole process an answer may be there: it is read before the second timer.
  let cancel = clock.after(limitMs, () => {
    cancel = clock.after(1, () => limit.resolve(false));
  });
  const answered = connection.run({ text: 'select 1', values: [] }).then(
    () => true,
    () => false,
  );
  try {
    return await Promise.race([answered, limit.promise]);
  } finally {
    cancel();
  }
}
