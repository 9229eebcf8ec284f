import { describe, expect, it } from 'vitest';
import { fitPumpLine } from './fit-pump-line.ts';

const run = (seconds: number, ml: number, pulses = 1) => ({ x: seconds, y: ml, pulses });
const pumped = (seconds: number): number => 0.09 * seconds - 0.01;

describe('the line of a pump', () => {
  it('has the loss of each start when short and long runs were weighed', () => {
    const line = fitPumpLine([run(1, pumped(1), 7), run(1, pumped(1), 7), run(6, pumped(6)), run(12, pumped(12))]);
    expect(line?.slope).toBeCloseTo(0.09, 3);
    expect(line?.startLossMl).toBeCloseTo(0.01, 3);
  });

  it('is right for the volume of runs that all have about the same length', () => {
    const { slope = 0, startLossMl = 0 } =
      fitPumpLine([run(9, pumped(9)), run(11, pumped(11)), run(12, pumped(12))]) ?? {};
    expect(slope * 11 - startLossMl).toBeCloseTo(pumped(11), 2);
  });

  it('never gives volume to a pump that stands still', () => {
    expect(fitPumpLine([run(1, 0.11), run(10, 1)])?.startLossMl).toBe(0);
    expect(fitPumpLine([])).toBeUndefined();
  });
});
