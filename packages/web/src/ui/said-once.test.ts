import { expect, it } from 'vitest';
import { saidOnce } from './said-once.ts';

it.each([
  ['stirring is already running. stirring is already running (job_id=2).', 'stirring is already running (job_id=2).'],
  ['The pump is off. The pump is off. Turn it on.', 'The pump is off. Turn it on.'],
  ['unit1 is off. unit1 is offline.', 'unit1 is off. unit1 is offline.'],
  ['No dose of 1.5 mL. The vial is full.', 'No dose of 1.5 mL. The vial is full.'],
  ['busy', 'busy'],
])('%s', (text, said) => {
  expect(saidOnce(text)).toBe(said);
});
