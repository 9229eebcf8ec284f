import {
  type Advance,
  act,
  goTo,
  InputInvalid,
  type Protocol,
  type ProtocolFacts,
  refusalBeside,
  stepOf,
} from './protocol.ts';
import { noTurnSeen, stirringCalibration, stirringDevice, usualSweep } from './stirring-sweep.ts';

function run(facts: ProtocolFacts): Advance {
  const sweep = usualSweep(facts);
  return act('Trying the stirrer', sweep, (found) => {
    const content = stirringCalibration(found, facts);
    if (content === undefined) throw new InputInvalid(noTurnSeen);
    return {
      kind: 'finish',
      data: { min_dc: sweep.lowestDuty, max_dc: sweep.highestDuty },
      artefacts: [{ kind: 'calibration', device: stirringDevice, content }],
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
  title: 'Stirrer speeds',
  description: 'Finds which duty turns the stirrer how fast, by trying.',
  requirements: ['A vial with as much liquid as in an experiment', 'A stir bar in it'],
  devices: () => [stirringDevice],
  refusal: (_device, facts) => refusalBeside([stirringDevice], facts),
  begin: () => ({ stepId: 'intro', data: { min_dc: null, max_dc: null } }),
  step: ({ stepId }) =>
    stepId === 'intro'
      ? stepOf(stepId, 'info', {
          title: 'Stirrer speeds',
          body: 'Put a vial with liquid and a stir bar into the unit. The stirrer is then tried at fifteen duties.',
        })
      : stepOf(stepId, 'action', {
          title: 'Try the stirrer',
          body: 'When you go on, the stirrer turns at different speeds for about a minute.',
        }),
  advance: ({ stepId }, _inputs, facts) => (stepId === 'intro' ? goTo('run_calibration') : run(facts)),
};
