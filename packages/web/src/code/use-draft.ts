import { useState } from 'react';

/** A file as it was read. */
interface SavedFile {
  readonly text: string;
  /** Undefined when the answer has no version. */
  readonly version: string | undefined;
}

/** An edited text and the saved version that it is based on. */
export interface Draft<File> {
  readonly text: string;
  readonly base: File;
}

/** How a draft stands to the saved version; `sent` is the text that this page saved last, or is saving. */
export function draftState<File extends SavedFile>(draft: Draft<File> | undefined, saved: File, sent?: string) {
  const text = draft?.text ?? saved.text;
  const isEdited = text !== saved.text;
  const isOfBase = draft === undefined || draft.base.version === saved.version;
  /** Another person has saved another version since the changes began. */
  const isOutdated = isEdited && !isOfBase && saved.text !== sent;
  return { text, isEdited, isOutdated, base: isOutdated && draft !== undefined ? draft.base : saved };
}

/**
 * The text in the editor of a file, of which others may save other versions.
 * @param sent The text that this page saved last, or is saving: people go on writing meanwhile.
 */
export function useDraft<File extends SavedFile>(saved: File, sent: string | undefined) {
  const [draft, setDraft] = useState<Draft<File>>();
  const [setAside, putAside] = useState<string>();
  return {
    ...draftState(draft, saved, sent),
    /** A text that was put aside for the saved version. */
    setAside,
    edit: (text: string): void => setDraft({ text, base: draft?.base ?? saved }),
    discard: (): void => setDraft(undefined),
    /** `text` is saved; what was changed since then is not, and stays. */
    dropSaved: (text: string): void => setDraft((latest) => (latest?.text === text ? undefined : latest)),
    /** Shows the saved version; the changes are kept beside it. */
    showSaved: (): void => {
      putAside(draft?.text);
      setDraft(undefined);
    },
    /** Shows the changes that were put aside, now on top of the saved version. */
    takeBack: (): void => {
      if (setAside !== undefined) setDraft({ text: setAside, base: saved });
      putAside(undefined);
    },
  };
}
