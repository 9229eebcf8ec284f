import type { Calibration, Model } from '@lcs/contract';
import { describe, expect, it } from 'vitest';
import { builtInModels } from '../../models/built-in-models.ts';
import { inBrackets, withActions } from '../../testing/example-profiles.ts';
import { parseProfile } from '../parse-profile.ts';
import { profilePlan } from '../profile-plan.ts';
import { leastPumped } from './planned-dosing.ts';
import { preflightFindings } from './preflight.ts';
import type { PreflightFacts, PreflightUnit } from './preflight-facts.ts';

const nowMs = Date.UTC(2026, 10, 24);
const dayMs = 86_400_000;
const calibration = (type: 'simple_peristaltic_pump' | 'od', ageDays: number, x = [0, 1]): Calibration => ({
  calibration_name: 'c',
  calibrated_on_reactor_unit: 'rx01',
  is_active: true,
  reactor_unit: 'rx01',
  created_at: new Date(nowMs - ageDays * dayMs).toISOString(),
  // 0.1 mL/s.
  curve_data_: { type: 'poly', coefficients: [0.1, 0] },
  x: 'x',
  y: 'y',
  recorded_data: { x, y: x },
  ...(type === 'od'
    ? { calibration_type: type, ir_led_intensity: 70, angle: '90' as const, pd_channel: '1' as const }
    : { calibration_type: type, hz: 100, dc: 50, voltage: 5 }),
});
const pump = (ageDays = 1) => calibration('simple_peristaltic_pump', ageDays);
const [known] = builtInModels;
if (known === undefined) throw new Error('There is no model.');
const model: Model = { ...known, reactor_max_fill_volume_ml: 18, max_temp_to_disable_heating: 65 };
const unit: PreflightUnit = {
  reactor_unit: 'rx01',
  unreachable: undefined,
  calibrations: { media_pump: pump(), waste_pump: pump() },
  runningJobs: [],
  freeDiskBytes: 1e10,
  clockOffsetMs: 20,
  bottlesMl: { media: 500, waste: 500 },
  model,
  culture: undefined,
};

const profileOf = (text: string) => {
  const parsed = parseProfile(text);
  if (parsed.is !== 'valid') throw new Error(JSON.stringify(parsed.diagnostics));
  return parsed;
};
const dosing = (...actions: readonly string[]) => withActions(...actions).replace('stirring:', 'dosing_automation:');
const chemostat = (more = '') =>
  `{type: start, t: 0, options: {automation_name: chemostat, exchange_volume_ml: 1, duration: 10${more}}}`;

function findings(text: string, change: Partial<PreflightUnit> = {}, facts: Partial<PreflightFacts> = {}) {
  const valid = profileOf(text);
  const plan = profilePlan(valid, { common: ['rx01'], own: [] });
  const all = preflightFindings(valid.profile, plan, {
    nowMs,
    units: [{ ...unit, ...change }],
    leaderDisk: 'enough' as const,
    plugins: [],
    ...facts,
  });
  for (const { message, remediation } of all) expect(Math.min(message.length, remediation.length)).toBeGreaterThan(10);
  return all.map(({ severity, code }) => `${severity} ${code}`);
}

const stirring = withActions('{type: start, t: 0}');

