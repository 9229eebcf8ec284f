import type { Json } from '@lcs/contract';
import { freshPid, type PidRecord, type PidState, pidStep } from '../control/pid.ts';
import {
  type DosingDecision,
  type DosingLook,
  dosingAutomation,
  inMl,
  period,
  skipFirstRun,
} from './dosing-automation.ts';

/** Below this share of the target density the culture is left to grow. */
const leaveBelow = 0.7;
/** Above this share it is diluted by so much more. */
const tooDense = { share: 1.25, factor: 2.5 };

/** A volume as people write it, mL. */
const fourDigits = (ml: number): number => Math.round(1e4 * ml) / 1e4;

type Look = DosingLook<
  'duration' | 'target_normalized_od' | 'target_growth_rate',
  'Kp' | 'Ki' | 'Kd' | 'minimum_dosing_volume_ml',
  'normalized_od' | 'growth_rate'
>;

/** What the controller remembers. */
type Memory = { readonly integralTerm: number; readonly previousInput: number | null };

const memoryOf = ({ integralTerm, previousInput }: PidState): Memory => ({ integralTerm, previousInput });

function restore(memory: Json): Memory | undefined {
  if (typeof memory !== 'object' || memory === null || !('integralTerm' in memory)) return undefined;
  const { integralTerm, previousInput = null } = memory;
  const isKnown = previousInput === null || typeof previousInput === 'number';
  return typeof integralTerm === 'number' && isKnown ? { integralTerm, previousInput } : undefined;
}

/**
 * Share of the alternative medium, 0 to 1: more of it the faster the culture grows above the target. Gains are turned round
 * because more of it means slower growth.
 */
function altMediaShare(state: Memory, { setting, constant, reading }: Look) {
  const [proportional, integral, derivative] = [-constant('Kp'), -constant('Ki'), -constant('Kd')];
  const parameters = { proportional, integral, derivative, lowest: 0, highest: 1 };
  const looked = { setpoint: setting('target_growth_rate'), input: reading('growth_rate').value };
  const { output, terms, state: next } = pidStep(state, parameters, { ...looked, dt: setting('duration') / 60 });
  const control: PidRecord = { ...looked, output, parameters, terms };
  return { share: output, next, control };
}

/** Doses so small that no pump does them well are left out. */
function portions(share: number, volumeMl: number, leastMl: number) {
  const kept = (ml: number): number => (ml < leastMl ? 0 : ml);
  const altMediaMl = kept(share * volumeMl);
  const mediaMl = kept((1 - share) * volumeMl);
  return { altMediaMl, mediaMl, wasteMl: altMediaMl + mediaMl };
}

function dose(look: Look, share: number): DosingDecision {
  const { setting, constant, reading, volumeMl } = look;
  const [duration, targetRate] = [setting('duration'), setting('target_growth_rate')];
  const [density, target] = [reading('normalized_od').value, setting('target_normalized_od')];
  const usualMl = fourDigits((targetRate * volumeMl * duration) / 60);
  const exchangeMl = density > tooDense.share * target ? tooDense.factor * usualMl : usualMl;
  const order = portions(share, exchangeMl, constant('minimum_dosing_volume_ml'));
  const rate = reading('growth_rate');
  const grows = `The culture grows by ${rate.value.toFixed(3)} per hour (target ${targetRate})`;
  if (order.wasteMl === 0)
    return { act: 'nothing', news: { name: 'NoEvent', message: `${grows}: no dose is large enough.`, data: null } };
  const inputs = `${inMl(order.altMediaMl)} of alternative medium and ${inMl(order.mediaMl)} of medium`;
  return {
    act: 'dose',
    order,
    reason: {
      rule: `${grows}, its density is ${density.toFixed(3)} (target ${target}), so ${inputs} are exchanged.`,
      reading: rate,
      settings: { duration, target_growth_rate: targetRate, target_normalized_od: target, normalized_od: density },
    },
    told: (moved) => ({
      news: {
        name: 'AddAltMediaEvent',
        message: `${grows}: ${inMl(moved.altMediaMl)} of alternative medium and ${inMl(moved.mediaMl)} of medium were exchanged.`,
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

/** Holds the growth rate with a drug in the alternative medium (after Zhong et al. 2020), with a working integral term. */
export const pidMorbidostat = dosingAutomation({
  name: 'pid_morbidostat',
  displayName: 'PID Morbidostat',
  help: 'Holds the growth rate at a target with the alternative medium, and the density below another.',
  parameters: {
    duration: period('Check interval', 60),
    target_normalized_od: { label: 'Target normalised OD', unit: 'AU', default: 1.5, min: 0.0001, max: 1_000_000 },
    target_growth_rate: { label: 'Target growth rate', unit: '1/h', default: 0.1, min: 0, max: 20 },
  },
  options: skipFirstRun,
  constants: {
    Kp: { default: 1, description: 'Proportional gain.' },
    // Chosen from the simulated comparison of the gains: with none the growth rate stays above its target.
    Ki: { default: 0.1, description: 'Integral gain, per hour.' },
    Kd: { default: 0, description: 'Derivative gain.' },
    minimum_dosing_volume_ml: { default: 0.1, min: 0, unit: 'mL', description: 'Smaller doses are left out.' },
  },
  pumps: ['media', 'alt_media', 'waste'],
  reads: ['normalized_od', 'growth_rate'],
  trigger: 'period',
  density: {
    setting: 'target_normalized_od',
    signal: 'normalized_od',
    dilutesFrom: (target) => leaveBelow * target,
  },
  fresh: memoryOf(freshPid),
  restore,
  step: (state, look) => {
    const density = look.reading('normalized_od').value;
    const target = look.setting('target_normalized_od');
    if (density <= leaveBelow * target) {
      const message = `The density of ${density.toFixed(3)} is far below its target of ${target}: the culture is left to grow.`;
      const data = { latest_normalized_od: density, target_normalized_od: target };
      return { state, decision: { act: 'nothing', news: { name: 'NoEvent', message, data } } };
    }
    const { share, next, control } = altMediaShare(state, look);
    return { state: memoryOf(next), decision: { ...dose(look, share), control } };
  },
});
