import { isBeyondRounding } from '@lcs/domain';
import { longestDoseMs, type PumpedState } from '../series/pumped-runs.ts';

/** One run of a pump as its unit recorded it. */
export interface PumpRun {
  readonly id: number;
  /** Milliseconds. */
  readonly at: number;
  readonly unit: string;
  readonly pump: 'media' | 'alt_media' | 'waste';
  readonly jobId: number | null;
  /** The rule that acted; null: a person requested it. */
  readonly rule: string | null;
  /** The event that began the exchange of an automation; null: there was none before. */
  readonly exchange: number | null;
  /** Its liquid went into a vessel, and not into or out of the vial. */
  readonly isOutsideVial: boolean;
  /** Null: the unit recorded none. */
  readonly movedMl: number | null;
  /** Null: it was refused, or its unit recorded no volume. */
  readonly state: PumpedState | null;
  /** What was requested; null: until it is stopped. */
  readonly requested: number | null;
  /** `mL` or `s`. */
  readonly requestedUnit: string;
  readonly refused: string | null;
  /** The person or program that started the job, else the origin of the request. */
  readonly by: string | null;
}

/** Runs that are one dose, oldest first. */
export type DoseRuns = readonly [PumpRun, ...PumpRun[]];

/** Runs without an exchange follow each other within this time. */
const longestPauseMs = 180_000;

const interval = ({ at }: PumpRun): number => Math.floor(at / longestDoseMs);

/**
 * Whether a run is of the same dose as the run before it: of the same exchange; without one, soon after it and in the same interval of the
 * clock. What is one dose must not depend on how many runs were read.
 */
const isSameDose = (last: PumpRun, next: PumpRun): boolean =>
  last.rule === next.rule &&
  last.isOutsideVial === next.isOutsideVial &&
  (last.refused === null) === (next.refused === null) &&
  last.exchange === next.exchange &&
  (next.exchange !== null || (next.at - last.at <= longestPauseMs && interval(last) === interval(next)));

/** Groups runs of pumps into doses: an exchange is made in parts, each with medium and waste. `runs` oldest first. */
export function dosesOf(runs: readonly PumpRun[]): readonly DoseRuns[] {
  const doses: DoseRuns[] = [];
  const openAt = new Map<string, number>();
  for (const run of runs) {
    const key = `${run.jobId} ${run.unit}`;
    const at = openAt.get(key);
    const open = at === undefined ? undefined : doses[at];
    if (at !== undefined && open !== undefined && isSameDose(open.at(-1) ?? open[0], run)) {
      doses[at] = [...open, run];
    } else {
      openAt.set(key, doses.length);
      doses.push([run]);
    }
  }
  return doses;
}

export type DoseVolumes = { readonly [Pump in PumpRun['pump']]: number };

/** What a dose has moved; null: its unit recorded no volume, as while a tube was filled. */
export function volumesOf(runs: DoseRuns): DoseVolumes | null {
  if (runs[0].refused === null && runs.every(({ movedMl }) => movedMl === null)) return null;
  const movedBy = (pump: PumpRun['pump']): number =>
    Math.round(1e4 * runs.reduce((sum, run) => sum + (run.pump === pump ? (run.movedMl ?? 0) : 0), 0)) / 1e4;
  return { media: movedBy('media'), alt_media: movedBy('alt_media'), waste: movedBy('waste') };
}

const pumpWords: { readonly [Pump in PumpRun['pump']]: readonly [liquid: string, direction: string] } = {
  media: ['medium', 'in'],
  alt_media: ['alternative medium', 'in'],
  waste: ['waste', 'out'],
};

const pumpNames: { readonly [Pump in PumpRun['pump']]: string } = {
  media: 'media pump',
  alt_media: 'alternative medium pump',
  waste: 'waste pump',
};

const number = (value: number): string => String(Number(value.toPrecision(3)));

function requestedOf(runs: DoseRuns, pump: PumpRun['pump']): string | null {
  const own = runs.filter((run) => run.pump === pump);
  const [first] = own;
  if (first === undefined) return null;
  if (own.some(({ requested }) => requested === null)) return 'until it was stopped';
  return `${number(own.reduce((sum, { requested }) => sum + (requested ?? 0), 0))} ${first.requestedUnit}`;
}

const stateWords: { readonly [State in PumpedState]: string } = {
  pumping: 'pumping…',
  stopped: 'stopped',
  ended: '',
};

/** What a dose had to be where that differs from what was moved, and whether it is still pumped: ` (1 mL requested, stopped)`. */
function remarkOf(runs: readonly PumpRun[], requested: string, movedMl: number): string {
  const wantedMl = runs.reduce((sum, run) => sum + (run.requestedUnit === 'mL' ? (run.requested ?? 0) : 0), 0);
  const state = runs.at(-1)?.state ?? 'ended';
  // The waste pump runs longer than it finds liquid.
  const differs = runs[0]?.pump !== 'waste' && wantedMl > 0 && isBeyondRounding(movedMl, wantedMl);
  const remarks = [
    ...(differs || state !== 'ended'
      ? [runs.some((run) => run.requested === null) ? '' : `${requested} requested`]
      : []),
    stateWords[state],
  ].filter((remark) => remark !== '');
  return remarks.length === 0 ? '' : ` (${remarks.join(', ')})`;
}

/** A dose in words: what was moved, and what was requested where that differs. */
export function doseText(runs: DoseRuns): string {
  const volumes = volumesOf(runs);
  const isRefused = runs[0].refused !== null;
  const parts = (['media', 'alt_media', 'waste'] as const).flatMap((pump) => {
    const requested = requestedOf(runs, pump);
    if (requested === null) return [];
    const [liquid, direction] = pumpWords[pump];
    if (runs[0].isOutsideVial) return [`${requested} by the ${pumpNames[pump]}, into a vessel`];
    if (isRefused || volumes === null) return [`${requested} of ${liquid} ${direction}`];
    const own = runs.filter((run) => run.pump === pump);
    return [`${number(volumes[pump])} mL of ${liquid} ${direction}${remarkOf(own, requested, volumes[pump])}`];
  });
  const what = runs[0].isOutsideVial ? 'Pump run' : 'Dose';
  return `${isRefused ? `${what} refused` : what}: ${parts.join(', ')}`;
}
