import {
  type Advance,
  conflictingJobs,
  goTo,
  InvalidInput,
  type Protocol,
  type ProtocolFacts,
  performAction,
  stepOf,
} from './protocol.ts';
import { defaultSweep, noRotationMessage, stirringCalibration, stirringDevice } from './stirring-sweep.ts';

function run(facts: ProtocolFacts): Advance {
  const sweep = defaultSweep(facts);
  return performAction('Trying the stirrer', sweep, (found) => {
    const content = stirringCalibration(found, facts);
    if (content === undefined) throw new InvalidInput(noRotationMessage);
    return {
      kind: 'finish',
      data: { min_dc: sweep.lowestDuty, max_dc: sweep.highestDuty },
      files: [{ kind: 'calibration', device: stirringDevice, content }],
      result: (links) => ({
        calibrations: links.map(({ device, name, path }) => ({ device, calibration_name: name, path })),
      }),
    };
  });
}

/** Which duty turns the stirrer how fast. */
export const stirringProtocol: Protocol = {
  name: 'dc_based',
  priority: 99,
  title: 'Calibrate stirring speed',
  description: 'Measures RPM against duty cycle.',
  requirements: ['A vial with as much liquid as in an experiment', 'A stir bar in it'],
  devices: () => [stirringDevice],
  effect: () =>
    'The stirrer turns the vial that is in the unit at fifteen speeds, and then stands still until you start stirring again. Readings of the OD meanwhile are disturbed: place a vial with water, or stop OD reading and dosing first.',
  refusal: (_device, facts) => conflictingJobs([stirringDevice], facts),
  start: () => ({ stepId: 'intro', data: { min_dc: null, max_dc: null } }),
  step: ({ stepId }) =>
    stepId === 'intro'
      ? stepOf(stepId, 'info', {
          title: 'Stirring speed',
          body: 'Put a vial with liquid and a stir bar into the unit. The unit then runs the stirrer at fifteen duty cycles.',
        })
      : stepOf(stepId, 'action', {
          title: 'Try the stirrer',
          body: 'When you continue, the stirrer turns at different speeds for about a minute.',
        }),
  advance: ({ stepId }, _inputs, facts) => (stepId === 'intro' ? goTo('run_calibration') : run(facts)),
};
