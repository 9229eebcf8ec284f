export const timelineWords = {
  // Photo file
  photoMadeSmaller: 'The photo was made smaller before it was sent. Keep the original if you need all of its detail.',

  // Timeline rows
  kindWords: {
    dose: 'Doses',
    setting: 'Settings',
    note: 'Notes and samples',
    alarm: 'Alarms',
    profile: 'Profiles',
    interruption: 'Interruptions',
    action: 'Starts, stops, units',
  },
  noteKindWords: { note: 'Note', sample_taken: 'Sample taken', media_added: 'Medium added by hand' },
  byProgram: (program: string) => `by a ${program}`,
  textMissing: 'Write what you did or saw.',
  unitMissing: 'Choose the unit.',
  volumeFault: 'Enter a volume in mL, such as 0.5.',
  momentFault: 'Enter a date and a time.',
  momentInFuture: 'This is in the future.',

  // Note form
  savedWithoutPhoto: 'The note is saved without its photo',
  menuOfNoteAddsPhoto: (cause: string, remediation: string) =>
    `${cause} ${remediation} The menu of the note adds a photo.`,
  photo: 'Photo',
  withoutPhoto: 'Without the photo',
  newNote: 'New note',
  correctNote: 'Correct a note',
  correctNoteOrSample: 'Correct the note or sample',
  remark: 'Remark',
  whatYouDidOrSaw: 'What you did or saw',
  sampleIdPurposeAnalysis: 'Sample ID, purpose, analysis…',
  volumeMl: 'Volume (mL)',
  wholeExperiment: 'Whole experiment',
  timeInEmpty: (zone: string) => `Time in ${zone} (empty: now)`,

  // Note menu
  photoOfThisNote: 'Photo of this note',
  actionsForThisNote: 'Actions for this note',
  correct: 'Correct…',
  addPhoto: 'Add a photo…',
  replacePhoto: 'Replace the photo…',
  removePhoto: 'Remove the photo',

  // Note photo
  showPhoto: (title: string) => `Show the photo: ${title}`,
  photoOpens: (title: string) => `Photo: ${title}. Opens in its full size`,

  // Timeline row
  showItOnCharts: (time: string) => `${time}: show it on the charts`,
  showOnCharts: (time: string) => `${time}: show on the charts`,

  edited: (by: string | null, time: string) => `edited${by === null ? '' : ` by ${by}`} at ${time}`,
  correctedMeanwhile: (by: string | null, time: string) =>
    `${by ?? 'Someone else'} corrected this note at ${time}, after you opened it. It says now:`,
  noteIsGone: 'Someone else has removed this note.',

  // Timeline panel
  kindsOfEntries: 'Kinds of entries',
  allPeople: 'All people',
  aroundChosenMark: 'Around the chosen entry',
  timeOfCharts: 'Time of the charts',
  removeThisNote: 'Remove this note?',
  withItsPhoto: ' with its photo',
  isRemovedFromTimeline: (text: string, consequences: string) =>
    `“${text}” is removed from the timeline${consequences}`,
  volumeForgetsIt: ', and the volume of the vial no longer takes it into account',
  noKindChosen: 'Choose at least one kind of entry.',
  nothingMatchesTheseFilters: 'Nothing matches these filters.',
  endBeforeBeginning: 'The end is not after the beginning: choose a later end.',
  showAllEntries: 'Show all entries',
  timeIn: (label: string, zone: string) => `${label} (${zone})`,
  nothingHasHappenedYet:
    'Nothing has happened yet. Starts and stops, doses, changed settings, alarms and steps of profiles appear here by themselves; write down samples above.',

  why: 'Why?',
  whyThisDose: (time: string) => `Why? The dose at ${time}`,

  // Chosen entry on charts
  markedOnCharts: (time: string, text: string) => `Marked on the charts: ${time}${text === '' ? '' : ` – ${text}`}`,
  backToTimeline: 'Back to the timeline',
  removeMark: 'Remove the mark',

  // Note dialog
  noteAdded: 'Added.',
  noteAddedTo: (experiment: string) => `Note added to ${experiment}`,
  noteBelongsToExperiment: 'A note belongs to an experiment. Create one first.',
  // Timeline panel
  addNoteOrSample: 'Add a note or sample',
} as const;
