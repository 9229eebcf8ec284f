import { type FinishedTask, ProblemError } from '@lcs/contract';
import { expect, it } from 'vitest';
import { readPlugins } from './read-plugins.ts';

const times = { created_at: '', started_at: null, finished_at: '', task_id: '1', result_url_path: '', message: null };
const ended = (result: unknown): FinishedTask => ({ ...times, status: 'succeeded', result });
const plugin = (name: string, more: object = {}) => ({
  name,
  version: '1.0.0',
  description: null,
  homepage: null,
  source: 'package',
  author: 'Ada',
  ...more,
});

it('lists each plugin once with its units, and the units that did not answer', () => {
  const task = ended({
    lead: { ok: true, unit: 'lead', value: [plugin('shaker'), { name: 'half', version: '1.0.0' }] },
    rx01: {
      ok: true,
      unit: 'rx01',
      value: [plugin('bubbler', { error: 'It throws.' }), plugin('shaker', { version: '2.0.0' })],
    },
    rx02: {
      ok: false,
      unit: 'rx02',
      error: { kind: 'connection_error', message: 'No answer.' },
      status_code: null,
      retryable: true,
    },
  });
  expect(readPlugins(task)).toEqual({
    plugins: [
      {
        name: 'bubbler',
        description: null,
        author: 'Ada',
        places: [{ unit: 'rx01', version: '1.0.0', error: 'It throws.' }],
      },
      {
        name: 'shaker',
        description: null,
        author: 'Ada',
        places: [
          { unit: 'lead', version: '1.0.0', error: null },
          { unit: 'rx01', version: '2.0.0', error: null },
        ],
      },
    ],
    answered: ['lead', 'rx01'],
    unanswered: ['rx02'],
  });
});

it('throws when the task failed', () => {
  const failed: FinishedTask = {
    task_id: '1',
    result_url_path: '',
    message: null,
    created_at: '',
    started_at: null,
    finished_at: '',
    status: 'failed',
    error: 'Stopped.',
    cause: '',
    remediation: '',
    code: 'x',
  };
  expect(() => readPlugins(failed)).toThrow(ProblemError);
});
