import type { UnitOutcome } from '@lcs/contract';
import { expect, it } from 'vitest';
import { distinctCapabilities } from './distinct-capabilities.ts';

const stirring = {
  job_name: 'stirring',
  help: '',
  arguments: [],
  options: [],
  published_settings: {},
  cli_example: 'lcs run stirring',
};
const answered = (unit: string, value: unknown): UnitOutcome => ({ ok: true, unit, value });

it('joins equal answers and names the workers without a readable one', () => {
  const error = { kind: 'connection_error', message: 'No answer.' };
  const outcomes = {
    u1: answered('u1', [stirring]),
    u2: answered('u2', []),
    u3: answered('u3', [{ ...stirring }, { job_name: 'half' }]),
    u4: answered('u4', [stirring]),
    u5: answered('u5', 'broken'),
    u6: { ok: false, unit: 'u6', error, status_code: null, retryable: true } as const,
  };
  expect(distinctCapabilities(['u0', 'u1', 'u2', 'u3', 'u4', 'u5', 'u6'], outcomes)).toEqual({
    groups: [
      { units: ['u1', 'u3', 'u4'], capabilities: [stirring] },
      { units: ['u2'], capabilities: [] },
    ],
    last_used: [],
    failed: ['u0', 'u5', 'u6'],
  });
});

it('has the last runs of each worker beside the answers that are equal without them', () => {
  const run = (target_rpm: number) => ({ settings: { target_rpm }, ended_at: '2026-11-26T16:35:00.000Z' });
  const outcomes = {
    u1: answered('u1', [{ ...stirring, last_used: run(610) }]),
    u2: answered('u2', [{ ...stirring, last_used: run(500) }]),
    u3: answered('u3', [stirring]),
  };
  expect(distinctCapabilities(['u1', 'u2', 'u3'], outcomes)).toEqual({
    groups: [{ units: ['u1', 'u2', 'u3'], capabilities: [stirring] }],
    last_used: [
      { reactor_unit: 'u1', job_name: 'stirring', ...run(610) },
      { reactor_unit: 'u2', job_name: 'stirring', ...run(500) },
    ],
    failed: [],
  });
});
