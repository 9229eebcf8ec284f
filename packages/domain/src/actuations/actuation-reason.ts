import type { Json } from '@lcs/contract';

/** A run of the waste pump that names this setting sets the level of the vial after a dose: it moves air at the end of its tube. */
export const extraWasteSetting = 'waste_removal_multiplier';

/** The reading on which a decision to drive an output is based. */
export interface TriggerReading {
  /** Source of the series: `od`, `growth_rate`, `temperature`, … */
  readonly source: string;
  readonly channel?: string;
  /** In the unit of the source. */
  readonly value: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** Why a job drove an output. The job that drives the output records it at that time. */
export interface ActuationReason {
  /**
   * Who requested it, as the source of the events: `UI`, `CLI`, `dosing_automation:turbidostat`, `calibration_session/<id>`,
   * or the job's source.
   */
  readonly origin: string;
  /** The rule that acted, in one sentence with its numbers. Absent: a person requested the actuation. */
  readonly rule?: string;
  readonly reading?: TriggerReading;
  /** The settings that the rule used, with their values at that time. */
  readonly settings?: Readonly<Record<string, Json>>;
  /** Name of the calibration that converted the value. */
  readonly calibration?: string;
}
