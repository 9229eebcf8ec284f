import type { Json } from '@lcs/contract';

/** What was read before something was driven. */
export interface ReadingBehind {
  /** Of the series: `od`, `growth_rate`, `temperature`, … */
  readonly source: string;
  readonly channel?: string;
  /** In the unit of the source. */
  readonly value: number;
  /** Milliseconds since 1970. */
  readonly atMs: number;
}

/** Why an output was driven as it was. Whoever drives one says it; nothing is guessed afterwards. */
export interface Because {
  /**
   * Who wanted it, as the source of the events: `UI`, `CLI`, `dosing_automation:turbidostat`, `calibration_session/<id>`, or
   * the job's source.
   */
  readonly origin: string;
  /** The rule that acted, in one sentence with its numbers. Absent: somebody asked for it. */
  readonly rule?: string;
  readonly reading?: ReadingBehind;
  /** Settings that the rule used, as they were then. */
  readonly settings?: Readonly<Record<string, Json>>;
  /** Name of the calibration that made one number of another. */
  readonly calibration?: string;
}
