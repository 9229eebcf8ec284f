import fc from 'fast-check';
import { type Known, lateUnit, prototypeNames, realUnits, refusingUnit } from '../known.ts';
import { type Feature, forAll, type Given, oneOf, usually } from './given.ts';

/** Sections and keys that are members of every object. */
const prototypeSections = prototypeNames.map((name) => `[${name}]\n${prototypeNames.join('=1\n')}=1\n`).join('');

/** Texts that a person would save; the last is refused. */
const shared = (known: Known): fc.Arbitrary<string> =>
  usually(
    [known.config, `${known.config}[x]\na=1\n`, `${known.config}; – —\n`, `${known.config}\n${prototypeSections}`],
    ['no section'],
  );

const own = usually(
  ['[stirring.config]\npwm_hz=100\n', '', '# by hand\n[a]\nb=1\n', prototypeSections],
  ['[a]\n[a]\n'],
);

/** Units whose files can be requested; the answer lists an unreachable one. */
const units = (known: Known): fc.Arbitrary<string> =>
  oneOf(
    [...realUnits, ...realUnits].filter((unit) => known.model.state.workers.has(unit)),
    'real1',
  );

const target = (known: Known): fc.Arbitrary<Given> =>
  fc
    .oneof(
      { weight: 8, arbitrary: units(known) },
      { weight: 1, arbitrary: fc.constantFrom('$broadcast', refusingUnit, lateUnit, 'nobody') },
    )
    .map((reactor_unit) => ({ params: { reactor_unit }, query: {} }));

export const config: Feature = {
  requests: {
    saveSharedConfig: (known) => shared(known).map((code) => ({ body: { code } })),
    saveSpecificConfig: (known) =>
      fc.tuple(units(known), own).map(([reactor_unit, code]) => ({ params: { reactor_unit }, body: { code } })),
    ...forAll(['getMergedConfigs', 'getUnitConfiguration', 'getWorkerConfiguration', 'getSpecificConfig'], target),
    listSpecificConfigHistory: target,
    ...forAll(['getConfigFile', 'listConfigFileHistory'], () =>
      usually(['config.ini', 'config_real1.ini'], ['nothing.txt', 'constructor', 'config___proto__.ini']).map(
        (filename) => ({ params: { filename } }),
      ),
    ),
    saveConfigFile: (known) =>
      fc.oneof(
        shared(known).map((code) => ({ params: { filename: 'config.ini' }, body: { code } })),
        fc
          .tuple(units(known), own)
          .map(([unit, code]) => ({ params: { filename: `config_${unit}.ini` }, body: { code } })),
      ),
    ...forAll(['saveOwnSpecificConfig', 'saveOwnSpecificConfigByPost'], () => own.map((code) => ({ body: { code } }))),
  },
};
