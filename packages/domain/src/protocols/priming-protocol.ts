import { type PumpDevice, pumpDevices } from '../calibrations/calibration-file.ts';
import {
  type Advance,
  fieldOf,
  goTo,
  InvalidInput,
  type Protocol,
  type ProtocolFacts,
  type ProtocolState,
  performAction,
  stepOf,
  withBlanks,
} from './protocol.ts';
import type { SessionData } from './session-data.ts';
import type { StepInputs } from './step-inputs.ts';

const defaultSeconds = 15;
/** s: longer runs are not watched any more. */
const longestPrimeS = 60;
/** ml: tubes of such reactors hold one or two. */
const muchMl = 5;

const pumpOf = (device: string): PumpDevice => {
  const pump = pumpDevices.find((known) => known === device);
  if (pump === undefined) throw new Error(`${device} must be a pump.`);
  return pump;
};

const isWaste = (device: string): boolean => device === 'waste_pump';

const textsOf = (device: string) =>
  isWaste(device)
    ? {
        where:
          'Its inlet is in the liquid of the vial, and its outlet hangs into the bottle for waste, above the liquid there.',
        counted: 'The ledger subtracts the volume from the vial.',
      }
    : {
        where:
          'Its inlet is at the bottom of the bottle, and its outlet hangs over an empty vessel: not into the vial.',
        counted: 'The ledger subtracts the volume from the bottle and adds nothing to the vial.',
      };

const movedText = (data: SessionData): string => {
  const runs = data.number('runs');
  const moved = `So far ${data.number('moved_ml').toFixed(2)} mL in ${data.number('ran_s').toFixed(1)} s, ${runs} ${runs === 1 ? 'run' : 'runs'}.`;
  const isMuch = data.number('moved_ml') > muchMl;
  return isMuch ? `${moved} A tube holds less: is its inlet in the liquid, and is it tight?` : moved;
};

const longestOf = ({ longestPumpRunS }: ProtocolFacts): number => Math.min(longestPrimeS, longestPumpRunS);

function fillStep(data: SessionData, facts: ProtocolFacts) {
  const again = data.number('runs') > 0 ? ` ${movedText(data)}` : '';
  return stepOf('fill', 'form', {
    title: 'Fill the tube',
    body: `Watch the end of the tube. The pump starts when you continue; stop it as soon as you see liquid there.${again}`,
    fields: [
      fieldOf({
        name: 'seconds',
        label: 'At most, s',
        field_type: 'float',
        default: Math.min(defaultSeconds, longestOf(facts)),
        minimum: 1,
        maximum: longestOf(facts),
      }),
    ],
  });
}

function step({ device, stepId, data }: ProtocolState, facts: ProtocolFacts) {
  const { where, counted } = textsOf(device);
  switch (stepId) {
    case 'place_tubes':
      return stepOf(stepId, 'form', {
        title: 'Place the tubes',
        body: where,
        fields: [
          fieldOf({ name: 'is_placed', label: 'The tubes are placed like that', field_type: 'bool', default: false }),
        ],
      });
    case 'fill':
      return fillStep(data, facts);
    case 'look':
      return stepOf(stepId, 'form', {
        title: 'Does liquid show?',
        body: movedText(data),
        fields: [
          fieldOf({
            name: 'liquid_shows',
            label: 'There is liquid at the end of the tube, without bubbles',
            field_type: 'bool',
            default: false,
          }),
        ],
      });
    default:
      return stepOf('intro', 'info', {
        title: 'What will be done',
        body: `The ${withBlanks(device)} runs until its tube is full, so that its first dose is a whole one. You watch, and stop it. ${counted}`,
      });
  }
}

function prime({ device, data }: ProtocolState, inputs: StepInputs): Advance {
  const seconds = inputs.number('seconds');
  return performAction('Filling the tube', { kind: 'prime', device: pumpOf(device), seconds }, ({ volumeMl, ranS }) =>
    goTo('look', {
      moved_ml: data.number('moved_ml') + volumeMl,
      ran_s: data.number('ran_s') + ranS,
      runs: data.number('runs') + 1,
    }),
  );
}

const finish = ({ device, data }: ProtocolState): Advance => ({
  kind: 'finish',
  files: [],
  result: () => ({
    title: `The tube of the ${withBlanks(device)} is full`,
    device,
    moved_ml: Math.round(1000 * data.number('moved_ml')) / 1000,
    ran_s: Math.round(100 * data.number('ran_s')) / 100,
    runs: data.number('runs'),
  }),
});

/** Fills the tube of a pump with liquid, before the first dose. */
export const primingProtocol: Protocol = {
  name: 'priming',
  priority: 50,
  title: 'Prime the line of the {device}',
  description: 'Runs the {device} until there is liquid at the end of its tube, and records the volume.',
  requirements: ['The pump wired and its tubes in place', 'Liquid to pump', 'An empty vessel'],
  devices: () => pumpDevices,
  effect: (device) =>
    isWaste(device)
      ? 'The waste pump draws liquid out of the vial: the culture has less volume afterwards, as the ledger does.'
      : `What the ${withBlanks(device)} pumps goes where the end of its tube is: into the vial it dilutes the culture, without a record. Hold the tube over a vessel. A running dosing automation may dose meanwhile: pause it first.`,
  refusal: (device, facts) => {
    if (facts.pumpChannel(pumpOf(device)) === undefined)
      return `No output of this unit is labelled for the ${withBlanks(device)}: name one in [PWM] of the configuration.`;
    return longestOf(facts) < 1
      ? 'The model of this unit is not known, so no pump may run: choose its model.'
      : undefined;
  },
  start: () => ({ stepId: 'intro', data: { moved_ml: 0, ran_s: 0, runs: 0 } }),
  step,
  advance: (state, inputs) => {
    switch (state.stepId) {
      case 'intro':
        return goTo('place_tubes');
      case 'place_tubes':
        if (!inputs.boolean('is_placed')) throw new InvalidInput('Place the tubes first.', 'is_placed');
        return goTo('fill');
      case 'fill':
        return prime(state, inputs);
      case 'look':
        return inputs.boolean('liquid_shows') ? finish(state) : goTo('fill');
      default:
        throw new Error(`The protocol has no step ${state.stepId}.`);
    }
  },
};
