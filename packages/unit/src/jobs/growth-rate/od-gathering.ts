import type { JobContext } from '@lcs/platform';

/** The ODs of one moment, by channel. */
export interface GatheredOds {
  readonly atMs: number;
  readonly ods: Readonly<Record<string, number>>;
}

/** Under this name the fused OD, which has no channel, is handed on. */
const fusedChannel = 'fused';

/** Puts the readings of one moment together: they are told one by one, all in the same turn. */
export function gatherOds(
  { topics, listen }: Pick<JobContext, 'topics' | 'listen'>,
  source: 'od' | 'od_fused',
  take: (gathered: GatheredOds) => void,
): void {
  let open: { readonly atMs: number; readonly ods: Record<string, number> } | undefined;
  listen(topics.readings, async ({ atMs, value, channel = fusedChannel, source: told }) => {
    if (told !== source) return;
    if (open?.atMs === atMs) {
      open.ods[channel] = value;
      return;
    }
    const own = { atMs, ods: { [channel]: value } };
    open = own;
    await Promise.resolve();
    if (open === own) open = undefined;
    take(own);
  });
}
