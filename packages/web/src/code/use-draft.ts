import { useState } from 'react';

/** A file as it was read. */
interface SavedFile {
  readonly text: string;
  /** Undefined when the answer has no version. */
  readonly version: string | undefined;
}

/** An edited text and the saved version that it is based on. */
interface Draft<File> {
  readonly text: string;
  readonly base: File;
}

/** The text in the editor of a file, of which others may save other versions. */
export function useDraft<File extends SavedFile>(saved: File) {
  const [draft, setDraft] = useState<Draft<File>>();
  const [setAside, putAside] = useState<string>();
  const isEdited = draft !== undefined && draft.text !== saved.text;
  return {
    text: draft?.text ?? saved.text,
    base: draft?.base ?? saved,
    isEdited,
    /** Another version was saved since the changes began. */
    isOutdated: isEdited && draft.base.version !== saved.version,
    /** A text that was put aside for the saved version. */
    setAside,
    edit: (text: string): void => setDraft({ text, base: draft?.base ?? saved }),
    discard: (): void => setDraft(undefined),
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
