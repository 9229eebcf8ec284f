import { localText } from '../time/moment-text.ts';
import { startWords } from '../words/start.ts';

/** Names in texts of the leader that people know by other words. */
const knownWords: ReadonlyMap<string, string> = new Map(Object.entries(startWords.knownNames));

/** A text with its moments in local time. */
export const localMoments = (text: string): string =>
  text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (moment) => localText(Date.parse(moment)));

/** A sentence that begins with the name of a job, as people read it: `Dosing was not started.` */
export const withJobInWords = (sentence: string): string =>
  sentence.replace(/^[a-z]+(?:_[a-z]+)+(?= )/, (name) => {
    const words = knownWords.get(name);
    return words === undefined ? name : words.charAt(0).toUpperCase() + words.slice(1);
  });

/**
 * A text of the leader as people read it: names of programs in words, moments in local time. Names of units and experiments have no
 * underscore between small letters that these texts could be confused with, except by choice of their owner; they lose it here too.
 */
export const plainWords = (text: string): string =>
  localMoments(text)
    // Records of earlier versions have this sign.
    .replaceAll('℃', '°C')
    .replace(/\b[a-z]+(_[a-z0-9]+)+\b/g, (name) => knownWords.get(name) ?? name.replaceAll('_', ' '))
    .replace(/\(od\)|\bsignal od\b/g, (signal) => signal.replace('od', 'OD'))
    .replace(/\brpm\b/g, 'RPM');
