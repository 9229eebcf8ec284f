import type { Json } from '@lcs/contract';
import { initialPidState, type PidRecord, type PidState, pidStep } from '../control/pid.ts';
import { exchangeForWashOut } from '../dosing/wash-out.ts';
import {
  type DosingDecision,
  type DosingInputs,
  dosingAutomation,
  formatMl,
  periodParameter,
  skipFirstRun,
} from './dosing-automation.ts';

/** Up to this share of the target density the culture grows without doses. */
const growOnlyBelow = 0.7;
/** Above this share of the target density, the exchange volume is multiplied by the factor. */
export const highDensity = { share: 1.25, factor: 2.5 };

/** A volume rounded to 0.1 µL. */
const fourDigits = (ml: number): number => Math.round(1e4 * ml) / 1e4;

type Inputs = DosingInputs<
  'duration' | 'target_normalized_od' | 'target_growth_rate',
  'Kp' | 'Ki' | 'Kd' | 'minimum_dosing_volume_ml',
  'normalized_od' | 'growth_rate'
>;

/** Stored state of the PID controller, in logarithms of growth rates and shares. */
type Memory = { readonly logIntegral: number; readonly previousLogRate: number | null };

const toMemory = ({ integralTerm, previousInput }: PidState): Memory => ({
  logIntegral: integralTerm,
  previousLogRate: previousInput,
});

function restore(memory: Json): Memory | undefined {
  if (typeof memory !== 'object' || memory === null || !('logIntegral' in memory)) return undefined;
  const { logIntegral, previousLogRate = null } = memory;
  const isKnown = previousLogRate === null || typeof previousLogRate === 'number';
  return typeof logIntegral === 'number' && isKnown ? { logIntegral, previousLogRate } : undefined;
}

/** From no drug at all, the first share in the vial is a multiple of this. Chosen. */
const leastShare = 0.02;
/** An exchange changes the share in the vial by at most this factor: a growth rate is an estimate. */
const mostChange = Math.E;
/** Growth rates below this share of the target count as it: a culture that does not grow has no logarithm. */
const leastRate = 0.05;

/**
 * The share of the alternative medium that the vial should have. The drug acts by its concentration relative to an unknown one
 * (Hill, J. Physiol. 40, 1910), so that a relative error of the growth rate asks for a relative change of the present share: with
 * a gain of 0.5 this converges for Hill coefficients up to 4, whatever the strength of the drug. The share in the vial, which the
 * ledger knows, is the memory of the controller: without an integral term there is no remaining error and no windup.
 */
function shareInVial(
  { logIntegral, previousLogRate }: Memory,
  { setting, constant, reading, altMediaFraction }: Inputs,
) {
  const [proportional, integral, derivative] = [-constant('Kp'), -constant('Ki'), -constant('Kd')];
  const parameters = {
    proportional,
    integral,
    derivative,
    lowest: -Math.log(mostChange),
    highest: Math.log(mostChange),
  };
  const [target, rate] = [setting('target_growth_rate'), reading('growth_rate').value];
  const input = Math.log(Math.max(rate, leastRate * target));
  const state: PidState = { integralTerm: logIntegral, previousInput: previousLogRate };
  const step = pidStep(state, parameters, { setpoint: Math.log(target), input, dt: setting('duration') / 60 });
  const present = step.output > 0 ? Math.max(leastShare, altMediaFraction) : altMediaFraction;
  const share = Math.min(1, present * Math.exp(step.output));
  const control: PidRecord = { setpoint: target, input: rate, output: share, parameters, terms: step.terms };
  return { share, next: step.state, control };
}

/** The share of the exchanged volume for a share in the vial: what stays of the present drug counts. */
function shareOfExchange(shareInVial: number, altMediaFraction: number, washOut: number): number {
  const stays = Math.exp(-washOut);
  return stays < 1 ? Math.min(1, Math.max(0, (shareInVial - altMediaFraction * stays) / (1 - stays))) : 0;
}

/** The two doses of an exchange. Doses below `minimumMl` are omitted, because pumps are inaccurate there. */
function splitExchange(share: number, volumeMl: number, minimumMl: number) {
  const omitSmall = (ml: number): number => (ml < minimumMl ? 0 : ml);
  const altMediaMl = omitSmall(share * volumeMl);
  const mediaMl = omitSmall((1 - share) * volumeMl);
  return { altMediaMl, mediaMl, wasteMl: altMediaMl + mediaMl };
}

