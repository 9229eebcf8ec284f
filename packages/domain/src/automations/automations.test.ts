import type { Json } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { exchangeParts } from '../dosing/wash-out.ts';
import { automationDescriptor, automationVariant } from './automation.ts';
import { builtInAutomations, dosingAutomations, ledAutomations } from './automations.ts';
import { chemostat } from './chemostat.ts';
import type { DosingAutomation, DosingDecision, DosingInputs, DosingSignal } from './dosing-automation.ts';

import { fedBatch } from './fed-batch.ts';
import { lightDarkCycle } from './light-dark-cycle.ts';
import { pidMorbidostat } from './pid-morbidostat.ts';
import { dosingSilent } from './silent-automations.ts';
import { turbidostat } from './turbidostat.ts';

interface Facts {
  readonly settings?: Readonly<Record<string, number>>;
  readonly constants?: Readonly<Record<string, number>>;
  readonly readings?: Readonly<Partial<Record<DosingSignal, number>>>;
  readonly volumeMl?: number;
  readonly altMediaFraction?: number;
  readonly evaporationMlPerHour?: number;
}

/** The inputs of a rule: its defaults, except for the given facts. */
function inputsOf(automation: DosingAutomation, facts: Facts): DosingInputs<string, string, DosingSignal> {
  const known = (name: string, value: number | null | undefined): number => {
    if (value === undefined || value === null) throw new Error(`The test gives no ${name}.`);
    return value;
  };
  return {
    setting: (name) => known(name, facts.settings?.[name] ?? automation.parameters[name]?.default),
    constant: (name) => known(name, facts.constants?.[name] ?? automation.constants?.[name]?.default),
    reading: (signal) => ({ source: signal, value: known(signal, facts.readings?.[signal]), atMs: 5 }),
    volumeMl: facts.volumeMl ?? 14,
    altMediaFraction: facts.altMediaFraction ?? 0,
    stopLimitMl: 18,
    evaporationMlPerHour: facts.evaporationMlPerHour ?? 0,
    partsFor: (addedMl) => exchangeParts(addedMl, 1),
  };
}

const decide = (automation: DosingAutomation, facts: Facts, memory?: Json): DosingDecision =>
  automation.start(memory).step(inputsOf(automation, facts));

function dose(decision: DosingDecision): Extract<DosingDecision, { action: 'dose' }> {
  if (decision.action !== 'dose') throw new Error(`The decision must be a dose, not ${decision.action}.`);
  return decision;
}

const moved = (mediaMl: number, altMediaMl = 0) => ({ mediaMl, altMediaMl, wasteMl: mediaMl + altMediaMl });

describe('the chemostat', () => {
  it.each([
    [0.7, 0, 1],
    [0.1, 0.02, 1],
    [1.5, 0.02, 2],
  ])('washes out what %d mL every 20 min mean at %d mL/h of evaporation', (exchangeMl, evaporationMlPerHour, parts) => {
    const settings = { exchange_volume_ml: exchangeMl };
    const { command, reason } = dose(decide(chemostat, { settings, evaporationMlPerHour }));
    expect(command.wasteMl).toBe(command.mediaMl);
    // A tracer in 14 mL: evaporation concentrates it, and each part dilutes it and removes what is above the level.
    let tracer = 1;
    let volumeMl = 14 - evaporationMlPerHour / 3;
    for (let part = 0; part < parts; part += 1) {
      tracer *= 14 / (volumeMl + command.mediaMl / parts);
      volumeMl = 14;
    }
    const allowed = parts === 1 ? 1e-9 : 1e-4;
    expect(Math.abs(-Math.log(tracer) / (exchangeMl / 14) - 1)).toBeLessThan(allowed);
    expect(reason.settings).toEqual({ duration: 20, exchange_volume_ml: exchangeMl });
  });

  it('pumps nothing for an exchange volume of 0, whatever evaporates', () => {
    const { command } = dose(decide(chemostat, { settings: { exchange_volume_ml: 0 }, evaporationMlPerHour: 0.02 }));
    expect(command).toEqual({ mediaMl: 0, altMediaMl: 0, wasteMl: 0 });
  });

  it.each([0, 1e-15, 0.3])('exchanges its volume in a vial with only %d mL, so that it is filled', (volumeMl) => {
    const settings = { exchange_volume_ml: 0.7 };
    const { command } = dose(decide(chemostat, { settings, volumeMl, evaporationMlPerHour: 0.02 }));
    expect(command).toEqual({ mediaMl: 0.7, altMediaMl: 0, wasteMl: 0.7 });
  });

  it('records the volume that the pumps moved', () => {
    const { outcome } = dose(decide(chemostat, { settings: { exchange_volume_ml: 0.7 } }));
    expect(outcome(moved(0.65)).event).toMatchObject({
      name: 'DilutionEvent',
      data: { exchange_volume_ml: 0.7, volume_actually_cycled_ml: 0.65 },
    });
  });
});

