import type { JobContext, JobReading } from '@lcs/platform';

/** The ODs of one moment, by channel. */
export interface GatheredOds {
  readonly atMs: number;
  readonly ods: Readonly<Record<string, number>>;
  /** Names the calibration, estimator or blank that an OD was made with; where there was none, the channel is absent. */
  readonly bases: Readonly<Record<string, string>>;
  /** What is said of any of them. */
  readonly flags: readonly string[];
  /** One of them is what its measurement ended at: the true one is this or higher. */
  readonly isLeast: boolean;
}

/** Under this name the fused OD, which has no channel, is handed on. */
const fusedChannel = 'fused';

const gathered = (atMs: number, told: readonly JobReading[]): GatheredOds => ({
  atMs,
  ods: Object.fromEntries(told.map(({ channel = fusedChannel, value }) => [channel, value])),
  bases: Object.fromEntries(
    told.flatMap(({ channel = fusedChannel, context }) => {
      const basis = context?.calibration_hash;
      return typeof basis === 'string' ? [[channel, basis]] : [];
    }),
  ),
  flags: [...new Set(told.flatMap(({ flags = [] }) => flags))],
  isLeast: told.some(({ isLeast = false }) => isLeast),
});

/** Puts the readings of one moment together: they are told one by one, all in the same turn. */
export function gatherOds(
  { topics, listen }: Pick<JobContext, 'topics' | 'listen'>,
  source: 'od' | 'od_fused',
  take: (gathered: GatheredOds) => void,
): void {
  let open: { readonly atMs: number; readonly told: JobReading[] } | undefined;
  listen(topics.readings, async (reading) => {
    const { atMs, source: told } = reading;
    if (told !== source) return;
    if (open?.atMs === atMs) {
      open.told.push(reading);
      return;
    }
    const own = { atMs, told: [reading] };
    open = own;
    await Promise.resolve();
    if (open === own) open = undefined;
    take(gathered(atMs, own.told));
  });
}
