/** The file name of the editor that stands for a profile that is not saved yet. Names of files end in `.yaml` or `.yml`. */
export const newProfile = 'new';

/** The search part of the address of the editor: what a new profile is a copy of. */
export interface EditorSearch {
  /** A profile of the library. */
  readonly from?: string;
  /** A saved profile. */
  readonly copy?: string;
}

/** Reads the search part of an address, which a person may have entered; invalid parts are left out. */
export function readEditorSearch({ from, copy }: Record<string, unknown>): EditorSearch {
  if (typeof from === 'string' && from !== '') return { from };
  return typeof copy === 'string' && copy !== '' ? { copy } : {};
}

/** A name for a copy of a file. */
export const nameOfCopy = (filename: string): string => filename.replace(/(\.ya?ml)?$/, '-copy$1');

/** The text of a profile that is written from nothing. */
export const emptyProfile = `experiment_profile_name: my profile
version: "1.0"
metadata: {author: null, description: null}
inputs: {}
common:
  jobs:
    stirring:
      actions:
        - {type: start, t: 0s}
        - {type: stop, t: 1h}
`;
