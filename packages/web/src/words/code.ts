export const codeWords = {
  // Version notices
  savedByAnother: 'Another person has saved this file',
  basedOnOlderVersion: (history: string) =>
    `Your changes are based on an older version and are not saved. A version that is overwritten stays in ${history}.`,
  yourChangesAreKeptAside: 'Your changes are kept aside',
  youSeeSavedVersion: 'You see the saved version. Your changes are lost when you leave this page.',
  loadMyChangesAgain: 'Load my changes again',
} as const;
