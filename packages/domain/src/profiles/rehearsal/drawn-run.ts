import type { ItemOutcome } from '../timeline.ts';

/** Predicted quantities, with their units. `od` and `growth_rate` are as the jobs measure them; volumes are of the vial model. */
export const rehearsedQuantities = {
  od: 'OD',
  growth_rate: '1/h',
  temperature: '°C',
  volume: 'ml',
  media_used: 'ml',
  alt_media_used: 'ml',
  waste: 'ml',
} as const;

export type RehearsedQuantity = keyof typeof rehearsedQuantities;

/** Something that a person should know before the real run. */
export interface DrawnFinding {
  readonly severity: 'error' | 'warning' | 'info';
  /** A stable word. */
  readonly code: string;
  /** Null: the whole run. */
  readonly unit: string | null;
  readonly message: string;
  /** Hours since the start of the profile; null: the whole time. */
  readonly atHours: number | null;
}

/** What became of an action, loop or wait. */
export interface DrawnAction {
  readonly unit: string;
  readonly job: string;
  readonly path: string;
  readonly iteration: number;
  readonly action: string;
  readonly atHours: number;
  readonly outcome: ItemOutcome;
  readonly reason: string | null;
}

/** The course of one unit, at the times of the rehearsal; null: nothing was measured by then. */
export interface DrawnUnit {
  readonly unit: string;
  readonly values: Readonly<Record<RehearsedQuantity, readonly (number | null)[]>>;
}

/** One run of a profile on simulated vials, with parameters drawn for it. */
export interface DrawnRun {
  /** Hours until the last action; null: it had not ended within the simulated time. */
  readonly endedHours: number | null;
  readonly units: readonly DrawnUnit[];
  readonly actions: readonly DrawnAction[];
  readonly findings: readonly DrawnFinding[];
}
