import type { Pump } from '../vial/vial-parameters.ts';

/** One step of a pump script. */
export type PumpStep = { readonly pump: Pump; readonly volumeMl: number } | { readonly sleepS: number };

const pumpNames: ReadonlyMap<string, Pump> = new Map([
  ['media', 'media'],
  ['alt_media', 'alt_media'],
  ['waste', 'waste'],
]);

/**
 * Parses pairs of a pump and a volume: `media 1 waste 1.5 sleep 10` (ml; sleep in s). A pump may be written `--media` or
 * `media_`, so that it can be repeated where keys must differ. Returns a text with the reason if the script is not valid.
 */
export function readPumpScript(args: readonly string[]): readonly PumpStep[] | string {
  if (args.length === 0) return 'The script must have pairs of a pump and a volume, such as media 1 waste 1.';
  if (args.length % 2 !== 0) return `'${args.at(-1)}' must be followed by an amount.`;
  const steps: PumpStep[] = [];
  for (let at = 0; at < args.length; at += 2) {
    const [given = '', amountText = ''] = args.slice(at, at + 2);
    const arg = given.replace(/^--/, '').replaceAll('-', '_').replace(/_+$/, '');
    const amount = amountText.trim() === '' ? Number.NaN : Number(amountText);
    if (!Number.isFinite(amount) || amount < 0)
      return `The amount of ${arg} must be a number of at least 0, not '${amountText}'.`;
    const pump = pumpNames.get(arg);
    if (arg !== 'sleep' && pump === undefined) return `'${given}' must be one of media, alt_media, waste and sleep.`;
    steps.push(pump === undefined ? { sleepS: amount } : { pump, volumeMl: amount });
  }
  return steps;
}