describe('the check before a run', () => {
  it('warns of dosing whose readings are off on a unit and which the profile does not start', () => {
    const turbidostat = (type: string, more = '') =>
      dosing(
        `{type: ${type}, t: 1h, options: {automation_name: turbidostat, target_biomass: 1, biomass_signal: normalized_od${more}}}`,
      );
    const codes = (text: string, change: Partial<PreflightUnit> = {}) =>
      findings(text, change).filter((code) => code.endsWith('readings_off'));
    const runs = (job: string, settings = {}) => ({ job, settings });
    expect(codes(turbidostat('start'))).toEqual(['warns readings_off']);
    expect(codes(turbidostat('start'), { runningJobs: [runs('growth_rate_calculating')] })).toEqual([]);
    expect(codes(turbidostat('start'), { unreachable: 'No answer.' })).toEqual([]);
    expect(codes(dosing(chemostat()))).toEqual([]);
    // One that runs already, and is changed only.
    const running = runs('dosing_automation', { automation_name: 'turbidostat', biomass_signal: 'od' });
    const update = dosing('{type: update, t: 0, options: {target_biomass: 2}}');
    expect(codes(update, { runningJobs: [running] })).toEqual(['warns readings_off']);
    expect(codes(update, { runningJobs: [running, runs('od_reading')] })).toEqual([]);
    const withReadings = turbidostat('start').replace(
      /( *)dosing_automation:/,
      '$1growth_rate_calculating:\n$1  actions:\n$1    - {type: start, t: 0}\n$1dosing_automation:',
    );
    expect(codes(withReadings)).toEqual([]);
    expect(codes(withReadings.replace('{type: start, t: 0}', '{type: start, t: 2h}'))).toEqual(['warns readings_off']);
  });

  it('warns of a speed that the sensor of a stirrer cannot measure', () => {
    const at = (rpm: number) => findings(withActions(`{type: start, t: 0, options: {target_rpm: ${rpm}}}`));
    expect(at(0.5)).toContain('warns stirring_too_slow');
    expect([...at(0), ...at(24)]).not.toContain('warns stirring_too_slow');
  });

  it('names jobs that run already and whose start would fail', () => {
    const running = (job: string) => ({ job, settings: { target_rpm: 400 } });
    const both = [running('od_reading'), running('stirring')];
    expect(findings(stirring, { runningJobs: both })).toEqual(['blocks job_running']);
    // A heater that begins ten seconds after the stirrer is refused as surely as the stirrer.
    expect(findings(withActions('{type: start, t: 10s}'), { runningJobs: both })).toEqual(['blocks job_running']);
    expect(findings(withActions('{type: start, t: 1h}'), { runningJobs: both })).toEqual(['warns job_running']);
    expect(findings(withActions('{type: start, t: 0, if: "a > 1"}'), { runningJobs: both })).toEqual([
      'warns job_running',
    ]);
    // The start fails, but the job does what the profile says.
    const same = withActions('{type: start, t: 0, options: {target_rpm: 400}}');
    expect(findings(same, { runningJobs: both })).toEqual(['warns job_running']);
    const stopped = withActions('{type: stop, t: 0}', '{type: start, t: 1m}');
    expect(findings(stopped, { runningJobs: both })).toEqual([]);
    const valid = profileOf(stirring);
    const plan = profilePlan(valid, { common: ['rx01'], own: [] });
    const [finding] = preflightFindings(valid.profile, plan, {
      nowMs,
      units: [{ ...unit, runningJobs: both }],
      leaderDisk: 'enough',
      plugins: [],
    });
    expect(finding).toMatchObject({ job_name: 'stirring', reactor_unit: 'rx01' });
    expect(finding?.message).toContain('(400 RPM)');
  });

  it('finds nothing in a run that has all it needs', () => {
    expect(findings(dosing(chemostat(), '{type: stop, t: 1d}'))).toEqual([]);
  });

  it.each<[string, string, Partial<PreflightUnit>, Partial<PreflightFacts>?]>([
    ['blocks unit_unreachable', stirring, { unreachable: 'It is off.', calibrations: undefined }],
    ['warns unit_unreachable', withActions('{type: start, t: 1h}'), { unreachable: 'It is off.' }],
    ['warns unit_unreachable', withActions('{type: start, t: 0, if: "a > 1"}'), { unreachable: 'It is off.' }],
    ['warns clock_skew', stirring, { clockOffsetMs: -7_000 }],
    ['warns unit_disk_low', stirring, { freeDiskBytes: 1e8 }],
    ['warns leader_disk_low', stirring, {}, { leaderDisk: 'low' }],
    ['warns model_unknown', stirring, { model: undefined }],
    ['blocks plugin_missing', `${stirring}plugins: [{name: bubbler, version: ">=1.0"}]\n`, {}],
    ['blocks model_limit', dosing(chemostat(', current_volume_ml: 30'), '{type: stop, t: 1h}'), {}],
    ['warns calibration_missing', dosing(chemostat(), '{type: stop, t: 1h}'), { calibrations: { media_pump: pump() } }],
    [
      'warns calibration_old',
      dosing(chemostat(), '{type: stop, t: 1h}'),
      { calibrations: { media_pump: pump(400), waste_pump: pump() } },
    ],
    ['warns calibrations_unknown', dosing(chemostat(), '{type: stop, t: 1h}'), { calibrations: undefined }],
    ['warns pump_too_slow', dosing(chemostat().replace('10}', '0.1}'), '{type: stop, t: 1m}'), {}],
    ['blocks bottle_too_small', dosing(chemostat(), '{type: stop, t: 1d}'), { bottlesMl: { media: 100, waste: 500 } }],
    ['warns bottle_tight', dosing(chemostat(), '{type: stop, t: 1d}'), { bottlesMl: { media: 145, waste: 500 } }],
    ['warns bottle_tight', dosing(chemostat(), '{type: stop, t: 1d}'), { bottlesMl: { media: 500, waste: 149 } }],
    ['warns bottle_unknown', dosing(chemostat(), '{type: stop, t: 1d}'), { bottlesMl: { media: 500 } }],
  ])('%s', (finding, text, change, facts) => {
    expect(findings(text, change, facts)).toEqual([finding]);
  });

  it('compares targets in OD with the range of the calibration', () => {
    const turbidostat = (target: string) =>
      dosing(
        `{type: start, t: 0, options: {automation_name: turbidostat, target_biomass: ${target}, biomass_signal: od}}`,
      );
    const runningJobs = [{ job: 'od_reading', settings: {} }];
    const calibrations = { ...unit.calibrations, od90: calibration('od', 1, [0, 0.5, 2]) };
    const calibrated = { calibrations, runningJobs };
    expect(findings(turbidostat('1.5'), calibrated)).toEqual([]);
    expect(findings(turbidostat('2.5'), calibrated)).toEqual(['warns calibration_range']);
    expect(findings(turbidostat('1.5'), { runningJobs })).toEqual(['warns calibration_missing']);
    expect(findings(turbidostat(inBrackets('::od_reading:od')), calibrated)).toEqual([]);
  });

  it('knows that a turbidostat exchanges at most once per reading, by the profile, the unit or its configuration', () => {
    const exchange = {
      media_ml_per_s: 0.1,
      waste_ml_per_s: 0.115,
      pause_s: 5,
      waste_multiplier: 2,
      max_subdose_ml: 1,
    };
    const culture = {
      growth_rate: null,
      volume_ml: 14,
      media_bottle_left_ml: null,
      reading_every_s: 5,
      exchange,
    };
    const turbidostat = (exchangeMl: number) =>
      dosing(
        `{type: start, t: 1m, options: {automation_name: turbidostat, target_biomass: 1, biomass_signal: normalized_od, exchange_volume_ml: ${exchangeMl}}}`,
      );
    const codes = (text: string, change: Partial<NonNullable<PreflightUnit['culture']>> = {}) =>
      findings(text, { culture: { ...culture, ...change } }).filter((code) => code.endsWith('pump_too_slow'));
    // One exchange in 56 s washes out 2.3 per hour, one in 120 s 1.06.
    expect(codes(turbidostat(0.5))).toEqual([]);
    expect(codes(turbidostat(0.5), { reading_every_s: 120 })).toEqual(['warns pump_too_slow']);
    expect(codes(turbidostat(1), { reading_every_s: 120 })).toEqual([]);
    expect(codes(turbidostat(1), { reading_every_s: 120, growth_rate: 2.2 })).toEqual(['warns pump_too_slow']);
    const withReadings = (interval: number) =>
      turbidostat(0.5).replace(
        /( *)dosing_automation:/,
        `$1od_reading:\n$1  actions:\n$1    - {type: start, t: 0, options: {interval: ${interval}}}\n$1dosing_automation:`,
      );
    expect(codes(withReadings(120))).toEqual(['warns pump_too_slow']);
    expect(codes(withReadings(5), { reading_every_s: 120 })).toEqual([]);
    // Slower pumps than those of the calibration alone, and settings of this unit.
    expect(codes(turbidostat(0.5), { exchange: { ...exchange, pause_s: 60 } })).toEqual(['warns pump_too_slow']);
  });

  it('only warns of a limit that an uncertain action exceeds', () => {
    const when = `{type: when, t: 0, wait_until: "1 > 2", actions: [${chemostat(', current_volume_ml: 30')}]}`;
    expect(findings(dosing(when))).toEqual(['warns model_limit']);
  });
});

