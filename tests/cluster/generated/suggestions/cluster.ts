import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import type { Suggestions } from '../arbitrary-from-schema.ts';
import {
  experimentNames,
  type Known,
  lateUnit,
  measured,
  newUnits,
  realUnits,
  refusingUnit,
  toyUnits,
  unitNames,
} from '../known.ts';
import { type Feature, type Given, mostly, oneOf, usually } from './given.ts';

const charts = fc.option(fc.uniqueArray(fc.constantFrom('temperature', 'optical_density', 'current_volume_ml')));
const moments = fc.constantFrom('2025-05-02T09:00:00Z', '2025-05-02T11:00:00.120+02:00');
const isPost = (operation: string): boolean => operation === 'postWorkerLog' || operation === 'postUnitLog';

/** Routes that take all units at once, and answer with a task. */
const isFanOut =
  /^(run|stop)(Worker|Unit)|^update(Worker|Unit)Job|RunningJobs$|JobSettings?$|^getUnit(App|Ui)Version|Capabilities$|^(post\w+Log)$/;

function experimentsFor(known: Known, operation: string): fc.Arbitrary<string> {
  const { experiments } = known.model;
  if (operation === 'createExperiment')
    return mostly(
      experimentNames.filter((name) => !experiments.includes(name)),
      experimentNames,
    );
  if (operation === 'deleteExperiment')
    return mostly(
      experiments.filter((name) => name !== measured),
      experimentNames,
    );
  return mostly([...experiments, ...(isPost(operation) ? ['$experiment'] : [])], experimentNames);
}

const isOneOf =
  (names: readonly string[]) =>
  (name: string): boolean =>
    names.includes(name);

/** Machines of our own are seldom removed: they need ten minutes to be there again. */
function removable(known: Known): fc.Arbitrary<string> {
  const workers = known.model.workers.map(([name]) => name);
  const some = workers.filter(isOneOf(newUnits));
  return fc.oneof(
    {
      weight: 3,
      arbitrary: mostly(some.length > 0 ? some : workers.filter(isOneOf(toyUnits)), toyUnits),
    },
    { weight: 1, arbitrary: fc.constantFrom(...toyUnits) },
  );
}

function unitsFor(known: Known, operation: string): fc.Arbitrary<string> {
  if (operation === 'registerWorker') return fc.constantFrom(...unitNames);
  if (operation === 'removeWorker') return removable(known);
  const workers = mostly(known.model.workers.map(([name]) => name).filter(isOneOf(unitNames)), unitNames);
  if (!isFanOut.test(operation)) return workers;
  return fc.oneof(
    { weight: 6, arbitrary: workers },
    { weight: 1, arbitrary: fc.constant('$broadcast') },
    { weight: 1, arbitrary: fc.constantFrom(refusingUnit, lateUnit) },
  );
}

/** Queries and bodies that a person or a program would send. */
const usual: Suggestions = {
  data_source: fc.constant('growth_rates'),
  column: fc.constant('rate'),
  lookback: fc.constantFrom('0', '4', '0.5', '100000', '4', '-1'),
  target_points: fc.constantFrom('1', '2', '720', '1000', '2000000', '720'),
  min_level: fc.constantFrom('DEBUG', 'info', 'ERROR', 'LOUD'),
  skip: fc.constantFrom('0', '5', '0', '-1', 'x'),
  limit: fc.constantFrom('1', '100', '1000', '0'),
  before: fc.oneof(moments, fc.constantFrom('1777713240000.40', 'yesterday')),
  search: fc.constantFrom('', 'a', 'assigned', '100 %', '"', '_', "'; drop table logs; --", 'MATCH *', '温度计'),
  source: fc.constantFrom('generated', 'generated', 'ui', ''),
  message: fc.constantFrom('assigned by hand', '100 % "done"'),
  level: fc.constantFrom('INFO', 'debug', 'Critical'),
  timestamp: moments,
  source_: fc.constantFrom('ui', 'robot.1'),
  is_active: fc.constantFrom(1, true, 1, 0, false),
  ended: fc.constantFrom('true', 'false', '1'),
  archived: fc.constantFrom(true, false, 0),
  copy_from: fc.constantFrom(undefined, undefined, undefined, 'no experiment'),
  members: fc.constantFrom([], [], ['nobody']),
  ended_at: fc.constantFrom(null, true, null, 'soon'),
  label: fc.constantFrom('Control', 'Ramp', 'x', 'y', '', 'constructor', '__proto__'),
  model_name: fc.constantFrom('reactor_40ml', 'reactor_20ml'),
  model_version: fc.constant('1.5'),
  overview_chart_keys: charts,
  reactor_chart_keys: charts,
  tags: fc.constantFrom([], ['media: LB'], ['organism: yeast', 'a'], [' a ', 'a'], ['constructor', '__proto__']),
};

const models = usually<object>(
  [{}, { model_name: 'reactor_40ml', model_version: '1.5' }, { model_name: 'reactor_20ml', model_version: '1.1' }],
  [{ model_name: 'reactor_40ml' }, { model_name: 'bucket', model_version: '1' }],
);

/** Each unit is a machine of its own; those that are really there enrol by themselves. */
const enrolments = (known: Known): fc.Arbitrary<Given> =>
  mostly(
    newUnits.filter((name) => !known.model.state.workers.has(name)),
    newUnits,
  ).map((name) => ({ body: enrolment(name, String(newUnits.indexOf(name))) }));

