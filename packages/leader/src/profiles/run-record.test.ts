import { parseProfile, profileItems } from '@lcs/domain';
import { expect, it } from 'vitest';
import { type Progress, waitingFor } from './run-record.ts';

const actions = '[{type: start, t: 1m}, {type: update, t: 2m, options: {a: 1}}, {type: stop, t: 3m}]';
const text = `version: "1.0"\nexperiment_profile_name: p\ncommon: {jobs: {stirring: {actions: ${actions}}}}\n`;

function waitingOf(units: readonly string[]): Progress['waiting'] {
  const parsed = parseProfile(text);
  if (parsed.is !== 'valid') throw new Error(JSON.stringify(parsed.diagnostics));
  const items = [...profileItems(parsed.profile, { common: units, own: [] }).values()].flat();
  return items.sort((one, other) => one.atMs - other.atMs).map((item) => [item, item.atMs, false] as const);
}

const shown = (query: Parameters<typeof waitingFor>[1]) =>
  waitingFor(waitingOf(['rx01', 'rx02']), query).map(([{ unit, action }]) => `${unit} ${action.type}`);

it('of all that waits a query reads the first of each unit, the first of all, or both', () => {
  expect(shown({})).toHaveLength(6);
  expect(shown({ waiting_per_unit: 1 })).toEqual(['rx01 start', 'rx02 start']);
  expect(shown({ waiting_limit: 3 })).toEqual(['rx01 start', 'rx02 start', 'rx01 update']);
  expect(shown({ waiting_per_unit: 2, waiting_limit: 3 })).toEqual(['rx01 start', 'rx02 start', 'rx01 update']);
  expect(shown({ waiting_per_unit: 3 })).toEqual(shown({}));
});
