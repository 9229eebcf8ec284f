import type { Actuation } from '@lcs/contract';
import { actuatedOutputs } from '@lcs/contract';

const outputNames: Readonly<Record<string, string>> = {
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

/** The name of an output. */
export const outputText = (output: string): string => outputNames[output] ?? output;

/** The options of a choice of one output. */
export const outputChoices = actuatedOutputs.map((value) => ({ value, label: outputText(value) }));

const rounded = (value: number): string => String(Number(value.toPrecision(4)));

/** An actuation as a short text: `20 → 35 %`, `0.5 mL`, `refused: 5 mL`. */
export function changeText({ to, from, unit, refused }: Pick<Actuation, 'to' | 'from' | 'unit' | 'refused'>): string {
  const amount = to === null ? 'on until stopped' : `${rounded(to)} ${unit.replace('℃', '°C')}`;
  if (refused !== null) return `refused: ${amount}`;
  return from === null || to === null ? amount : `${rounded(from)} → ${amount}`;
}
