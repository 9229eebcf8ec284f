import { ownValue } from '@lcs/contract';
import {
  actionsByPath,
  isBasicAction,
  type Profile,
  type ProfileAction,
  readByAction,
  readByConditions,
} from '@lcs/domain';
import type { RehearsalInput } from './rehearsal-input.ts';

/** No name of a unit. */
const itself = '';

/** What an action reads of jobs, and its texts on which its effect depends. */
function influencesOn(job: string, action: ProfileAction) {
  const current = { unit: itself, job };
  if (isBasicAction(action)) {
    const texts = action.type === 'log' ? [] : [JSON.stringify(action)];
    return { reads: readByAction(action, current), texts: [...texts, String(action.if)] };
  }
  const conditions =
    action.type === 'when' ? [action.if, action.wait_until, action.condition] : [action.if, action.while];
  return { reads: readByConditions(conditions, current), texts: conditions.map(String) };
}

/** Whether the course of a unit may depend on its name, on other units, or on how much all have done. */
export function isIndividual(profile: Profile): boolean {
  return [...actionsByPath(profile).values()].some(({ job, action }) => {
    const { reads, texts } = influencesOn(job, action);
    return reads.some(({ unit }) => unit !== itself) || texts.some((text) => /\b(unit|action_count)\b/.test(text));
  });
}

/**
 * Groups of units that differ in their names only: each vial of a group stands for every unit of it. Units whose course may depend on
 * others are groups of their own.
 */
export function alikeUnits(
  profile: Profile,
  { units, commonUnits, ownUnits }: Pick<RehearsalInput, 'units' | 'commonUnits' | 'ownUnits'>,
): readonly (readonly string[])[] {
  const isAlone = isIndividual(profile);
  const groups = new Map<string, string[]>();
  for (const unit of units) {
    // Volumes are dosed by the calibrations: how fast a pump is makes no difference.
    const { name, calibrations: _, ...rest } = unit;
    const own = ownUnits.includes(name) ? ownValue(profile.reactors, name)?.jobs : undefined;
    const key = JSON.stringify([isAlone ? name : '', commonUnits.includes(name), own ?? null, rest]);
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  return [...groups.values()];
}
