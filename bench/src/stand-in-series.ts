/** What a stand-in unit measures: where it is stored, and how it is published. */
export interface StandInSeries {
  readonly source: string;
  readonly channel: string | null;
  readonly angle: number | null;
  /** Below unit and experiment. */
  readonly topic: string;
  /** Of the payload. */
  readonly field: string;
}

const ofChannel = (source: string, channel: string, angle: number): StandInSeries => ({
  source,
  channel,
  angle,
  topic: `od_reading/${source}${channel}`,
  field: 'od',
});

const ofUnit = (source: string, job: string): StandInSeries => ({
  source,
  channel: null,
  angle: null,
  topic: `${job}/${source}`,
  field: source,
});

/** Readings of a unit with two photodiodes at all jobs of a usual experiment. */
export const standInSeries: readonly StandInSeries[] = [
  ofChannel('od', '1', 45),
  ofChannel('od', '2', 90),
  ofChannel('raw_od', '1', 45),
  ofChannel('raw_od', '2', 90),
  ofUnit('od_fused', 'od_reading'),
  ofUnit('ir_led_relative_intensity', 'od_reading'),
  ofUnit('od_filtered', 'growth_rate_calculating'),
  ofUnit('growth_rate', 'growth_rate_calculating'),
  ofUnit('growth_rate_sd', 'growth_rate_calculating'),
  ofUnit('temperature', 'temperature_automation'),
  ofUnit('heater_duty', 'temperature_automation'),
  ofUnit('stirring_rpm', 'stirring'),
  ofUnit('pwm_duty', 'pwms'),
  ofUnit('supply_voltage', 'monitor'),
  ofUnit('cpu_temperature', 'monitor'),
  ofUnit('disk_free', 'monitor'),
];
