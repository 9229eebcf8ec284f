export const experimentItemsWords = {
  wasNotChanged: (name: string, refusal: string) => `${name} was not changed: ${refusal}`,
  editDesignDescriptionAndTags: 'Edit design, description and tags…',
  archiveDialog: 'Archive…',
  stateTitles: { running: 'Running', idle: 'No units', ended: 'Ended', archived: 'Archived' },
  assignmentsAreNotKnownYet: 'Assignments are not known yet',
  unitsInactive: 'Units inactive',
  ofUnitsAreActive: (active: number, assigned: number) => `${active} of ${assigned} units are active`,
} as const;
