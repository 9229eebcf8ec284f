import { type TSchema, Type } from 'typebox';
import { Value } from 'typebox/value';
import { describe, expect, it } from 'vitest';
import { staircase, twoArms, warmUp } from '../../../packages/domain/src/testing/example-profiles.ts';
import { commands, FastRun, growth, valuesIn } from './fast-run.ts';
import { experiment, profileLog } from './profile-fixture.ts';

describe('a documented example runs to its end:', () => {
  it('warm-up, then turbidostat', async () => {
    await using run = await FastRun.begin(warmUp);
    expect(await run.after(0.9)).toEqual([
      'start stirring {"target_rpm":450}',
      'start temperature_automation {"automation_name":"thermostat","target_temperature":37}',
      'start od_reading {}',
      'start growth_rate_calculating {}',
    ]);
    const reading = run.units[0]?.requests.find(({ path }) => path.includes('/run/job_name/od_reading'));
    expect(reading?.body).toMatchObject({ config_overrides: [['od_reading.config', 'smoothing_penalizer', '4']] });
    run.jobs.add(growth(0.1, 1.7));
    expect(await run.after(1)).toEqual([]);
    run.jobs.add(growth(0.1, 1.9));
    const [start] = await run.after(1);
    expect(start).toMatch(/^start dosing_automation .*"turbidostat","target_biomass":1.8,"exchange_volume_ml":0.7/);
    expect(await run.finished()).toContain('NOTICE unit1 holding unit1 at 1.8');
  }, 30_000);

  it('temperature staircase', async () => {
    await using run = await FastRun.begin(staircase);
    const sent = await run.after(30);
    expect(valuesIn(sent, 'target_temperature')).toEqual(Array.from({ length: 13 }, (_, step) => 30 + step));
    const log = await run.finished();
    expect(log.filter((line) => line.startsWith('INFO unit1 now '))).toHaveLength(12);
    expect(log).toContainEqual(expect.stringMatching(/^INFO unit1 The loop at .* has ended/));
  }, 30_000);

  it('two arms, light versus dark, with its plugin', async () => {
    await using run = await FastRun.begin(twoArms, { count: 2, plugin: { name: 'air-bubbler', version: '0.4.1' } });
    const sent = await run.after(121);
    expect(sent).toEqual([
      expect.stringMatching(/^start led_automation .*"light_dark_cycle","light_intensity":20/),
      'update led_automation {"$state":"sleeping"}',
      'update led_automation {"$state":"ready"}',
      'stop led_automation',
    ]);
    const [, dark] = run.units;
    expect(dark && commands(dark)).toEqual(['start led_intensity {"B":0,"C":0,"D":0}']);
    const labels = await run.leader.client.getUnitLabels({ params: { experiment } });
    expect(labels).toEqual({ unit1: 'light', unit2: 'dark' });
    await run.finished();
    expect(profileLog(run.leader).filter((line) => line.startsWith('WARNING'))).toEqual([]);
  }, 30_000);
});

/** Shapes of the specification, written down again here; `additionalProperties` are extensions. */
const text = Type.String();
const note = Type.Union([text, Type.Null()]);
const jobs = Type.Record(text, Type.Object({ actions: Type.Array(Type.Object({ type: text })), description: note }));
const entry = Type.Object({
  file: text,
  fullpath: text,
  experimentProfile: Type.Object({
    version: text,
    experiment_profile_name: text,
    metadata: Type.Object({ author: note, description: note }),
    plugins: Type.Array(Type.Object({ name: text, version: text })),
    common: Type.Object({ jobs }),
    reactors: Type.Record(text, Type.Object({ jobs, label: note })),
    inputs: Type.Record(text, Type.Unknown()),
  }),
});
const status = Type.Object({ status: text });
const recent = Type.Object({ started_at: text, experiment_profile_name: text, experiment: text });
const running = Type.Object({
  job_name: Type.Literal('experiment_profile'),
  experiment: text,
  job_id: Type.Integer(),
  settings: Type.Object({
    $state: text,
    experiment_profile_name: text,
    start_time_utc: text,
    profile_filename: text,
    action_count: Type.Integer(),
  }),
});

it('the seven routes of profiles have the shapes of the specification', async () => {
  await using run = await FastRun.begin(staircase);
  const { url, clock } = run.leader;
  const answered = async (method: string, path: string, shape: TSchema, body?: object): Promise<void> => {
    const answer = await fetch(`${url}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const isText = answer.headers.get('content-type')?.startsWith('text/plain') === true;
    const value: unknown = isText ? await answer.text() : await answer.json();
    const faults = [...Value.Errors(shape, value)];
    expect({ method, path, status: answer.status, faults }).toEqual({ method, path, status: 200, faults: [] });
  };
  await clock.advance(1_000);
  const profiles = '/api/experiment_profiles';
  const ofExperiment = `/api/experiments/${encodeURIComponent(experiment)}/experiment_profiles`;
  for (const [filename, body] of Object.entries({ 'a.yaml': warmUp, 'b.yaml': staircase, 'c.yaml': twoArms }))
    await answered('POST', profiles, status, { filename, body });
  await answered('GET', profiles, Type.Array(entry, { minItems: 4 }));
  await answered('GET', `${profiles}/c.yaml`, text);
  await answered('PATCH', `${profiles}/c.yaml`, status, { body: warmUp });
  await answered('DELETE', `${profiles}/c.yaml`, status);
  await answered('GET', `${ofExperiment}/recent`, Type.Array(recent, { minItems: 1 }));
  await answered('GET', `${ofExperiment}/running`, Type.Array(running, { minItems: 1 }));
}, 30_000);
