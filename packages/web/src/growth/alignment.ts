/** What hour 0 of compared curves is. */
export type Alignment =
  | { readonly on: 'start' }
  | { readonly on: 'first_dilution' }
  | { readonly on: 'od'; readonly od: number };

/** An alignment as an address has it: `start`, `first-dilution` or `od:0.1`. */
export function alignmentText(alignment: Alignment): string {
  if (alignment.on === 'od') return `od:${alignment.od}`;
  return alignment.on === 'first_dilution' ? 'first-dilution' : 'start';
}

/** Reads an alignment, which a person may have typed; what means nothing is the start. */
export function alignmentOf(text: unknown): Alignment {
  if (text === 'first-dilution') return { on: 'first_dilution' };
  const od = typeof text === 'string' && text.startsWith('od:') ? Number(text.slice(3)) : Number.NaN;
  return od > 0 && od <= 1000 ? { on: 'od', od } : { on: 'start' };
}
