import { jobTitleInText, jobTitles } from '@lcs/domain';
import { localText } from '../time/moment-text.ts';
import { startWords } from '../words/start.ts';

/** Names in texts of the leader that people know by other words. */
const knownWords: ReadonlyMap<string, string> = new Map([
  ...Object.keys(jobTitles).map((job) => [job, jobTitleInText(job)] as const),
  ...Object.entries(startWords.knownNames),
]);

/** A text with its moments in local time. */
const localMoments = (text: string): string =>
  text.replace(/\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, (moment) => localText(Date.parse(moment)));

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

/** A text begins with a job by its key: `dosing_automation ended with an error`. Names of units keep their spelling. */
const nameFirst = /^[a-z]+(?:_[a-z0-9]+)+\b|^[a-z]+ ended with an error/;

/** A sentence in plain words; a name at its beginning has a capital letter: `Dosing was not started.` */
export function plainSentence(sentence: string): string {
  const plain = plainWords(sentence);
  return nameFirst.test(sentence) ? `${plain.charAt(0).toUpperCase()}${plain.slice(1)}` : plain;
}

const requestInParentheses = /\s*\([^()]*(?:\b(?:GET|POST|PUT|PATCH|DELETE) \S|\/(?:unit_)?api\b)[^()]*\)/g;
const ofARequest = / to (?:GET|POST|PUT|PATCH|DELETE) \/\S+/g;
/** Units of earlier versions begin a line of the log with the class of its event. */
const eventClass =
  /^(?:NoEvent|ErrorOccurred|DilutionEvent|DosingStarted|DosingStopped|AddMediaEvent|AddAltMediaEvent|ChangedLedIntensity): /;
/** People type the names of settings as they are. */
const namesSettings = /\[[a-z_.]+\]|\.ini\b/;
const namesRequest = /\b(?:GET|POST|PUT|PATCH|DELETE) \S*\/|\/(?:unit_)?api\b/;

/** What the leader or a unit sends about a failure, for people: plain words, and nothing about requests of the API. */
export const forPeople = (text: string): string =>
  text
    .replace(eventClass, '')
    .replace(requestInParentheses, '')
    .replace(ofARequest, '')
    .split(/(?<=[.!?])\s+/)
    .filter((sentence) => !namesRequest.test(sentence))
    .map((sentence) => (namesSettings.test(sentence) ? localMoments(sentence) : plainSentence(sentence)))
    .join(' ');
