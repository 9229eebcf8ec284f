import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Change } from './plain-model.ts';

/** Names of files by device, sorted, and which of them are in use. */
export interface StoredFiles {
  readonly files: Map<string, string[]>;
  readonly active: Map<string, string>;
}

/** Calibrations and estimators of one unit. */
export interface UnitState {
  calibrations: StoredFiles;
  estimators: StoredFiles;
}

const noFiles = (): StoredFiles => ({ files: new Map(), active: new Map() });

function add(shelf: StoredFiles, device: string, name: string): void {
  shelf.files.set(device, [...new Set([...(shelf.files.get(device) ?? []), name])].sort());
}

function remove(shelf: StoredFiles, device: string, name: string): void {
  const files = shelf.files.get(device) ?? [];
  if (!files.includes(name)) throw new Error(`${device}/${name} was removed, and was not there`);
  const left = files.filter((one) => one !== name);
  if (left.length === 0) shelf.files.delete(device);
  else shelf.files.set(device, left);
  if (shelf.active.get(device) === name) shelf.active.delete(device);
}

function activate(shelf: StoredFiles, device: string, name: string): void {
  if (!(shelf.files.get(device) ?? []).includes(name)) throw new Error(`${device}/${name} is active, and is not there`);
  shelf.active.set(device, name);
}

/** An anchor may precede the name. */
const nameIn = (yaml: unknown): string =>
  /^(?:calibration|estimator)_name: *(?:&\S+ +)?(\S+)/m.exec(String(yaml))?.[1] ?? '';

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
    calibrations.active.delete(device);
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
    estimators.active.delete(device);
  },
};

/** Whether the model follows it; a finished session changes the same. */
export const isFollowedOfUnit = (operation: string): boolean =>
  Object.hasOwn(changes, operation) || operation === 'advanceUnitCalibrationSession';

export class RealUnitModel {
  state: UnitState = { calibrations: noFiles(), estimators: noFiles() };

  apply(change: Change): void {
    changes[change.operation]?.(this.state, change);
  }
}

async function filesIn(folder: string, active: Map<string, string>): Promise<StoredFiles> {
  const shelf: StoredFiles = { files: new Map(), active };
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
      new Map(rows.filter((row) => row.kind === kind).map(({ device, name }) => [String(device), String(name)]));
    return {
      calibrations: await filesIn(join(dataFolder, 'storage/calibrations'), activeOf('calibrations')),
      estimators: await filesIn(join(dataFolder, 'storage/estimators'), activeOf('estimators')),
    };
  } finally {
    database.close();
  }
}
