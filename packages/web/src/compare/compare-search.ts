/** The search part of the address of a comparison: `e=a,b&align=od:0.1`. */
export interface CompareSearch {
  /** Names of experiments (`experiments/compared-names.ts`). */
  readonly e?: string;
  readonly align?: string;
}

/** Reads the search part of an address, which a person may have typed. */
export function readCompareSearch({ e, align }: Readonly<Record<string, unknown>>): CompareSearch {
  const text = typeof e === 'number' ? String(e) : e;
  return {
    ...(typeof text === 'string' && text !== '' && { e: text }),
    ...(typeof align === 'string' && align !== 'start' && { align }),
  };
}
