import { describe, expect, it } from 'vitest';
import {
  initialTemperatureState,
  type LiquidReading,
  type TemperatureActivity,
  type TemperatureEvent,
  type TemperatureInput,
  type TemperatureState,
  temperatureStep,
} from './temperature-states.ts';
import { defaultThermostatGains } from './thermostat.ts';

const thermostat = { gains: defaultThermostatGains, targetC: 37 };
const limits = { max_temp_to_reduce_heating: 60, max_temp_to_disable_heating: 63, max_temp_to_shutdown: 66 };
const initial = initialTemperatureState(thermostat);
const during = (activity: TemperatureActivity): TemperatureState => ({ ...initial, activity });

const step = (
  state: TemperatureState,
  event: TemperatureEvent,
  now: Partial<Pick<TemperatureInput, 'nowMs' | 'limits'>> = {},
  parameters: typeof thermostat | undefined = thermostat,
) => temperatureStep(state, { ...event, nowMs: 100_000, limits, ...now }, parameters);
const kinds = (state: TemperatureState, event: TemperatureEvent) => step(state, event).effects.map(({ kind }) => kind);

const forecast = { roomC: 22, holdingDuty: 20, perDuty: 0.05, perRoom: 0.1 };
const reading: LiquidReading = { celsius: 36.9, forecast, boardC: 36.9, fitsHeater: true, hottestBoardC: 40 };
const measured: TemperatureEvent = { kind: 'measured', reading };
const doubtful: TemperatureEvent = { kind: 'measured', reading: { ...reading, fitsHeater: false } };
const failed: TemperatureEvent = { kind: 'measurement_failed', error: new Error('no answer') };
const measuring: TemperatureActivity = { kind: 'measuring', duty: 20 };
const driving = step(during(measuring), measured).state;
const discarding: TemperatureActivity = { kind: 'discarding', next: 'paused' };

describe('temperature_automation as a state machine', () => {
  it.each<[TemperatureActivity, TemperatureEvent, TemperatureActivity['kind']]>([
    [{ kind: 'holding' }, { kind: 'due' }, 'measuring'],
    [{ kind: 'holding' }, { kind: 'check_due' }, 'holding'],
    [{ kind: 'holding' }, { kind: 'pause' }, 'paused'],
    [measuring, measured, 'driving'],
    [measuring, doubtful, 'holding'],
    [measuring, failed, 'holding'],
    [measuring, { kind: 'due' }, 'measuring'],
    [measuring, { kind: 'pause' }, 'discarding'],
    [driving.activity, { kind: 'driven', duty: 20 }, 'holding'],
    [driving.activity, { kind: 'due' }, 'driving'],
    [driving.activity, { kind: 'pause' }, 'paused'],
    [{ kind: 'paused' }, { kind: 'due' }, 'paused'],
    [{ kind: 'paused' }, { kind: 'driven', duty: 0 }, 'paused'],
    [{ kind: 'paused' }, { kind: 'resume' }, 'holding'],
    [discarding, { kind: 'resume' }, 'discarding'],
    [discarding, measured, 'paused'],
    [discarding, { kind: 'abandoned' }, 'paused'],
    [{ kind: 'discarding', next: 'holding' }, failed, 'holding'],
  ])('%o, %o: %s', (activity, event, kind) => {
    expect(step(during(activity), event).state.activity.kind).toBe(kind);
  });

  it('switches the heater off whenever the liquid cannot be measured, and when it pauses', () => {
    const off = { kind: 'heat', duty: 0 };
    expect(step(during(measuring), failed).effects).toContainEqual(off);
    expect(step(during(measuring), doubtful).effects).toContainEqual(off);
    expect(step(during(measuring), { kind: 'pause' }).effects).toContainEqual(off);
    const silent: TemperatureEvent = { kind: 'sensor_silent', error: new Error('no answer') };
    const heating: TemperatureState = { ...initial, duty: 20, sensorSeenMs: 80_000 };
    expect(step(heating, silent).effects).toContainEqual(off);
    expect(step({ ...heating, sensorSeenMs: 80_001 }, silent).effects).toEqual([]);
  });

  it.each<[TemperatureActivity['kind'], TemperatureState]>([
    ['holding', { ...initial, duty: 20, requestedDuty: 20 }],
    // The heater rests for the measurement; nothing has recorded that.
    ['measuring', { ...during(measuring), requestedDuty: 20 }],
    ['driving', { ...driving, requestedDuty: 20 }],
  ])('records that the heater is off when it is stopped while %s', (_, state) => {
    const rule = 'It was stopped.';
    expect(step(state, { kind: 'stop', rule }).effects).toEqual([{ kind: 'record', from: 20, to: 0, rule }]);
  });

  it('records nothing when it is stopped with the heater off', () => {
    for (const state of [initial, during({ kind: 'paused' }), during({ kind: 'measuring', duty: 0 }), driving])
      expect(step(state, { kind: 'stop', rule: 'It was stopped.' }).effects).toEqual([]);
    const paused = step({ ...during(measuring), requestedDuty: 20 }, { kind: 'pause' }).state;
    expect(step(paused, { kind: 'stop', rule: 'It was stopped.' }).effects).toEqual([]);
  });

  it('heats nothing with a doubtful sensor until a person resumes the job', () => {
    const { state } = step(during(measuring), doubtful);
    expect(state).toMatchObject({ sensor: 'doubtful', requestedDuty: 0 });
    expect(kinds({ ...state, activity: measuring }, measured)).toEqual(['publish_estimate', 'report']);
    const hot: TemperatureEvent = { kind: 'measured', reading: { ...reading, fitsHeater: false, celsius: 39.1 } };
    expect(step(during(measuring), hot).state.sensor).toBe('trusted');
    const paused = step(state, { kind: 'pause' }).state;
    expect(step(paused, { kind: 'resume' }).state.sensor).toBe('trusted');
  });

  it('lets nothing accumulate in the controller that the guard refused or a limit reduced', () => {
    const refused = step(driving, { kind: 'driven', duty: 0 });
    expect(refused.state).toMatchObject({ requestedDuty: 0, thermostat: initial.thermostat });
    expect(refused.effects).toEqual([]);
    const hot: TemperatureEvent = { kind: 'measured', reading: { ...reading, hottestBoardC: 64 } };
    const limited = step(during(measuring), hot);
    expect(limited.effects.map(({ kind }) => kind)).toContain('notify');
    expect(limited.effects).toContainEqual({ kind: 'heat', duty: 0 });
  });

  it('measures at once when another reactor lowers the target', () => {
    const { state, effects } = step(
      initial,
      { kind: 'check_due' },
      { limits: { ...limits, max_temp_to_reduce_heating: 32 } },
    );
    expect([state.activity.kind, state.targetC]).toEqual(['measuring', 32]);
    expect(effects.map(({ kind }) => kind)).toEqual(['notify', 'publish_target', 'record_settings', 'measure']);
  });

  it('only reports without a thermostat', () => {
    const only = { ...during({ kind: 'measuring', duty: 0 }) };
    const { state, effects } = temperatureStep(only, { ...measured, nowMs: 0, limits: undefined }, undefined);
    expect([state.activity.kind, effects.map(({ kind }) => kind)]).toEqual(['holding', ['publish_estimate', 'report']]);
  });
});
