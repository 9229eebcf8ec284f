import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

/** A dose as the experimenter logged it. Some of them had no effect. */
interface LoggedDose {
  readonly timeS: number;
  readonly addedMl: number;
}

/** A measured series of one photodiode. */
export interface RealSeries {
  readonly name: string;
  /** In order of time; values may be zero or negative where a blank was subtracted. */
  readonly readings: readonly { readonly timeS: number; readonly od: number }[];
  readonly doses: readonly LoggedDose[];
  /** Volume of the culture before each dose, ml. */
  readonly volumeMl: number;
}

/** Volumes of the cultures by the prefix of the series' name, from the README beside the series; others: that of this project's vial. */
const volumesMl: readonly (readonly [prefix: string, volumeMl: number])[] = [
  ['bac_', 12],
  ['cnx_', 19.5],
];
const usualVolumeMl = 15;

/** The two numbers of each line; header, empty and broken lines are skipped, and of two lines of one time the first stays. */
function pairsOf(path: string): readonly (readonly [number, number])[] {
  const pairs = readFileSync(path, 'utf8')
    .split(/\r?\n/)
    .map((line) => line.split(/[,;\t]/).map((cell) => (cell.trim() === '' ? Number.NaN : Number(cell))))
    .flatMap(([time = Number.NaN, value = Number.NaN]): [number, number][] =>
      Number.isFinite(time) && Number.isFinite(value) ? [[time, value]] : [],
    )
    .toSorted(([a], [b]) => a - b);
  return pairs.filter(([time], index) => time !== pairs[index - 1]?.[0]);
}

/** All `NAME.csv` (seconds, OD) of a folder, with the doses of `NAME.doses.csv` (seconds, ml) where that file exists. */
export function readSeries(folder: string): readonly RealSeries[] {
  const files = readdirSync(folder).filter((file) => file.endsWith('.csv'));
  return files
    .filter((file) => !file.endsWith('.doses.csv'))
    .toSorted()
    .map((file) => {
      const name = basename(file, '.csv');
      const doses = files.includes(`${name}.doses.csv`) ? pairsOf(join(folder, `${name}.doses.csv`)) : [];
      return {
        name,
        readings: pairsOf(join(folder, file)).map(([timeS, od]) => ({ timeS, od })),
        doses: doses.map(([timeS, addedMl]) => ({ timeS, addedMl })),
        volumeMl: volumesMl.find(([prefix]) => name.startsWith(prefix))?.[1] ?? usualVolumeMl,
      };
    });
}
