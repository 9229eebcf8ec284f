import { testExperiment } from '@lcs/testkit';
import fc from 'fast-check';
import { type Known, lateUnit, type NodeName, refusingUnit } from '../known.ts';
import { type Feature, forAll, type Given, oneOf, usually } from './given.ts';

/** Where stills of a node can be: those of the unit alone, or of a real unit of the leader. */
function places(known: Known, node: NodeName): readonly Record<string, string>[] {
  if (node === 'unit') return [{ experiment: testExperiment.name }];
  const experiment = known.model.state.workers.get('real1')?.experiment;
  return experiment ? [{ reactor_unit: 'real1', experiment }] : [];
}

const nowhere = { reactor_unit: 'real1', experiment: 'experiment 0' };
const otherUnits = fc.constantFrom('$broadcast', refusingUnit, lateUnit, 'nobody', 'rx1');

const place = (known: Known, node: NodeName): fc.Arbitrary<Given> =>
  fc
    .tuple(
      oneOf(places(known, node), nowhere),
      fc.oneof({ weight: 7, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: otherUnits }),
    )
    .map(([params, other]) => ({
      params: other === undefined || node === 'unit' ? params : { ...params, reactor_unit: other },
      query: {},
    }));

const still = (known: Known, node: NodeName): fc.Arbitrary<Given> =>
  oneOf(
    known.stills[node].map(({ image_id, ...params }) => ({ ...params, image: `${image_id}.jpg` })),
    { ...nowhere, image: 'nothing.jpg' },
  ).map((params) => ({ params }));

const names = usually(['before', 'after', 'turbid', '__proto__'], ['a b', '../x']);

export const cameras: Feature = {
  requests: {
    ...forAll(['changeUnitCameraSettings'], () =>
      fc.boolean().map((auto_capture_enabled) => ({ body: { auto_capture_enabled } })),
    ),
    changeCameraSettings: (known, node) =>
      fc
        .tuple(place(known, node), fc.boolean())
        .map(([given, auto_capture_enabled]) => ({ ...given, body: { auto_capture_enabled } })),
    ...forAll(['getUnitCameraStatus', 'listUnitStills', 'takeUnitStill', 'zipUnitStills'], place),
    ...forAll(['getCameraStatus', 'listStills', 'takeStill', 'zipStills'], place),
    deleteUnitStills: () =>
      usually(['another'], [testExperiment.name]).map((experiment) => ({ params: { experiment }, query: {} })),
    ...forAll(['getUnitStill', 'deleteUnitStill', 'getStill', 'deleteStill'], still),
    ...forAll(['renameUnitStill', 'renameStill'], (known, node) =>
      fc.tuple(still(known, node), names, fc.nat(99)).map(([given, name, number]) => ({
        ...given,
        body: { new_image_id: `${name}${number}` },
      })),
    ),
  },
};
