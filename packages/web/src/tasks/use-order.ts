import type { AcceptedTask } from '@lcs/contract';
import { useCallback, useEffect, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { useServices } from '../services/services.tsx';
import { followTask } from './follow-task.ts';
import { endedOrder, joinedOrder, type Order } from './order.ts';

const goodNewsMs = 6000;
const taskTimeoutMs = 60_000;

/**
 * Orders to all of `units` (null: to whomever the leader asks), one at a time, and how the last one stands.
 * @param longestMs when it is given up to wait for the end of an order
 */
export function useOrder(
  units: readonly string[] | null,
  nameOf: (unit: string) => string,
  longestMs: number = taskTimeoutMs,
) {
  const { clock } = useServices();
  const [order, setOrder] = useState<Order>({ phase: 'idle' });
  useEffect(
    () => (order.phase === 'done' ? clock.after(goodNewsMs, () => setOrder({ phase: 'idle' })) : undefined),
    [order, clock],
  );
  const follow = useCallback(async (what: string, work: () => Promise<Order>, onDone: () => void): Promise<void> => {
    setOrder({ phase: 'pending', what });
    try {
      const ended = await work();
      setOrder(ended);
      if (ended.phase === 'done') onDone();
    } catch (error) {
      const { error: failed, cause, remediation } = problemText(error);
      setOrder({ phase: 'failed', what, refusals: [{ unit: null, error: failed, cause, remediation }] });
    }
  }, []);
  const give = useCallback(
    (what: string, send: () => Promise<AcceptedTask>, onDone: () => void = () => {}): Promise<void> =>
      follow(
        what,
        async () => {
          const task = await followTask(clock, await send(), longestMs);
          return endedOrder(what, task, units, nameOf);
        },
        onDone,
      ),
    [clock, units, nameOf, longestMs, follow],
  );
  /** The same to each of some units by itself. */
  const giveEach = useCallback(
    (
      what: string,
      some: readonly string[],
      send: (unit: string) => Promise<AcceptedTask>,
      onDone: () => void = () => {},
    ): Promise<void> =>
      follow(
        what,
        async () =>
          joinedOrder(
            what,
            await Promise.all(
              some.map(async (unit) => {
                const task = await followTask(clock, await send(unit), longestMs);
                return endedOrder(what, task, [unit], nameOf);
              }),
            ),
          ),
        onDone,
      ),
    [clock, nameOf, longestMs, follow],
  );
  return { order, give, giveEach, putAway: () => setOrder({ phase: 'idle' }) };
}
