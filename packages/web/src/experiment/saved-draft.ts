/** A text that is saved while it is typed, and that other people may change at the same time. */
export type Draft =
  /** The same text as the leader's. */
  | { readonly phase: 'settled'; readonly text: string }
  /** `base` is the leader's text. */
  | { readonly phase: 'edited'; readonly text: string; readonly base: string }
  /** `sent` is on its way; the person may go on typing. */
  | { readonly phase: 'saving'; readonly text: string; readonly base: string; readonly sent: string }
  | { readonly phase: 'failed'; readonly text: string; readonly base: string; readonly reason: string }
  /** Another person saved `theirs` while this text was not saved yet: the user decides. */
  | { readonly phase: 'conflicting'; readonly text: string; readonly theirs: string };

export type DraftEvent =
  | { readonly type: 'typed'; readonly text: string }
  | { readonly type: 'sent' }
  | { readonly type: 'saved'; readonly text: string }
  | { readonly type: 'refused'; readonly reason: string }
  /** The leader sent its text. */
  | { readonly type: 'received'; readonly text: string }
  | { readonly type: 'mine-kept' }
  | { readonly type: 'theirs-accepted' };

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
      // Either an echo, or older than the text on its way, which replaces it.
      return draft;
    case 'edited':
    case 'failed':
      if (text === draft.base) return draft;
      return text === draft.text ? settled(text) : { phase: 'conflicting', text: draft.text, theirs: text };
    case 'conflicting':
      return text === draft.text ? settled(text) : { ...draft, theirs: text };
  }
};

/** The table of transitions; other events change nothing. */
export function nextDraft(draft: Draft, event: DraftEvent): Draft {
  switch (event.type) {
    case 'typed':
      return typed(draft, event.text);
    case 'received':
      return received(draft, event.text);
    case 'sent':
      if (draft.phase !== 'edited' && draft.phase !== 'failed') return draft;
      return { phase: 'saving', text: draft.text, base: draft.base, sent: draft.text };
    case 'saved':
      if (draft.phase !== 'saving') return draft;
      return draft.text === draft.sent ? settled(event.text) : editedOrSettled(draft.text, event.text);
    case 'refused':
      if (draft.phase !== 'saving') return draft;
      return { phase: 'failed', text: draft.text, base: draft.base, reason: event.reason };
    case 'mine-kept':
      return draft.phase === 'conflicting' ? editedOrSettled(draft.text, draft.theirs) : draft;
    case 'theirs-accepted':
      return draft.phase === 'conflicting' ? settled(draft.theirs) : draft;
  }
}

/** Whether leaving the page now would lose input. */
export const isUnsaved = (draft: Draft): boolean => draft.phase !== 'settled';
