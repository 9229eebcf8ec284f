import { expect, it } from 'vitest';
import { keepPoints } from './control-points.ts';
import { type ControlRun, startControlRun } from './control-run.ts';
import type { ControlledUnit } from './controlled-unit.ts';
import { type Restart, reportOf, reportUnit } from './unit-report.ts';

const hourMs = 3_600_000;
const minuteMs = 60_000;
const hoursAway = 6;

/** The whole is `npm run test:control`: seven days of six units. */
const days = process.env.LCS_CONTROL_DAYS === undefined ? undefined : Number(process.env.LCS_CONTROL_DAYS);
const unitCount = Number(process.env.LCS_CONTROL_UNITS ?? 2);

const allJobs = ['stirring', 'od_reading', 'temperature_automation', 'growth_rate_calculating', 'dosing_automation'];

interface Plan {
  readonly name: 'turbidostat' | 'pid_morbidostat';
  readonly hours: number;
  readonly settings: Readonly<Record<string, number | string>>;
  /** What the filtered density is held at, if it is. */
  readonly target?: number;
}

const turbidostat = (hours: number, target: number): Plan => ({
  name: 'turbidostat',
  hours,
  target,
  settings: { target_biomass: target, exchange_volume_ml: 0.5, biomass_signal: 'normalized_od' },
});

const morbidostat = (hours: number): Plan => ({
  name: 'pid_morbidostat',
  hours,
  settings: { duration: 30, target_growth_rate: 0.12, target_normalized_od: 1.5 },
});

/** The short form: its density is reached within minutes. */
const shortHours = 1;
const plans: readonly Plan[] =
  days === undefined
    ? [turbidostat(shortHours, 1.03)]
    : [turbidostat(24 * days, 2), morbidostat(24 * Math.ceil((5 / 7) * days))];

/** In the long form no culture is as dense as it shall be before some hours have passed. */
const firstCutHour = days === undefined ? 0 : 7;

const vial = {
  capacityMl: 40,
  initialOd: 0.5,
  reservoirMl: 20_000,
  inhibition: { halfShare: 0.25, steepness: 2 },
} as const;

/** Every other cut comes while medium is pumped in. */
async function cut(run: ControlRun, unit: ControlledUnit, isInDose: boolean, forMs: number): Promise<Restart> {
  if (isInDose) await run.clock.advanceUntil(() => unit.isPumping, 2 * hourMs);
  const cutAt = run.clock.now();
  await run.cut(unit, forMs, allJobs);
  return { unit: unit.name, cutAt, backAt: run.clock.now() };
}

/** One power cut of each unit a day, at other times of the day for each, and the leader away for six hours about the middle. */
async function live(run: ControlRun, hours: number): Promise<readonly Restart[]> {
  const restarts: Restart[] = [];
  const awayAt = 24 * Math.floor(hours / 48) + 24 - hoursAway;
  for (let hour = 0; hour < hours; hour += 1) {
    if (hour >= awayAt && hour < awayAt + hoursAway) {
      if (hour === awayAt) await run.leaderAway(hoursAway * hourMs);
      continue;
    }
    for (const [index, unit] of run.units.entries()) {
      if (hour % 24 !== firstCutHour + 2 * index) continue;
      restarts.push(await cut(run, unit, (Math.floor(hour / 24) + index) % 2 === 0, (7 + 2 * index) * minuteMs));
    }
    await run.pass(hourMs);
  }
  await run.caughtUp();
  return restarts;
}

it.each(plans)(
  `a $name of ${unitCount} units runs for $hours hours, through power cuts and without its leader`,
  async (plan) => {
    const { name, hours, settings, target } = plan;
    await using run = await startControlRun({ unitCount, vial });
    await run.run('stirring');
    await run.run('od_reading');
    await run.run('temperature_automation', { automation_name: 'thermostat', target_temperature: 30 });
    await run.run('growth_rate_calculating');
    await run.run('dosing_automation', { automation_name: name, ...settings });
    const begun = run.wire.monotonic();
    const restarts = await live(run, hours);
    const seconds = (run.wire.monotonic() - begun) / 1000;
    await keepPoints(name, run);
    const judged = run.units.map((unit) => reportUnit(run, unit, { restarts, target }));
    console.log(reportOf(`${name}, ${hours} h, ${restarts.length} power cuts`, seconds, judged));
    expect(judged.flatMap(({ unit, faults }) => faults.map((fault) => `${unit}: ${fault}`))).toEqual([]);
    expect(restarts.length).toBeGreaterThan(0);
  },
  36_000_000,
);
