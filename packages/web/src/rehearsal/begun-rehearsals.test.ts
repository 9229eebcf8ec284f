import { expect, it } from 'vitest';
import { begunFor, readBegun, withBegun } from './begun-rehearsals.ts';

const draft = { task_id: 't1', text: 'a' };
const saved = { task_id: 't2', file: 'b.yaml', text: 'b' };

it('finds a rehearsal by its text, which got a name when it was saved, and then by the file', () => {
  const known = withBegun(withBegun([], draft), saved);
  expect(begunFor(known, 'a.yaml', 'a')).toEqual(draft);
  expect(begunFor(known, 'b.yaml', 'b, changed')).toEqual(saved);
  expect(begunFor(known, undefined, 'c')).toBeUndefined();
});

it('keeps one rehearsal of a text, and the newest five', () => {
  const again = { ...draft, task_id: 't3' };
  expect(withBegun(withBegun([], draft), again)).toEqual([again]);
  const many = ['1', '2', '3', '4', '5', '6'].reduce<readonly (typeof draft)[]>(
    (known, text) => withBegun(known, { task_id: text, text }),
    [],
  );
  expect(many.map(({ text }) => text)).toEqual(['6', '5', '4', '3', '2']);
});

it('reads what a browser has stored, and nothing else', () => {
  expect(readBegun(JSON.stringify([draft, saved]))).toEqual([draft, saved]);
  for (const stored of [null, 'no JSON', '{}', '[{"text": 1}]']) expect(readBegun(stored)).toEqual([]);
});
