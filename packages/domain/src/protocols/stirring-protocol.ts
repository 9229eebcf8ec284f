import { fitSpline } from '../curves/fit-spline.ts';
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

/** Shares of the configured duty between which the stirrer is tried. */
const lowestShare = 0.66;
const highestShare = 1.33;

const stirringDevice = 'stirring';

/** `2026-11-21_04-24`. */
const minuteOf = (nowMs: number): string =>
  new Date(nowMs).toISOString().slice(0, 16).replace('T', '_').replace(':', '-');

function run({ initialDuty, ...facts }: ProtocolFacts): Advance {
  const action = {
    kind: 'stirring' as const,
    lowestDuty: lowestShare * initialDuty,
    highestDuty: Math.min(100, highestShare * initialDuty),
  };
  return act('Trying the stirrer', action, ({ points, supplyV }) => {
    const turning = points.filter(({ rpm }) => rpm > 0);
    const curve = fitSpline(turning.map(({ duty, rpm }) => ({ x: duty, y: rpm })));
    if (curve === undefined)
      throw new InputInvalid('No turn of the stirrer was seen. Check the bar, the vial and the speed sensor.');
    const content = {
      calibration_type: 'simple_stirring' as const,
      calibration_name: `stirring-calibration-${minuteOf(facts.nowMs)}`,
      calibrated_on_reactor_unit: facts.unit,
      created_at: new Date(facts.nowMs).toISOString(),
      curve_data_: curve,
      x: 'DC %',
      y: 'RPM',
      recorded_data: { x: turning.map(({ duty }) => duty), y: turning.map(({ rpm }) => rpm) },
      pwm_hz: facts.stirrerHz,
      voltage: supplyV,
    };
    return {
      kind: 'finish',
      data: { min_dc: action.lowestDuty, max_dc: action.highestDuty },
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
