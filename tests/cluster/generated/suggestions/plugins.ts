import fc from 'fast-check';
import { type Known, lateUnit, type NodeName, realUnits, refusingUnit } from '../known.ts';
import { type Feature, forAll, type Given, usually } from './given.ts';

const addressed = fc
  .oneof(
    { weight: 5, arbitrary: fc.constantFrom(...realUnits) },
    { weight: 1, arbitrary: fc.constantFrom('$broadcast', 'rx1', refusingUnit, lateUnit, 'nobody') },
  )
  .map((reactor_unit) => ({ reactor_unit }));

/** From the registry (which a test has none of), from an upload, and nonsense. */
const install = (known: Known, node: NodeName): fc.Arbitrary<Given> =>
  usually<Given>(
    [
      { body: { args: ['some-plug'] } },
      { body: { args: ['some-plug'], options: { version: '1.2.3' } } },
      { body: { args: ['small-plug'], options: { source: known.uploads[node].all.at(-1) ?? 'nothing' } } },
    ],
    [{ body: { args: ['A B'] } }],
  );
const uninstall = usually<Given>([{ body: { args: ['small-plug'] } }, { body: { args: ['x'] } }], [{ body: {} }]);
const fromDrive = fc.constantFrom<Given>({ body: { filepath: '/media/x/some.js' } }, { body: { filepath: '../x' } });

const onUnits = (given: fc.Arbitrary<Given>): fc.Arbitrary<Given> =>
  fc.tuple(addressed, given).map(([params, rest]) => ({ ...rest, params }));

export const plugins: Feature = {
  requests: {
    ...forAll(['installPlugin', 'installPluginByPatch'], install),
    ...forAll(['uninstallPlugin', 'uninstallPluginByPatch'], () => uninstall),
    ...forAll(['installPluginFromUsb', 'installPluginFromUsbByPatch'], () => fromDrive),
    ...forAll(['installUnitPlugin', 'installUnitPluginByPatch'], (known) => onUnits(install(known, 'leader'))),
    ...forAll(['uninstallUnitPlugin', 'uninstallUnitPluginByPatch'], () => onUnits(uninstall)),
    ...forAll(['installUnitPluginFromLeaderUsb', 'installUnitPluginFromLeaderUsbByPatch'], () => onUnits(fromDrive)),
    listUnitPlugins: () => addressed.map((params) => ({ params })),
    getPlugin: () => usually(['echo'], ['ghost']).map((plugin) => ({ params: { plugin } })),
    getPluginFile: () => usually(['echo.js'], ['ghost.js']).map((filename) => ({ params: { filename } })),
    ...forAll(['askPlugin', 'askLeaderPlugin'], () =>
      usually<Given>(
        [
          { params: { plugin: 'echo', route: 'echo' }, query: { word: 'hi' } },
          { params: { plugin: 'echo', route: 'echo' }, query: { word: 'ho' } },
        ],
        [
          { params: { plugin: 'echo', route: 'echo' }, query: {} },
          { params: { plugin: 'ghost', route: 'echo' }, query: {} },
        ],
      ),
    ),
    ...forAll(['callPlugin', 'callLeaderPlugin'], () =>
      usually<Given>(
        [
          { params: { plugin: 'echo', route: 'twice' }, query: {}, body: { n: 2 } },
          { params: { plugin: 'echo', route: 'twice' }, query: {}, body: { n: 3 } },
        ],
        [{ params: { plugin: 'echo', route: 'nothing' }, query: {}, body: {} }],
      ),
    ),
  },
};

/** A plugin with routes, that is there from the start. */
export const echoPlugin = `export default { manifest: { name: 'echo', version: '1.0' }, routes: [
  { method: 'GET', path: 'echo', summary: 'what was asked', query: { type: 'object', required: ['word'] },
    response: { type: 'object' }, handle: ({ query }) => ({ query }) },
  { method: 'POST', path: 'twice', summary: 'doubles', response: { type: 'object' },
    handle: ({ body }) => ({ twice: body.n * 2 }) },
] };
`;
