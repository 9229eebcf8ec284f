import type { StepChart, StepTable } from '@lcs/contract';
import { curveAt } from '../curves/curve.ts';
import { fitPumpLine, type PumpRunPoint } from '../curves/fit-pump-line.ts';

/** Runs of one duration differ by some percent (fact sheet, 10.6): a quarter is a wrong weight, a bubble or a loose tube. */
const mostOfSameDuration = 0.25;
/** The volume of the first second contains the loss of a start, so that one other run may differ by this factor. */
const mostOfTrial = 2;
/** A line needs so many runs; fewer cannot show that one of them is wrong. */
export const leastRuns = 5;

const curveSteps = 2;

/** The median of the runs with this duration, mL; undefined: there is one only. */
function medianOf(runs: readonly PumpRunPoint[], durationS: number): number | undefined {
  const volumes = runs.filter(({ x }) => Math.abs(x - durationS) < 1e-9).map(({ y }) => y);
  if (volumes.length < 2) return undefined;
  const sorted = volumes.toSorted((one, other) => one - other);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? 0)) / 2;
}

/** The indices of runs that cannot be right beside the others. `trialMl`: the volume of the first second. */
export function implausibleRuns(runs: readonly PumpRunPoint[], trialMl: number): readonly number[] {
  return runs.flatMap(({ x, y }, index) => {
    const median = medianOf(runs, x);
    const isWrong =
      median === undefined
        ? y > mostOfTrial * trialMl * x || y < (trialMl * x) / mostOfTrial
        : Math.abs(y - median) > mostOfSameDuration * median;
    return isWrong ? [index] : [];
  });
}

/** What a person is told about implausible runs; undefined: there are none. */
export function noticeOf(implausible: readonly number[]): string | undefined {
  const [first, ...others] = implausible;
  if (first === undefined) return undefined;
  if (others.length === 0)
    return `Run ${first + 1} differs from the others. Check the weight, the tubes and bubbles, then repeat it or leave it out.`;
  const names = `${implausible
    .slice(0, -1)
    .map((index) => index + 1)
    .join(', ')} and ${(implausible.at(-1) ?? 0) + 1}`;
  return `Runs ${names} differ from each other. Check the weights, the tubes and bubbles, then repeat the wrong ones or leave them out.`;
}

/** The runs with the line that is fitted to them, the implausible ones in a series of their own. */
export function runsChart(title: string, runs: readonly PumpRunPoint[], implausible: readonly number[]): StepChart {
  const durations = runs.map(({ x }) => x);
  const fit = runs.length > 1 ? fitPumpLine(runs) : undefined;
  const low = Math.min(...durations);
  const high = Math.max(...durations);
  const line =
    fit === undefined
      ? undefined
      : Array.from({ length: curveSteps }, (_, at) => {
          const x = low + ((high - low) * at) / (curveSteps - 1);
          return { x, y: curveAt({ type: 'poly', coefficients: [fit.slope, -fit.startLossMl] }, x) };
        });
  const pointsOf = (isWrong: boolean) =>
    runs.flatMap(({ x, y }, index) => (implausible.includes(index) === isWrong ? [{ x, y }] : []));
  return {
    title,
    x_label: 'Duration, s',
    y_label: 'Volume, mL',
    series: [
      { id: 'runs', label: 'Runs', points: pointsOf(false), ...(line !== undefined && { line }) },
      ...(implausible.length > 0
        ? [{ id: 'implausible', label: 'Differs from the others', points: pointsOf(true) }]
        : []),
    ],
  };
}

/** The runs as a table; each can be repeated or left out. */
export function runsTable(runs: readonly PumpRunPoint[], implausible: readonly number[]): StepTable {
  const fit = runs.length > 1 ? fitPumpLine(runs) : undefined;
  const fromLine = ({ x, y }: PumpRunPoint): string => {
    if (fit === undefined) return '';
    const expected = fit.slope * x - fit.startLossMl;
    const percent = Math.round((100 * (y - expected)) / expected);
    return `${percent > 0 ? '+' : ''}${percent} %`;
  };
  return {
    title: 'Runs so far',
    columns: ['Run', 'Duration, s', 'Volume, mL', 'From the line', 'Remark'],
    rows: runs.map((run, index) => [
      index + 1,
      run.x.toFixed(2),
      run.y.toPrecision(3),
      fromLine(run),
      implausible.includes(index) ? 'Check' : '',
    ]),
    row_actions: runs.map((_, index) => [
      { label: 'Repeat', inputs: { action: 'repeat_run', run: index + 1 } },
      { label: 'Leave out', inputs: { action: 'drop_run', run: index + 1 } },
    ]),
  };
}
