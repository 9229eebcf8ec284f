import type { JobContext } from '@lcs/node';
import { VirtualClock } from '@lcs/platform';
import { expect, it } from 'vitest';
import { quietVial, testUnit } from '../../testing/test-unit.ts';
import type { Dose, Pumps } from '../pumps/pumping.ts';
import { Exchange } from './exchange.ts';
import { Pauses } from './pauses.ts';

/** A job's context, and pumps that do at once what they are told. */
async function testExchange() {
  let own: JobContext | undefined;
  const unit = await testUnit({
    vial: quietVial,
    alsoJobs: () => [
      {
        name: 'holder',
        settings: {},
        options: {},
        isActuating: false,
        stopGroup: 'rest',
        start: (context) => {
          own = context;
          return {};
        },
      },
    ],
  });
  await unit.run('holder');
  if (own === undefined) throw new Error('It did not start.');
  const doses: Dose[] = [];
  const pumps: Pumps = {
    volumeMl: () => 14,
    altMediaFraction: () => 0,
    stopLimitMl: () => 18,
    capacityMl: () => 20,
    correct: async () => {},
    flowMlPerS: () => 0.1,
    flowRatio: () => 1,
    check: () => undefined,
    expectFree: async () => {},
    refusal: () => undefined,
    dose: async (_context, dose) => {
      doses.push(dose);
      return {
        volumeMl: typeof dose.amount === 'object' && 'volumeMl' in dose.amount ? dose.amount.volumeMl : 0,
        ranMs: 0,
      };
    },
  };
  const config = { pauseS: 0, wasteMultiplier: 2, maxSubdoseMl: 1 };
  const parts = { pumps, pauses: new Pauses(new VirtualClock()), config };
  return { unit, doses, exchange: new Exchange(own, parts, { origin: 'test' }) };
}

it('is not halved for a trifle of rounding', async () => {
  const { unit, doses, exchange } = await testExchange();
  await using _unit = unit;
  // A share of 1 mL and its rest, as sums of floating-point numbers come out.
  const whole = 1.0000000000000002;
  const done = exchange.carryOut({ mediaMl: whole / 2, altMediaMl: whole / 2, wasteMl: whole });
  await unit.pass(1);
  await done;
  expect(doses.map(({ pump }) => pump)).toEqual(['alt_media', 'media', 'waste', 'waste']);
  // What is recorded distinguishes the waste of the dose from the run that sets the level.
  expect(doses.map(({ because }) => because.settings?.waste_removal_multiplier)).toEqual([
    ...[undefined, undefined, undefined],
    2,
  ]);
});

it('of an invalid volume moves nothing', async () => {
  const { unit, doses, exchange } = await testExchange();
  await using _unit = unit;
  const order = { mediaMl: 1, altMediaMl: 0, wasteMl: 1 };
  for (const wrong of [{ mediaMl: Number.NaN }, { altMediaMl: -1 }, { wasteMl: Number.POSITIVE_INFINITY }])
    await expect(exchange.carryOut({ ...order, ...wrong })).rejects.toThrow(RangeError);
  expect(doses).toEqual([]);
});
