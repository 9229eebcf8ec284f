import { startWords } from '../words/start.ts';

/** What a stop means for units that do not answer. */
export const offlineText = (offline: readonly string[]): string =>
  startWords.offlineStopsLater(offline.join(', '), offline.length);