describe('the turbidostat', () => {
  const settings = { target_biomass: 0.5 };
  it.each([
    [0.49999, 'nothing'],
    [0.5, 'dose'],
    [0.7, 'dose'],
  ])('at a biomass of %d does: %s', (biomass, act) => {
    expect(decide(turbidostat, { settings, readings: { biomass } }).action).toBe(act);
  });

  it('records the reading and the target as the reason of a dilution', () => {
    const { command, reason } = dose(decide(turbidostat, { settings, readings: { biomass: 0.5123456 } }));
    expect(command).toEqual({ mediaMl: 1, altMediaMl: 0, wasteMl: 1 });
    expect(reason).toEqual({
      rule: 'The biomass 0.5123 (biomass) reached the target of 0.5, so 1 mL are exchanged.',
      reading: { source: 'biomass', value: 0.5123456, atMs: 5 },
      settings: { target_biomass: 0.5, exchange_volume_ml: 1 },
    });
    expect(turbidostat.settleS).toBe(30);
  });
});

describe('fed batch', () => {
  it('adds and removes nothing', () => {
    const { command, outcome } = dose(decide(fedBatch, {}));
    expect(command).toEqual({ mediaMl: 1, altMediaMl: 0, wasteMl: 0 });
    expect(outcome(moved(1)).warning).toBeUndefined();
    expect(outcome(moved(0.4)).warning).toContain('0.4 mL');
    expect(outcome(moved(1)).event.name).toBe('AddMediaEvent');
  });

  it.each([
    [16.99, 'dose'],
    [17, 'sleep'],
    [18.5, 'sleep'],
  ])('with %d mL in a vial that takes less than 18 does: %s', (volumeMl, act) => {
    expect(decide(fedBatch, { volumeMl }).action).toBe(act);
  });
});

describe('the morbidostat', () => {
  const settings = { duration: 60, target_growth_rate: 0.1, target_normalized_od: 1.5 };
  const at = (normalized_od: number, growth_rate: number, more: Partial<Facts> = {}, memory?: Json) =>
    decide(pidMorbidostat, { settings, readings: { normalized_od, growth_rate }, ...more }, memory);
  /** What washes the target rate out of 14 mL in an hour, in two parts of at most 1 mL. */
  const exchangeMl = 2 * 14 * Math.expm1(0.1 / 2);

  it('lets a culture of low density grow', () => {
    expect(at(1.049, 0.5)).toMatchObject({ action: 'nothing', event: { name: 'NoEvent' } });
    expect(at(1.06, 0.5).action).toBe('dose');
  });

  it('washes out its target rate; of a culture that is far too dense, 2.5 times as much', () => {
    expect(dose(at(1.5, 0.1)).command.wasteMl).toBeCloseTo(exchangeMl, 3);
    // In parts of at most 1 mL, which need a little less.
    const { wasteMl } = dose(at(1.9, 0.1)).command;
    expect(wasteMl).toBeGreaterThan(2.5 * 14 * 0.1);
    expect(wasteMl).toBeLessThan(14 * Math.expm1(0.25));
  });

  it('keeps the drug in the vial at a growth rate on target, and replaces what is washed out', () => {
    const { altMediaMl, wasteMl } = dose(at(1.5, 0.1, { altMediaFraction: 0.4 })).command;
    expect(altMediaMl / wasteMl).toBeCloseTo(0.4, 6);
  });

  it.each([
    [0.2, Math.SQRT2],
    [0.05, Math.SQRT1_2],
    // Estimates of growth are uncertain: no change beyond a factor of e.
    [20, Math.E],
  ])('at a growth rate of %d asks for %d times the drug in the vial', (rate, factor) => {
    const control = at(1.5, rate, { altMediaFraction: 0.3 });
    expect(control.action === 'dose' && control.control?.output).toBeCloseTo(Math.min(1, 0.3 * factor), 6);
  });

  it('gives nothing but the drug, or none of it, where the vial is far from its goal', () => {
    expect(dose(at(1.5, 0.5, { altMediaFraction: 0.3 })).command).toMatchObject({ mediaMl: 0 });
    expect(dose(at(1.5, 0.02, { altMediaFraction: 0.3 })).command).toMatchObject({ altMediaMl: 0 });
  });

  it('omits doses below the minimum, and does nothing when both are too small', () => {
    expect(dose(at(1.5, 0.1, { altMediaFraction: 0.02 })).command.altMediaMl).toBe(0);
    expect(at(1.5, 0.1, { settings: { ...settings, duration: 4 } })).toMatchObject({ action: 'nothing' });
  });

  it('brings cultures to their target with weak and strong drugs, without a remaining error', () => {
    for (const halfShare of [0.03, 0.1, 0.3])
      for (const steepness of [1, 2, 4]) {
        let share = 0;
        let rate = 0.7;
        const run = pidMorbidostat.start();
        for (let hour = 0; hour < 60; hour += 1) {
          const readings = { normalized_od: 1.5, growth_rate: rate };
          const facts = { settings: { ...settings, target_growth_rate: 0.2 }, readings, altMediaFraction: share };
          const { altMediaMl, wasteMl } = dose(run.step(inputsOf(pidMorbidostat, facts))).command;
          share = (share * 14 + altMediaMl) / (14 + wasteMl);
          rate = 0.7 / (1 + (share / halfShare) ** steepness);
        }
        const reachable = 0.7 / (1 + (1 / halfShare) ** steepness) < 0.2;
        if (reachable) expect(Math.abs(rate / 0.2 - 1)).toBeLessThan(0.1);
      }
  });

  it('continues after a power cut, and ignores a memory of another form', () => {
    const constants = { Kp: 0.5, Ki: 0.1, Kd: 0, minimum_dosing_volume_ml: 0.1 };
    const run = pidMorbidostat.start();
    const goal = (one: typeof run) => {
      const readings = { normalized_od: 1.5, growth_rate: 0.2 };
      const decision = one.step(inputsOf(pidMorbidostat, { settings, constants, readings, altMediaFraction: 0.3 }));
      return decision.control?.output;
    };
    const first = goal(run);
    const continued = pidMorbidostat.start(JSON.parse(JSON.stringify(run.memory)));
    expect(goal(continued)).toBeGreaterThan(first ?? 1);
    expect(pidMorbidostat.start({ integralTerm: 0.5, previousInput: 0.2 }).memory).toEqual({
      logIntegral: 0,
      previousLogRate: null,
    });
  });
});

