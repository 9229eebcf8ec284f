import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Json } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { quietVial, testUnit } from '../testing/test-unit.ts';
import { passingMemory } from './shared/job-memory.ts';

type TestUnit = Awaited<ReturnType<typeof testUnit>>;
type Options = Record<string, string | number | boolean>;

const env = { EXPERIMENT: 'exp1', MODEL_NAME: 'reactor_20ml', MODEL_VERSION: '1.5' };
const lateLight = { automation_name: 'light_dark_cycle', light_intensity: 30 };
const turbidostat = { automation_name: 'turbidostat', target_biomass: 0.5, biomass_signal: 'od' };
const morbidostat = { duration: 60, target_growth_rate: 0.1, target_normalized_od: 1 };

/** What the board drives. */
function drivenNow({ board: { levels } }: TestUnit): readonly string[] {
  const all = [
    ...Object.entries(levels.pwm).map(([channel, percent]) => [`pwm${channel}`, percent] as const),
    ...Object.entries(levels.led).map(([channel, percent]) => [`led${channel}`, percent] as const),
  ];
  return all.flatMap(([output, percent]) => (percent > 0 ? [output] : []));
}

/** Outputs that are driven while these seconds pass, looked at each millisecond at first. */
async function driven(unit: TestUnit, seconds: number): Promise<ReadonlySet<string>> {
  const seen = new Set<string>();
  const check = () => {
    for (const output of drivenNow(unit)) seen.add(output);
  };
  for (let ms = 0; ms < 500; ms += 1) {
    await unit.clock.advance(1);
    check();
  }
  for (let second = 1; second < seconds; second += 1) {
    await unit.pass(1);
    check();
  }
  return seen;
}

