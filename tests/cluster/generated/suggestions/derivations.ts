import type fc from 'fast-check';
import { type Known, measured } from '../known.ts';
import { type Feature, type Given, oneOf, usually } from './given.ts';

const nowhere = { experiment: measured, derivation: '999' };

/** Growth rates of the experiment that has some, as they were listed last. */
const derivation = (known: Known, fits: (one: Known['derivations'][number]) => boolean): fc.Arbitrary<Given> =>
  oneOf(
    known.derivations.filter(fits).map((one) => ({ experiment: measured, derivation: String(one.derivation) })),
    nowhere,
  ).map((params) => ({ params }));

export const derivations: Feature = {
  requests: {
    compareGrowth: () =>
      usually<Given>(
        [
          { query: { experiments: measured } },
          { query: { experiments: measured, align: 'od', od: '0.3' } },
          { query: { experiments: measured, align: 'first_dilution' } },
        ],
        [{ query: {} }, { query: { experiments: measured, align: 'od' } }, { query: { experiments: 'none' } }],
      ),
    listGrowthDerivations: () =>
      usually<Given>([{ params: { experiment: measured } }], [{ params: { experiment: 'none' } }]),
    recomputeGrowth: () =>
      usually<Given>(
        [
          { params: { experiment: measured }, body: {} },
          {
            params: { experiment: measured },
            body: { units: ['real1'], parameters: { samples_for_od_statistics: 20 } },
          },
          { params: { experiment: measured }, body: { input: 'raw_od' } },
        ],
        [
          { params: { experiment: 'experiment 1' }, body: {} },
          { params: { experiment: measured }, body: { units: ['nobody'] } },
          { params: { experiment: measured }, body: { parameters: { gap_h: -1 } } },
        ],
      ),
    activateGrowthDerivation: (known) => derivation(known, () => true),
    deleteGrowthDerivation: (known) => derivation(known, ({ origin, active }) => origin === 'recomputed' && !active),
  },
};
