import type { Actuation } from '@lcs/contract';
import { actuatedOutputs } from '@lcs/contract';
import { isBeyondRounding, isExtraWaste } from '@lcs/domain';
import { labelFromName } from '../forms/field-rules.ts';
import { digitsText, withLocalNumbers } from '../ui/number-text.ts';
import { isInterface } from '../ui/people.ts';
import { unitsWords } from '../words/units.ts';

const outputNames: Readonly<Record<string, string>> = unitsWords.outputNames;

/** The name of an output. */
export const outputText = (output: string): string => outputNames[output] ?? output;

/** The options of a choice of one output. */
export const outputChoices = actuatedOutputs.map((value) => ({ value, label: outputText(value) }));

const rounded = (value: number): string => digitsText(value, 4);

type Run = Pick<Actuation, 'to' | 'unit' | 'output' | 'pumped'>;

/** What a run of a pump has moved by the ledger, and what it had to where that differs: `0.12 mL (1 mL requested, stopped)`. */
function pumpedText({ to, unit, output }: Run, { volume_ml: movedMl, state }: NonNullable<Run['pumped']>): string {
  // The waste pump runs longer than it finds liquid.
  const differs = output !== 'waste_pump' && to !== null && unit === 'mL' && isBeyondRounding(movedMl, to);
  const remarks = [
    ...(to !== null && (differs || state !== 'ended') ? [unitsWords.requested(`${rounded(to)} ${unit}`)] : []),
    ...(state === 'ended' ? [] : [unitsWords.pumpedStates[state]]),
  ];
  const volume = `${digitsText(movedMl, 3)} mL`;
  return remarks.length === 0 ? volume : unitsWords.withRemarks(volume, remarks.join(', '));
}

/** An actuation as a short text: `20 → 35 %`, `0.5 mL`, `refused: 5 mL`. */
export function changeText(
  actuation: Pick<Actuation, 'to' | 'from' | 'unit' | 'refused' | 'output' | 'pumped'>,
): string {
  const { to, from, unit, refused, pumped } = actuation;
  if (pumped !== undefined) return pumpedText(actuation, pumped);
  const amount = to === null ? unitsWords.onUntilStopped : `${rounded(to)} ${unit.replace('℃', '°C')}`;
  if (refused !== null) return unitsWords.refused(amount);
  return from === null || to === null ? amount : `${rounded(from)} → ${amount}`;
}

/** Names of the API in a sentence as words. */
const withoutNames = (text: string): string =>
  text.replace(/\b[a-z]+(?:_[a-z0-9]+)+\b/g, (name) => name.replaceAll('_', ' '));

type Reasons = Pick<Actuation, 'rule' | 'source_of_event' | 'started_by' | 'output' | 'settings'> &
  Partial<Pick<Actuation, 'to' | 'from' | 'reading'>>;

/** Why an output was driven, in short: the rule of an automation with its name, or who did it by hand. */
export function reasonText(actuation: Reasons): string {
  const { rule, source_of_event: origin, started_by: person, to, from, reading, settings } = actuation;
  const numbers = [to, from, reading?.value, settings];
  // The same rule caused the dose before: this run moves no more liquid than is above the end of the tube.
  if (isExtraWaste(actuation)) return unitsWords.setsLevelAfterDose;
  if (rule === null) {
    if (origin !== null && /^experiment_profile\b/.test(origin)) return unitsWords.setByProfile;
    if (origin === 'resume') return to !== 0 && from === 0 ? unitsWords.continued : unitsWords.setAfterRestart;
    const who = [person, origin].find((name) => name !== null && !isInterface(name) && !/[:/]/.test(name)) ?? null;
    return who === null ? unitsWords.setByHand : unitsWords.setByHandNamed(who);
  }
  const [, automation] = /^[a-z_]+:([a-z_]+)$/.exec(origin ?? '') ?? [];
  const text = withLocalNumbers(withoutNames(rule), numbers);
  return automation === undefined ? text : `${labelFromName(automation)}: ${text}`;
}
