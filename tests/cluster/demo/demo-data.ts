import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Bits of the flags of a sample. */
export const flagBits = { moved: 2, simulated: 32 } as const;

export interface SeriesFacts {
  readonly unit: string;
  readonly source: string;
  readonly samples: number;
  readonly first: number;
  readonly last: number;
  /** Samples with the flag `simulated`, and those that were moved from a taken millisecond. */
  readonly simulated: number;
  readonly moved: number;
}

/** What the leader's store has of each series, up to a moment. */
export function storedSeries(dataFolder: string, until = Number.MAX_SAFE_INTEGER): readonly SeriesFacts[] {
  const database = new DatabaseSync(join(dataFolder, 'storage/leader.sqlite'), { readOnly: true });
  try {
    const rows = database
      .prepare(`
        select s.unit, s.source, count(*) as samples, min(x.at) as first, max(x.at) as last,
          count(case when f.flags & ${flagBits.simulated} then 1 end) as simulated,
          count(case when f.flags & ${flagBits.moved} then 1 end) as moved
        from series s join samples x on x.series_id = s.id and x.at <= ?
        left join sample_flags f on f.series_id = x.series_id and f.at = x.at
        group by s.id order by s.unit, s.source`)
      .all(until);
    return rows.map(({ unit, source, ...numbers }) => ({
      unit: String(unit),
      source: String(source),
      samples: Number(numbers.samples),
      first: Number(numbers.first),
      last: Number(numbers.last),
      simulated: Number(numbers.simulated),
      moved: Number(numbers.moved),
    }));
  } finally {
    database.close();
  }
}

/** Times of all samples of a series after a moment, ascending. */
export function sampleTimes(dataFolder: string, unit: string, source: string, after: number): readonly number[] {
  const database = new DatabaseSync(join(dataFolder, 'storage/leader.sqlite'), { readOnly: true });
  try {
    return database
      .prepare(`select x.at from samples x join series s on s.id = x.series_id
        where s.unit = ? and s.source = ? and x.at > ? order by x.at`)
      .all(unit, source, after)
      .map(({ at }) => Number(at));
  } finally {
    database.close();
  }
}

/** Live cells in the vial of a unit as its file has them, and the vial's own time since inoculation (s). */
export async function vialOf(dataFolder: string, unit: string): Promise<{ cells: number; timeS: number }> {
  const text = await readFile(join(dataFolder, 'units', unit, 'storage/simulated_vial.json'), 'utf8');
  const { state } = JSON.parse(text);
  return { cells: Number(state.vial.state.culture.cells), timeS: Number(state.vial.state.timeS) };
}

interface DemoNotes {
  readonly past: { readonly started_at: number; readonly began_at: number; readonly done: readonly string[] } | null;
}

/** What the demonstration keeps about its beginning. */
export const demoNotes = async (dataFolder: string): Promise<DemoNotes> =>
  JSON.parse(await readFile(join(dataFolder, 'demo.json'), 'utf8'));

/** As if a crash had kept the newest notes from the disk. */
export async function forgetProgress(dataFolder: string): Promise<void> {
  const notes = await demoNotes(dataFolder);
  const past = notes.past && { ...notes.past, is_begun: false, done: [] };
  await writeFile(join(dataFolder, 'demo.json'), JSON.stringify({ ...notes, past }));
}
