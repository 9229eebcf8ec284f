/** What can go wrong on purpose with a simulated unit. Those marked "read-out" are carried out by its simulated chips. */
export const faultNames = [
  'stirrer_stalled',
  'bar_lost',
  'hall_dead', // read-out
  'heater_stuck_on',
  'temperature_sensor_dead', // read-out
  'photodiode_disconnected',
  'photodiode_saturated',
  'reference_drift',
  'led_dead',
  'bus_errors', // read-out
  'media_blocked',
  'alt_media_blocked',
  'waste_blocked',
  'leak',
  'vial_removed',
  'bubbles',
  'supply_low',
  'room_light',
] as const;

export type FaultName = (typeof faultNames)[number];

/** One fault from `fromS` (included) to `untilS` (excluded), in seconds of the vial's own time. */
export interface Fault {
  readonly fault: FaultName;
  readonly fromS: number;
  readonly untilS: number;
}

export const faultsAt = (script: readonly Fault[], timeS: number): ReadonlySet<FaultName> =>
  new Set(script.filter(({ fromS, untilS }) => fromS <= timeS && timeS < untilS).map(({ fault }) => fault));

/** The next time after `timeS` at which a fault begins or ends; infinity when none does. */
export const nextFaultEdge = (script: readonly Fault[], timeS: number): number =>
  script
    .flatMap(({ fromS, untilS }) => [fromS, untilS])
    .filter((edge) => edge > timeS)
    .reduce((soonest, edge) => Math.min(soonest, edge), Number.POSITIVE_INFINITY);
