/** The faults that can be injected into a simulated unit. Its simulated chips implement those marked "read-out". */
export const faultNames = [
  'stirrer_stalled',
  'bar_lost',
  'hall_dead', // read-out
  'heater_stuck_on',
  'heater_dead',
  'temperature_sensor_dead', // read-out
  'temperature_sensor_stuck', // read-out
  'temperature_sensor_loose', // read-out
  'door_open',
  'photodiode_disconnected',
  'photodiode_saturated',
  'reference_drift',
  'led_dead',
  'bus_errors', // read-out
  'media_blocked',
  'alt_media_blocked',
  'waste_blocked',
  'media_dry',
  'alt_media_dry',
  /** A tube that is bent: two fifths of the flow; of the waste, which has a surplus, a tenth. */
  'media_partly_blocked',
  'alt_media_partly_blocked',
  'waste_partly_blocked',
  /** Bubbles in the tube: each run brings a random share, at most four fifths. */
  'media_air',
  'alt_media_air',
  /** The end of the waste tube slipped up by 3 mL. */
  'waste_lifted',
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

const noFaults: ReadonlySet<FaultName> = new Set();

export const faultsAt = (script: readonly Fault[], timeS: number): ReadonlySet<FaultName> =>
  script.length === 0
    ? noFaults
    : new Set(script.filter(({ fromS, untilS }) => fromS <= timeS && timeS < untilS).map(({ fault }) => fault));

/** The next time after `timeS` at which a fault begins or ends; infinity when none does. */
export function nextFaultEdge(script: readonly Fault[], timeS: number): number {
  let soonest = Number.POSITIVE_INFINITY;
  for (const { fromS, untilS } of script) {
    if (fromS > timeS) soonest = Math.min(soonest, fromS);
    if (untilS > timeS) soonest = Math.min(soonest, untilS);
  }
  return soonest;
}
