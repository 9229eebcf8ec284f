import { defaultThermal } from '@lcs/domain';
import { cornerVials, type HeatRun, heatRun } from '../../packages/hardware/src/testing/heat-run.ts';
import type { Figure } from './figures.ts';

const duties = [8, 12, 20, 46, 100] as const;
const detachedAtS = 3600;
const forS = 5400;

/** How jobs heat: the thermostat's 100 s of each 200 s, or without a pause. */
const patterns: Readonly<Record<string, (percent: number) => HeatRun['duty']>> = {
  'in cycles': (percent) => (atS) => (atS % 200 < 100 ? percent : 0),
  'without a pause': (percent) => () => percent,
};

/** What may hide the effect of a heater; the changes come at half an hour. */
const rooms: readonly Partial<HeatRun>[] = [
  {},
  { roomC: (atS) => (atS < 1805 ? 32 : 22) },
  { roomC: (atS) => (atS < 1 ? 32 : 22) },
  { roomC: (atS) => (atS < 1805 ? 32 : 22), coldMl: (atS) => (atS > 1805 && atS % 600 === 5 ? 1 : 0) },
  { draught: (atS) => (atS > 1805 && atS < 2405 ? 1.5 : 1) },
];

const usual = { thermal: defaultThermal, volumeMl: 15, roomC: () => 22, forS } as const;
const seeds = [1, 2, 3];

/** The guard's check that a heater warms its board: times until it acts, and what it does to healthy vials off by ±50 %. */
export async function heatGuardBench(): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [how, dutyOf] of Object.entries(patterns))
    for (const percent of duties) {
      const duty = dutyOf(percent);
      const cold = seeds.map((seed) => heatRun({ ...usual, seed, duty, sensorC: (_atS, _boardC, roomC) => roomC }));
      const slowestS = Math.max(...cold.map(({ detachedS }) => detachedS ?? Number.NaN));
      figures.push({ name: `${percent} % ${how}: detached from the start`, value: slowestS / 60, unit: 'min' });
      if (percent < 100) {
        const sensorC: HeatRun['sensorC'] = (atS, boardC, roomC) => (atS < detachedAtS ? boardC : roomC);
        const late = seeds.map((seed) => heatRun({ ...usual, seed, duty, sensorC }).detachedS ?? Number.NaN);
        const value = (Math.max(...late) - detachedAtS) / 60;
        figures.push({ name: `${percent} % ${how}: detached after an hour`, value, unit: 'min' });
      }
      const healthy = cornerVials().flatMap((thermal, seed) =>
        rooms.map((room) => heatRun({ ...usual, ...room, thermal, duty, seed })),
      );
      const trips = healthy.filter(({ detachedS }) => detachedS !== undefined).length;
      figures.push({
        name: `${percent} % ${how}: false trips of ${healthy.length} runs of 1.5 h`,
        value: trips,
        unit: '',
        aim: { atMost: 0 },
      });
    }
  return figures;
}
