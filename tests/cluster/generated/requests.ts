import {
  type Api,
  accessRoutes,
  identityProviderRoutes,
  leaderApi,
  nodeApi,
  passkeyRoutes,
  type RouteDeclaration,
  tabletRoutes,
  unitApi,
} from '@lcs/contract';
import fc from 'fast-check';
import { fitting, type Suggestions, unfitting } from './arbitrary-from-schema.ts';
import type { Known, NodeName } from './known.ts';
import { specialised, takesYaml } from './special-inputs.ts';
import { alarms } from './suggestions/alarms.ts';
import { calibrations } from './suggestions/calibrations.ts';
import { cameras } from './suggestions/cameras.ts';
import { cluster } from './suggestions/cluster.ts';
import { config } from './suggestions/config.ts';
import { datasets } from './suggestions/datasets.ts';
import { derivations } from './suggestions/derivations.ts';
import type { Feature, Given } from './suggestions/given.ts';
import { jobs } from './suggestions/jobs.ts';
import { others } from './suggestions/others.ts';
import { plugins } from './suggestions/plugins.ts';
import { profiles } from './suggestions/profiles.ts';
import { system } from './suggestions/system.ts';

/** What each node serves. */
export const apis: Readonly<Record<NodeName, Api>> = {
  leader: { ...leaderApi, ...nodeApi },
  unit: unitApi,
};

/** One route of one node. */
export interface Target {
  readonly node: NodeName;
  readonly operation: string;
  readonly route: RouteDeclaration;
}

/** An event stream does not end by itself; it has tests of its own. */
export const isStream = ({ responses }: RouteDeclaration): boolean =>
  Object.values(responses).some(({ contentType }) => contentType?.startsWith('text/event-stream'));

/**
 * What one kind of node always refuses, and the other does: the leader's web server, a file that a leader keeps; board, vial,
 * calibrations and camera of a leader that has none (`tests/routes/leader-node.test.ts`).
 */
const refusedByKind: Readonly<Record<NodeName, readonly string[]>> = {
  leader: [
    ...['checkHardware', 'checkHardwareByPatch', 'setBioreactor', 'blink'],
    ...['listUnitDeviceCalibrations', 'createUnitCalibration', 'getUnitCalibration', 'deleteUnitCalibration'],
    ...['setUnitActiveCalibration', 'createUnitEstimator', 'getUnitEstimator', 'deleteUnitEstimator'],
    ...['setUnitActiveEstimator', 'startUnitCalibrationSession', 'getUnitCalibrationSession'],
    ...['advanceUnitCalibrationSession', 'abortUnitCalibrationSession', 'changeUnitCameraSettings', 'takeUnitStill'],
    ...['getUnitStill', 'renameUnitStill', 'deleteUnitStill'],
  ],
  unit: [
    ...['getWebServerStatus', 'restartWebServer', 'restartWebServerByPatch'],
    ...['saveOwnSpecificConfig', 'saveOwnSpecificConfigByPost'],
  ],
};

/** Accounts and sessions: they would close the leader to the requests that follow (`tests/routes/access.test.ts`). */
const ofAccess: ReadonlySet<string> = new Set([
  ...Object.keys({ ...accessRoutes, ...passkeyRoutes, ...tabletRoutes, ...identityProviderRoutes }),
  // The unit would do nothing any more (`tests/routes/machines.test.ts`).
  'revokeCredentials',
]);

/**
 * What they are about does not come to be here: machines ask to join only where they must show credentials
 * (`tests/routes/machines.test.ts`), and an import brings experiments that no request names (`tests/routes/pioreactor-import.test.ts`).
 */
const ofOtherTests: ReadonlySet<string> = new Set([
  'approveJoinRequest',
  'refuseJoinRequest',
  'importPioreactor',
  'getImport',
  'getImportText',
]);

export const targets: readonly Target[] = (['leader', 'unit'] as const).flatMap((node) =>
  Object.entries(apis[node])
    .filter(
      ([operation, route]) =>
        !isStream(route) &&
        !ofAccess.has(operation) &&
        !ofOtherTests.has(operation) &&
        !refusedByKind[node].includes(operation),
    )
    .map(([operation, route]) => ({ node, operation, route })),
);

/** Removing everything is as likely as anything else in the contract, but then nothing would ever be there. */
const weights: Readonly<Record<string, number>> = {
  createExperiment: 4,
  registerWorker: 5,
  assignWorker: 10,
  createNote: 4,
  deleteExperiment: 3,
  unassignExperimentWorkers: 1,
  unassignAllWorkers: 1,
  createUnitCalibration: 4,
  createUnitEstimator: 4,
  createEstimator: 3,
  createCalibration: 3,
  createExperimentProfile: 3,
  mountUsb: 4,
  cancelTask: 1,
  // These read and pack all there is.
  downloadDataFolder: 1,
  downloadUnitData: 1,
  exportContribDatasets: 1,
  previewContribDataset: 1,
  previewExportableDataset: 1,
  runJob: 4,
  takeUnitStill: 4,
  takeStill: 5,
  listUnitStills: 4,
  listStills: 5,
  deleteUnitStill: 1,
  deleteStill: 1,
  listAlarms: 4,
  shelveAlarm: 3,
  createAlarmChannel: 3,
  listAllProfileRuns: 8,
  listBackups: 4,
  listEnrolmentCodes: 4,
  createEnrolmentCode: 4,
  simulateExperimentProfile: 1,
  listGrowthDerivations: 4,
  recomputeGrowth: 3,
  ejectUsb: 1,
};

