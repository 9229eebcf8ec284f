/** A text that is saved by itself while it is typed, and that others may change at the same time. */
export type Draft =
  /** As the leader has it. */
  | { readonly phase: 'settled'; readonly text: string }
  /** `base` is what the leader has. */
  | { readonly phase: 'edited'; readonly text: string; readonly base: string }
  /** `sent` is on its way; typing goes on. */
  | { readonly phase: 'saving'; readonly text: string; readonly base: string; readonly sent: string }
  | { readonly phase: 'failed'; readonly text: string; readonly base: string; readonly reason: string }
  /** Another person saved `theirs` while this text was not saved yet: the user decides. */
  | { readonly phase: 'conflicting'; readonly text: string; readonly theirs: string };

export type DraftEvent =
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'sent' }
  | { readonly type: 'answered'; readonly text: string }
  | { readonly type: 'refused'; readonly reason: string }
  /** The leader sent its text. */
  | { readonly type: 'received'; readonly text: string }
  | { readonly type: 'kept mine' }
  | { readonly type: 'took theirs' };

const settled = (text: string): Draft => ({ phase: 'settled', text });
const editedOrSettled = (text: string, base: string): Draft =>
  text === base ? settled(base) : { phase: 'edited', text, base };

const typed = (draft: Draft, text: string): Draft => {
  switch (draft.phase) {
    case 'settled':
      return editedOrSettled(text, draft.text);
    case 'edited':
    case 'failed':
      return editedOrSettled(text, draft.base);
    case 'saving':
    case 'conflicting':
      return { ...draft, text };
  }
};

const received = (draft: Draft, text: string): Draft => {
  switch (draft.phase) {
    case 'settled':
      return draft.text === text ? draft : settled(text);
    case 'saving':
      // Either an echo, or older than what is on its way and will stand after it.
      return draft;
    case 'edited':
    case 'failed':
      if (text === draft.base) return draft;
      return text === draft.text ? settled(text) : { phase: 'conflicting', text: draft.text, theirs: text };
    case 'conflicting':
      return text === draft.text ? settled(text) : { ...draft, theirs: text };
  }
};

/** The table of transitions; what makes no sense in a phase changes nothing. */
export function nextDraft(draft: Draft, event: DraftEvent): Draft {
  switch (event.type) {
    case 'typed':
      return typed(draft, event.text);
    case 'received':
      return received(draft, event.text);
    case 'sent':
      if (draft.phase !== 'edited' && draft.phase !== 'failed') return draft;
      return { phase: 'saving', text: draft.text, base: draft.base, sent: draft.text };
    case 'answered':
      if (draft.phase !== 'saving') return draft;
      return draft.text === draft.sent ? settled(event.text) : editedOrSettled(draft.text, event.text);
    case 'refused':
      if (draft.phase !== 'saving') return draft;
      return { phase: 'failed', text: draft.text, base: draft.base, reason: event.reason };
    case 'kept mine':
      return draft.phase === 'conflicting' ? editedOrSettled(draft.text, draft.theirs) : draft;
    case 'took theirs':
      return draft.phase === 'conflicting' ? settled(draft.theirs) : draft;
  }
}

/** Whether leaving the page now would lose something. */
export const isUnsaved = (draft: Draft): boolean => draft.phase !== 'settled';
