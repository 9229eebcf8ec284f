/** Bits of `vcgencmd get_throttled` (documentation of the Raspberry Pi, `os.adoc`): 0 to 3 now, 16 to 19 since the start. */
const conditions: readonly { readonly bit: number; readonly what: string }[] = [
  { bit: 0, what: 'under-voltage' },
  { bit: 1, what: 'the processor is limited in its frequency' },
  { bit: 2, what: 'the processor is throttled' },
  { bit: 3, what: 'the temperature is above its soft limit' },
];
const sinceStart = 16;

/** What limits the computer. */
export interface Throttling {
  readonly now: readonly string[];
  /** Since the start, and not now. */
  readonly before: readonly string[];
}

/** @param output `throttled=0x50005`; undefined for anything else */
export function throttlingIn(output: string): Throttling | undefined {
  const bits = /throttled=0x([0-9a-f]{1,8})\b/i.exec(output)?.[1];
  if (bits === undefined) return undefined;
  const word = Number.parseInt(bits, 16);
  const isSet = (bit: number) => Math.floor(word / 2 ** bit) % 2 === 1;
  return {
    now: conditions.filter(({ bit }) => isSet(bit)).map(({ what }) => what),
    before: conditions.filter(({ bit }) => !isSet(bit) && isSet(bit + sinceStart)).map(({ what }) => what),
  };
}
