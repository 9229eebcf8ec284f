/** A job that must publish readings as long as it is ready. */
export interface MeasuringJob {
  /** A reading of any of these sources shows that the job works. */
  readonly sources: readonly string[];
  /** Not every unit measures these sources, or only after a while: silence counts only after the first reading. */
  readonly startsLater: boolean;
}

/** By the name of the job. */
export const measuringJobs: Readonly<Record<string, MeasuringJob>> = {
  od_reading: { sources: ['od', 'raw_od'], startsLater: false },
  growth_rate_calculating: { sources: ['growth_rate', 'od_filtered'], startsLater: true },
  stirring: { sources: ['stirring_rpm'], startsLater: true },
  temperature_automation: { sources: ['temperature'], startsLater: false },
};
