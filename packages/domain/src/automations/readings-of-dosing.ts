import type { Json } from '@lcs/contract';
import { dosingAutomations } from './automations.ts';
import { biomassSignalSetting, publisherOfBiomass } from './biomass.ts';

/** What publishes the density when a unit chooses the signal: each signal is made of these readings. */
const usualPublisher = 'od_reading';

/**
 * The jobs without whose readings a dosing automation waits and doses nothing; none: it doses by time or by hand.
 * @param values its settings, or the options of its start
 */
export function jobsReadByDosing(
  automation: Json | undefined,
  values: Readonly<Record<string, Json | undefined>>,
): readonly string[] {
  const found = dosingAutomations.find(({ name }) => name === automation);
  if (found === undefined) return [];
  const { [biomassSignalSetting]: chosen } = values;
  const signal = found.density?.signal === 'biomass' ? chosen : found.density?.signal;
  const publisher = typeof signal === 'string' ? publisherOfBiomass(signal) : undefined;
  const ofDensity = found.density === undefined ? [] : [publisher ?? usualPublisher];
  return [...new Set([...ofDensity, ...(found.usesJobs ?? [])])];
}
