import type { Actuation as RecordedActuation } from '@lcs/contract';

const words: Readonly<Record<string, string>> = {
  heater: 'The heater',
  stirrer: 'The stirrer',
  media_pump: 'The media pump',
  alt_media_pump: 'The alternative media pump',
  waste_pump: 'The waste pump',
  led_A: 'LED A',
  led_B: 'LED B',
  led_C: 'LED C',
  led_D: 'LED D',
};

const short = (value: number): string => String(Number(value.toPrecision(6)));

function change({ to, from, unit }: Pick<RecordedActuation, 'to' | 'from' | 'unit'>): string {
  if (to === null) return 'was switched on until it is stopped';
  if (from === null) return `was run for ${short(to)} ${unit}`;
  return from === to ? `stays at ${short(to)} ${unit}` : `went from ${short(from)} to ${short(to)} ${unit}`;
}

function behind({ reading, calibration, settings, source_of_event: origin, job_source: starter }: Facts): string[] {
  const values = Object.entries(settings ?? {}).map(([name, value]) => `${name} ${String(value)}`);
  const channel = reading?.channel == null ? '' : ` of channel ${reading.channel}`;
  const at = reading?.timestamp == null ? '' : ` at ${reading.timestamp}`;
  return [
    ...(origin === null ? [] : [`by ${origin}`]),
    ...(starter === null || starter === origin ? [] : [`started by ${starter}`]),
    ...(reading === null ? [] : [`reading ${reading.source}${channel} ${short(reading.value)}${at}`]),
    ...(values.length === 0 ? [] : [`settings ${values.join(', ')}`]),
    ...(calibration === null ? [] : [`calibration ${calibration}`]),
  ];
}

type Facts = Omit<RecordedActuation, 'why'>;

/** Why an output was driven, or was not, in one sentence for people. */
export function actuationSentence(actuation: Facts): string {
  const { output, refused, rule } = actuation;
  const name = words[output] ?? output;
  const done = change(actuation);
  const what =
    refused === null ? `${name} ${done}` : `${name} was not driven (it ${done.replace(/^was /, 'was to be ')})`;
  const reasons = [
    ...(refused === null ? [] : [`refused: ${within(refused)}`]),
    rule === null ? 'somebody asked for it' : within(rule),
  ];
  const facts = behind(actuation);
  return `${what}, because ${reasons.join('; ')}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}.`;
}

/** A sentence as a part of another; names and numbers at its beginning stay as they are. */
function within(sentence: string): string {
  const open = sentence.replace(/\.$/, '');
  return /^[A-Z][a-z]+ /.test(open) ? open.charAt(0).toLowerCase() + open.slice(1) : open;
}
