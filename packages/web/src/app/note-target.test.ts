import type { Assignment } from '@lcs/contract';
import { expect, it } from 'vitest';
import { noteTarget } from './note-target.ts';

const assignment = (reactor_unit: string, experiment: string | null): Assignment => ({
  reactor_unit,
  experiment,
  is_active: 1,
});

it('a note is about the unit and the experiment of its page', () => {
  const assignments = [assignment('u1', 'ramp one'), assignment('u5', 'yeast ramp'), assignment('u6', null)];
  const on = (experiment: string | undefined, unit: string | undefined) =>
    noteTarget({ experiment, unit }, assignments);
  expect(on(undefined, 'u5')).toEqual({ experiment: 'yeast ramp', unit: 'u5' });
  expect(on('ramp one', undefined)).toEqual({ experiment: 'ramp one', unit: undefined });
  expect(on(undefined, 'u6')).toEqual({ experiment: undefined, unit: undefined });
  expect(on(undefined, 'unknown')).toEqual({ experiment: undefined, unit: undefined });
  expect(on(undefined, undefined)).toEqual({ experiment: undefined, unit: undefined });
});
