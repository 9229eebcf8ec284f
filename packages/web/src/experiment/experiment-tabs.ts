/** The tabs of the page of an experiment, in their order: the last part of their addresses, and their titles. */
export const experimentTabs = [
  { tab: 'overview', to: '/experiments/$experiment/overview', title: 'Overview' },
  { tab: 'units', to: '/experiments/$experiment/units', title: 'Units' },
  { tab: 'timeline', to: '/experiments/$experiment/timeline', title: 'Timeline' },
  { tab: 'data', to: '/experiments/$experiment/data', title: 'Data' },
  { tab: 'setup', to: '/experiments/$experiment/setup', title: 'Setup' },
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
