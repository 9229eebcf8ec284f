import { describe, expect, it } from 'vitest';
import { draftState } from './use-draft.ts';

const first = { text: 'a', version: '1' };
const second = { text: 'ab', version: '2' };

describe('a draft', () => {
  it('is the saved text until it is edited', () => {
    expect(draftState(undefined, first)).toEqual({ text: 'a', isEdited: false, isOutdated: false, base: first });
    expect(draftState({ text: 'ab', base: first }, first)).toMatchObject({ text: 'ab', isEdited: true, base: first });
  });

  it('is outdated when another person has saved another version', () => {
    expect(draftState({ text: 'ax', base: first }, second)).toMatchObject({ isOutdated: true, base: first });
    // Both wrote the same.
    expect(draftState({ text: 'ab', base: first }, second)).toMatchObject({ isEdited: false, isOutdated: false });
  });

  it('that was changed while an earlier text of it was saved is based on that save', () => {
    const draft = { text: 'abc', base: first };
    expect(draftState(draft, second, 'ab')).toMatchObject({
      text: 'abc',
      isEdited: true,
      isOutdated: false,
      base: second,
    });
    // Somebody else saves after it.
    const third = { text: 'other', version: '3' };
    expect(draftState(draft, third, 'ab')).toMatchObject({ isOutdated: true, base: first });
  });
});