describe('what is pumped at least', () => {
  const vial = { volumeMl: undefined, maxSubdoseMl: 1, evaporationMlPerHour: 0.02 };
  const pumped = (...actions: readonly string[]) => {
    const valid = profileOf(`${dosing(...actions)}inputs: {volume: 2}\n`);
    const [planned] = profilePlan(valid, { common: ['rx01'], own: [] }).units;
    return leastPumped(planned?.actions ?? [], valid.profile.inputs, vial);
  };

  it('counts fixed doses from start to stop, with changes and inputs', () => {
    expect(pumped(chemostat(), '{type: stop, t: 1h}')).toEqual({ media: 6, alt_media: 0, waste: 6, exchanged: 6 });
    const change = `{type: update, t: 1h, options: {exchange_volume_ml: ${inBrackets('volume')}}}`;
    expect(pumped(chemostat(), change, '{type: stop, t: 2h}')).toMatchObject({ media: 6 + 12 });
    const fed = chemostat().replace('chemostat', 'fed_batch').replace('exchange', 'dosing');
    expect(pumped(fed, '{type: stop, t: 1h}')).toEqual({ media: 6, alt_media: 0, waste: 0, exchanged: 0 });
  });

  it('counts the first dose at once, the last one before the stop, and what a chemostat pumps beyond its exchange volume', () => {
    // At 0, 10, … 60 min.
    expect(pumped(chemostat(), '{type: stop, t: 65m}')).toMatchObject({ media: 7 });
    expect(pumped(chemostat(', skip_first_run: true'), '{type: stop, t: 65m}')).toMatchObject({ media: 6 });
    const doseMl = 14 * Math.expm1(1 / 14 / 2) * 2 + (0.02 * 10) / 60;
    const valid = profileOf(dosing(chemostat(), '{type: stop, t: 1h}'));
    const [planned] = profilePlan(valid, { common: ['rx01'], own: [] }).units;
    const { media, waste } = leastPumped(planned?.actions ?? [], valid.profile.inputs, { ...vial, volumeMl: 14 });
    expect(media).toBeCloseTo(6 * doseMl, 9);
    expect(waste).toBe(media);
  });

  it('counts nothing that readings, conditions or waits decide about', () => {
    const stop = '{type: stop, t: 1h}';
    expect(pumped(chemostat().replace('t: 0', 't: 0, if: "1 > 2"'), stop)).toMatchObject({ media: 0 });
    expect(pumped(chemostat().replace('volume_ml: 1', `volume_ml: ${inBrackets('random()')}`), stop)).toMatchObject({
      media: 0,
    });
    const wait = '{type: when, t: 20m, wait_until: "1 > 2", actions: [{type: stop, t: 10m}]}';
    expect(pumped(chemostat(), wait, stop)).toMatchObject({ media: 3 });
  });
});
