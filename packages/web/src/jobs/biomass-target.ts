import type { LiveJob } from '@lcs/contract';
import { biomassSignalSetting, dosingAutomations } from '@lcs/domain';
import { signalOfTarget, unitOfTarget } from './biomass-choices.ts';

/** The density that a running dosing automation maintains, or from which on it dilutes. */
export interface BiomassTarget {
  readonly value: number;
  /** The signal that it is a number of; `null`: the job has not published it. */
  readonly signal: string | null;
  /** Follows the number; empty: not known. */
  readonly unit: string;
}

/** `null`: the job does not dose by the density. */
export function biomassTargetOf({ settings }: LiveJob): BiomassTarget | null {
  const automation = dosingAutomations.find(({ name }) => name === settings.automation_name);
  const setting = automation?.density?.setting;
  if (automation === undefined || setting === undefined) return null;
  const value = settings[setting];
  if (typeof value !== 'number') return null;
  const chosen = settings[biomassSignalSetting];
  const fixed = signalOfTarget(automation.name, setting);
  const signal = fixed === 'chosen' ? chosen : fixed;
  return { value, signal: typeof signal === 'string' ? signal : null, unit: unitOfTarget(setting, settings) ?? '' };
}
