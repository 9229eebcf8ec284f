import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Draft, type DraftEvent, isUnsaved, nextDraft } from './saved-draft.ts';

const start = { phase: 'settled', text: 'old' } as const;
const after = (...events: readonly DraftEvent[]): Draft => events.reduce<Draft>(nextDraft, start);
const typed = (text: string): DraftEvent => ({ type: 'typed', text });
const received = (text: string): DraftEvent => ({ type: 'received', text });
const sent: DraftEvent = { type: 'sent' };
const answered = (text: string): DraftEvent => ({ type: 'answered', text });
const refused: DraftEvent = { type: 'refused', reason: 'no answer' };

describe('a text that saves itself', () => {
  it('is saved after typing, sending and the answer', () => {
    expect(after(typed('new'))).toEqual({ phase: 'edited', text: 'new', base: 'old' });
    expect(after(typed('new'), sent)).toMatchObject({ phase: 'saving', sent: 'new' });
    expect(after(typed('new'), sent, answered('new'))).toEqual({ phase: 'settled', text: 'new' });
  });

  it('has nothing to save when the old text is typed again', () => {
    expect(after(typed('new'), typed('old'))).toEqual(start);
  });

  it('is still to be saved when typing went on while it was sent', () => {
    expect(after(typed('new'), sent, typed('newer'), answered('new'))).toEqual({
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

  it('follows the text of others while nothing is typed here', () => {
    expect(after(received('theirs'))).toEqual({ phase: 'settled', text: 'theirs' });
  });

  it('takes its own echo for no change, whether it comes before or after the answer', () => {
    expect(after(typed('new'), sent, received('new'), answered('new'))).toEqual({ phase: 'settled', text: 'new' });
    expect(after(typed('new'), sent, answered('new'), typed('newer'), received('new'))).toEqual({
      phase: 'edited',
      text: 'newer',
      base: 'new',
    });
  });

  it('asks when another person has saved another text meanwhile', () => {
    const conflict = after(typed('mine'), received('theirs'));
    expect(conflict).toEqual({ phase: 'conflicting', text: 'mine', theirs: 'theirs' });
    expect(nextDraft(conflict, { type: 'kept mine' })).toEqual({ phase: 'edited', text: 'mine', base: 'theirs' });
    expect(nextDraft(conflict, { type: 'took theirs' })).toEqual({ phase: 'settled', text: 'theirs' });
    expect(nextDraft(conflict, received('mine'))).toEqual({ phase: 'settled', text: 'mine' });
  });

  it('never loses what was typed, unless the person takes the other text', () => {
    const anyText = fc.constantFrom('a', 'b', 'c');
    const anyEvent: fc.Arbitrary<DraftEvent | 'answer'> = fc.oneof(
      anyText.map(typed),
      anyText.map(received),
      fc.constant(sent),
      fc.constant(refused),
      fc.constant<DraftEvent | 'answer'>('answer'),
      fc.constant<DraftEvent>({ type: 'kept mine' }),
    );
    fc.assert(
      fc.property(fc.array(anyEvent), (events) => {
        let draft: Draft = start;
        for (const step of events) {
          const before: Draft = draft;
          // The leader answers with what it was sent.
          const event = step === 'answer' ? answered(before.phase === 'saving' ? before.sent : '') : step;
          draft = nextDraft(draft, event);
          if (event.type !== 'typed' && isUnsaved(before)) expect(draft.text).toBe(before.text);
        }
      }),
    );
  });
});
