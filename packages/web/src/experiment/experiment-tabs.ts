import { commonWords } from '../words/common.ts';
import { startWords } from '../words/start.ts';

/** The tabs of the page of an experiment, in their order: the last part of their addresses, their titles, and words that people type in the search for them. */
export const experimentTabs = [
  {
    tab: 'overview',
    to: '/experiments/$experiment/overview',
    title: startWords.overview,
    synonyms: startWords.overviewSynonyms,
  },
  {
    tab: 'units',
    to: '/experiments/$experiment/units',
    title: commonWords.units,
    synonyms: startWords.unitsSynonyms,
  },
  {
    tab: 'timeline',
    to: '/experiments/$experiment/timeline',
    title: commonWords.timeline,
    synonyms: startWords.timelineSynonyms,
  },
  {
    tab: 'data',
    to: '/experiments/$experiment/data',
    title: startWords.data,
    synonyms: startWords.dataSynonyms,
  },
  {
    tab: 'setup',
    to: '/experiments/$experiment/setup',
    title: startWords.setup,
    synonyms: startWords.setupSynonyms,
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