function dose({ setting, constant, reading, ...vial }: Inputs, shareGoal: number): DosingDecision {
  const [duration, targetRate] = [setting('duration'), setting('target_growth_rate')];
  const [density, target] = [reading('normalized_od').value, setting('target_normalized_od')];
  const evaporatedMl = (vial.evaporationMlPerHour * duration) / 60;
  const washOut = ((density > highDensity.share * target ? highDensity.factor : 1) * targetRate * duration) / 60;
  const exchangeMl = fourDigits(exchangeForWashOut(washOut, { ...vial, evaporatedMl }));
  const share = shareOfExchange(shareGoal, vial.altMediaFraction, washOut);
  const order = splitExchange(share, exchangeMl, constant('minimum_dosing_volume_ml'));
  const rate = reading('growth_rate');
  const grows = `The culture grows by ${rate.value.toFixed(3)} per hour (target ${targetRate})`;
  if (order.wasteMl === 0)
    return {
      action: 'nothing',
      event: { name: 'NoEvent', message: `${grows}: the doses would be below the minimum.`, data: null },
    };
  const inputs = `${formatMl(order.altMediaMl)} of alternative medium and ${formatMl(order.mediaMl)} of medium`;
  return {
    action: 'dose',
    command: order,
    reason: {
      rule: `${grows}, its density is ${density.toFixed(3)} (target ${target}), so ${inputs} are exchanged.`,
      reading: rate,
      settings: { duration, target_growth_rate: targetRate, target_normalized_od: target, normalized_od: density },
    },
    outcome: (moved) => ({
      event: {
        name: 'AddAltMediaEvent',
        message: `${grows}: ${formatMl(moved.altMediaMl)} of alternative medium and ${formatMl(moved.mediaMl)} of medium were exchanged.`,
        data: {
          latest_growth_rate: rate.value,
          latest_normalized_od: density,
          alt_media_share: share,
          media_ml: moved.mediaMl,
          alt_media_ml: moved.altMediaMl,
        },
      },
    }),
  };
}

/** Controls the growth rate with a drug in the alternative medium (after Zhong et al. 2020), with an integral term. */
export const pidMorbidostat = dosingAutomation({
  name: 'pid_morbidostat',
  displayName: 'Morbidostat (PID)',
  help: 'Controls the growth rate with the alternative medium, and keeps the density below a target.',
  parameters: {
    duration: periodParameter('Check interval', 60),
    target_normalized_od: { label: 'Target normalised OD', unit: 'AU', default: 1.5, min: 0.0001, max: 1_000_000 },
    target_growth_rate: { label: 'Target growth rate', unit: '1/h', default: 0.1, min: 0, max: 20 },
  },
  options: skipFirstRun,
  constants: {
    Kp: {
      default: 0.5,
      description: 'Change of ln(share of alternative medium in the vial) per ln(growth rate / target).',
    },
    Ki: { default: 0, description: 'The same per hour, for the integral.' },
    Kd: { default: 0, description: 'The same times an hour, for the derivative.' },
    minimum_dosing_volume_ml: { default: 0.1, min: 0, unit: 'mL', description: 'Smaller doses are omitted.' },
  },
  pumps: ['media', 'alt_media', 'waste'],
  reads: ['normalized_od', 'growth_rate'],
  trigger: 'period',
  density: {
    setting: 'target_normalized_od',
    signal: 'normalized_od',
    dilutionThreshold: (target) => growOnlyBelow * target,
  },
  initialState: toMemory(initialPidState),
  restore,
  step: (state, inputs) => {
    const density = inputs.reading('normalized_od').value;
    const target = inputs.setting('target_normalized_od');
    if (density <= growOnlyBelow * target) {
      const message = `The density of ${density.toFixed(3)} is far below its target of ${target}: the automation lets the culture grow.`;
      const data = { latest_normalized_od: density, target_normalized_od: target };
      return { state, decision: { action: 'nothing', event: { name: 'NoEvent', message, data } } };
    }
    const { share, next, control } = shareInVial(state, inputs);
    return { state: toMemory(next), decision: { ...dose(inputs, share), control } };
  },
});
