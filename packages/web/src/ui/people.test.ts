import { expect, it } from 'vitest';
import { personNamed, personText } from './people.ts';

it('what is shown for a person is found by the name that records have', () => {
  expect(['ada', 'user', 'cli'].map((name) => personNamed(personText(name)))).toEqual(['ada', 'user', 'user']);
});
