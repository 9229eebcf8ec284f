import { expect } from 'vitest';
import { ask, askedSlowly, taskResult } from '../client.ts';
import { runnableProfile } from '../fixture.ts';
import { changes, follows, reads, type UiPage, type UiRequest } from '../page.ts';
import type { Shape } from '../shape.ts';
import { runningProfiles } from './overview.ts';

const jobs: Shape = {
  '*': {
    actions: [
      {
        type: 'text',
        't?': 'text | number | null',
        'hours_elapsed?': 'number | null',
        if: 'boolean | text',
        'options?': 'object',
        'config_overrides?': 'object',
        'while?': 'boolean | text',
        'actions?': 'list',
      },
    ],
  },
};

const entry: Shape = {
  file: 'text',
  fullpath: 'text',
  experimentProfile: {
    experiment_profile_name: 'text',
    metadata: { author: 'text | null', description: 'text | null' },
    plugins: 'list',
    common: { jobs },
    reactors: 'object',
    inputs: 'object',
  },
};

const capability: Shape = {
  job_name: 'text',
  'automation_name?': 'text',
  help: 'text',
  arguments: 'list',
  options: 'list',
  published_settings: 'object',
};

const later: UiRequest = follows(
  'feature',
  '/unit_api/jobs/run/job_name/experiment_profile',
  { ok: 'true' },
  {
    method: 'PATCH',
    body: { args: ['execute', '{fullpath}', '{E}'], options: { 'dry-run': null } },
  },
);

export const profiles: UiPage = {
  title: 'Profiles',
  testFile: 'logs-profiles-configuration.test.ts',
  requests: [
    reads('required', '/api/experiment_profiles', [entry]),
    reads('feature', '/api/experiment_profiles/{file}', 'text', { answer: 'text' }),
    reads('feature', '/api/experiments/{E}/experiment_profiles/running', runningProfiles, {
      learns: { job_id: '0.job_id' },
    }),
    reads('feature', '/api/experiments/{E}/experiment_profiles/recent', [
      { experiment_profile_name: 'text', started_at: 'time' },
    ]),
    changes('PATCH', '/unit_api/jobs/stop', 202, { body: { job_id: '{job_id}' } }),
    later,
    changes('POST', '/api/experiment_profiles', 200, { body: { filename: 'new.yaml', body: runnableProfile } }),
    changes('PATCH', '/api/experiment_profiles/new.yaml', 200, { body: { body: runnableProfile } }),
    changes('DELETE', '/api/experiment_profiles/new.yaml', 200),
    follows('feature', '/api/units/$broadcast/capabilities', {
      '{U}': { ok: 'true', unit: 'text', value: [capability] },
      '{leader}': { ok: 'true', unit: 'text', value: [capability] },
    }),
  ],
  rules: [
    {
      rule: 'a listed profile contains units with labels, inputs, nested actions and conditions',
      level: 'required',
      shows: async ({ leader }) => {
        const entries = await leader.client.listExperimentProfiles();
        expect(entries.find(({ file }) => file === 'ramp.yaml')?.experimentProfile).toMatchObject({
          inputs: { fast: 500 },
          common: {
            jobs: {
              stirring: {
                actions: [
                  { type: 'start', t: '5h', options: { target_rpm: 400 }, config_overrides: { pwm_hz: '100' } },
                  { type: 'repeat', while: '1 < 2', actions: [{ type: 'update', options: { target_rpm: 300 } }] },
                ],
              },
            },
          },
          reactors: {
            unit1: { label: 'left', jobs: { od_reading: { actions: [{ type: 'log', hours_elapsed: 7, if: true }] } } },
          },
        });
      },
    },
    {
      rule: 'a profile without a version is refused with diagnostics: severity, message and path',
      level: 'feature',
      shows: async (scene) => {
        const body = { filename: 'bad.yaml', body: 'experiment_profile_name: x\n' };
        const answer = await ask(changes('POST', '/api/experiment_profiles', 400, { body }), scene);
        expect(answer.status).toBe(400);
        expect(await answer.json()).toMatchObject({
          error: expect.any(String),
          cause: expect.any(String),
          diagnostics: [{ severity: 'error', message: expect.any(String), path: expect.any(String) }],
        });
      },
    },
    {
      rule: 'a run that cannot start is a failed task or an error that names the file',
      level: 'feature',
      shows: async (scene) => {
        const { body: _, ...rest } = later;
        const missing = { args: ['execute', 'absent.yaml', '{E}'], options: {} };
        const answer = await askedSlowly({ ...rest, body: missing }, scene);
        if (answer.status === 202) await expect(taskResult(scene, await answer.json())).rejects.toThrow(/absent/);
        else expect(await answer.json()).toMatchObject({ error: expect.stringContaining('absent') });
      },
    },
  ],
};
