import { describe, expect, it } from 'vitest';
import { staircase, twoArms, warmUp, withActions } from '../testing/example-profiles.ts';
import { profileLibrary } from './library/profile-library.ts';
import { parseProfile } from './parse-profile.ts';
import { namedUnits, planLimits, profilePlan } from './profile-plan.ts';

function planned(text: string, common?: readonly string[]) {
  const parsed = parseProfile(text);
  if (parsed.is !== 'valid') throw new Error(JSON.stringify(parsed.diagnostics));
  return profilePlan(parsed, common === undefined ? namedUnits(parsed.profile) : { common, own: [] });
}
const linesOf = (text: string) =>
  planned(text).units.map(({ actions }) => actions.map((each) => `${each.at_s} ${each.job_name} ${each.action}`));

describe('the plan of a profile', () => {
  it('lists the actions of each unit in the order of execution, with their positions', () => {
    const { units, ...all } = planned(twoArms);
    expect(all).toEqual({ length_s: 5 * 86_400, is_open_ended: false, omitted_units: 0 });
    expect(units.map(({ reactor_unit, label }) => [reactor_unit, label])).toEqual([
      ['unit1', 'light'],
      ['unit2', 'dark'],
    ]);
    expect(units[0]?.actions[2]).toEqual({
      at_s: 80 * 3600,
      job_name: 'led_automation',
      path: 'reactors.unit1.jobs.led_automation.actions[2]',
      iteration: 0,
      action: 'resume',
      options: {},
      condition: '::led_automation:$state == sleeping',
      depends_on: null,
      line: 12,
      column: 13,
    });
  });

  it('unrolls loops, and shows options and conditions as they are written', () => {
    const { units, length_s } = planned(staircase);
    const [unit] = units;
    expect(length_s).toBe(2 * 3600 + 23 * 7200 + 60);
    expect(unit?.is_truncated).toBe(false);
    const updates = unit?.actions.filter(({ action }) => action === 'update') ?? [];
    expect(updates.map(({ at_s, iteration }) => [at_s / 3600, iteration])).toEqual(
      // From 30 to 42 by 1: the loop of at most 24 iterations has no more to do.
      Array.from({ length: 12 }, (_, index) => [2 + 2 * index, index]),
    );
    expect(updates[3]).toMatchObject({
      options: { target_temperature: `\${{ ::temperature_automation:target_temperature + step }}` },
      planned_options: { target_temperature: 34 },
      condition: null,
      depends_on: 'common.jobs.temperature_automation.actions[1]',
      line: 15,
    });
    expect(unit?.actions.find(({ action }) => action === 'repeat')).toMatchObject({
      condition: '::temperature_automation:target_temperature < top',
      planned_condition: '::temperature_automation:target_temperature < 42',
      depends_on: null,
    });
  });

  it('knows the targets of a ramp and their signal, and that its loop ends at the top', () => {
    const ramp = profileLibrary.find(({ filename }) => filename === 'turbidostat-ramp.yaml');
    const dosing = planned(ramp?.text ?? '').units[0]?.actions.filter(
      ({ job_name }) => job_name === 'dosing_automation',
    );
    const targets = dosing?.flatMap(({ action, planned_options, biomass_signal }) =>
      planned_options?.target_biomass === undefined ? [] : [[action, planned_options.target_biomass, biomass_signal]],
    );
    expect(targets).toEqual([
      ['start', 4, 'normalized_od'],
      ...[5, 6, 7, 8].map((target) => ['update', target, 'normalized_od']),
    ]);
    expect(dosing?.filter(({ action }) => action === 'repeat')).toHaveLength(4);
  });

  it('does not guess what the run decides', () => {
    const target = `\${{ ::stirring:target_rpm + 100 }}`;
    const loop = `{type: repeat, t: 1h, every: 1h, max_time: 4h, while: "::stirring:target_rpm < 500", actions: [{type: update, t: 0s, options: {target_rpm: "${target}"}}]}`;
    const iterations = (...before: string[]) =>
      planned(withActions('{type: start, t: 0, options: {target_rpm: 300}}', ...before, loop)).units[0]?.actions.filter(
        ({ action }) => action === 'repeat',
      ).length;
    expect(iterations()).toBe(2);
    expect(iterations('{type: update, t: 1m, if: "hours_elapsed() < 9", options: {target_rpm: 450}}')).toBe(4);
    expect(
      iterations(
        '{type: when, t: 1m, wait_until: "::stirring:$state == 1", actions: [{type: update, t: 0, options: {target_rpm: 450}}]}',
      ),
    ).toBe(4);
  });

  it('counts what follows a wait from the time of the wait, and has no length', () => {
    const plan = planned(warmUp);
    expect(plan).toMatchObject({ length_s: null, is_open_ended: true });
    expect(plan.units[0]?.reactor_unit).toBe('unit1');
    expect(plan.units[0]?.actions.slice(-2)).toMatchObject([
      { at_s: 3600, action: 'start', depends_on: 'common.jobs.dosing_automation.actions[0]' },
      { at_s: 3601, action: 'log', depends_on: 'common.jobs.dosing_automation.actions[0]' },
    ]);
  });

  it('orders common jobs, jobs of the unit, and what follows in loops as a run does', () => {
    const text = `version: "1.0"
experiment_profile_name: p
common: {jobs: {stirring: {actions: [{type: stop, t: 10s}, {type: repeat, t: 0, every: 10s, max_time: 20s, actions: [{type: update, t: 0s}]}]}}}
reactors: {unit1: {jobs: {od_reading: {actions: [{type: start, t: 10s}, {type: stop, t: 10s}, {type: update, t: 10s}]}}}}
`;
    expect(linesOf(text)).toEqual([
      [
        '0 stirring repeat',
        '0 stirring update',
        '10 od_reading start',
        '10 stirring stop',
        '10 od_reading stop',
        '10 od_reading update',
        '10 stirring repeat',
        '10 stirring update',
      ],
    ]);
  });

  it('leaves out what follows a condition that is written as false', () => {
    const plan = planned(
      withActions(
        '{type: repeat, t: 0, every: 1s, if: false, actions: [{type: start, t: 0}]}',
        '{type: when, t: 0, wait_until: false, if: "a > 1", actions: [{type: stop, t: 0}]}',
      ),
    );
    expect(plan.units[0]?.actions.map(({ action, condition }) => [action, condition])).toEqual([
      ['when', 'a > 1 and false'],
      ['repeat', 'false'],
    ]);
  });

  it('is truncated by time', () => {
    const plan = planned(withActions('{type: repeat, t: 0, every: 1s, actions: [{type: update, t: 0s}]}'));
    expect(plan).toMatchObject({ length_s: null, is_open_ended: true, units: [{ is_truncated: true }] });
    expect(plan.units[0]?.actions).toHaveLength(planLimits.actions);
    expect(plan.units[0]?.actions.at(-1)?.at_s).toBe(499);
  });

  it('of a loop each second for a year on 300 units stays within its limits', () => {
    const long = `{type: repeat, t: 0, every: 1s, max_time: 365d, actions: [{type: log, t: 0s, options: {message: ${'x'.repeat(1_000)}}}]}`;
    const units = Array.from({ length: 300 }, (_, index) => `unit${index + 1}`);
    const blocks = units.map((unit) => `  ${unit}: {jobs: {stirring: {actions: [{type: stop, t: 1s}]}}}`);
    const text = `${withActions(long, ...Array.from({ length: 1_000 }, () => '{type: update, t: 1d}'))}reactors:\n${blocks.join('\n')}\n`;
    const parsed = parseProfile(text);
    if (parsed.is !== 'valid') throw new Error(JSON.stringify(parsed.diagnostics));
    const begin = process.cpuUsage();
    const plan = profilePlan(parsed, namedUnits(parsed.profile));
    expect(process.cpuUsage(begin).user).toBeLessThan(2_000_000);
    expect(plan).toMatchObject({ length_s: 365 * 86_400 - 1, omitted_units: 100 });
    expect(plan.units).toHaveLength(planLimits.units);
    expect(plan.units.every(({ is_truncated }) => is_truncated)).toBe(true);
    expect(JSON.stringify(plan).length).toBeLessThan(planLimits.characters * 1.1);
  });

  it.each(profileLibrary)('exists for $filename', ({ text }) => {
    const { units } = planned(text, ['unit1', 'unit2']);
    for (const { actions, is_truncated } of units) {
      expect(is_truncated).toBe(false);
      expect(actions.length).toBeGreaterThan(2);
    }
  });
});
