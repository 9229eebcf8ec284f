import type { Json } from '@lcs/contract';
import { initialPidState, type PidRecord, type PidState, pidStep } from '../control/pid.ts';
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
const highDensity = { share: 1.25, factor: 2.5 };

/** A volume rounded to 0.1 µL. */
const fourDigits = (ml: number): number => Math.round(1e4 * ml) / 1e4;

type Inputs = DosingInputs<
  'duration' | 'target_normalized_od' | 'target_growth_rate',
  'Kp' | 'Ki' | 'Kd' | 'minimum_dosing_volume_ml',
  'normalized_od' | 'growth_rate'
>;

/** Stored state of the PID controller. */
type Memory = { readonly integralTerm: number; readonly previousInput: number | null };

const toMemory = ({ integralTerm, previousInput }: PidState): Memory => ({ integralTerm, previousInput });

function restore(memory: Json): Memory | undefined {
  if (typeof memory !== 'object' || memory === null || !('integralTerm' in memory)) return undefined;
  const { integralTerm, previousInput = null } = memory;
  const isKnown = previousInput === null || typeof previousInput === 'number';
  return typeof integralTerm === 'number' && isKnown ? { integralTerm, previousInput } : undefined;
}

/**
 * Share of the alternative medium, 0 to 1: the faster the culture grows above the target, the larger the share. The gains are
 * negated because the alternative medium slows growth.
 */
function altMediaShare(state: Memory, { setting, constant, reading }: Inputs) {
  const [proportional, integral, derivative] = [-constant('Kp'), -constant('Ki'), -constant('Kd')];
  const parameters = { proportional, integral, derivative, lowest: 0, highest: 1 };
  const inputs = { setpoint: setting('target_growth_rate'), input: reading('growth_rate').value };
  const { output, terms, state: next } = pidStep(state, parameters, { ...inputs, dt: setting('duration') / 60 });
  const control: PidRecord = { ...inputs, output, parameters, terms };
  return { share: output, next, control };
}

/** The two doses of an exchange. Doses below `minimumMl` are omitted, because pumps are inaccurate there. */
function splitExchange(share: number, volumeMl: number, minimumMl: number) {
  const omitSmall = (ml: number): number => (ml < minimumMl ? 0 : ml);
  const altMediaMl = omitSmall(share * volumeMl);
  const mediaMl = omitSmall((1 - share) * volumeMl);
  return { altMediaMl, mediaMl, wasteMl: altMediaMl + mediaMl };
}

function dose({ setting, constant, reading, volumeMl }: Inputs, share: number): DosingDecision {
  const [duration, targetRate] = [setting('duration'), setting('target_growth_rate')];
  const [density, target] = [reading('normalized_od').value, setting('target_normalized_od')];
  const defaultMl = fourDigits((targetRate * volumeMl * duration) / 60);
  const exchangeMl = density > highDensity.share * target ? highDensity.factor * defaultMl : defaultMl;
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
  displayName: 'PID Morbidostat',
  help: 'Controls the growth rate with the alternative medium, and keeps the density below a target.',
  parameters: {
    duration: periodParameter('Check interval', 60),
    target_normalized_od: { label: 'Target normalised OD', unit: 'AU', default: 1.5, min: 0.0001, max: 1_000_000 },
    target_growth_rate: { label: 'Target growth rate', unit: '1/h', default: 0.1, min: 0, max: 20 },
  },
  options: skipFirstRun,
  constants: {
    Kp: { default: 1, description: 'Proportional gain.' },
    // Chosen by a simulated comparison of gains: without the integral term the growth rate stays above its target.
    Ki: { default: 0.1, description: 'Integral gain, per hour.' },
    Kd: { default: 0, description: 'Derivative gain.' },
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
    const { share, next, control } = altMediaShare(state, inputs);
    return { state: toMemory(next), decision: { ...dose(inputs, share), control } };
  },
});
