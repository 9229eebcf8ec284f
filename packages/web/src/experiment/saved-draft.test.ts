import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Draft, type DraftEvent, isUnsaved, nextDraft } from './saved-draft.ts';

const start = { phase: 'settled', text: 'old' } as const;
const after = (...events: readonly DraftEvent[]): Draft => events.reduce<Draft>(nextDraft, start);
const typed = (text: string): DraftEvent => ({ type: 'typed', text });
const received = (text: string): DraftEvent => ({ type: 'received', text });
const sent: DraftEvent = { type: 'sent' };
const saved = (text: string): DraftEvent => ({ type: 'saved', text });
const refused: DraftEvent = { type: 'refused', reason: 'no answer' };

describe('a text that is saved while it is typed', () => {
  it('is saved after typing, sending and the response', () => {
    expect(after(typed('new'))).toEqual({ phase: 'edited', text: 'new', base: 'old' });
    expect(after(typed('new'), sent)).toMatchObject({ phase: 'saving', sent: 'new' });
    expect(after(typed('new'), sent, saved('new'))).toEqual({ phase: 'settled', text: 'new' });
  });

  it('has nothing to save when the old text is typed again', () => {
    expect(after(typed('new'), typed('old'))).toEqual(start);
  });

  it('is unsaved when typing went on while it was sent', () => {
    expect(after(typed('new'), sent, typed('newer'), saved('new'))).toEqual({
      phase: 'edited',
      text: 'newer',
      base: 'new',
    });
  });

  it('stays on the screen, with the reason, when saving fails, and can be sent again', () => {
    const failed = after(typed('new'), sent, refused);
    expect(failed).toEqual({ phase: 'failed', text: 'new', base: 'old', reason: 'no answer' });
    expect(nextDraft(failed, sent)).toMatchObject({ phase: 'saving', sent: 'new' });
  });

  it('follows the text of other people while nothing is typed here', () => {
    expect(after(received('theirs'))).toEqual({ phase: 'settled', text: 'theirs' });
  });

  it('ignores its own echo, before and after the response', () => {
    expect(after(typed('new'), sent, received('new'), saved('new'))).toEqual({ phase: 'settled', text: 'new' });
    expect(after(typed('new'), sent, saved('new'), typed('newer'), received('new'))).toEqual({
      phase: 'edited',
      text: 'newer',
      base: 'new',
    });
  });

  it('conflicts when another person has saved another text meanwhile', () => {
    const conflict = after(typed('mine'), received('theirs'));
    expect(conflict).toEqual({ phase: 'conflicting', text: 'mine', theirs: 'theirs' });
    expect(nextDraft(conflict, { type: 'mine-kept' })).toEqual({ phase: 'edited', text: 'mine', base: 'theirs' });
    expect(nextDraft(conflict, { type: 'theirs-accepted' })).toEqual({ phase: 'settled', text: 'theirs' });
    expect(nextDraft(conflict, received('mine'))).toEqual({ phase: 'settled', text: 'mine' });
  });

  it('never loses typed text, unless the person accepts the other text', () => {
    const anyText = fc.constantFrom('a', 'b', 'c');
    const anyEvent: fc.Arbitrary<DraftEvent | 'answer'> = fc.oneof(
      anyText.map(typed),
      anyText.map(received),
      fc.constant(sent),
      fc.constant(refused),
      fc.constant<DraftEvent | 'answer'>('answer'),
      fc.constant<DraftEvent>({ type: 'mine-kept' }),
    );
    fc.assert(
      fc.property(fc.array(anyEvent), (events) => {
        let draft: Draft = start;
        for (const step of events) {
          const before: Draft = draft;
          // The leader answers with what it was sent.
          const event = step === 'answer' ? saved(before.phase === 'saving' ? before.sent : '') : step;
          draft = nextDraft(draft, event);
          if (event.type !== 'typed' && isUnsaved(before)) expect(draft.text).toBe(before.text);
        }
      }),
    );
  });
});
