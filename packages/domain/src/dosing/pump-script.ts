import type { Pump } from '../vial/vial-parameters.ts';

/** One step of a script of pumps. */
export type PumpStep = { readonly pump: Pump; readonly volumeMl: number } | { readonly sleepS: number };

const pumpWords: ReadonlyMap<string, Pump> = new Map([
  ['media', 'media'],
  ['alt_media', 'alt_media'],
  ['waste', 'waste'],
]);

/**
 * Reads pairs of a word and an amount: `media 1 waste 1.5 sleep 10` (ml; sleep in s). Words may be written `--media` and
 * `media_`, so that they can be repeated where keys must differ. A text says what is wrong with it.
 */
export function readPumpScript(words: readonly string[]): readonly PumpStep[] | string {
  if (words.length === 0) return 'It needs pairs of a pump and a volume, as media 1 waste 1.';
  if (words.length % 2 !== 0) return `'${words.at(-1)}' has no amount.`;
  const steps: PumpStep[] = [];
  for (let at = 0; at < words.length; at += 2) {
    const [told = '', amountText = ''] = words.slice(at, at + 2);
    const word = told.replace(/^--/, '').replaceAll('-', '_').replace(/_+$/, '');
    const amount = amountText.trim() === '' ? Number.NaN : Number(amountText);
    if (!Number.isFinite(amount) || amount < 0)
      return `The amount of ${word} must be a number of at least 0, not '${amountText}'.`;
    const pump = pumpWords.get(word);
    if (word !== 'sleep' && pump === undefined) return `'${told}' is none of media, alt_media, waste and sleep.`;
    steps.push(pump === undefined ? { sleepS: amount } : { pump, volumeMl: amount });
  }
  return steps;
}
