/** A job that is expected to bring readings for as long as it is ready. */
export interface MeasuringJob {
  /** Any of these is a sign of life. */
  readonly sources: readonly string[];
  /** Not every unit can measure it, or only after a while: silence counts after the first reading only. */
  readonly beginsLater: boolean;
}

/** By the name of the job. */
export const measuringJobs: Readonly<Record<string, MeasuringJob>> = {
  od_reading: { sources: ['od', 'raw_od'], beginsLater: false },
  growth_rate_calculating: { sources: ['growth_rate', 'od_filtered'], beginsLater: true },
  stirring: { sources: ['stirring_rpm'], beginsLater: true },
  temperature_automation: { sources: ['temperature'], beginsLater: false },
};
