import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ControlRun, controlled } from './control-run.ts';

/** One line of a picture: moments (ms since 1970) and values, by unit. */
interface Line {
  readonly unit: string;
  readonly points: readonly (readonly [number, number])[];
}

/** What a picture is drawn from. */
interface ControlPoints {
  readonly panels: readonly { readonly title: string; readonly lines: readonly Line[] }[];
}

/** Points of one line: more than the picture has pixels. */
const targetPoints = 2_000;

interface Series {
  readonly series: readonly string[];
  readonly data: readonly (readonly { readonly x: string; readonly y: number | null }[])[];
}

const linesOf = ({ series, data }: Series): readonly Line[] =>
  series.map((unit, index) => ({
    unit,
    points: (data[index] ?? []).flatMap(({ x, y }) => (y === null ? [] : [[Date.parse(x), y] as const])),
  }));

/** Leaves what the leader answers to those who draw charts in `LCS_CONTROL_POINTS`, where that folder is named. */
export async function keepPoints(name: string, run: ControlRun): Promise<void> {
  const folder = process.env.LCS_CONTROL_POINTS;
  if (folder === undefined) return;
  const { client } = run.leader();
  const asked = { params: { experiment: controlled }, query: { lookback: 1e6, target_points: targetPoints } };
  const volume = { experiment: controlled, data_source: 'liquid_volumes', column: 'liquid_volume' };
  const points: ControlPoints = {
    panels: [
      {
        title: 'Optical density, multiples of its start',
        lines: linesOf(await client.getFilteredOdReadings(asked)),
      },
      { title: 'Growth rate, per hour', lines: linesOf(await client.getGrowthRates(asked)) },
      { title: 'Temperature of the liquid, °C', lines: linesOf(await client.getTemperatureReadings(asked)) },
      { title: 'Volume in the vial, ml', lines: linesOf(await client.getTimeSeries({ ...asked, params: volume })) },
    ],
  };
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(points));
}
