import type { FaultName } from './faults.ts';
import { liquidCapacity, waterHeatCapacity } from './thermal.ts';
import type { Pump, VialParameters } from './vial-parameters.ts';
import { type ChangingState, roomC, type VialInputs, type VialState } from './vial-state.ts';

/** What blocks or drains a vial at the moment. */
export interface VolumeFaults {
  /** Share of its flow that each pump moves. */
  readonly flowShare: Readonly<Record<Pump, number>>;
  /** How far the end of the waste tube slipped up, ml. */
  readonly liftedMl: number;
  readonly leaks: boolean;
}

/** Shares of the flow through a tube that is bent. Chosen. */
const bentShare = { media: 0.4, alt_media: 0.4, waste: 0.1 } as const;
const liftedMl = 3;

const nothingBlocked: VolumeFaults = { flowShare: { media: 1, alt_media: 1, waste: 1 }, liftedMl: 0, leaks: false };

/** The effect of faults on tubes and vial. */
export function volumeFaults(faults: ReadonlySet<FaultName>): VolumeFaults {
  if (faults.size === 0) return nothingBlocked;
  const shareOf = (pump: Pump): number => {
    if (faults.has(`${pump}_blocked`) || (pump !== 'waste' && faults.has(`${pump}_dry`))) return 0;
    return faults.has(`${pump}_partly_blocked`) ? bentShare[pump] : 1;
  };
  return {
    flowShare: { media: shareOf('media'), alt_media: shareOf('alt_media'), waste: shareOf('waste') },
    liftedMl: faults.has('waste_lifted') ? liftedMl : 0,
    leaks: faults.has('leak'),
  };
}

/** ml/s through a hole. Chosen: empties a vial in an hour. */
const leakFlow = 0.004;

/** ml/s of a pump as it runs now. */
function flowOf(parameters: VialParameters, state: VialState, inputs: VialInputs, pump: Pump): number {
  const duty = inputs.pumps[pump];
  if (duty === 0) return 0;
  const drifted = Math.exp(((parameters.pumpDriftPerHour?.[pump] ?? 0) * state.timeS) / 3600);
  return (parameters.pumpFlow[pump] * drifted * (state.pumpRuns?.[pump] ?? 1) * duty) / 100;
}

/** mL that a pump moves within `seconds`, after it has compensated its deficit at the start. */
const movedBy = (
  parameters: VialParameters,
  state: VialState,
  inputs: VialInputs,
  pump: Pump,
  seconds: number,
): number => Math.max(0, flowOf(parameters, state, inputs, pump) * seconds - (state.pumpGapsMl?.[pump] ?? 0));

const pumps: readonly Pump[] = ['media', 'alt_media', 'waste'];

/** What pumps that run have made up is not lacking any more. */
export function gapsAfter(
  parameters: VialParameters,
  state: VialState,
  inputs: VialInputs,
  seconds: number,
): NonNullable<VialState['pumpGapsMl']> | undefined {
  const { pumpGapsMl: gaps } = state;
  if (gaps === undefined) return undefined;
  const left = pumps.map((pump) => {
    const made = flowOf(parameters, state, inputs, pump) * seconds;
    return [pump, Math.max(0, (gaps[pump] ?? 0) - made)] as const;
  });
  return Object.fromEntries(left);
}

/**
 * Changes the liquid to that after `seconds` of pumping and evaporation: first what comes in mixes with all, then what goes out leaves. The
 * temperatures are those at the end, without what comes in.
 */
export function pump(
  parameters: VialParameters,
  state: ChangingState,
  inputs: VialInputs,
  faults: VolumeFaults,
  seconds: number,
): void {
  // Pumps stand still most of the time.
  const { media: mediaDuty, alt_media: altMediaDuty, waste: wasteDuty } = inputs.pumps;
  if (mediaDuty === 0 && altMediaDuty === 0 && wasteDuty === 0) {
    drain(parameters, state, 0, faults, seconds);
    return;
  }
  const requestedMl = (pump: 'media' | 'alt_media'): number =>
    Math.min(state.reservoirsMl[pump], faults.flowShare[pump] * movedBy(parameters, state, inputs, pump, seconds));
  const media = requestedMl('media');
  const altMedia = requestedMl('alt_media');
  const drawn = faults.flowShare.waste * movedBy(parameters, state, inputs, 'waste', seconds);
  if (media + altMedia > 0) mix(parameters, state, media, altMedia);
  drain(parameters, state, drawn, faults, seconds);
}

/** Adds fresh liquid: it dilutes everything dissolved, and has room temperature. */
function mix(parameters: VialParameters, state: ChangingState, media: number, altMedia: number): void {
  const { culture, thermal, reservoirsMl, ledger } = state;
  const added = media + altMedia;
  const volumeMl = state.volumeMl + added;
  const stays = state.volumeMl / volumeMl;
  const capacity = liquidCapacity(parameters.thermal, state.volumeMl);
  const brought = waterHeatCapacity * added;
  thermal.liquidC = (capacity * thermal.liquidC + brought * roomC(parameters, state)) / (capacity + brought);
  state.volumeMl = volumeMl;
  state.altMediaShare = Math.min(1, state.altMediaShare * stays + altMedia / volumeMl);
  culture.cells *= stays;
  culture.substrate = culture.substrate * stays + parameters.organism.feed * (1 - stays);
  reservoirsMl.media -= media;
  reservoirsMl.alt_media -= altMedia;
  ledger.media += media;
  ledger.altMedia += altMedia;
  state.tracer *= stays;
}

/** Takes away what the waste pump draws (down to its tube), what leaks, what runs over and what evaporates. */
function drain(
  parameters: VialParameters,
  state: ChangingState,
  drawn: number,
  faults: VolumeFaults,
  seconds: number,
): void {
  const { culture, thermal, reservoirsMl, ledger } = state;
  const waste = Math.min(drawn, Math.max(0, state.volumeMl - parameters.effluxMl - faults.liftedMl));
  const leaked = faults.leaks ? Math.min(leakFlow * seconds, state.volumeMl - waste) : 0;
  const spilled = leaked + Math.max(0, state.volumeMl - waste - leaked - parameters.capacityMl);
  const left = state.volumeMl - waste - spilled;
  const warmth = Math.max(0, (thermal.liquidC - 15) / 22);
  const evaporated = Math.min(left / 2, (parameters.evaporationMlPerHour * warmth * seconds) / 3600);
  const volumeMl = left - evaporated;
  const thicker = volumeMl > 0 ? left / volumeMl : 1;
  state.volumeMl = volumeMl;
  culture.cells *= thicker;
  culture.substrate *= thicker;
  reservoirsMl.waste += waste;
  ledger.waste += waste;
  ledger.spilled += spilled;
  ledger.evaporated += evaporated;
  state.tracer *= thicker;
}