/** Each as often as it is dealt in a round of cards. */
const bag: readonly Target[] = targets.flatMap((target) => Array<Target>(weights[target.operation] ?? 2).fill(target));

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function numbersFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Routes in random order, each as often as its weight requires. */
export function* shuffledTargets(seed: number): Generator<Target, never> {
  const next = numbersFrom(seed);
  for (;;) {
    const cards = bag.map((target) => ({ target, at: next() })).sort((a, b) => a.at - b.at);
    for (const { target } of cards) yield target;
  }
}

const features: readonly Feature[] = [
  alarms,
  derivations,
  cluster,
  jobs,
  config,
  profiles,
  calibrations,
  cameras,
  datasets,
  system,
  plugins,
  others,
];

// One or two dots in an address mean another folder, and with it another route.
const anyText = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 20 }).filter((text) => !/^\.{1,2}$/.test(text));

/** `mustFit`: nothing that is expected to be refused. */
interface Requirement {
  readonly mustFit: boolean;
}

function paramsOf(
  route: RouteDeclaration,
  values: Suggestions,
  { mustFit }: Requirement,
): fc.Arbitrary<Record<string, string>> {
  const names = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
  const each = names.map((name) => {
    const suggested = values[name]?.map(String) ?? anyText;
    const anything = { weight: mustFit ? 0 : 1, arbitrary: anyText };
    return [name, fc.oneof({ weight: 10, arbitrary: suggested }, anything)] as const;
  });
  return fc.record(Object.fromEntries(each));
}

/** Mostly short queries; their values may be meaningless. */
function queryOf(
  { query }: RouteDeclaration,
  values: Suggestions,
  { mustFit }: Requirement,
): fc.Arbitrary<Readonly<Record<string, string>>> {
  const all = Object.keys(query?.properties ?? {});
  const asked = mustFit ? all.filter((name) => name in values) : all;
  const parameters = asked.map((name) =>
    fc.option(fc.tuple(fc.constant(name), (values[name] ?? fc.string()).map(String)), { freq: 2 }),
  );
  return fc.tuple(...parameters).map((pairs) => Object.fromEntries(pairs.filter((pair) => pair !== null)));
}

function bodyOf({ body }: RouteDeclaration, values: Suggestions, { mustFit }: Requirement): fc.Arbitrary<unknown> {
  if (!body) return fc.constant(undefined);
  const anything = { weight: mustFit ? 0 : 1, arbitrary: unfitting(body) };
  return fc.oneof({ weight: 6, arbitrary: fitting(body, values, mustFit) }, anything);
}

/** Anything that the declaration allows, and now and then what it does not. */
const anyRequest = ({ route }: Target, values: Suggestions, requirement: Requirement): fc.Arbitrary<Given> =>
  fc.record({
    params: paramsOf(route, values, requirement),
    query: queryOf(route, values, requirement),
    body: bodyOf(route, values, requirement),
  });

/** The shares of requests with an input of a special kind: few operations take YAML, which has kinds of its own. */
const specialShare = 0.15;
const specialShareOfYaml = 0.5;

/** One call of an operation: mostly with what fits, sometimes with anything, sometimes with a special input. */
export function requestTo(target: Target, known: Known, requirement: Requirement): fc.Arbitrary<Given> {
  const special = ordinaryTo(target, known, { mustFit: true }).chain((given) => specialised(target, given));
  const share = takesYaml(target) ? specialShareOfYaml : specialShare;
  return fc.oneof(
    { weight: 100 * (1 - share), arbitrary: ordinaryTo(target, known, requirement) },
    { weight: 100 * share, arbitrary: special },
  );
}

/** One call of an operation, without inputs of a special kind. */
export function ordinaryTo(target: Target, known: Known, requirement: Requirement): fc.Arbitrary<Given> {
  const { operation, node } = target;
  const values: Suggestions = Object.assign({}, ...features.map((feature) => feature.values?.(known, operation) ?? {}));
  const any = anyRequest(target, values, requirement);
  const make = features.map(({ requests }) => requests?.[operation]).find((one) => one !== undefined);
  if (make === undefined) return any;
  const made = fc.tuple(any, make(known, node)).map(([base, given]) => ({
    ...base,
    ...given,
    params: { ...base.params, ...given.params },
  }));
  if (requirement.mustFit || operation === 'setUpWorker') return made;
  return fc.oneof({ weight: 7, arbitrary: made }, { weight: 1, arbitrary: any });
}
