import { type AcceptedTask, waitForTask } from '@lcs/contract';
import { useCallback, useEffect, useState } from 'react';
import { problemText } from '../api/problem.ts';
import { useServices } from '../app/services.tsx';
import { endedOrder, type Order } from './order.ts';
import { sleepOn } from './use-job-control.ts';

const goodNewsMs = 6000;
const taskTimeoutMs = 60_000;

/** Orders to all of `units`, one at a time, and how the last one stands. */
export function useOrder(units: readonly string[], nameOf: (unit: string) => string) {
  const { clock } = useServices();
  const [order, setOrder] = useState<Order>({ phase: 'idle' });
  useEffect(
    () => (order.phase === 'done' ? clock.after(goodNewsMs, () => setOrder({ phase: 'idle' })) : undefined),
    [order, clock],
  );
  const give = useCallback(
    async (what: string, send: () => Promise<AcceptedTask>): Promise<void> => {
      setOrder({ phase: 'pending', what });
      try {
        const signal = AbortSignal.timeout(taskTimeoutMs);
        const task = await waitForTask('', await send(), { sleep: sleepOn(clock), signal });
        setOrder(endedOrder(what, task, units, nameOf));
      } catch (error) {
        const { error: reason, remediation } = problemText(error);
        setOrder({ phase: 'failed', what, reasons: [`${reason} ${remediation}`] });
      }
    },
    [clock, units, nameOf],
  );
  return { order, give, putAway: () => setOrder({ phase: 'idle' }) };
}