/** Brings a job up on a unit, changes it, cuts the unit off, and lets the job go on; `look` sees what it drives from then on. */
async function afterRestart(
  job: string,
  options: Options,
  changes: Readonly<Record<string, Json>>,
  check: (unit: TestUnit, outputs: ReadonlySet<string>) => void | Promise<void>,
  seconds = 2,
) {
  const folder = await mkdtemp(join(tmpdir(), 'lcs-resumed-'));
  const more = { vial: quietVial, folder, devices: { memory: passingMemory() } };
  try {
    {
      await using unit = await testUnit(more);
      await unit.run(job, { options, env });
      await unit.pass(5);
      await unit.runtime.update({ jobName: job }, changes, 'http');
      await unit.pass(5);
    }
    await using unit = await testUnit(more);
    const [cut, ...others] = unit.runtime.interrupted;
    if (cut === undefined || others.length > 0) throw new Error('One job must be cut.');
    const done = new AbortController();
    const resumed = unit.runtime.resume(cut).finally(() => done.abort());
    const seen = new Set<string>();
    // The disk takes real time, and time goes on meanwhile.
    while (!done.signal.aborted) {
      await unit.clock.advance(1);
      for (const output of drivenNow(unit)) seen.add(output);
    }
    await resumed;
    for (const output of await driven(unit, seconds)) seen.add(output);
    await check(unit, seen);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const published = ({ recorded }: TestUnit, name: string): readonly Json[] =>
  recorded.settings.flatMap(([published, value]) => (published === name ? [value] : []));

describe('a job that continues after a restart', () => {
  it.each<readonly [string, Options, Readonly<Record<string, Json>>]>([
    ['stirring', { target_rpm: 500 }, { target_rpm: 700, enable_dodging_od: true }],
    ['stirring', { use_rpm: false, duty_cycle: 30 }, { duty_cycle: 40 }],
    ['od_reading', { ir_led_intensity: 50, interval: 5 }, { ir_led_intensity: 60, interval: 20 }],
    ['temperature_automation', { automation_name: 'thermostat', target_temperature: 37 }, { target_temperature: 30 }],
    ['led_automation', lateLight, { light_intensity: 10, light_duration_minutes: 5, dark_duration_minutes: 7 }],
    ['dosing_automation', { ...turbidostat, exchange_volume_ml: 1 }, { target_biomass: 2, exchange_volume_ml: 0.5 }],
    ['dosing_automation', { ...turbidostat, exchange_volume_ml: 1 }, { biomass_signal: 'normalized_od' }],
    [
      'dosing_automation',
      { automation_name: 'chemostat', exchange_volume_ml: 1, duration: 20 },
      { exchange_volume_ml: 0.5, duration: 30 },
    ],
    [
      'dosing_automation',
      { automation_name: 'pid_morbidostat', ...morbidostat },
      { duration: 90, target_growth_rate: 0.2, target_normalized_od: 2 },
    ],
  ])(
    '%s begins with its settings, and never publishes what it was started with: %o, %o',
    async (job, options, changes) =>
      afterRestart(job, options, changes, (unit) => {
        for (const [setting, value] of Object.entries(changes))
          expect(new Set(published(unit, `${job}/${setting}`)), setting).toEqual(new Set([value]));
      }),
  );

  it.each<readonly [string, Options, Readonly<Record<string, Json>>]>([
    ['stirring', { target_rpm: 500 }, { target_rpm: 0 }],
    ['stirring', { use_rpm: false, duty_cycle: 30 }, { duty_cycle: 0 }],
    ['temperature_automation', { automation_name: 'thermostat', target_temperature: 37 }, { target_temperature: 20 }],
    ['led_automation', lateLight, { light_intensity: 0 }],
    ['led_automation', lateLight, { light_duration_minutes: 0 }],
    ['od_reading', { interval: 5 }, { interval: null }],
    ['od_reading', { interval: 5 }, { ir_led_intensity: 0 }],
  ])('%s does not drive for a moment what was switched off: %o, %o', (job, options, changes) =>
    afterRestart(job, options, changes, (_unit, outputs) => expect([...outputs]).toEqual([]), 600),
  );

  it.each<readonly [string, Options, readonly string[]]>([
    ['stirring', { target_rpm: 500 }, ['pwm1']],
    ['od_reading', { interval: 5 }, ['ledA']],
    ['temperature_automation', { automation_name: 'thermostat', target_temperature: 37 }, ['pwm5']],
  ])('%s that slept drives nothing until it is woken', (job, options, expected) =>
    afterRestart(
      job,
      options,
      { $state: 'sleeping' },
      async (unit, outputs) => {
        expect([...outputs]).toEqual([]);
        expect(unit.recorded.states.slice(-2)).toEqual([`${job} init`, `${job} sleeping`]);
        expect(unit.recorded.events.filter(({ name }) => name === 'actuation')).toEqual([]);
        await unit.runtime.update({ jobName: job }, { $state: 'ready' }, 'http');
        expect([...(await driven(unit, 400))]).toEqual(expected);
      },
      400,
    ),
  );

  it.each([30, 0])('led_automation that slept with its light at %d percent holds it', (percent) =>
    afterRestart(
      'led_automation',
      { ...lateLight, light_duration_minutes: 60, light_intensity: percent },
      { $state: 'sleeping' },
      async (unit, outputs) => {
        expect([...outputs].sort()).toEqual(percent === 0 ? [] : ['ledC', 'ledD']);
        expect(Math.round(unit.board.levels.led.C)).toBe(percent);
        expect(unit.runtime.settings('led_automation').$state).toBe('sleeping');
        await unit.runtime.update({ jobName: 'led_automation' }, { light_intensity: 10, $state: 'ready' }, 'http');
        await unit.pass(1);
        expect(Math.round(unit.board.levels.led.C)).toBe(10);
      },
    ),
  );

  it('stirring without a speed turns again as it did when it is woken', () =>
    afterRestart('stirring', { use_rpm: false, duty_cycle: 30 }, { $state: 'sleeping' }, async (unit, outputs) => {
      expect([...outputs]).toEqual([]);
      await unit.runtime.update({ jobName: 'stirring' }, { $state: 'ready' }, 'http');
      await unit.pass(30);
      expect(unit.board.levels.pwm[1]).toBeCloseTo(30, 0);
    }));
});
