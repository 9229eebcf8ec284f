import { hourMs, type ProfileRehearsal } from '@lcs/contract';
import { elapsedText, forecastSpanText } from '@lcs/domain';
import type { BandLine } from '../charts/band-lines.ts';
import { digitsText } from '../ui/number-text.ts';
import { commonWords } from '../words/common.ts';
import { rehearsalWords } from '../words/rehearsal.ts';

const titles = new Map([
  ['od', 'OD'],
  // Without a calibration the signal of the photodiode, in another scale than the OD of the culture.
  ['raw_od', rehearsalWords.odSignalNotCalibrated],
  ['growth_rate', commonWords.growthRate],
  ['temperature', commonWords.temperature],
  ['volume', rehearsalWords.volumeOfVial],
  ['media_used', commonWords.mediumUsed],
  ['alt_media_used', rehearsalWords.alternativeMediumUsed],
  ['waste', commonWords.waste],
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
    return unit === undefined
      ? []
      : [{ name: groups.size === 1 && members.length > 1 ? rehearsalWords.eachUnit : names, unit }];
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

const answers = rehearsalWords.answers;

/** Whether the profile can finish, in one sentence. */
export const answerText = ({ can_finish }: Pick<ProfileRehearsal, 'can_finish'>): string => answers[can_finish];

const hoursText = (hours: number): string => elapsedText(hours * hourMs);

const shareText = (share: number): string =>
  share === 1 ? rehearsalWords.inAllSimulations : rehearsalWords.inPercentOfSimulations(Math.round(100 * share));

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
  return rehearsalWords.afterHours(hoursText(median_h), low, high);
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
  const when = at_h === null ? '' : rehearsalWords.andAfterHours(hoursText(at_h));
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
  return rehearsalWords.aboutLeft(forecastSpanText((elapsedMs * (1 - progress)) / progress));
}

/** How it was computed. */
export function methodText({ draws, simulated_hours, seed, computed_in_s, units }: ProfileRehearsal): string {
  const more = units.length > 1 ? rehearsalWords.sameNumberOfVials : '';
  const computed = rehearsalWords.computedInWithSeed(elapsedText(computed_in_s * 1000), seed);
  return rehearsalWords.simulationsOf(draws, hoursText(simulated_hours), computed, more);
}

const cultureNumber = (value: number): string => digitsText(value, 3);

/** What was assumed of the culture. */
export function cultureText({ culture }: Pick<ProfileRehearsal, 'culture'>): string {
  const spread = (value: number): string => `± ${Math.round(100 * value)} %`;
  return [
    rehearsalWords.cultureIs(culture.organism),
    rehearsalWords.growthRateAt(
      cultureNumber(culture.growth_rate),
      spread(culture.growth_rate_spread),
      cultureNumber(culture.temperature),
    ),
    rehearsalWords.initialOd(cultureNumber(culture.initial_od), spread(culture.initial_od_spread)),
    rehearsalWords.lagHours(cultureNumber(culture.lag_h)),
    rehearsalWords.highestOd(cultureNumber(culture.highest_od)),
    rehearsalWords.pumpsVary(spread(culture.pump_spread)),
  ].join(', ');
}
