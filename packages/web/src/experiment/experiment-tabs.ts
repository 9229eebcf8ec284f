/** The tabs of the page of an experiment, in their order: the last part of their addresses, their titles, and words that people type in the search for them. */
export const experimentTabs = [
  {
    tab: 'overview',
    to: '/experiments/$experiment/overview',
    title: 'Overview',
    synonyms: 'charts plots curves usual jobs start',
  },
  { tab: 'units', to: '/experiments/$experiment/units', title: 'Units', synonyms: 'jobs table cards assign' },
  {
    tab: 'timeline',
    to: '/experiments/$experiment/timeline',
    title: 'Timeline',
    synonyms: 'log events notes samples doses',
  },
  { tab: 'data', to: '/experiments/$experiment/data', title: 'Data', synonyms: 'export download csv' },
  {
    tab: 'setup',
    to: '/experiments/$experiment/setup',
    title: 'Setup',
    synonyms: 'design labels groups bottles media end experiment',
  },
] as const;

export type ExperimentTab = (typeof experimentTabs)[number]['tab'];

const tabsOfParts: ReadonlyMap<unknown, ExperimentTab> = new Map([
  ['charts', 'overview'],
  ['units', 'units'],
  ['timeline', 'timeline'],
  ['log', 'timeline'],
  ['about', 'setup'],
]);

/** The tab that now has a part of the page of earlier versions, as addresses that people have kept name it. */
export const tabOfPart = (part: unknown): ExperimentTab | undefined => tabsOfParts.get(part);
