import { hourMs, type ProfileRehearsal } from '@lcs/contract';
import { elapsedText, roughSpanText } from '@lcs/domain';
import type { BandLine } from '../charts/band-lines.ts';
import { digitsText } from '../ui/number-text.ts';

const titles = new Map([
  ['od', 'OD'],
  // Without a calibration the signal of the photodiode, in another scale than the OD of the culture.
  ['raw_od', 'OD signal, not calibrated'],
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

/** How the steps of the profile are called, by their paths. */
export interface StepWords {
  readonly textOf: (path: string) => string;
  /** What is decided at a wait or a loop. */
  readonly decisionOf: (path: string, iteration: number) => string;
}

type PredictedUnit = ProfileRehearsal['units'][number];

/** The units by their curves: units that differ in their names only have the same. */
export function alikeUnits({ units }: Pick<ProfileRehearsal, 'units'>): readonly {
  readonly name: string;
  readonly unit: PredictedUnit;
}[] {
  const groups = new Map<string, PredictedUnit[]>();
  for (const unit of units) {
    const key = JSON.stringify([unit.is_od_calibrated, unit.hours, unit.series]);
    groups.set(key, [...(groups.get(key) ?? []), unit]);
  }
  return [...groups.values()].flatMap((members) => {
    const [unit] = members;
    const names = members.map(({ reactor_unit }) => reactor_unit).join(', ');
    return unit === undefined ? [] : [{ name: groups.size === 1 && members.length > 1 ? 'each unit' : names, unit }];
  });
}

/** One chart for each series that has values other than zero, with a line for each group of alike units. */
export function predictedCharts(rehearsal: Pick<ProfileRehearsal, 'units'>): readonly PredictedChart[] {
  const charts = new Map<string, { readonly unit: string; readonly lines: BandLine[] }>();
  for (const { name: unitName, unit: predicted } of alikeUnits(rehearsal))
    for (const { name: of, unit: unitOfSeries, median, low, high } of predicted.series) {
      // Without pumps nothing is used.
      if ([...median, ...high].every((value) => value === null || value === 0)) continue;
      const isRaw = of === 'od' && !predicted.is_od_calibrated;
      const name = isRaw ? 'raw_od' : of;
      const chart = charts.get(name) ?? { unit: isRaw ? 'AU' : unitOfSeries, lines: [] };
      charts.set(name, chart);
      chart.lines.push({ unit: unitName, name: unitName, hours: predicted.hours, median, low, high });
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

const shareText = (share: number): string =>
  share === 1 ? 'in all simulations' : `in ${Math.round(100 * share)} % of the simulations`;

/** `after 5 h 12 min (4 h 2 min to 6 h 0 min)`; without a range where all simulations agree. */
export function spanText({
  low_h,
  median_h,
  high_h,
}: {
  readonly low_h: number;
  readonly median_h: number;
  readonly high_h: number;
}): string {
  const [low, high] = [hoursText(low_h), hoursText(high_h)];
  return `after ${hoursText(median_h)}${low === high ? '' : ` (${low} to ${high})`}`;
}

/** The texts with the units that have each of them. */
function withUnits(all: readonly (readonly [unit: string | null, text: string])[]): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const [unit, text] of all) groups.set(text, [...(groups.get(text) ?? []), ...(unit === null ? [] : [unit])]);
  return [...groups].map(([text, units]) => (units.length === 0 ? text : `${units.join(', ')}: ${text}`));
}

/** When waits and loops end; what several units have in common is one line. */
export const decisionLines = (
  { units }: Pick<ProfileRehearsal, 'units'>,
  { decisionOf }: StepWords,
): readonly string[] =>
  withUnits(
    units.flatMap(({ reactor_unit, conditions }) =>
      conditions.map(
        ({ path, iteration, share, ...span }) =>
          [reactor_unit, `${decisionOf(path, iteration)}, ${spanText(span)}, ${shareText(share)}`] as const,
      ),
    ),
  );

/** Where a step stands in a profile. */
const stepPath = /\b(?:common|reactors)\.\S*\.actions\[\d+\](?:\.actions\[\d+\])*/g;

type Finding = ProfileRehearsal['findings'][number];

function findingText({ message, at_h, share }: Finding, { textOf }: StepWords): string {
  const when = at_h === null ? '' : `, after ${hoursText(at_h)}`;
  const read = message.replace(stepPath, (path) => `“${textOf(path)}”`);
  return `${read.replace(/\.$/, '')} (${shareText(share)}${when}).`;
}

const severities: readonly Finding['severity'][] = ['error', 'warning', 'info'];

/** The findings in words: where, what, when, and in how many simulations; several units together. */
export const findingLines = (
  { findings }: Pick<ProfileRehearsal, 'findings'>,
  words: StepWords,
): readonly { readonly severity: Finding['severity']; readonly text: string }[] =>
  severities.flatMap((severity) =>
    withUnits(
      findings
        .filter((finding) => finding.severity === severity)
        .map((finding) => [finding.reactor_unit, findingText(finding, words)] as const),
    ).map((text) => ({ severity, text })),
  );

/** Before this share is done its pace is not known. */
const leastProgress = 0.02;

/** `, about 3 min left`; empty while the pace is not known. */
export function leftText(progress: number, startedAt: string | null, nowMs: number): string {
  const elapsedMs = startedAt === null ? 0 : nowMs - Date.parse(startedAt);
  if (progress < leastProgress || elapsedMs <= 0) return '';
  return `, about ${roughSpanText((elapsedMs * (1 - progress)) / progress)} left`;
}

/** How it was computed. */
export function methodText({ draws, simulated_hours, seed, computed_in_s, units }: ProfileRehearsal): string {
  const more =
    units.length > 1 ? ' Each unit has the same number of them, so that there may be more than entered.' : '';
  const computed = `computed in ${elapsedText(computed_in_s * 1000)} with the seed ${seed}`;
  return `${draws} simulations of ${hoursText(simulated_hours)}, ${computed}.${more} Shaded: 10th to 90th percentile of the simulations.`;
}

const cultureNumber = (value: number): string => digitsText(value, 3);

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
