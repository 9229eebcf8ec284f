export const uiWords = {
  // No bottle size
  bottleWithoutSize: 'The level of a bottle without a size is not monitored.',
  setSizesOfBottles: 'Set the sizes of bottles',

  // Leave guard
  leaveWithoutSavingQuestion: 'Leave without saving?',
  changesLost: (what: string) => `The changes of ${what} are not saved, and are lost when you leave the page.`,
  theNote: 'the note',
  theLabel: 'the label',
  theVolumes: 'the volumes',
  theRule: (title: string) => `the rule “${title}”`,
  thisStep: 'this step',
  stay: 'Stay',
  leaveWithoutSaving: 'Leave without saving',
  discardQuestion: 'Discard what you entered?',
  enteredIsLost: 'What you entered is not saved, and is lost when the form closes.',
  keepEditing: 'Keep editing',
  discard: 'Discard',
} as const;
