import { type Actuation as RecordedActuation, sourceWithoutAccount } from '@lcs/contract';
import { extraWasteSetting } from './actuation-reason.ts';
import { unitOfSetting } from './setting-units.ts';

const outputNames: Readonly<Record<string, string>> = {
  heater: 'The heater',
  stirrer: 'The stirrer',
  media_pump: 'The media pump',
  alt_media_pump: 'The alternative medium pump',
  waste_pump: 'The waste pump',
  led_A: 'LED A',
  led_B: 'LED B',
  led_C: 'LED C',
  led_D: 'LED D',
};

const sixDigits = (value: number): string => String(Number(value.toPrecision(6)));

function change({ to, from, unit }: Pick<RecordedActuation, 'to' | 'from' | 'unit'>): string {
  if (to === null) return 'was switched on until it is stopped';
  if (from === null) return `was run for ${sixDigits(to)} ${unit}`;
  return from === to ? `stays at ${sixDigits(to)} ${unit}` : `went from ${sixDigits(from)} to ${sixDigits(to)} ${unit}`;
}

/** Programs of people, as sources of events. */
const programsOfPeople: ReadonlyMap<string, string> = new Map([
  ['UI', 'from the web UI'],
  ['CLI', 'from the command line'],
]);

const originText = (origin: string): string => programsOfPeople.get(origin) ?? `by ${origin}`;

/** Without an account only the program is known, and a sentence must not make a person of it. */
const namesNobody = (source: string): boolean => source === sourceWithoutAccount;

function settingText(name: string, value: unknown, source: string | undefined): string {
  if (typeof value !== 'number') return `${name} ${String(value)}`;
  const unit = unitOfSetting(name, source);
  return `${name} ${sixDigits(value)}${unit === undefined ? '' : ` ${unit}`}`;
}

function detailsOf(facts: Facts): string[] {
  const { reading, calibration, settings, source_of_event: origin, job_source: source, started_by: account } = facts;
  const values = Object.entries(settings ?? {}).map(([name, value]) => settingText(name, value, reading?.source));
  const channel = reading?.channel == null ? '' : ` of channel ${reading.channel}`;
  const at = reading?.timestamp == null ? '' : ` at ${reading.timestamp}`;
  return [
    ...(origin === null || namesNobody(origin) ? [] : [originText(origin)]),
    ...(source === null || source === origin || namesNobody(source) ? [] : [`started by ${source}`]),
    ...(account === null ? [] : [`its job was started for ${account}`]),
    ...(reading === null ? [] : [`reading ${reading.source}${channel} ${sixDigits(reading.value)}${at}`]),
    ...(values.length === 0 ? [] : [`settings ${values.join(', ')}`]),
    ...(calibration === null ? [] : [`calibration ${calibration}`]),
  ];
}

type Facts = Omit<RecordedActuation, 'why'>;

/** Whether a run of the waste pump sets the level of the vial after a dose. */
export const isExtraWaste = ({ output, settings }: Pick<Facts, 'output' | 'settings'>): boolean =>
  output === 'waste_pump' && settings?.[extraWasteSetting] !== undefined;

/** Why the waste pump runs again after the waste of a dose. */
export const extraWasteReason =
  'the waste pump runs longer than the dose needs, so that the vial cannot fill: above the end of its tube it finds liquid, below it only air';

/** Why an output was driven or not, in one sentence for people. */
export function actuationSentence(actuation: Facts): string {
  const { output, refused, rule } = actuation;
  const name = outputNames[output] ?? output;
  const changed = change(actuation);
  const what =
    refused === null ? `${name} ${changed}` : `${name} was not driven (it ${changed.replace(/^was /, 'was to be ')})`;
  const reasons = [
    ...(refused === null ? [] : [`refused: ${within(refused)}`]),
    rule === null ? 'a person requested it' : within(rule),
    ...(isExtraWaste(actuation) ? [extraWasteReason] : []),
  ];
  const details = detailsOf(actuation);
  return `${what}, because ${reasons.join('; ')}${details.length === 0 ? '' : ` (${details.join('; ')})`}.`;
}

/** A sentence as a clause of another sentence; names and numbers at its beginning keep their case. */
function within(sentence: string): string {
  const open = sentence.replace(/\.$/, '');
  return /^[A-Z][a-z]+ /.test(open) ? open.charAt(0).toLowerCase() + open.slice(1) : open;
}
