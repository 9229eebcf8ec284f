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

/**
 * Which job a source of readings comes from, by the name of the source. What is not here comes from no job: it holds until
 * it is told anew (volumes and bottles, which the ledger of a unit tells when they change), or it is of a plugin.
 */
const jobsOfSources: ReadonlyMap<string, string> = new Map([
  ...['od', 'raw_od', 'od_fused', 'ir_led_relative_intensity'].map((source) => [source, 'od_reading'] as const),
  ...['growth_rate', 'od_filtered'].map((source) => [source, 'growth_rate_calculating'] as const),
  ...['temperature', 'heater_duty'].map((source) => [source, 'temperature_automation'] as const),
  ...['supply_voltage', 'cpu_temperature', 'disk_free'].map((source) => [source, 'monitor'] as const),
  ['stirring_rpm', 'stirring'],
]);

/** The job that tells this source; undefined: none does. */
export const jobOfSource = (source: string): string | undefined => jobsOfSources.get(source);
