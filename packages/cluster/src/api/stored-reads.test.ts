import { realClock, silentLog } from '@lcs/platform';
import { isPostgresInstalled, testPostgres } from '@lcs/platform/testing';
import { describe, expect, it } from 'vitest';
import { StoredReads, storedReadOf } from './stored-reads.ts';

const never = new AbortController().signal;

describe('a read that can be answered from the store', () => {
  it.each([
    ['/api/experiments/a/time_series/od_readings', 'getOdReadings', { experiment: 'a' }],
    ['/api/experiments/a%2Fb%20%C3%A9/time_series/od_readings', 'getOdReadings', { experiment: 'a/b é' }],
    ['/api/experiments/%2E%2E/time_series/growth_rates', 'getGrowthRates', { experiment: '..' }],
    [
      '/api/workers/u/experiments/a/time_series/temperature_readings',
      'getWorkerTemperatureReadings',
      { reactor_unit: 'u', experiment: 'a' },
    ],
  ])('is %s', (path, operation, params) => {
    expect(storedReadOf('GET', path)).toMatchObject({ operation, params });
    expect(storedReadOf('GET', `${path}?lookback=1?2`)?.path).toMatch(/\?lookback=1\?2$/);
  });

  it('has a path that means what is checked', () => {
    const read = storedReadOf('GET', '/api/experiments/a%252Fb%3F/time_series/od_readings?x=1');
    expect(read?.params).toEqual({ experiment: 'a%2Fb?' });
    expect(read?.path).toBe('/api/experiments/a%252Fb%3F/time_series/od_readings?x=1');
  });

  it.each([
    ['POST', '/api/experiments/a/time_series/od_readings'],
    ['HEAD', '/api/experiments/a/time_series/od_readings'],
    ['GET', '/api/experiments/a/b/time_series/od_readings'],
    ['GET', '/api/experiments//time_series/od_readings'],
    ['GET', '/api/experiments/a/time_series/od_readings/'],
    ['GET', '/api/experiments/%E0%A4%A/time_series/od_readings'],
    ['GET', '/api/experiments/a/time_series/pioreactor_unit/od'],
    ['GET', 'http://leader.lab/api/experiments/a/time_series/od_readings'],
    ['GET', '/api/experiments'],
  ])('is not %s %s', (method, url) => expect(storedReadOf(method, url)).toBeUndefined());
});

describe.skipIf(!isPostgresInstalled)('the server of these reads', () => {
  it('answers nobody but its own process', async () => {
    const server = await testPostgres();
    const reads = new StoredReads({ database: server.url('postgres'), wire: realClock(), log: silentLog() });
    for (const service of reads.services) await service.start(never);
    try {
      const url = `${reads.target().url}/api/experiments/a/time_series/od_readings`;
      const statusWith = async (headers: Record<string, string>) => (await fetch(url, { headers })).status;
      expect(await statusWith({})).toBe(401);
      expect(await statusWith({ authorization: `${reads.authorization}x` })).toBe(401);
      // It may read; here is no store.
      expect(await statusWith({ authorization: reads.authorization })).toBe(500);
    } finally {
      for (const service of reads.services.toReversed()) await service.stop();
    }
  });
});
