import { hourMs, type ProfileRehearsal } from '@lcs/contract';
import { elapsedText } from '@lcs/domain';
import type { BandLine } from '../charts/band-lines.ts';

const titles = new Map([
  ['od', 'OD'],
  ['growth_rate', 'Growth rate'],
  ['temperature', 'Temperature'],
  ['volume', 'Volume of the vial'],
  ['media_used', 'Medium used'],
  ['alt_media_used', 'Alternative medium used'],
  ['waste', 'Waste'],
]);

export interface PredictedChart {
  readonly name: string;
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly BandLine[];
}

/** One chart for each series that has values other than zero, with a line for each unit. */
export function predictedCharts({ units }: Pick<ProfileRehearsal, 'units'>): readonly PredictedChart[] {
  const charts = new Map<string, { readonly unit: string; readonly lines: BandLine[] }>();
  for (const { reactor_unit, hours, series } of units)
    for (const { name, unit, median, low, high } of series) {
      // Without pumps nothing is used.
      if ([...median, ...high].every((value) => value === null || value === 0)) continue;
      const chart = charts.get(name) ?? { unit, lines: [] };
      charts.set(name, chart);
      chart.lines.push({ unit: reactor_unit, name: reactor_unit, hours, median, low, high });
    }
  const order = [...titles.keys()];
  return [...charts]
    .map(([name, { unit, lines }]) => ({
      name,
      unit: unit.replace('ml', 'mL'),
      lines,
      title: titles.get(name) ?? name,
    }))
    .sort((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
}

const answers = {
  yes: 'The profile reaches its end in all simulations.',
  no: 'The profile does not reach its end in any simulation.',
  uncertain: 'The profile reaches its end in some simulations only.',
} as const;

/** Whether the profile can finish, in one sentence. */
export const answerText = ({ can_finish }: Pick<ProfileRehearsal, 'can_finish'>): string => answers[can_finish];

const hoursText = (hours: number): string => elapsedText(hours * hourMs);

export const shareText = (share: number): string =>
  share === 1 ? 'in all simulations' : `in ${Math.round(100 * share)} % of the simulations`;

/** `after 5 h 12 min (4 h 2 min to 6 h 0 min)` */
export const spanText = ({
  low_h,
  median_h,
  high_h,
}: {
  readonly low_h: number;
  readonly median_h: number;
  readonly high_h: number;
}): string => `after ${hoursText(median_h)} (${hoursText(low_h)} to ${hoursText(high_h)})`;

/** Where a step stands in a profile. */
const stepPath = /\b(?:common|reactors)\.\S*\.actions\[\d+\](?:\.actions\[\d+\])*/g;

/** A finding in words: where, what, when, and in how many simulations. */
export function findingText(
  { reactor_unit, message, at_h, share }: ProfileRehearsal['findings'][number],
  textOf: (path: string) => string,
): string {
  const where = reactor_unit === null ? '' : `${reactor_unit}: `;
  const when = at_h === null ? '' : `, after ${hoursText(at_h)}`;
  const read = message.replace(stepPath, (path) => `“${textOf(path)}”`);
  return `${where}${read.replace(/\.$/, '')} (${shareText(share)}${when}).`;
}

/** How it was computed. */
export const methodText = ({ draws, simulated_hours, seed, computed_in_s }: ProfileRehearsal): string =>
  `${draws} simulations of ${hoursText(simulated_hours)}, computed in ${elapsedText(computed_in_s * 1000)} with the seed ${seed}. Shaded: 10th to 90th percentile of the simulations.`;

const cultureNumber = (value: number): string => String(Number(value.toPrecision(3)));

/** What was assumed of the culture. */
export function cultureText({ culture }: Pick<ProfileRehearsal, 'culture'>): string {
  const spread = (value: number): string => `± ${Math.round(100 * value)} %`;
  return [
    `Culture: ${culture.organism}`,
    `growth rate ${cultureNumber(culture.growth_rate)} per hour ${spread(culture.growth_rate_spread)} at ${cultureNumber(culture.temperature)} °C`,
    `initial OD ${cultureNumber(culture.initial_od)} ${spread(culture.initial_od_spread)}`,
    `lag ${cultureNumber(culture.lag_h)} h`,
    `highest OD ${cultureNumber(culture.highest_od)}`,
    `pumps ${spread(culture.pump_spread)}`,
  ].join(', ');
}
