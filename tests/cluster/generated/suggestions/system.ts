import fc from 'fast-check';
import { type Known, lateUnit, type NodeName, realUnits, refusingUnit, toyUnits } from '../known.ts';
import { type Feature, forAll, type Given, mostly, oneOf, usually } from './given.ts';

const times = usually(['2026-01-02T00:00:00Z', '2026-01-02T01:00:00.5+01:00'], ['now']);

const addressed = fc
  .oneof(
    { weight: 5, arbitrary: fc.constantFrom(...realUnits) },
    { weight: 1, arbitrary: fc.constantFrom('$broadcast', ...toyUnits, refusingUnit, lateUnit, 'nobody') },
  )
  .map((reactor_unit) => ({ params: { reactor_unit } }));

/** Only one of them: never all, whose archives would be long. */
const one = fc
  .oneof(
    { weight: 5, arbitrary: fc.constantFrom('real1', 'real2') },
    { weight: 1, arbitrary: fc.constantFrom('$broadcast', refusingUnit, 'nobody') },
  )
  .map((reactor_unit) => ({ params: { reactor_unit } }));

const upload = (known: Known): fc.Arbitrary<Given> =>
  usually<Given>(
    [
      { file: { content: 'hello', fileName: 'a.txt' } },
      { file: { content: known.archives.release, fileName: 'release_27.1.0.zip' } },
      { file: { content: pluginSource, fileName: 'small_plug.js' } },
    ],
    [{}],
  );

/** A plugin as people write it. */
export const pluginSource =
  "export default { manifest: { name: 'small-plug', version: '0.1' }, jobs: [{ name: 'small', start() {} }] };";

const update = (known: Known, node: NodeName): fc.Arbitrary<Given> =>
  usually<Given>(
    [{ body: {} }],
    [
      { body: { options: { version: '27.1.0' } } },
      { body: { options: { source: known.releases[node].all.at(-1) ?? 'nothing' } } },
      { body: { args: ['x'] } },
    ],
  );

const files = usually(['notes/f0.txt', 'notes/f1.txt', 'notes/f2.txt'], ['notes/nothing.txt', '../x', 'config.ini']);

const dataArchive = (known: Known, node: NodeName | 'real1'): fc.Arbitrary<Given> =>
  fc.constantFrom<Given>(
    { file: { content: known.archives.data[node], fileName: 'mine.zip' } },
    { file: { content: known.archives.data[node], fileName: 'mine.zip' } },
    { file: { content: known.archives.release, fileName: 'other.zip' } },
  );

const task = (known: Known, node: NodeName): fc.Arbitrary<Given> =>
  mostly(known.taskIds[node].all, ['nothing']).map((task_id) => ({ params: { task_id } }));
/** The newest are most likely still under way. */
const youngTask = (known: Known, node: NodeName): fc.Arbitrary<Given> =>
  oneOf(known.taskIds[node].all.slice(-3), 'nothing').map((task_id) => ({ params: { task_id } }));

const device = usually<Given>([{ body: {} }, { body: { device: '/dev/sda1' } }], [{ body: { device: 'none' } }]);

export const system: Feature = {
  requests: {
    downloadBackup: (known) => oneOf(known.backups, 'nothing').map((backup_name) => ({ params: { backup_name } })),
    getTaskResult: task,
    cancelTask: youngTask,
    ...forAll(['rebootUnits', 'shutDownUnits', 'repairUnits', 'getUnitClocks'], () => addressed),
    setClocks: () => times.map((utc_clock_time) => ({ body: { utc_clock_time, force: true } })),
    ...forAll(['setNodeClock', 'setNodeClockByPatch'], (_, node) =>
      fc.oneof(
        times.map((utc_clock_time) => ({ body: { utc_clock_time } })),
        fc.constant({ body: node === 'unit' ? {} : { utc_clock_time: '2026-01-02T00:00:00Z' } }),
      ),
    ),
    ...forAll(['uploadToLeader', 'uploadToNode'], upload),
    updateFromArchive: (known) =>
      mostly(known.releases.leader.all, ['nothing']).map((release_archive_location) => ({
        body: { release_archive_location, units: ['real1'] },
      })),
    updateToNextVersion: () =>
      usually<Given>([{ body: { units: ['real1'] } }, { body: { units: '$broadcast' } }], [{ body: { units: ['x'] } }]),
    ...forAll(['updateNode', 'updateNodeByPatch'], update),
    ...forAll(['updateNodeTarget', 'updateNodeTargetByPatch'], (known, node) =>
      fc
        .tuple(update(known, node), usually(['app', 'ui'], ['moon']))
        .map(([given, target]) => ({ ...given, params: { target } })),
    ),
    readDataFolder: () =>
      usually(['notes', 'notes/f0.txt', 'storage'], ['../x', 'nothing']).map((path) => ({ params: { path } })),
    ...forAll(['removeFile', 'removeFileByPatch'], () => files.map((filepath) => ({ body: { filepath } }))),
    importDataFolder: dataArchive,
    importUnitData: (known) =>
      dataArchive(known, 'real1').map((given) => ({ ...given, params: { reactor_unit: 'real1' } })),
    downloadUnitData: () => one,
    getWorkerTaskResult: (known) =>
      oneOf(known.taskIdsOfWorkers.all, { reactor_unit: 'real1', task_id: 'nothing' }).map((params) => ({ params })),
    ...forAll(['getUnitUsb', 'getUnitUsbArtifacts'], () => one),
    ...forAll(['mountUnitUsb', 'ejectUnitUsb'], () =>
      fc.tuple(one, device).map(([given, further]) => ({ ...given, ...further })),
    ),
    ...forAll(['mountUsb', 'ejectUsb'], () => device),
    getStaticFile: () => usually(['index.html'], ['nothing.js', 'assets']).map((path) => ({ params: { path } })),
  },
};
