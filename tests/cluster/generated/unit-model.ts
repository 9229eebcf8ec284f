import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Change } from './plain-model.ts';

/** Names of files by device, sorted, and which of them are in use. */
export interface Shelf {
  files: Record<string, string[]>;
  active: Record<string, string>;
}

/** Calibrations and estimators of one unit. */
export interface UnitState {
  calibrations: Shelf;
  estimators: Shelf;
}

const emptyShelf = (): Shelf => ({ files: {}, active: {} });

function add(shelf: Shelf, device: string, name: string): void {
  shelf.files[device] = [...new Set([...(shelf.files[device] ?? []), name])].sort();
}

function remove(shelf: Shelf, device: string, name: string): void {
  const files = shelf.files[device] ?? [];
  if (!files.includes(name)) throw new Error(`${device}/${name} was removed, and was not there`);
  shelf.files[device] = files.filter((one) => one !== name);
  if (shelf.files[device].length === 0) delete shelf.files[device];
  if (shelf.active[device] === name) delete shelf.active[device];
}

function activate(shelf: Shelf, device: string, name: string): void {
  if (!(shelf.files[device] ?? []).includes(name)) throw new Error(`${device}/${name} is active, and is not there`);
  shelf.active[device] = name;
}

const nameIn = (yaml: unknown): string => /(?:calibration|estimator)_name: *(\S+)/.exec(String(yaml))?.[1] ?? '';

type Apply = (state: UnitState, change: Change) => void;

const changes: Readonly<Record<string, Apply>> = {
  createUnitCalibration: ({ calibrations }, { params: { device = '' }, body }) => {
    const name = nameIn(body.calibration_data);
    add(calibrations, device, name);
    if (body.set_as_active === true) activate(calibrations, device, name);
  },
  deleteUnitCalibration: ({ calibrations }, { params: { device = '', cal_name = '' } }) =>
    remove(calibrations, device, cal_name),
  setUnitActiveCalibration: ({ calibrations }, { params: { device = '', cal_name = '' } }) =>
    activate(calibrations, device, cal_name),
  clearUnitActiveCalibration: ({ calibrations }, { params: { device = '' } }) => {
    delete calibrations.active[device];
  },
  createUnitEstimator: ({ estimators }, { params: { device = '' }, body }) => {
    const name = nameIn(body.estimator_data);
    add(estimators, device, name);
    if (body.set_as_active === true) activate(estimators, device, name);
  },
  deleteUnitEstimator: ({ estimators }, { params: { device = '', estimator_name = '' } }) =>
    remove(estimators, device, estimator_name),
  setUnitActiveEstimator: ({ estimators }, { params: { device = '', estimator_name = '' } }) =>
    activate(estimators, device, estimator_name),
  clearUnitActiveEstimator: ({ estimators }, { params: { device = '' } }) => {
    delete estimators.active[device];
  },
};

/** Whether the model follows it; a finished session changes the same. */
export const isFollowedOfUnit = (operation: string): boolean =>
  operation in changes || operation === 'advanceUnitCalibrationSession';

export class RealUnitModel {
  state: UnitState = { calibrations: emptyShelf(), estimators: emptyShelf() };

  apply(change: Change): void {
    changes[change.operation]?.(this.state, change);
  }
}

async function shelfIn(folder: string, active: Record<string, string>): Promise<Shelf> {
  const shelf: Shelf = { files: {}, active };
  for (const device of await readdir(folder, { withFileTypes: true })) {
    if (!device.isDirectory()) continue;
    for (const file of await readdir(join(folder, device.name)))
      if (file.endsWith('.yaml')) add(shelf, device.name, file.slice(0, -'.yaml'.length));
  }
  return shelf;
}

/** What is on the disk of a unit. */
export async function storedUnitState(dataFolder: string): Promise<UnitState> {
  const database = new DatabaseSync(join(dataFolder, 'storage/unit.sqlite'), { readOnly: true, timeout: 10_000 });
  try {
    const rows = database.prepare('select kind, device, name from active_artefacts').all();
    const activeOf = (kind: string) =>
      Object.fromEntries(
        rows.filter((row) => row.kind === kind).map(({ device, name }) => [String(device), String(name)]),
      );
    return {
      calibrations: await shelfIn(join(dataFolder, 'storage/calibrations'), activeOf('calibrations')),
      estimators: await shelfIn(join(dataFolder, 'storage/estimators'), activeOf('estimators')),
    };
  } finally {
    database.close();
  }
}
