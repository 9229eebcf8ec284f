import type { SteadySignal } from '../od/oversampling.ts';
import type { FaultName } from './faults.ts';
import { type Angle, ledOutput, photodiodeVolts } from './optics.ts';
import { driftAt } from './signal-drift.ts';
import type { LedChannel, VialParameters } from './vial-parameters.ts';
import { roomC, type VialInputs, type VialState } from './vial-state.ts';

/** Conversions behind the deviation of one reading that a noise profile gives. */
const conversionsPerReading = 40;

/** Volts of a converter's own noise per conversion, and of the mains' hum beside its share of the signal. Chosen. */
const converterNoiseV = 0.00005;
const mainsHumV = 0.0003;
const mainsHumShare = 0.005;

/** A reference photodiode receives the light of the LED without liquid: this deviation per conversion, V. Chosen. */
const referenceNoiseV = 0.00015;

/** Volts of room light with the door open, and of a visible LED at 100 % that leaks into a photodiode. Chosen. */
const ambientLightV = 0.015;
const ledLeakV = 0.002;

/** Volts at which a photodiode's input is held by the supply. */
const supplyV = 3.3;

/** The signal of a photodiode during one reading. */
export function lightAt(
  parameters: VialParameters,
  state: VialState,
  inputs: VialInputs,
  faults: ReadonlySet<FaultName>,
  angle: Angle,
): SteadySignal {
  const quiet = { mainsHz: parameters.mainsHz, mainsPhase: 2 * Math.PI * ((parameters.mainsHz * state.timeS) % 1) };
  if (faults.has('photodiode_disconnected')) return { ...quiet, levelV: 0, sampleSdV: 0, mainsAmplitudeV: 0 };
  if (faults.has('photodiode_saturated')) return { ...quiet, levelV: supplyV, sampleSdV: 0, mainsAmplitudeV: 0 };
  const seenV = signalV(parameters, state, inputs, faults, angle);
  const strayV = parameters.darkV + leakedV(parameters, inputs) + (faults.has('room_light') ? ambientLightV : 0);
  const share = deviation(parameters, state, faults) * seenV;
  const isReference = angle === 'REF';
  const white = share * Math.sqrt((1 - parameters.noise.slowShare) * conversionsPerReading);
  const { slowShare, drift } = parameters.noise;
  const drifted = drift === undefined ? 0 : driftAt(drift, state.timeS) * seenV;
  const wander = isReference ? 0 : share * (Math.sqrt(slowShare) * state.wander + state.shock) + drifted;
  const noiseV = isReference ? referenceNoiseV * (parameters.noise.readingDeviation > 0 ? 1 : 0) : white;
  return {
    ...quiet,
    levelV: Math.min(supplyV, Math.max(0, seenV + strayV + wander)),
    sampleSdV: parameters.noise.readingDeviation > 0 ? Math.hypot(noiseV, converterNoiseV) : 0,
    mainsAmplitudeV: mainsHumV + mainsHumShare * seenV,
  };
}

function signalV(
  parameters: VialParameters,
  state: VialState,
  inputs: VialInputs,
  faults: ReadonlySet<FaultName>,
  angle: Angle,
): number {
  if (faults.has('led_dead')) return 0;
  const ambientC = roomC(parameters, state);
  const intensity = inputs.leds[parameters.irLed];
  const ledC = ambientC + 0.15 * intensity + 0.2 * (state.thermal.heaterC - ambientC);
  const output = ledOutput({ intensity, ledC, warmth: state.ledWarmth, hoursOn: state.ledHours });
  if (angle === 'REF') return output * photodiodeVolts('REF', 0) * (faults.has('reference_drift') ? 1.2 : 1);
  const isEmpty = faults.has('vial_removed');
  const od = isEmpty ? 0 : (state.opticalCells / parameters.organism.gramsPerOd) * state.suspended;
  const vortex = state.stirrer.rpm > 0 ? 1 : 1.015;
  const low = state.volumeMl < parameters.opticsMl ? 0.05 : 1;
  return output * parameters.sensitivity * photodiodeVolts(angle, od) * vortex * low * (isEmpty ? 0.5 : 1);
}

/** All photodiodes receive the light of visible LEDs; the infrared LED is their source. */
function leakedV(parameters: VialParameters, inputs: VialInputs): number {
  const channels: readonly LedChannel[] = ['A', 'B', 'C', 'D'];
  return channels
    .filter((channel) => channel !== parameters.irLed)
    .reduce((volts, channel) => volts + (ledLeakV * inputs.leds[channel]) / 100, 0);
}

/** Share of the signal: a vortex adds bubbles, a resting liquid has fewer, low liquid and bubbles far more. Chosen. */
function deviation(parameters: VialParameters, state: VialState, faults: ReadonlySet<FaultName>): number {
  const { rpm } = state.stirrer;
  const stirring = rpm === 0 ? 0.5 : 1 + Math.max(0, (rpm - 900) / 600) ** 2;
  const low = state.volumeMl < parameters.opticsMl ? 10 : 1;
  return parameters.noise.readingDeviation * stirring * low * (faults.has('bubbles') ? 5 : 1);
}
