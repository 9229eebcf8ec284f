import type { Actuation } from '@lcs/contract';
import { actuatedOutputs } from '@lcs/contract';

const words: Readonly<Record<string, string>> = {
  heater: 'Heater',
  stirrer: 'Stirrer',
  media_pump: 'Media pump',
  alt_media_pump: 'Alternative media pump',
  waste_pump: 'Waste pump',
  led_A: 'LED A',
  led_B: 'LED B',
  led_C: 'LED C',
  led_D: 'LED D',
};

/** What an output is called. */
export const outputText = (output: string): string => words[output] ?? output;

/** The outputs that can be looked at alone, as a choice shows them. */
export const outputChoices = actuatedOutputs.map((value) => ({ value, label: outputText(value) }));

const rounded = (value: number): string => String(Number(value.toPrecision(4)));

/** What was done, as short as can be: `20 → 35 %`, `0.5 mL`, `refused`. */
export function changeText({ to, from, unit, refused }: Pick<Actuation, 'to' | 'from' | 'unit' | 'refused'>): string {
  const amount = to === null ? 'on until stopped' : `${rounded(to)} ${unit.replace('℃', '°C')}`;
  if (refused !== null) return `refused: ${amount}`;
  return from === null || to === null ? amount : `${rounded(from)} → ${amount}`;
}
