import type { Alarm, HeldJob, JobDescriptor, LiveJob } from '@lcs/contract';
import { alarmSeverities, type Dose, dosePieceGapMs } from '@lcs/contract';
import { circulateAltMediaJob, circulateMediaJob, dosingAutomationJob, jobTitle, pumpsJob } from '@lcs/domain';
import { type BiomassTarget, biomassTargetOf } from '../jobs/biomass-target.ts';
import { endedByErrorRule } from '../jobs/ended-by-error.ts';
import { isRunning, type JobPhase, jobPhase, jobStateText } from '../jobs/job-phase.ts';
import { digitsText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { nowWords } from '../words/now.ts';

/** A quantity on a tile. */
export interface TileKind {
  readonly source: string;
  readonly title: string;
  readonly unit: string;
  readonly decimals: number;
  /** Not every unit has it. */
  readonly isOptional?: true;
}

export const odKind: TileKind = { source: 'od', title: commonWords.od, unit: '', decimals: 3 };

/** Beside the OD, which is larger. */
export const smallKinds: readonly TileKind[] = [
  { source: 'growth_rate', title: commonWords.growthRate, unit: 'h⁻¹', decimals: 3 },
  { source: 'temperature', title: commonWords.temperature, unit: '°C', decimals: 1 },
  { source: 'liquid_volume', title: nowWords.volume, unit: 'mL', decimals: 1, isOptional: true },
];

export interface JobDot {
  readonly name: string;
  readonly phase: JobPhase;
  readonly title: string;
  /** `on`, `30 °C` */
  readonly state: string;
}

/** `30 °C` keeps its unit. */
const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

/** The jobs of a unit in the order in which the web UI lists them everywhere. */
export function jobDots(jobs: readonly LiveJob[], descriptors: readonly JobDescriptor[]): readonly JobDot[] {
  const order = (name: string): number => {
    const at = descriptors.findIndex(({ job_name }) => job_name === name);
    return at < 0 ? descriptors.length : at;
  };
  return [...jobs]
    .sort((left, right) => order(left.job_name) - order(right.job_name) || left.job_id - right.job_id)
    .map((job) => {
      const phase = jobPhase(job);
      const name = job.job_name;
      return { name, phase, title: jobTitle(name, descriptors), state: lowered(jobStateText(phase, job)) };
    });
}

/** The target of the dosing that runs. */
export function targetOf(jobs: readonly LiveJob[]): BiomassTarget | null {
  const dosing = jobs.find((job) => job.job_name === dosingAutomationJob.name && isRunning(jobPhase(job)));
  return dosing === undefined ? null : biomassTargetOf(dosing);
}

const shownStates: readonly Alarm['state'][] = ['unacknowledged', 'acknowledged', 'returned'];

/** The most severe alarm of a unit that is not over; of equal ones the newest. */
export function worstAlarm(alarms: readonly Alarm[], unit: string): Alarm | undefined {
  return alarms
    .filter(({ reactor_unit, state }) => reactor_unit === unit && shownStates.includes(state))
    .sort(
      (left, right) =>
        Number(right.is_active) - Number(left.is_active) ||
        alarmSeverities.indexOf(right.severity) - alarmSeverities.indexOf(left.severity) ||
        (left.since < right.since ? 1 : -1),
    )[0];
}

/**
 * The title of an alarm, with the job that has ended; of one that waits only for its acknowledgement with the word that it is over, unless
 * its job still waits for a person.
 */
export function alarmText({ rule, title, detail, is_active }: Alarm, held: readonly HeldJob[] = []): string {
  const isOfJob = rule === endedByErrorRule && detail !== null;
  const text = isOfJob ? nowWords.titleOfJob(title, jobTitle(detail)) : title;
  const isHeld = isOfJob && held.some(({ job_name }) => job_name === detail);
  return is_active || isHeld ? text : nowWords.titleEnded(text);
}

/** Jobs that run pumps again and again. */
const jobsThatPump: readonly string[] = [dosingAutomationJob, pumpsJob, circulateMediaJob, circulateAltMediaJob].map(
  ({ name }) => name,
);

/** Rounded as the leader rounds volumes of doses: what is rounded twice must be rounded in the same steps everywhere. */
const asOnOtherPages = (volumeMl: number): number => Math.round(1e4 * volumeMl) / 1e4;

/** `1 mL medium`, as the last dose was. */
export const doseText = ({ event, volume_ml }: Dose): string =>
  (event === 'add_media' ? nowWords.doseOfMedium : nowWords.doseOfAlternative)(
    digitsText(asOnOtherPages(volume_ml), 3),
  );

/** A pump that runs enters a piece every half second; the stream brings it soon after. Chosen. */
const pieceIsNewMs = 2_000;

/** Whether a dose is pumped now: by the job of its pump while that runs, of other jobs by the age of its newest piece. */
export function isPumped({ at, event }: Dose, jobs: readonly LiveJob[], nowMs: number): boolean {
  const ageMs = nowMs - Date.parse(at);
  const running = jobs.filter((job) => isRunning(jobPhase(job)));
  if (running.some(({ job_name }) => job_name === event)) return ageMs <= dosePieceGapMs;
  return ageMs <= pieceIsNewMs && running.some(({ job_name }) => jobsThatPump.includes(job_name));
}

/** `Target 0.4 AU` */
export const targetText = ({ value, unit }: BiomassTarget): string =>
  nowWords.target(digitsText(value, 4), unit === '' ? '' : ` ${unit}`);
