import type { Actuation } from '@lcs/contract';
import { changeText } from '../units/actuation-text.ts';
import { unitWords } from '../words/unit.ts';

/** A dose by hand in words. */
interface DoseText {
  /** `1 mL medium`. */
  readonly what: string;
  /** Said with the volume when it has ended: `Medium added`. */
  readonly done: string;
}

/** A dose by hand: how the ledger knows it, and its words. */
export interface Dose extends DoseText {
  readonly output: 'media_pump' | 'alt_media_pump' | 'waste_pump';
  readonly job: string;
  readonly amount: number;
}

/** A run of a pump by hand, until the volume after it is known. Without a dose another page has ordered it. */
export type DoseRun =
  | { readonly phase: 'idle' }
  /** The unit has not answered; the pump may have been seen already. */
  | { readonly phase: 'ordered'; readonly dose: Dose; readonly seen: 'no' | 'runs' | 'ended' }
  | { readonly phase: 'running'; readonly dose: Dose | null; readonly isSeen: boolean; readonly isStopped: boolean }
  /** The pump has ended, and the volume that the page has is the old one. */
  | { readonly phase: 'reading'; readonly dose: Dose | null; readonly isStopped: boolean }
  | { readonly phase: 'done'; readonly dose: Dose; readonly isStopped: boolean; readonly pumped: string | null };

export type DoseEvent =
  | { readonly type: 'ordered'; readonly dose: Dose }
  | { readonly type: 'accepted' }
  | { readonly type: 'refused' }
  /** The live stream sent the jobs: a pump runs by hand, or none. */
  | { readonly type: 'pump'; readonly runs: boolean }
  /** A person has stopped the pump. */
  | { readonly type: 'stopped' }
  /** A short run may begin and end between two messages of the stream. */
  | { readonly type: 'not-seen' }
  /** What the ledger has of the run, in words; null: nothing, or it could not be read. */
  | { readonly type: 'volume-read'; readonly pumped: string | null }
  | { readonly type: 'forgotten' };

function afterPump(run: DoseRun, runs: boolean): DoseRun {
  switch (run.phase) {
    case 'ordered':
      return { ...run, seen: runs ? 'runs' : run.seen === 'no' ? 'no' : 'ended' };
    case 'running':
      if (runs) return { ...run, isSeen: true };
      return run.isSeen ? { phase: 'reading', dose: run.dose, isStopped: run.isStopped } : run;
    default:
      return runs ? { phase: 'running', dose: null, isSeen: true, isStopped: false } : run;
  }
}

/** The table of transitions; an event that does not belong to a phase changes nothing. */
export function nextDoseRun(run: DoseRun, event: DoseEvent): DoseRun {
  switch (event.type) {
    case 'ordered':
      return { phase: 'ordered', dose: event.dose, seen: 'no' };
    case 'accepted':
      if (run.phase !== 'ordered') return run;
      return run.seen === 'ended'
        ? { phase: 'reading', dose: run.dose, isStopped: false }
        : { phase: 'running', dose: run.dose, isSeen: run.seen === 'runs', isStopped: false };
    case 'refused':
      if (run.phase !== 'ordered') return run;
      // The answer was lost, not the order.
      return run.seen === 'runs'
        ? { phase: 'running', dose: run.dose, isSeen: true, isStopped: false }
        : { phase: 'idle' };
    case 'pump':
      return afterPump(run, event.runs);
    case 'stopped':
      return run.phase === 'running' ? { ...run, isStopped: true } : run;
    case 'not-seen':
      return run.phase === 'running' && !run.isSeen
        ? { phase: 'reading', dose: run.dose, isStopped: run.isStopped }
        : run;
    case 'volume-read':
      if (run.phase !== 'reading') return run;
      return run.dose === null
        ? { phase: 'idle' }
        : { phase: 'done', dose: run.dose, isStopped: run.isStopped, pumped: event.pumped };
    case 'forgotten':
      return run.phase === 'done' ? { phase: 'idle' } : run;
  }
}

/** Whether the volume that the page has may be old: no further dose is judged on it. */
export const isDosing = ({ phase }: DoseRun): boolean =>
  phase === 'ordered' || phase === 'running' || phase === 'reading';

/** The run in words; null: there is nothing to say, or the state of the request says it. */
export function doseRunText(run: DoseRun): string | null {
  switch (run.phase) {
    case 'running':
      return run.dose === null ? unitWords.aPumpRuns : unitWords.pumpRuns(run.dose.what);
    case 'reading':
      return unitWords.pumpHasEnded;
    case 'done':
      if (run.pumped !== null) return unitWords.doseDone(run.dose.done, run.pumped);
      return run.isStopped ? unitWords.pumpWasStopped(run.dose.what) : unitWords.pumpedVolumeNotKnown(run.dose.what);
    default:
      return null;
  }
}

/** What a dose that has ended has moved by the ledger, in words, from the newest actuations of its pump; null: not known. */
export function pumpedByRun({ output, job, amount }: Dose, newestFirst: readonly Actuation[]): string | null {
  // The end of a run that was stopped is an actuation with the output before it.
  const run = newestFirst.find((each) => each.output === output && each.refused === null && each.from === null);
  if (run?.pumped === undefined || run.job_name !== job || run.to !== amount) return null;
  const { pumped } = run;
  return changeText({ ...run, pumped: pumped.state === 'pumping' ? { ...pumped, state: 'ended' } : pumped });
}
