import type { JobFilter } from '@lcs/node';
import { silentLog } from '@lcs/platform';
import { expect, it } from 'vitest';
import { testId, testStop } from '../testing/test-desired.ts';
import { StopOrders } from './stop-orders.ts';

it('lets the unit itself find the jobs that run pumps, whatever name the order has for older versions', async () => {
  const filters: JobFilter[] = [];
  const orders = new StopOrders({
    stopJobs: async (filter) => {
      filters.push(filter);
      return { stopped: [], still_running: [] };
    },
    store: { stopDone: async () => {} },
    log: silentLog(),
  });
  orders.add([testStop(1, { job_name: '(group)', stop_group: 'pumps' })], 1);
  const job = {
    jobId: 1,
    jobName: 'doser',
    experiment: 'a',
    experimentUid: testId(1),
    jobSource: 'user',
    isLongRunning: false,
  };
  expect(orders.isOrdered({ ...job, stopGroup: 'pumps' })).toBe(true);
  expect(orders.isOrdered({ ...job, stopGroup: 'heat_and_pwm' })).toBe(false);
  orders.begin();
  await orders.settled();
  expect(filters).toEqual([{ stopGroup: 'pumps' }]);
});