/** What a machine reports; `digit` identifies it. */
export const enrolment = (name: string, digit: string) => ({
  reactor_unit: name,
  machine_id: `00000000-0000-4000-8000-00000000000${digit}`,
  protocol: 1,
  app_version: '26.11.0',
  base_url: null,
  port: 1,
  epoch: `00000000-0000-4000-8000-0000000000e${digit}`,
  boot: 1,
  model: null,
});

const public_key = generateKeyPairSync('ed25519').publicKey.export({ type: 'spki', format: 'der' }).toString('base64');

/** What a machine sends before it enrols; none of these goes on. */
const challengeOf = (reactor_unit: string) => ({
  reactor_unit,
  machine_id: '00000000-0000-4000-8000-0000000000c0',
  public_key,
  nonce: 'n'.repeat(43),
});

/** Machines that have made themselves known become workers; looking for others would ask the network. */
function setUps(known: Known): fc.Arbitrary<Given> {
  const waiting = [...known.enrolled].filter((name) => !known.model.state.workers.has(name));
  return oneOf(waiting, 'real1').map((name) => ({ body: { name, model: 'reactor_40ml', version: '1.5' } }));
}

/** A worker together with its experiment. */
export function membersOf(known: Known, isForStart = false): fc.Arbitrary<Given> {
  const pairs = known.model.workers.flatMap(([reactor_unit, { experiment, active }]) =>
    experiment && (active || !isForStart) ? [{ reactor_unit, experiment }] : [],
  );
  return oneOf(pairs, { reactor_unit: 'real1', experiment: 'experiment 0' }).map((params) => ({ params }));
}

const member = (known: Known) => membersOf(known);

const inExperiment = (known: Known) => oneOf(known.model.experiments, 'experiment 0');

const groups = fc
  .tuple(fc.shuffledSubarray([...unitNames]), fc.constantFrom('A', 'B', ' Control ', '__proto__', 'valueOf'))
  .map(([units, name]) => [
    { name, units: units.slice(0, 2) },
    { name: 'rest', units: units.slice(2) },
  ]);

/** The header of a small JPEG. */
const tinyJpeg = Uint8Array.from([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3, 4, 0xff, 0xd9]);

const samples = fc.record({
  kind: fc.constantFrom('sample_taken', 'media_added'),
  volume_ml: fc.constantFrom(0.5, 1, 2.25),
});

/** Texts about experiments; samples of the units in them. */
function notes(known: Known): fc.Arbitrary<Given> {
  const texts = fc.tuple(inExperiment(known), fc.constantFrom('looks turbid', ' weighed ', '温度'));
  return fc.oneof(
    texts.map(([experiment, text]) => ({ params: { experiment }, body: { text } })),
    fc.tuple(membersOf(known), samples).map(([{ params }, body]) => ({
      params: { experiment: params?.experiment ?? 'experiment 0' },
      body: { ...body, reactor_unit: params?.reactor_unit ?? 'real1' },
    })),
    // A unit and a time of any experiment: mostly refused.
    fc
      .tuple(inExperiment(known), samples, fc.constantFrom(...realUnits, ...toyUnits), moments)
      .map(([experiment, body, reactor_unit, timestamp]) => ({
        params: { experiment },
        body: { ...body, reactor_unit, timestamp },
      })),
  );
}

function knownNotes(known: Known): fc.Arbitrary<Record<string, string>> {
  const all = known.model.state.experiments.flatMap(([experiment, { notes: of }]) =>
    Object.keys(of).map((note_id) => ({ experiment, note_id })),
  );
  return oneOf(all, { experiment: 'experiment 0', note_id: '1' });
}

export const cluster: Feature = {
  values: (known, operation) => ({
    ...usual,
    experiment: experimentsFor(known, operation),
    reactor_unit: unitsFor(known, operation),
    unit: unitsFor(known, operation),
    note_id: fc.nat(20).map(String),
  }),
  requests: {
    unassignWorker: member,
    getWorkerExperiment: member,
    setUpWorker: setUps,
    enrolUnit: enrolments,
    beginEnrolment: () => fc.constantFrom(...newUnits).map((name) => ({ body: challengeOf(name) })),
    createEnrolmentCode: () => fc.constantFrom(...newUnits).map((reactor_unit) => ({ body: { reactor_unit } })),
    voidEnrolmentCode: (known) =>
      oneOf(known.codes, '00000000-0000-4000-8000-000000000000').map((code_id) => ({ params: { code_id } })),
    registerWorker: () =>
      fc
        .tuple(fc.constantFrom(...unitNames), models)
        .map(([reactor_unit, model]) => ({ body: { reactor_unit, ...model } })),
    replaceReplicateGroups: (known) =>
      fc
        .tuple(inExperiment(known), groups)
        .map(([experiment, all]) => ({ params: { experiment }, body: { groups: all } })),
    createNote: notes,
    updateNote: (known) =>
      fc
        .tuple(knownNotes(known), fc.constantFrom<object>({ author: 'A' }, { author: null }, { text: 'mended' }))
        .map(([params, body]) => ({ params, body })),
    deleteNote: (known) => knownNotes(known).map((params) => ({ params })),
    putNotePhoto: (known) =>
      fc
        .tuple(knownNotes(known), fc.constantFrom(tinyJpeg, Uint8Array.from([1, 2, 3])))
        .map(([params, content]) => ({ params, file: { content, fileName: 'photo.jpg' } })),
    getNotePhoto: (known) => knownNotes(known).map((params) => ({ params })),
    deleteNotePhoto: (known) => knownNotes(known).map((params) => ({ params })),
  },
};
