export const experimentsWords = {
  // Delete experiment
  deletingNamed: (experiment: string) => `Deleting ${experiment}`,
  isDeleted: (experiment: string) => `${experiment} is deleted`,
  wasNotDeletedCompletely: (experiment: string) => `${experiment} was not deleted completely`,
  deletedRecords: 'its readings, events, settings and log entries',
  itsDescriptionTagsAndLabels: 'its description, tags and labels',
  unitsTheyBecomeFree: 'the units: they become free',
  deletedHistory: 'the history of assignments, and files exported before',
  removedPermanently: 'Removed permanently',
  kept: 'Kept',
  assignedToIt: (assigned: number) =>
    `${assigned === 1 ? '1 unit is' : `${assigned} units are`} assigned to it. All its jobs are stopped there.`,
  typeNameToConfirm: 'Type the name of the experiment to confirm',
  deleteExperiment: 'Delete experiment',

  // End consequences
  noJobRuns: 'No job of this experiment is running.',
  jobsStopAtOnce: (jobs: number, units: string) =>
    `${jobs} ${jobs === 1 ? 'job' : 'jobs'} on ${units} ${jobs === 1 ? 'stops' : 'stop'} at once: measurements, pumps, heaters, stirrers and lights. A running profile ends.`,

  // End experiment
  ends: {
    end: {
      title: (experiment: string) => `End ${experiment}?`,
      stopAndEnd: 'Stop all jobs and end',
      end: 'End experiment',
    },
    archive: {
      title: (experiment: string) => `End and archive ${experiment}?`,
      stopAndEnd: 'Stop all jobs, end and archive',
      end: 'End and archive',
    },
  },
  archiveNeedsEnd:
    'It has not ended. Only an experiment that has ended goes to the archive: lists without it must show all that runs.',
  notAnswer: (offline: string, count: number) =>
    `${offline} ${count === 1 ? 'is offline: its jobs stop when it reconnects.' : 'are offline: their jobs stop when they reconnect.'}`,
  afterwardsItsUnits: 'Afterwards its units',
  areFreeForOtherExperiments: 'are free for other experiments',
  stayHere: 'stay here',
  keepAssignedHelp: 'Until they are emptied and cleaned: nobody takes them by mistake.',
  allDataAreKept: 'All data are kept. The experiment can be reopened; jobs stay off until you start them.',

  // Experiment access
  protected: 'Protected',
  protectionHelp: 'Only owner, members and administrators act on it. Everybody sees it and may stop its jobs.',
  nobody: 'Nobody',
  noSuchPerson: 'No such person',
  changesMembersProtectionAndOwner: 'Changes members, protection and owner',
  nobodyAdministratorsOnly: 'Nobody: administrators only',
  youHandExperimentOverTo: (owner: string) =>
    `You hand the experiment over to ${owner}. To act on it while it is protected, add yourself to the members.`,
  ownerIs: (owner: string) => `Owner: ${owner}`,
  membersAre: (members: string) => `Members: ${members}`,
  notProtected: 'Not protected: every operator acts on it.',
  ownerAndAdministratorsChangeThis: 'The owner and administrators change this.',
  noPersonHasAccountYet: 'No person has an account yet: create the first administrator on the page People.',
  ownerAndMembersOf: (experiment: string) => `Owner and members of ${experiment}`,
  loadingOwnerAndMembers: 'Loading owner and members',

  // Copied units
  unitInExperiment: (unit: string, from: string) => `${unit} · in ${from}`,
  unitLeaves: (unit: string, from: string | null) => `${unit} leaves ${from}`,
  jobsThereAreStopped: (leaving: string) => `${leaving}: the jobs there are stopped.`,

  // Form rules
  existsAlready: (resultName: string) => `${resultName} exists already. Pick another name.`,

  // Experiment form
  cannotBeChangedLater: 'Cannot be changed later',
  enterOrCommaEndsTag: 'Enter or a comma ends a tag',
  copiedFrom: (source: string) =>
    `Copied from ${source}: labels, replicate groups and choice of charts. Readings, notes and running jobs are not copied.`,
  loadingUnits: 'Loading the units',
  editNamed: (experiment: string) => `Edit ${experiment}`,
  copyNamed: (experiment: string) => `Copy ${experiment}`,
  createExperiment: 'Create experiment',

  // Experiment cards
  compareNamed: (experiment: string | number) => `Compare ${experiment}`,

  // Experiments table
  status: 'Status',

  // List toolbar
  searchExperiments: 'Search experiments',
  searchNameOrganismTagDescription: 'Search name, organism, tag, description',
  clearSearch: 'Clear search',
  sortTitles: {
    name: 'Name',
    status: 'Status',
    tags: 'Tags',
    organism: 'Organism',
    workers: 'Units',
    created: 'Created',
    ended: 'Ended',
  },
  ascendingReverseOrder: 'Ascending: reverse the order',
  descendingReverseOrder: 'Descending: reverse the order',
  sortBy: 'Sort by',
  filterByStatus: 'Filter by status',
  filterByTags: 'Filter by tags',
  allTags: 'All tags',
  clearTags: 'Clear tags',
  noSuchTag: 'No such tag',

  // Experiments page
  experimentCount: (total: number) => (total === 1 ? '1 experiment' : `${total} experiments`),
  withArchived: (experiments: string, archived: number) => `${experiments}, ${archived} archived`,
  loadingExperiments: 'Loading experiments',
  rowNumber: (index: number) => `row ${index}`,
  noExperimentsYet: 'No experiments yet',
  experimentsHelp: 'An experiment collects the readings and events of your units. Create one, then assign units to it.',
  createFirstExperiment: 'Create the first experiment',
  nothingMatches: 'Nothing matches',
  noneFits: 'No experiment fits the search and the filters.',
  clearSearchAndFilters: 'Clear search and filters',
  pages: 'Pages',
  pageNumber: (value: number) => `Page ${value}`,
  nextPage: 'Next page',
  previousPage: 'Previous page',
  tickToCompare: (mostCompared: number) => `Tick two to ${mostCompared} experiments to compare them`,
  recordsNotReadable: (broken: string) => `The leader sent records that the web UI cannot read: ${broken}.`,
  someNotShown: 'Some experiments could not be shown',
} as const;