it('silent does nothing', () => {
  expect(decide(dosingSilent, {})).toEqual({ action: 'nothing' });
});

describe('the light/dark cycle', () => {
  const minute = 60_000;
  const at = (elapsedMs: number, light = 960, dark = 480) => {
    const settings: Record<string, number> = {
      light_intensity: 5,
      light_duration_minutes: light,
      dark_duration_minutes: dark,
    };
    const { percent, changesInMs } = lightDarkCycle.evaluate(elapsedMs, (name) => settings[name] ?? Number.NaN);
    return [percent, changesInMs];
  };

  it('begins with light, and returns the time to the next change', () => {
    expect(at(0)).toEqual([5, 960 * minute]);
    expect(at(960 * minute - 1)).toEqual([5, 1]);
    expect(at(960 * minute)).toEqual([0, 480 * minute]);
    expect(at(1440 * minute)).toEqual([5, 960 * minute]);
    expect(at(10 * 1440 * minute + 1000 * minute)).toEqual([0, 440 * minute]);
  });

  it('is always dark without light, and always light without darkness', () => {
    expect(at(0, 0, 480)).toEqual([0, undefined]);
    expect(at(5_000 * minute, 10, 0)).toEqual([5, undefined]);
  });

  it('drives D and C', () => {
    expect(lightDarkCycle.channels).toEqual(['D', 'C']);
  });
});

describe('the declarations', () => {
  it('give the fields of the forms', () => {
    const shown = Object.fromEntries(
      Object.entries(builtInAutomations).map(([type, all]) => [
        type,
        all.map(({ automation_name, display_name, fields }) => [
          automation_name,
          display_name,
          fields.map((field) => `${field.key}=${field.default} ${field.unit}${field.disabled ? ' disabled' : ''}`),
        ]),
      ]),
    );
    expect(shown).toEqual({
      dosing: [
        ['chemostat', 'Chemostat', ['duration=20 min', 'exchange_volume_ml=0.5 mL']],
        ['turbidostat', 'Turbidostat', ['target_biomass=null AU', 'exchange_volume_ml=1 mL', 'biomass_signal=auto ']],
        ['fed_batch', 'Fed-batch', ['duration=720 min', 'dosing_volume_ml=1 mL']],
        [
          'pid_morbidostat',
          'Morbidostat (PID)',
          ['duration=60 min', 'target_normalized_od=1.5 AU', 'target_growth_rate=0.1 1/h'],
        ],
        ['silent', 'Manual only', ['duration=30 min disabled']],
      ],
      led: [
        [
          'light_dark_cycle',
          'Light/dark cycle',
          [
            'duration=1 min disabled',
            'light_intensity=5 %',
            'light_duration_minutes=960 min',
            'dark_duration_minutes=480 min',
          ],
        ],
        ['silent', 'Silent', ['duration=30 min']],
      ],
      temperature: [
        ['thermostat', 'Thermostat', ['target_temperature=30 ℃']],
        ['only_record_temperature', 'Record only', []],
      ],
    });
  });

  it.each([...dosingAutomations, ...ledAutomations].map((one) => [one.name, one] as const))(
    '%s accepts every field of its form as an option, and has only settings that are in its form',
    (_name, one) => {
      const { options, settings } = automationVariant(one);
      const fields = automationDescriptor(one).fields.map(({ key }) => key);
      expect(Object.keys(options)).toEqual(expect.arrayContaining(fields));
      expect(fields).toEqual(expect.arrayContaining(Object.keys(settings)));
    },
  );
});
