import { GuardCore } from '../guard/guard-core.ts';
import { defaultWiring, type GuardLimits, type GuardRequest, type OutputId, outputIds } from '../guard/guard-types.ts';

export const leaseMs = 5000;
export const stallMs = 800;

export const pump = { maxRunMs: 10_000, maxRunMl: 0.8, maxHourMs: 30_000, maxHourMl: 2, mlPerSecondAtFull: 0.1 };
export const limits: GuardLimits = {
  heat: { reduceCelsius: 63, disableCelsius: 65, shutdownCelsius: 66 },
  pumps: { 2: pump, 3: pump },
};

export const newCore = () => new GuardCore({ wiring: defaultWiring, watch: { leaseMs, stallMs } });

/** A core with limits, a warm reading, and a lease of generation 1 on everything. */
export function coreInUse(): GuardCore {
  const core = newCore();
  core.handle({ kind: 'limits', limits }, 0);
  core.temperatureRead(30, 0);
  core.handle({ kind: 'acquire', lease: 'a', generation: 1, outputs: outputIds }, 0);
  return core;
}

export const set = (output: OutputId, percent: number, forMs?: number): GuardRequest => ({
  kind: 'set',
  lease: 'a',
  generation: 1,
  output,
  percent,
  ...(forMs === undefined ? {} : { forMs }),
});
