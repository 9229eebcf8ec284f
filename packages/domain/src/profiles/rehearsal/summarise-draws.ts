import { quantile } from '../../curves/quantile.ts';
import {
  type DrawnAction,
  type DrawnFinding,
  type DrawnRun,
  type RehearsedQuantity,
  rehearsedQuantities,
} from './drawn-run.ts';

/** Shares of the draws below the lower and the upper end of a band. */
const lowShare = 0.1;
const highShare = 0.9;

type Values = readonly (number | null)[];

/** A quantity over time: the middle draw, and the band that holds 80 % of them. */
export interface Band {
  readonly name: RehearsedQuantity;
  readonly unit: string;
  readonly median: Values;
  readonly low: Values;
  readonly high: Values;
}

/** When a wait or a loop ended, in hours; of the draws in which it did. */
export interface ConditionForecast {
  readonly path: string;
  readonly iteration: number;
  /** Of the draws, 0 to 1. */
  readonly share: number;
  readonly low_h: number;
  readonly median_h: number;
  readonly high_h: number;
}

/** The same finding of several draws; `at_h`: the median. */
export interface ForecastFinding {
  readonly severity: DrawnFinding['severity'];
  readonly code: string;
  readonly reactor_unit: string | null;
  readonly message: string;
  readonly at_h: number | null;
  readonly share: number;
}

export interface UnitForecast {
  readonly reactor_unit: string;
  readonly series: readonly Band[];
  readonly conditions: readonly ConditionForecast[];
  /** Of the first draw. */
  readonly actions: readonly DrawnAction[];
}

export interface RehearsalSummary {
  /** `yes`: in all draws; `no`: in none; `uncertain`: in some. */
  readonly canFinish: 'yes' | 'no' | 'uncertain';
  readonly findings: readonly ForecastFinding[];
  readonly units: readonly UnitForecast[];
}

const ascending = (values: readonly number[]): number[] => values.toSorted((a, b) => a - b);

/** Three digits more than any chart shows. */
const rounded = (value: number): number => Number(value.toPrecision(5));

function bandOf(name: RehearsedQuantity, draws: readonly Values[]): Band {
  const length = Math.max(0, ...draws.map((values) => values.length));
  const columns = Array.from({ length }, (_, index) => ascending(draws.flatMap((values) => values[index] ?? [])));
  const at = (share: number): Values =>
    columns.map((sorted) => (sorted.length === 0 ? null : rounded(quantile(sorted, share))));
  return { name, unit: rehearsedQuantities[name], median: at(0.5), low: at(lowShare), high: at(highShare) };
}

/** The items by key, in the order of their first appearance. */
function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly (readonly Item[])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return [...groups.values()];
}

/** The most conditions of a unit that are listed, and the most actions. */
export const mostIterations = 200;

function conditionsOf(unit: string, draws: readonly DrawnRun[]): readonly ConditionForecast[] {
  const decided = draws.flatMap(({ actions }) =>
    actions.filter((action) => action.unit === unit && (action.outcome === 'held' || action.outcome === 'ended')),
  );
  return groupedBy(decided, ({ path, iteration }) => `${path}#${iteration}`)
    .slice(0, mostIterations)
    .flatMap((group) => {
      const [first] = group;
      if (first === undefined) return [];
      const hours = ascending(group.map(({ atHours }) => atHours));
      return {
        path: first.path,
        iteration: first.iteration,
        share: group.length / draws.length,
        low_h: rounded(quantile(hours, lowShare)),
        median_h: rounded(quantile(hours, 0.5)),
        high_h: rounded(quantile(hours, highShare)),
      };
    });
}

const severities: readonly DrawnFinding['severity'][] = ['error', 'warning', 'info'];

function findingsOf(draws: readonly DrawnRun[]): readonly ForecastFinding[] {
  const all = draws.flatMap((draw, index) => draw.findings.map((finding) => ({ ...finding, draw: index })));
  const merged = groupedBy(all, ({ code, unit }) => `${code} ${unit}`).flatMap((group): readonly ForecastFinding[] => {
    const [first] = group;
    if (first === undefined) return [];
    const hours = ascending(group.flatMap(({ atHours }) => atHours ?? []));
    return [
      {
        severity: first.severity,
        code: first.code,
        reactor_unit: first.unit,
        message: first.message,
        at_h: hours.length === 0 ? null : rounded(quantile(hours, 0.5)),
        share: new Set(group.map(({ draw }) => draw)).size / draws.length,
      },
    ];
  });
  return merged.sort((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity) || b.share - a.share);
}

/** Whether a draw carried out the whole profile without an error. */
const isGood = ({ endedHours, findings }: DrawnRun): boolean =>
  endedHours !== null && !findings.some(({ severity }) => severity === 'error');

/** The same units and actions under the name of one unit of their group. */
function asUnit(draws: readonly DrawnRun[], group: readonly string[], name: string): readonly DrawnRun[] {
  return draws.flatMap((draw) =>
    group.map((member) => ({
      ...draw,
      units: draw.units.filter(({ unit }) => unit === member).map((each) => ({ ...each, unit: name })),
      actions: draw.actions.filter(({ unit }) => unit === member).map((each) => ({ ...each, unit: name })),
    })),
  );
}

/**
 * What the draws of a rehearsal say together.
 * @param groups of units that differ in their names only: each vial of a group stands for every unit of it
 */
export function summariseDraws(draws: readonly DrawnRun[], groups: readonly (readonly string[])[]): RehearsalSummary {
  const good = draws.filter(isGood).length;
  const names = Object.keys(rehearsedQuantities).filter((name): name is RehearsedQuantity =>
    Object.hasOwn(rehearsedQuantities, name),
  );
  return {
    canFinish: good === draws.length ? 'yes' : good === 0 ? 'no' : 'uncertain',
    findings: findingsOf(draws),
    units: (draws[0]?.units ?? []).map(({ unit }) => {
      const pooled = asUnit(draws, groups.find((group) => group.includes(unit)) ?? [unit], unit);
      const own = pooled.flatMap(({ units }) => units);
      return {
        reactor_unit: unit,
        series: names.map((name) =>
          bandOf(
            name,
            own.map(({ values }) => values[name]),
          ),
        ),
        conditions: conditionsOf(unit, pooled),
        actions: (draws[0]?.actions ?? []).filter((action) => action.unit === unit).slice(0, mostIterations),
      };
    }),
  };
}
