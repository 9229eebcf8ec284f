import { elapsedText } from '@lcs/domain';
import { protocolsWords } from '../words/protocols.ts';
import { stepSentence } from './step-sentence.ts';
import type { Mark } from './timeline-layout.ts';

export const timeText = (atS: number): string => elapsedText(atS * 1000);

/** An action with its time: behind a wait it is counted from the moment at which its condition holds. */
export function markText({ action, isUncertain }: Mark): string {
  const sentence = stepSentence(action);
  const end = /[.!?]”$/.test(sentence) ? '' : '.';
  return protocolsWords.markAt(timeText(action.at_s), isUncertain, sentence, end);
}
