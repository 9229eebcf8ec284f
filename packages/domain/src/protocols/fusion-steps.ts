import type { EstimatorContent, OdAngle } from '@lcs/contract';
import { fusedDevice } from '../estimators/estimator-file.ts';
import type { AngleSignals, FusionModel } from '../estimators/od-fusion.ts';
import type { NameSteps } from './name-steps.ts';
import { intensityOf, lightRefusal, signalChannels } from './od-steps.ts';
import {
  type Advance,
  dayOf,
  fieldOf,
  type OdReadings,
  type ProtocolFacts,
  type SessionFile,
  type SessionFileLink,
  stepOf,
} from './protocol.ts';
import type { SessionData } from './session-data.ts';

/** The angles whose readings are combined. */
export const fusedAngles = ['45', '90', '135'] as const satisfies readonly OdAngle[];

/** Four readings at different speeds, so that the scatter of stirring is in them. */
export const fusionReadings: OdReadings = { discarded: 3, speeds: [0.9, 1.1, 0.8, 1.2], spacingS: 2 };

export const fusionDevices = (facts: ProtocolFacts): readonly string[] =>
  fusionRefusalOfModel(facts) === undefined ? [fusedDevice] : [];

function fusionRefusalOfModel({ model, photodiodes }: ProtocolFacts): string | undefined {
  if (!(model ?? '').endsWith('_XR')) return 'Only reactors of an XR model have the photodiodes for it.';
  const missing = fusedAngles.filter((angle) => !photodiodes.some((one) => one.angle === angle));
  return missing.length > 0 ? `No photodiode is configured for ${missing.join('°, ')}°.` : undefined;
}

export const fusionRefusal = (facts: ProtocolFacts): string | undefined =>
  fusionRefusalOfModel(facts) ?? lightRefusal(facts);

export const estimatorNames = (facts: ProtocolFacts, next: string): NameSteps => ({
  askStep: 'name',
  confirmStep: 'name_overwrite',
  next,
  field: 'estimator_name',
  defaultName: `od-fused-estimator-${dayOf(facts.nowMs)}`,
  isTaken: (name) => facts.estimatorExists(fusedDevice, name),
});

export const rpmStep = ({ initialRpm }: ProtocolFacts) =>
  stepOf('rpm', 'form', {
    title: 'Stirring',
    body: 'How fast must the standards be stirred?',
    fields: [fieldOf({ name: 'rpm', label: 'RPM', field_type: 'float', default: initialRpm || 500, minimum: 0 })],
  });

/** The readings of the three angles, by angle. */
export const signalsOf = (facts: ProtocolFacts, reading: Readonly<Record<string, number>>): AngleSignals =>
  Object.fromEntries(
    fusedAngles.flatMap((angle) => {
      const channel = signalChannels(facts).find((one) => one.angle === angle)?.channel;
      const signal = channel === undefined ? undefined : reading[channel];
      return signal === undefined ? [] : [[angle, signal]];
    }),
  );

/** What ends a session that made an estimator. */
export function finishWith(
  facts: ProtocolFacts,
  data: SessionData,
  model: FusionModel,
  recorded: EstimatorContent['recorded_data'],
  also: Readonly<Record<string, string | number>> = {},
): Advance {
  const content: EstimatorContent = {
    estimator_type: 'od_fused_estimator',
    estimator_name: data.text('estimator_name'),
    calibrated_on_reactor_unit: facts.unit,
    created_at: new Date(facts.nowMs).toISOString(),
    ir_led_intensity: intensityOf(facts),
    ...model,
    recorded_data: recorded,
    y: 'log(Voltage)',
  };
  const file: SessionFile = { kind: 'estimator', device: fusedDevice, content };
  return { kind: 'finish', files: [file], result: (links) => resultOf(links, also) };
}

const resultOf = ([link]: readonly SessionFileLink[], also: Readonly<Record<string, string | number>>) => ({
  title: 'The estimator is stored and in use',
  device: fusedDevice,
  estimator_name: link?.name ?? '',
  path: link?.path ?? '',
  ...also,
});
