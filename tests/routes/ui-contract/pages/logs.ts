import { expect } from 'vitest';
import { reads, type UiPage } from '../page.ts';
import { logRow } from './overview.ts';

const listedUnits = [{ reactor_unit: 'text' }] as const;

export const logs: UiPage = {
  title: 'Logs',
  testFile: 'logs-profiles-configuration.test.ts',
  requests: [
    reads('required', '/api/experiments/{E}/historical_worker_assignments', [{ reactor_unit: 'text' }]),
    reads('required', '/api/experiments/{E}/unit_labels', { '{U}': 'text' }),
    ...['NOTICE', 'INFO', 'DEBUG'].map((min_level) =>
      reads('required', '/api/experiments/{E}/logs', [logRow], { query: { min_level } }),
    ),
    reads('required', '/api/experiments/{E}/logs', 'list', { query: { min_level: 'DEBUG', skip: 50 }, note: 'more' }),
    reads('required', '/api/workers/{U}/experiments/{E}/logs', [logRow], { query: { min_level: 'INFO' } }),
    reads('feature', '/api/logs', [logRow], { query: { min_level: 'INFO' } }),
    reads('feature', '/api/units/{U}/logs', [logRow], { query: { min_level: 'INFO' } }),
    reads('required', '/api/units', listedUnits, { note: 'system logs' }),
    reads('required', '/api/experiments/$experiment/logs', [logRow], { query: { min_level: 'DEBUG' } }),
    reads('required', '/api/units/{U}/system_logs', 'list', { query: { min_level: 'DEBUG' } }),
    reads('required', '/api/units/{leader}/system_logs', [logRow], { query: { min_level: 'DEBUG' } }),
  ],
  rules: [
    {
      rule: 'a page has 100 rows, newest first; skip is the number of rows received so far',
      level: 'required',
      shows: async ({ leader }) => {
        const experiment = 'many lines';
        await leader.client.createExperiment({ body: { experiment } });
        const params = { reactor_unit: 'unit1', experiment };
        for (let at = 0; at < 120; at += 1) {
          const body = { message: `line ${at}`, level: 'INFO', source: 'UI', timestamp: '2026-01-01T00:00:00.000Z' };
          await leader.client.postUnitLog({ params, body });
        }
        const page = async (skip: number) => {
          const rows = await leader.client.listExperimentLogs({ params: { experiment }, query: { skip } });
          return rows.map(({ message }) => message);
        };
        const first = await page(0);
        expect(first).toHaveLength(100);
        const lines = Array.from({ length: 120 }, (_, at) => `line ${119 - at}`);
        expect([...first, ...(await page(100))]).toEqual([`Created experiment ${experiment}.`, ...lines]);
      },
    },
  ],
};
