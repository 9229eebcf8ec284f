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

/**
 * The job that publishes a source, by the name of the source. A source that is not listed has no job: its last value holds
 * until the next one (volumes and bottles, which the unit's ledger publishes when they change), or a plugin publishes it.
 */
const jobsOfSources: ReadonlyMap<string, string> = new Map([
  ...['od', 'raw_od', 'od_fused', 'ir_led_relative_intensity'].map((source) => [source, 'od_reading'] as const),
  ...['growth_rate', 'od_filtered'].map((source) => [source, 'growth_rate_calculating'] as const),
  ...['temperature', 'heater_duty'].map((source) => [source, 'temperature_automation'] as const),
  ...['supply_voltage', 'cpu_temperature', 'disk_free'].map((source) => [source, 'monitor'] as const),
  ['stirring_rpm', 'stirring'],
]);

/** The job that publishes this source; undefined: none does. */
export const jobOfSource = (source: string): string | undefined => jobsOfSources.get(source);
