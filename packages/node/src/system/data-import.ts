import { mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { errnoOf, StartupError, writeFileDurably } from '@lcs/platform';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { isOwnFile } from '../archives/data-folder-files.ts';
import { exists } from '../host/read-outs.ts';

/**
 * An archive replaces the data of a node at its start, while no file is open. Until then it is unpacked in `.import/new` beside a plan
 * with the phase of the exchange; every step is idempotent, so that the next start completes an interrupted exchange. The earlier data are
 * kept in `before-import`.
 */

const Plan = Type.Object({
  /**
   * `staged`: the new data are complete. `moving`: the old data are being moved out. `entering`: the new data are being moved in. `done`.
   */
  phase: Type.Union([Type.Literal('staged'), Type.Literal('moving'), Type.Literal('entering'), Type.Literal('done')]),
  task_id: Type.String(),
  created_at_ms: Type.Integer(),
});
export type ImportPlan = Type.Static<typeof Plan>;

const workName = '.import';
const keptName = 'before-import';

/** Files that the node needs and an archive may lack: the earlier ones are then restored. */
const restoredNames = ['ui', 'hardware'];

const placesOf = (dataFolder: string) => {
  const work = join(dataFolder, workName);
  return { work, plan: join(work, 'plan.json'), incoming: join(work, 'new'), kept: join(dataFolder, keptName) };
};

/** Creates the empty folder for the new data. */
export async function beginImport(dataFolder: string): Promise<string> {
  const { work, incoming } = placesOf(dataFolder);
  await rm(work, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true, mode: 0o700 });
  return incoming;
}

/** Marks the new data as complete: the next start exchanges them. */
export const stageImport = (dataFolder: string, plan: Omit<ImportPlan, 'phase'>): Promise<void> =>
  writePlan(dataFolder, { ...plan, phase: 'staged' });

/** The phase of an import; undefined when there is none. */
export async function importPlan(dataFolder: string): Promise<ImportPlan | undefined> {
  try {
    const plan: unknown = JSON.parse(await readFile(placesOf(dataFolder).plan, 'utf8'));
    if (Value.Check(Plan, plan)) return plan;
    throw new StartupError(
      `The plan of the import in ${placesOf(dataFolder).work} is damaged. Remove that folder to start with the present data.`,
    );
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** Removes an import in any phase. */
export const clearImport = (dataFolder: string): Promise<void> =>
  rm(placesOf(dataFolder).work, { recursive: true, force: true });

const writePlan = (dataFolder: string, plan: ImportPlan): Promise<void> =>
  writeFileDurably(placesOf(dataFolder).plan, `${JSON.stringify(plan)}\n`);

/** Exchanges the data of a node if an import is staged. Call this while no file of the folder is open. */
export async function finishImport(dataFolder: string): Promise<void> {
  let plan = await importPlan(dataFolder);
  if (plan === undefined) return;
  const { incoming, kept } = placesOf(dataFolder);
  const enter = async (phase: ImportPlan['phase'], current: ImportPlan): Promise<ImportPlan> => {
    const next = { ...current, phase };
    await writePlan(dataFolder, next);
    return next;
  };
  if (plan.phase === 'staged') {
    await rm(kept, { recursive: true, force: true });
    plan = await enter('moving', plan);
  }
  if (plan.phase === 'moving') {
    await moveAll(dataFolder, kept, (name) => !isOwnFile(name));
    plan = await enter('entering', plan);
  }
  if (plan.phase === 'entering') {
    await moveAll(incoming, dataFolder, () => true);
    for (const name of restoredNames) await restore(join(kept, name), join(dataFolder, name));
    await enter('done', plan);
  }
}

/**
 * Moves the contents of one folder to another; those of `storage` one by one, because some files belong to the machine. Existing targets
 * are replaced: a crash may have interrupted an earlier attempt.
 */
async function moveAll(from: string, to: string, isIncluded: (name: string) => boolean): Promise<void> {
  for (const name of await namesIn(from)) {
    if (name === 'storage') continue;
    if (isIncluded(name)) await move(join(from, name), join(to, name));
  }
  for (const name of await namesIn(join(from, 'storage'))) {
    if (isIncluded(`storage/${name}`)) await move(join(from, 'storage', name), join(to, 'storage', name));
  }
}

async function move(from: string, to: string): Promise<void> {
  await mkdir(join(to, '..'), { recursive: true, mode: 0o700 });
  await rm(to, { recursive: true, force: true });
  await rename(from, to);
}

async function restore(kept: string, place: string): Promise<void> {
  if ((await exists(kept)) && !(await exists(place))) await rename(kept, place);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}
