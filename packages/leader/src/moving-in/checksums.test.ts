import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';

describe('the checksum of a series', () => {
  it('keeps little for each of 3,000 series that wait at once', async () => {
    const program = `const { SeriesChecksum } = await import(${JSON.stringify(new URL('checksums.ts', import.meta.url).href)});
      const all = Array.from({ length: 3000 }, () => new SeriesChecksum());
      for (let row = 0; row < 80; row += 1) for (const one of all) one.add(1_700_000_000_000 + row, row / 7);`;
    const url = new URL(`data:text/javascript,${encodeURIComponent(program)}`);
    const worker = new Worker(url, { resourceLimits: { maxYoungGenerationSizeMb: 4, maxOldGenerationSizeMb: 12 } });
    expect(await once(worker, 'exit')).toEqual([0]);
  });
});
