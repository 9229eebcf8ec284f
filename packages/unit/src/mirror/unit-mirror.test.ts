import type { JobOrigin } from '@lcs/node';
import { memoryLog, VirtualClock } from '@lcs/platform';
import { beforeEach, describe, expect, it } from 'vitest';
import { UnitMirror } from './unit-mirror.ts';

const job = (jobId: number, experiment = 'e'): JobOrigin => ({
  jobId,
  jobName: 'job',
  experiment,
  experimentUid: 'uid',
  jobSource: 'user',
});

describe('what a unit shows beside its jobs', () => {
  let published: [topic: string, payload: string, options: unknown][];
  let mirror: UnitMirror;
  const retained = () =>
    published.map(([topic, payload, options]) => {
      expect(options).toEqual({ retain: true, qos: 0 });
      return `${topic} ${payload}`;
    });

  beforeEach(() => {
    published = [];
    mirror = new UnitMirror({
      unit: 'u1',
      mqtt: { publish: (topic, payload, options) => published.push([topic, payload, options]) },
      clock: new VirtualClock(),
      log: memoryLog(),
    });
  });

  it('is the level of each output, below the experiment that drives it', () => {
    mirror.outputs.level(job(1), 'ledA', 80);
    mirror.outputs.level(job(2), 'pwm5', 12.5);
    mirror.outputs.level(job(3), 'pwm1', 30);
    mirror.outputs.level(job(3), 'pwm1', 30);
    mirror.outputs.off(['pwm1', 'ledA'], 3);
    mirror.outputs.off(['ledA', 'ledB']);
    mirror.outputs.level(job(4, '_testing_e'), 'ledB', 5);
    expect(retained()).toEqual([
      'reactor/u1/e/leds/intensity {"A":80,"B":0,"C":0,"D":0}',
      'reactor/u1/e/pwms/dc {"18":12.5}',
      'reactor/u1/e/pwms/dc {"17":30,"18":12.5}',
      'reactor/u1/e/pwms/dc {"18":12.5}',
      'reactor/u1/e/leds/intensity {"A":0,"B":0,"C":0,"D":0}',
      'reactor/u1/_testing_e/leds/intensity {"A":0,"B":5,"C":0,"D":0}',
    ]);
  });

  it('publishes that outputs are off after a job that was interrupted with an earlier run', () => {
    mirror.state(job(1), { kind: 'lost', sinceMs: 0 });
    published.shift();
    expect(retained()).toEqual(['reactor/u1/e/leds/intensity {"A":0,"B":0,"C":0,"D":0}', 'reactor/u1/e/pwms/dc {}']);
  });

  it('is each dose, not retained, in the format of outside clients', () => {
    const data = { volume_change_ml: 0.5, event: 'add_media', source_of_event: 'UI', job_id: 1 };
    mirror.event(job(1), { name: 'dosing', data }, 1500);
    const payload = {
      event: 'add_media',
      source_of_event: 'UI',
      volume_change: 0.5,
      timestamp: '1970-01-01T00:00:01.500Z',
    };
    expect(published).toEqual([['reactor/u1/e/dosing_events', JSON.stringify(payload), { qos: 2 }]]);
  });

  it('is an interval of settings of an automation', () => {
    const settings = { target_temperature: 30 };
    const interval = { started_at: 0, ended_at: null, settings };
    const data = { kind: 'temperature', automation_name: 'thermostat', ...interval };
    mirror.event(job(1), { name: 'automation_settings', data }, 5);
    const [[topic, payload, options] = ['', '']] = published;
    expect([topic, options]).toEqual([
      'reactor/u1/e/temperature_automation/temperature_automation_settings',
      { qos: 2 },
    ]);
    expect(JSON.parse(payload)).toEqual({
      reactor_unit: 'u1',
      experiment: 'e',
      started_at: '1970-01-01T00:00:00.000Z',
      ended_at: null,
      automation_name: 'thermostat',
      settings: btoa(JSON.stringify(settings)),
    });
  });
});
